"""The wire's token: its name, its settings, and what is made for each connection."""

from attrs import field, frozen

from gamehost.games.eriantys.master import ERIANTYS
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queue import Queue
from gamehost.settings import Settings, from_to, refuse_unknown, seconds, setting
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings
from gamehost.wires.conversation import Peer
from gamehost.wires.eriantys_java.client_codec import JavaClientCodec
from gamehost.wires.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.wires.eriantys_java.conversation import JavaConversation
from gamehost.wires.eriantys_java.events import NAME, JavaOptions
from gamehost.wires.eriantys_java.messages import Message

OPTIONS = {
    "separate": COMMON_OPTIONS["separate"],
    "pace": "milliseconds for which nothing is sent to a client after a message of it; default 30",
    "ack_seconds": "seconds for which nothing is sent to a client that owes an Ack; 0: not at all; default 10.5",
    "ping": "seconds between pings; a client silent for 15 s is disconnected; 0: no pings; default 2",
}

#: Seconds to log in: the published clients connect before a person types a name.
LOGIN_SECONDS = 120.0


@frozen
class JavaConfig:
    """What the connections of one listener have in common."""

    options: JavaOptions
    queue: Queue
    boards: BoardCache = field(factory=BoardCache)

    def new_codec(self) -> JavaCodec:
        """A codec for one connection."""
        return JavaCodec(self.boards)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> JavaConversation:
        """A conversation for one connection."""
        return JavaConversation(peer, lobby, self.queue, self.options)


def configure(settings: Settings) -> JavaConfig:
    """
    The listener's configuration from its settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    options = JavaOptions(
        pace=setting(settings, "pace", 30, from_to(0, 1000)) / 1000,
        ack_seconds=setting(settings, "ack_seconds", 10.5, seconds),
        ping=setting(settings, "ping", 2.0, seconds),
    )
    _, queue = common_settings(settings, NAME, ERIANTYS)
    return JavaConfig(options, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Eriantys, Java objects of its published clients",
    endpoint="tcp:25565:interface=127.0.0.1",
    games=(ERIANTYS,),
    configure=configure,
    options=OPTIONS,
    must_listen=False,
    login_seconds=LOGIN_SECONDS,
    client_codec=JavaClientCodec,
)
