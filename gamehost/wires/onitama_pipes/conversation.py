"""
The script, `->` from the client, `<-` from the server:

    -> LOGIN|ann                 <- WAITING|ann                    nobody waits yet (extension)
    -> LOGIN|bob    (another)    <- START|ann|bob|<cards>          to both; ann is White and moves first
    -> MAKE_MOVE|tiger|c1|c3     <- MOVE_WAS_MADE|tiger|c1|c3      to both
                                 <- INVALID_MOVE                   or to the sender alone
    -> STALEMATE|ox              <- STALEMATE_CARD|ox|eel          to both; only when nothing can be moved
                                 <- GAME_OVER|ann                  to both, after the last move
    connection lost              <- LOGOUT|bob                     to the other
    -> LOGIN|bob    (again)      <- RECONNECT|bob|black|...        to both

A move that cannot be played, however malformed, is answered INVALID_MOVE; anything else out of place ERROR (extension).
"""

from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Seat
from gamehost.games.onitama.cards import SQUARE_NAMED, SQUARES, card_named
from gamehost.games.onitama.master import Dealt, Exchanged, Moved
from gamehost.games.onitama.position import Exchange, Move, Position
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.tables.interfaces import Away, Back, Over, Refused, Suspended
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.framing import UndecodableLine
from gamehost.wires.onitama_pipes.messages import (
    CLIENT_COMMANDS,
    Error,
    GameOver,
    InvalidMove,
    Login,
    Logout,
    MakeMove,
    Message,
    MoveWasMade,
    NotForServer,
    Reconnect,
    Stalemate,
    StalemateCard,
    Start,
    Unknown,
    Waiting,
    WrongFields,
)

COLOURS = ("white", "black")

#: So many malformed log-ins end a connection.
BAD_LOGINS = 3

DRAW = "draw"


class State(Enum):
    """Where a connection is."""

    #: Before LOGIN, and again after GAME_OVER.
    OUTSIDE = "outside"
    #: Logged in; nobody to play with yet.
    WAITING = "waiting"
    PLAYING = "playing"


def cards_with_positions(position: Position) -> str:
    """Who holds which cards: `white=boar,ox;black=crab,eel;spare=tiger`, each hand in alphabetical order."""
    white, black = (",".join(sorted(hand)) for hand in position.hands)
    return f"white={white};black={black};spare={position.spare}"


class PipesConversation(BaseConversation[Message]):
    """
    One connection's talk.

    :param queue: where this wire's players wait
    :param strict: say nothing that is not in the document
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, State.OUTSIDE)
        self._wire = wire
        self._queue = queue
        self._strict = strict
        self._bad_logins = 0

    # -- heard

    def log_in(self, message: Login) -> None:
        """A name: into the lobby with it, or back to the seat that is kept under it."""
        try:
            session = self.lobby.enter(message.username, self._wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.session = session
        self.peer.logged_in()
        self.set_state(State.WAITING)
        if not self.lobby.play(session, self._queue) and not self._strict:
            self.peer.say(Waiting(session.name))

    def malformed_log_in(self, message: WrongFields) -> None:
        """Something that is not quite a log-in; a client that keeps at it speaks something else."""
        if message.command != "LOGIN":
            self.unexpected(message)
            return
        self._bad_logins += 1
        self._refuse(f"expected {message.expected}")
        if self._bad_logins >= BAD_LOGINS:
            self.peer.hang_up("malformed log-ins")

    def move(self, message: MakeMove) -> None:
        """A move, if card and squares are any."""
        card = card_named(message.card)
        start = SQUARE_NAMED.get(message.start)
        end = SQUARE_NAMED.get(message.end)
        if card is None or start is None or end is None:
            self.peer.refuse(InvalidMove())
        else:
            self.act(Move(card, start, end))

    def exchange(self, message: Stalemate) -> None:
        """An exchange, if the card is any."""
        card = card_named(message.card)
        if card is None:
            self.peer.refuse(InvalidMove())
        else:
            self.act(Exchange(card))

    def malformed_move(self, message: WrongFields) -> None:
        """A move that cannot be played, however malformed, is an invalid one."""
        if message.command == "LOGIN":
            self.unexpected(message)
        else:
            self.peer.refuse(InvalidMove())

    def unexpected(self, message: Message) -> None:
        """Say what was awaited instead."""
        if self._strict and self.state is State.PLAYING:
            self.peer.refuse(InvalidMove())
        else:
            self._refuse(self._what_is_wrong(message))

    def _what_is_wrong(self, message: Message) -> str:
        match message:
            case UndecodableLine(reason):
                return reason
            case Unknown(meant) if meant:
                return f"commands are upper case: {meant}"
            case Unknown():
                return f"unknown command; expected one of {', '.join(CLIENT_COMMANDS)}"
            case NotForServer(command):
                return f"only the server says {command}"
            case Login() | WrongFields("LOGIN"):
                return "already logged in"
        if self.state is State.OUTSIDE:
            return "log in first: LOGIN|username"
        return "the game has not begun: wait for START"

    def _refuse(self, reason: str) -> None:
        if self._strict:
            self.peer.hang_up(reason)
        else:
            self.peer.refuse(Error(reason))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        if not self._strict:
            self.peer.say(Error(reason))

    HEARS: ClassVar[Any] = {
        (State.OUTSIDE, Login): log_in,
        (State.OUTSIDE, WrongFields): malformed_log_in,
        (State.PLAYING, MakeMove): move,
        (State.PLAYING, Stalemate): exchange,
        (State.PLAYING, WrongFields): malformed_move,
    }

    # -- told

    def tell_dealt(self, event: Dealt) -> None:
        """The match begins."""
        self.set_state(State.PLAYING)
        cards = None if self._strict else cards_with_positions(event.position)
        self.peer.say(Start(self.name_of(Seat(0)), self.name_of(Seat(1)), cards))

    def tell_moved(self, event: Moved) -> None:
        """A move, to both."""
        move = event.move
        self.peer.say(MoveWasMade(move.card, SQUARES[move.start], SQUARES[move.end]))

    def tell_exchanged(self, event: Exchanged) -> None:
        """An exchange with the pack, to both."""
        self.peer.say(StalemateCard(event.old, event.new))

    def tell_refused(self, event: Refused) -> None:
        """Not a valid move. The document gives no reason with it."""
        if self.state is State.PLAYING:
            self.peer.refuse(InvalidMove())

    def tell_away(self, event: Away) -> None:
        """The other player dropped; a player who has just come back is told so too (extension)."""
        if not (event.already and self._strict):
            self.peer.say(Logout(self.name_of(event.seat)))

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back; to both. The one who is gets all that is needed to go on."""
        self.set_state(State.PLAYING)
        position = event.view.position
        self.peer.say(
            Reconnect(
                self.name_of(event.seat),
                COLOURS[event.seat],
                "/".join(position.rows()),
                cards_with_positions(position),
                self.name_of(Seat(position.turn)),
            )
        )

    def tell_over(self, event: Over) -> None:
        """The match is over; the connection is where it was before LOGIN."""
        winners = event.result.winners
        self.peer.say(GameOver(self.name_of(winners[0]) if winners else DRAW))
        self.leave_table(State.OUTSIDE)
        self.end()

    TELLS: ClassVar[Any] = {
        Dealt: tell_dealt,
        Moved: tell_moved,
        Exchanged: tell_exchanged,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
        Suspended: BaseConversation.tell_suspended,
    }
