"""The wire as the host knows it."""

from attrs import field, frozen

from gamehost.games.eriantys.master import Eriantys
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.settings import Settings, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.conversation import Peer
from gamehost.wires.eriantys_json.codec import JsonCodec, Press
from gamehost.wires.eriantys_json.conversation import JsonConversation
from gamehost.wires.eriantys_json.events import Manner
from gamehost.wires.eriantys_json.messages import Message

NAME = "eriantys"

ERIANTYS = Eriantys()

OPTIONS = {
    **COMMON_OPTIONS,
    "separate": "yes: this wire's players see each other's tables only; default no",
    "ack_seconds": "seconds for which a table waits for a client that owes an Acknowledgement; 0: not at all; default 2",
    "ping": "seconds between pings; who sends no byte for three times as long is gone; 0: no pings; default 15",
}


@frozen
class JsonScript:
    """What is played on each connection."""

    manner: Manner
    queue: Queue
    press: Press = field(factory=Press)

    @property
    def strict(self) -> bool:
        return self.manner.strict

    def new_codec(self) -> JsonCodec:
        """A codec for one connection."""
        return JsonCodec(self.press)

    def new_conversation(self, line: Peer[Message], lobby: Lobby) -> JsonConversation:
        """A conversation for one connection."""
        return JsonConversation(line, lobby, NAME, self.queue, self.manner)


def configure(settings: Settings) -> JsonScript:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, ERIANTYS)
    manner = Manner(
        strict=strict,
        ack_seconds=setting(settings, "ack_seconds", 2.0, seconds),
        ping=setting(settings, "ping", 15.0, seconds),
    )
    return JsonScript(manner, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Eriantys, one JSON object a line",
    endpoint="tcp:8892:interface=127.0.0.1",
    game=ERIANTYS,
    configure=configure,
    options=OPTIONS,
)
