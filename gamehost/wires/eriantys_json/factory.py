"""The wire's token: its name, its settings, and what is made for each connection."""

from attrs import field, frozen

from gamehost.games.eriantys.master import ERIANTYS
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queue import Queue
from gamehost.settings import Settings, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.conversation import Peer
from gamehost.wires.eriantys_json.client_codec import JsonClientCodec
from gamehost.wires.eriantys_json.codec import BoardCache, JsonCodec
from gamehost.wires.eriantys_json.conversation import JsonConversation
from gamehost.wires.eriantys_json.events import JsonOptions
from gamehost.wires.eriantys_json.messages import Message

NAME = "eriantys"

OPTIONS = {
    **COMMON_OPTIONS,
    "separate": "yes: this wire's players see each other's tables only; default no",
    "ack_seconds": "seconds for which a table waits for a client that owes an Acknowledgement; 0: not at all; default 2",
    "ping": "seconds between pings; a client silent for three times as long is disconnected; 0: no pings; default 15",
}


@frozen
class JsonConfig:
    """What the connections of one listener have in common."""

    options: JsonOptions
    queue: Queue
    boards: BoardCache = field(factory=BoardCache)

    @property
    def strict(self) -> bool:
        return self.options.strict

    def new_codec(self) -> JsonCodec:
        """A codec for one connection."""
        return JsonCodec(self.boards, self.options.strict)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> JsonConversation:
        """A conversation for one connection."""
        return JsonConversation(peer, lobby, NAME, self.queue, self.options)


def configure(settings: Settings) -> JsonConfig:
    """
    The listener's configuration from its settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, ERIANTYS)
    options = JsonOptions(
        strict=strict,
        ack_seconds=setting(settings, "ack_seconds", 2.0, seconds),
        ping=setting(settings, "ping", 15.0, seconds),
    )
    return JsonConfig(options, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Eriantys, one JSON object a line",
    endpoint="tcp:8892:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    client_codec=JsonClientCodec,
)
