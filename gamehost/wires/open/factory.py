"""The wire's token: its name, its games, and what is made for each connection."""

from attrs import Factory, field, frozen

from gamehost.lobby.lobby import Lobby
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.all_games import PLAYED as PLAYED
from gamehost.wires.base import Wire, imported
from gamehost.wires.conversation import Peer
from gamehost.wires.open.client_codec import OpenClientCodec
from gamehost.wires.open.codec import OpenCodec
from gamehost.wires.open.conversation import OpenConversation
from gamehost.wires.open.messages import Message
from gamehost.wires.open.options import OpenOptions
from gamehost.wires.open.watching import SharedEncoder

NAME = "open"

#: The same for all listeners, whatever their carrier.
OPTIONS = OpenOptions(NAME, {played.game.name: played for played in PLAYED})


@frozen
class OpenConfig:
    """What the connections of one listener have in common."""

    options: OpenOptions
    encoder: SharedEncoder = field(
        init=False, default=Factory(lambda self: SharedEncoder(self.options), takes_self=True)
    )

    def new_codec(self) -> OpenCodec:
        """A codec for one connection."""
        return OpenCodec()

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> OpenConversation:
        """A conversation for one connection."""
        return OpenConversation(peer, lobby, self.options, self.encoder)


def configure(settings: Settings) -> OpenConfig:
    """
    The listener's configuration. The wire has no settings.

    :raises BadOption: a setting is unknown
    """
    refuse_unknown(settings, ())
    return OpenConfig(OPTIONS)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="All games, one JSON object a line",
    endpoint="tcp:8889:interface=127.0.0.1",
    games=tuple(played.game for played in PLAYED),
    configure=configure,
    options={},
    must_listen=False,
    client_codec=OpenClientCodec,
    player=imported("gamehost.programs.open:OpenPlayer"),
)
