"""
The protocol, `->` from the client, `<-` from the server:

    -> NAME ann                  <- WAITING ann              nobody waits yet
    -> NAME bob    (another)     <- GAME ann bob 15          to both; ann is Black and begins
    -> PLAY h8                   <- PLAYED ann h8            to both
                                 <- REFUSED reason           or to the sender alone
    -> RESIGN
                                 <- OVER ann five in a row   to both; then NAME begins the next match
    connection lost              <- AWAY bob                 to the other
    -> NAME bob    (again)       <- BACK bob ann bob 15 h8   to both
                                 <- CLOSING reason           before the host closes a connection
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.settings import Settings, refuse_unknown
from gamehost.tables.interfaces import Away, Back, Over, Refused
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, GuestConversation, Wire, common_settings
from gamehost.wires.framing import UndecodableLine
from gamehost_gomoku.master import GOMOKU, Begun, Played
from gamehost_gomoku.position import BLACK, WHITE, point_named
from gamehost_gomoku.wire import messages
from gamehost_gomoku.wire.codec import GomokuCodec
from gamehost_gomoku.wire.messages import Malformed, Message, Name, Play, Resign


class State(Enum):
    """What a connection can do next."""

    #: Not logged in: before NAME, and again after OVER.
    OUTSIDE = "outside"
    #: Logged in, without an opponent.
    WAITING = "waiting"
    PLAYING = "playing"


class GomokuConversation(GuestConversation[Message]):
    """One connection, from the first message to the last."""

    FIRST = State.OUTSIDE

    # -- what a client says

    def log_in(self, message: Name) -> None:
        """Enter the lobby as a guest. A player whose connection was lost gets the seat back."""
        try:
            session = self.lobby.enter(message.name, self._wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.logged_in(session)
        self.set_state(State.WAITING)
        if not self.lobby.play(session, self._queue):
            self.peer.say(messages.Waiting(session.name))

    def play(self, message: Play) -> None:
        """Place a stone."""
        point = point_named(message.point)
        if point is None:
            self._refuse("expected a point such as h8")
        else:
            self.act(point)

    def resign(self, message: Resign) -> None:
        """Give the match up. OVER follows, as after any other match."""
        assert self.handle is not None
        self.handle.resign()

    def unexpected(self, message: Message) -> None:
        """Anything else: say what was expected."""
        match message:
            case UndecodableLine(reason):
                self._refuse(reason)
            case Malformed(expected):
                self._refuse(f"expected {expected}")
            case _ if self.state is State.OUTSIDE:
                self._refuse("expected NAME first")
            case _ if self.state is State.WAITING:
                self._refuse("no opponent yet: wait for GAME")
            case _:
                self._refuse("you have logged in already")

    def _refuse(self, reason: str) -> None:
        if self._strict:
            self.say_closing(reason)
            self.peer.hang_up(reason)
        else:
            self.peer.refuse(messages.Refused(reason))

    def say_closing(self, reason: str) -> None:
        """The host ends the connection."""
        self.peer.say(messages.Closing(reason))

    HEARS: ClassVar[Any] = {
        (State.OUTSIDE, Name): log_in,
        (State.PLAYING, Play): play,
        (State.PLAYING, Resign): resign,
    }

    # -- what the table tells

    def tell_begun(self, event: Begun) -> None:
        """The match begins."""
        self.set_state(State.PLAYING)
        self.peer.say(messages.Game(self.name_of(Seat(BLACK)), self.name_of(Seat(WHITE)), str(event.size)))

    def tell_played(self, event: Played) -> None:
        """A move, to both players."""
        self.peer.say(messages.Played(self.name_of(event.seat), str(event.point)))

    def tell_refused(self, event: Refused) -> None:
        """The master refused an action of this player."""
        self._refuse(str(event.error))

    def tell_away(self, event: Away) -> None:
        """The other player's connection is lost."""
        self.peer.say(messages.Away(self.name_of(event.seat)))

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back, this one or the other. The message says all that is needed to go on."""
        self.set_state(State.PLAYING)
        position = event.view.position
        moves = ",".join(map(str, position.stones)) or "-"
        names = (self.name_of(event.seat), self.name_of(Seat(BLACK)), self.name_of(Seat(WHITE)))
        self.peer.say(messages.Back(*names, str(position.size), moves))

    def tell_over(self, event: Over) -> None:
        """The match is over: leave the table and the lobby, and wait for the next NAME."""
        winners = event.result.winners
        self.peer.say(messages.Over(self.name_of(winners[0]) if winners else "-", event.result.why))
        self.leave_table(State.OUTSIDE)
        self.end()

    TELLS: ClassVar[Any] = {
        Begun: tell_begun,
        Played: tell_played,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }


NAME = "gomoku"


def configure(settings: Settings) -> CommonWireConfig[Message]:
    """
    Read the wire's settings, once for each port.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return CommonWireConfig(NAME, GomokuCodec, GomokuConversation, *common_settings(settings, NAME, GOMOKU))


#: The wire's token, which the entry point in `pyproject.toml` names.
WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Gomoku, lines of words",
    endpoint="tcp:8899:interface=127.0.0.1",
    games=(GOMOKU,),
    configure=configure,
    options=COMMON_OPTIONS,
    api=1,
    websocket=True,
)
