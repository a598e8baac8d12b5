"""The wire `eriantys-java`: Eriantys for its published Java programs. Messages are Java objects, in Java's serialization."""

from functools import partial
from typing import Any

from gamehost.entries import imported
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.settings import Settings, from_to, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost.wires.framing import LastEncoded

NAME = "eriantys-java"

OPTIONS = {
    "separate": COMMON_OPTIONS["separate"],
    "pace": "milliseconds for which nothing is sent to a client after a message of it; default 30",
    "ack_seconds": "seconds for which nothing is sent to a client that owes an Ack; 0: not at all; default 10.5",
    "ping": "seconds between pings; a client silent for 15 s is disconnected; 0: no pings; default 2",
}

#: How many seconds a client has to log in. The published clients connect before a person types a name.
LOGIN_SECONDS = 120.0


def configure(settings: Settings) -> CommonWireConfig[Any]:
    """
    Makes the configuration of this wire from settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    _, queue = common_settings(settings, NAME, ERIANTYS)
    # All codecs of a listener share the last encoded board.
    codec = partial(imported("gamehost.extras.dialects.eriantys_java.codec:JavaCodec"), LastEncoded())
    conversation = partial(
        imported("gamehost.extras.dialects.eriantys_java.conversation:JavaConversation"),
        # The setting is in milliseconds.
        pace=setting(settings, "pace", 30, from_to(0, 1000)) / 1000,
        ack_seconds=setting(settings, "ack_seconds", 10.5, seconds),
        ping=setting(settings, "ping", 2.0, seconds),
    )
    return CommonWireConfig(NAME, codec, conversation, True, queue)


WIRE: Wire[Any] = Wire(
    name=NAME,
    title="Eriantys, Java objects of its published clients",
    endpoint="tcp:25565:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    must_listen=False,
    login_seconds=LOGIN_SECONDS,
    spreads=True,
)
