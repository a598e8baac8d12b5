"""The wire of Eriantys: one JSON object a line."""

from functools import partial
from typing import Any

from gamehost.entries import imported
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.settings import Settings, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost.wires.framing import LastEncoded

NAME = "eriantys"

OPTIONS = {
    **COMMON_OPTIONS,
    "separate": "yes: this wire's players see each other's tables only; default no",
    "ack_seconds": "seconds for which a table waits for a client that owes an Acknowledgement; 0: not at all; default 2",
    "ping": "seconds between pings; a client silent for three times as long is disconnected; 0: no pings; default 15",
}


def configure(settings: Settings) -> CommonWireConfig[Any]:
    """Reads the settings of the wire. The codec and the conversation are imported when the first client connects."""
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, ERIANTYS)
    # All connections of a port share this cache, so that a board is encoded only once.
    codec = partial(imported("gamehost.wires.eriantys.codec:JsonCodec"), LastEncoded(), strict)
    conversation = partial(
        imported("gamehost.wires.eriantys.conversation:JsonConversation"),
        ack_seconds=setting(settings, "ack_seconds", 2.0, seconds),
        ping=setting(settings, "ping", 15.0, seconds),
    )
    return CommonWireConfig(NAME, codec, conversation, strict, queue)


WIRE: Wire[Any] = Wire(
    name=NAME,
    title="Eriantys, one JSON object a line",
    endpoint="tcp:8892:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    spreads=True,
    tells_missed_end=True,
)
