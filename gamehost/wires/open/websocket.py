"""
The open wire at its other ports: over WebSocket for browsers, and on a private listener for house players.

For browsers, each message is one text frame (RFC 6455). The host sends a ping to a silent browser, because a browser
that loses its network does not close the connection.

For house players, the wire differs in three things:

- `enter` takes the seat that the lobby has reserved for a house player of this name. The key is the secret of the
  host's own process.
- A house player cannot seek or watch.
- The lobby is informed of every event that a house player receives.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from msgspec import UNSET, Struct

from gamehost.accounts.names import NameRefused
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.base import Peer, Wire
from gamehost.wires.framing import LastEncoded, WireError
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import LINE_LIMIT, parse, to_json
from gamehost.wires.open.conversation import OPTIONS, OpenConfig, OpenConversation
from gamehost.wires.open.watching import OpenOptions, OpenState, SharedEncoder
from gamehost.wires.websocket import (
    GOING_AWAY,
    NORMAL,
    POLICY,
    Close,
    FrameCodec,
    FrameError,
    Switching,
    text_frame,
)

NO_PASSWORDS = (
    "others can read what is sent over this connection, so no password is taken here; use https, or a guest's name"
)

#: Everything that the codec passes to a conversation, or gets from it.
Said = Any


def _frame(message: Said) -> bytes:
    return text_frame(to_json(message))


#: The last event and its frame. The same event is sent to all players of a table, but is encoded only once.
_EVENTS: LastEncoded[Said] = LastEncoded()


class SocketCodec(FrameCodec[Said]):
    """The codec of one WebSocket connection: JSON in text frames."""

    LIMIT = LINE_LIMIT

    def read(self, text: bytes) -> Said:
        return parse(text)

    def encode(self, message: Said) -> bytes:
        """
        Returns the frame of a message. Bytes for watchers are frames already, and an event is encoded only once for all
        players of its table.
        """
        if type(message) is m.Encoded:
            return message.data
        if type(message) is m.Event:
            return _EVENTS.bytes_of(message, _frame)
        if isinstance(message, m.ServerMessage):
            return _frame(message)
        return self.control(message)


class SocketConversation(OpenConversation):
    """
    The conversation on one WebSocket connection.

    :param key: the header `Sec-WebSocket-Key` of the handshake
    :param private: whether the connection is encrypted or local, so that a password may be sent
    """

    def __init__(
        self, peer: Peer[Said], lobby: Lobby, options: OpenOptions, encoder: SharedEncoder, key: str, private: bool
    ) -> None:
        super().__init__(peer, lobby, options, encoder)
        self._socket = peer
        self._key = key
        self._private = private

    def begin(self) -> None:
        """Answers the handshake, because the host has accepted the connection."""
        super().begin()
        Switching(self._key).answer(self._socket)

    def _switch(self) -> None:
        """
        Answers the handshake of a client that the host refuses at once. The reason can be sent only after this answer.
        """
        # `begin` answers the handshake of a client that the host accepts.
        if not self._begun:
            self._socket.say(Switching(self._key))

    def log_in(self, message: m.LogIn) -> None:
        """Checks the password of an account, unless other programs could have read it on its way."""
        if self._private:
            super().log_in(message)
        else:
            self.peer.refuse(m.Sorry(NO_PASSWORDS))

    def client_closed(self, message: Close) -> None:
        """Answers the closing frame of the client, and closes the connection."""
        self._socket.say(Close(message.code))
        self.peer.hang_up()

    def wire_error(self, error: WireError) -> None:
        self._close(str(error), error.code if isinstance(error, FrameError) else POLICY)

    def say_closing(self, reason: str) -> None:
        self._close(reason, NORMAL)

    def say_shutdown(self, reason: str) -> None:
        """Sends that the host stops, or that the client may connect again soon; then a closing frame."""
        self._switch()
        super().say_shutdown(reason)
        self._socket.say(Close(GOING_AWAY, reason))

    def _close(self, reason: str, code: int) -> None:
        """Sends the reason as a message of the wire, and then a closing frame with this code."""
        # In this case `super().say_closing` calls `say_shutdown`, which does all three steps.
        again = self._may_try_again(reason)
        if not again:
            self._switch()
        super().say_closing(reason)
        if not again:  # otherwise `say_shutdown` has sent the closing frame
            self._socket.say(Close(code, reason))

    HEARS: ClassVar[Mapping[Any, Any]] = {
        **OpenConversation.HEARS,
        (OpenState.OUTSIDE, m.LogIn): log_in,
        **dict.fromkeys(((state, Close) for state in OpenState), client_closed),
    }


class SocketConfig(Struct, frozen=True):
    """The open wire's configuration for one WebSocket connection."""

    options: OpenOptions
    #: The same for all connections of a listener.
    encoder: SharedEncoder
    key: str
    private: bool

    new_codec = SocketCodec

    def new_conversation(self, peer: Peer[Said], lobby: Lobby) -> SocketConversation:
        return SocketConversation(peer, lobby, self.options, self.encoder, self.key, self.private)


def frame_encoder(options: OpenOptions) -> SharedEncoder:
    return SharedEncoder(options, text_frame)


# The private listener for house players.


NAME = "house-players"


class HouseConversation(OpenConversation):
    """
    The conversation of one house player.

    :param is_secret: whether a text is the secret of the host's own process
    """

    declines = True
    claims = False

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
        """Logs in the house player of this name, if the key is the host's secret."""
        # Other programs can reach this port, but do not know the secret.
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

    def deliver(self, event: Any) -> None:
        """Sends an event, and informs the lobby that something has happened at this table."""
        if self.session is not None:
            # The lobby notes the time: a match of house players without any event may be ended.
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
    #: No claims: the host itself has chosen the names of its house players, so no other host of a cluster has them.
    CLAIMS: ClassVar[Any] = {}


def house_wire(is_secret: Callable[[str], bool]) -> Wire[m.Message]:
    """
    Returns the wire on which house players play.

    :param is_secret: whether a text is the secret of the host's own process
    """
    config = OpenConfig(OPTIONS, partial(HouseConversation, is_secret=is_secret))
    return Wire(
        name=NAME,
        title="House players",
        endpoint="",
        games=tuple(played.game for played in OPTIONS.games.values()),
        configure=lambda settings: config,
        options={},
    )
