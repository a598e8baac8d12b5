"""
The open wire for house players, on a private listener. It differs from the open wire in three things.

- `enter` takes the seat that the lobby keeps under the name of a house player. The key is the secret of the host's own process.
- There is nothing to seek and nothing to watch.
- The lobby is told whenever something happens at the table.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from attrs import Factory, field, frozen
from msgspec import UNSET

from gamehost.accounts.names import NameRefused
from gamehost.lobby.lobby import Lobby
from gamehost.settings import Settings
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.base import Wire
from gamehost.wires.conversation import Peer
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import OpenCodec
from gamehost.wires.open.conversation import OPTIONS, OpenConversation, OpenState
from gamehost.wires.open.watching import OpenOptions, SharedEncoder

NAME = "house-players"


class HouseConversation(OpenConversation):
    """
    The conversation of one house player.

    :param is_secret: whether this is the secret of the host's own process
    """

    def __init__(
        self,
        peer: Peer[m.Message],
        lobby: Lobby,
        options: OpenOptions,
        encoder: SharedEncoder,
        is_secret: Callable[[str], bool],
    ) -> None:
        super().__init__(peer, lobby, options, encoder)
        self._is_secret = is_secret

    def enter(self, message: m.Enter) -> None:
        """Take the seat that is kept under this name."""
        if message.key is UNSET or not self._is_secret(message.key):
            self._refuse("only the host's own players enter here")
            return
        try:
            session = self._house.log_in(message.name, self)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self._entered(session)

    def seated(self, handle: SeatHandle[Any]) -> None:
        super().seated(handle)
        if self.session is not None:
            self._house.active(self.session, handle)

    @property
    def declines(self) -> bool:
        return True

    def deliver(self, event: Any) -> None:
        if self.session is not None:
            self._house.active(self.session)
        super().deliver(event)

    HEARS: ClassVar[Any] = {
        **{
            (state, kind): method
            for (state, kind), method in OpenConversation.HEARS.items()
            if kind in (m.Ping, m.Act, m.AskHistory)
        },
        (OpenState.OUTSIDE, m.Enter): enter,
    }
    #: The host itself has given these names.
    CLAIMS: ClassVar[Any] = {}


@frozen
class HouseConfig:
    """What the connections of the listener have in common."""

    options: OpenOptions
    is_secret: Callable[[str], bool]
    encoder: SharedEncoder = field(
        init=False, default=Factory(lambda self: SharedEncoder(self.options), takes_self=True)
    )

    def new_codec(self) -> OpenCodec:
        return OpenCodec()

    def new_conversation(self, peer: Peer[m.Message], lobby: Lobby) -> HouseConversation:
        return HouseConversation(peer, lobby, self.options, self.encoder, self.is_secret)


def house_wire(is_secret: Callable[[str], bool]) -> Wire[m.Message]:
    """The wire of the house players of one host."""

    def configure(settings: Settings) -> HouseConfig:
        return HouseConfig(OPTIONS, is_secret)

    return Wire(
        name=NAME,
        title="House players",
        endpoint="",
        games=tuple(played.game for played in OPTIONS.games.values()),
        configure=configure,
        options={},
    )
