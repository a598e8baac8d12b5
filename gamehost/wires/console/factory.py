"""The wire's token: its name, its games, and what is made for each connection."""

from msgspec import Struct

from gamehost.lobby.lobby import Lobby
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.all_games import PLAYED
from gamehost.wires.base import Wire
from gamehost.wires.console.codec import ConsoleCodec
from gamehost.wires.console.conversation import ConsoleConversation
from gamehost.wires.console.messages import Message
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.screens import SCREENS
from gamehost.wires.conversation import Peer

NAME = "console"

#: The games that can be drawn.
SHOWN = tuple(played for played in PLAYED if played.game.name in SCREENS)


class ConsoleConfig(Struct, frozen=True):
    """What the connections of one listener have in common."""

    options: ConsoleOptions

    def new_codec(self) -> ConsoleCodec:
        """A codec for one connection."""
        return ConsoleCodec()

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> ConsoleConversation:
        """A conversation for one connection."""
        return ConsoleConversation(peer, lobby, self.options)


def configure(settings: Settings) -> ConsoleConfig:
    """
    The listener's configuration. The wire has no settings.

    :raises BadOption: a setting is unknown
    """
    refuse_unknown(settings, ())
    return ConsoleConfig(ConsoleOptions(NAME, {played.game.name: played for played in SHOWN}, SCREENS))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="All games, for people with netcat or telnet",
    endpoint="tcp:8888:interface=127.0.0.1",
    games=tuple(played.game for played in SHOWN),
    configure=configure,
    options={},
    must_listen=False,
    for_people=True,
)
