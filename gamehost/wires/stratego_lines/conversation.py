"""
The script, `->` from the client, `<-` from the server::

                                 <- auth-req
    -> ann
    -> secret                    <- auth-ok                  or auth-err, err (extension), auth-req: three tries
                                 <- new, color red           to both, when there is an opponent
    -> four lines of set-up      <- endsetup                 to both, when both set-ups stand
                                 <- get-move                 to whose turn it is
    -> B4-B5                     <- none                     or the letter of the enemy piece that stood there
                                 <- B4-B5 (or B4-B5-R)       to the other; then get-move
                                 <- winner red               to both; new follows when there is an opponent
    connection lost
    -> ann, secret   (again)     <- auth-ok, resume, color red, board, ten lines, endsetup, get-move (extension)

What is refused is told with err (extension): a set-up whole, a move with get-move again.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.login import LoginAttempt, LoginRefused
from gamehost.games.base import Seat
from gamehost.games.stratego import actions
from gamehost.games.stratego import events as told
from gamehost.lobby.lobby import Lobby, Queue
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import Back, Displaced, Over, Refused, Suspended
from gamehost.wires.conversation import SUSPENDED, BaseConversation, Peer
from gamehost.wires.framing import Blank, UndecodableLine
from gamehost.wires.stratego_lines.messages import (
    LETTERS,
    NOT_ASCII,
    AuthErr,
    AuthOk,
    AuthReq,
    Board,
    Color,
    EndSetup,
    Err,
    GetMove,
    Message,
    Met,
    Moved,
    New,
    Resume,
    Text,
    Winner,
    board_rows,
    fault_of_set_up,
    in_pieces,
    read_move,
    square,
)

COLORS = ("red", "blue")

#: So many failed log-ins, or bad set-ups, end a connection.
TRIES = 3

_ROWS = 4


class State(Enum):
    """Where a connection is."""

    #: A username is awaited.
    NAME = "name"
    #: A password is awaited.
    PASSWORD = "password"
    #: The host looks at them.
    CHECKING = "checking"
    #: Logged in; nobody to play with yet.
    WAITING = "waiting"
    #: Four lines of set-up are awaited.
    SETUP = "set-up"
    #: They have come; the other's have not.
    READY = "ready"
    #: A move is awaited.
    ASKED = "asked"
    #: It has come, and is not answered yet.
    MOVED = "moved"
    #: The other is to move.
    PLAYING = "playing"


#: What a line that is not awaited is told.
NOT_NOW: Mapping[Enum, str] = {
    State.CHECKING: "your password is being looked at: wait for auth-ok or auth-err",
    State.WAITING: "the game has not begun: wait for new",
    State.READY: "your set-up stands: wait for endsetup and get-move",
    State.PLAYING: "it is not your turn: wait for get-move",
}


class LinesConversation(BaseConversation[Message]):
    """
    One connection's talk.

    :param wire: the wire's name
    :param queue: where this wire's players wait
    :param strict: say nothing that is not in the document
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool) -> None:
        super().__init__(peer, lobby, State.NAME)
        self._wire = wire
        self._queue = queue
        self._strict = strict
        self._attempt: LoginAttempt | None = None
        #: `None`: a line that could not be read.
        self._name: str | None = None
        self._failed_log_ins = 0
        self._rows: list[str] = []
        self._bad_set_ups = 0
        #: Lines that came before a move was answered.
        self._early = 0
        self._moved_last: Seat | None = None
        self._parting = False

    def begin(self) -> None:
        """Ask who it is."""
        self.peer.say(AuthReq())

    # -- heard: logging in

    def name_given(self, message: Text | UndecodableLine) -> None:
        """A username, judged with the password. One that cannot be read has its password too."""
        self._name = message.text if isinstance(message, Text) else None
        self.set_state(State.PASSWORD)
        if self._name is None and not self._strict:
            self.peer.refuse(Err(f"{NOT_ASCII.reason}; the password is awaited all the same"))

    def password_given(self, message: Text | UndecodableLine | Blank) -> None:
        """A password; an empty line is an empty one."""
        if self._name is None or isinstance(message, UndecodableLine):
            self._turn_away(NOT_ASCII.reason)
            return
        password = message.text if isinstance(message, Text) else ""
        self.set_state(State.CHECKING)
        # From here on it is the host that takes its time.
        self.peer.logged_in()
        attempt = self.lobby.log_in(self._name, password, self._wire, self.peer.address, self, self.judged)
        if self.state is State.CHECKING:
            self._attempt = attempt

    def judged(self, verdict: Session | LoginRefused) -> None:
        """Logged in, or not. A fault in here is this connection's alone."""
        self._attempt = None
        try:
            if isinstance(verdict, LoginRefused):
                self._turn_away(verdict.reason)
                return
            self.session = verdict
            self.set_state(State.WAITING)
            self.peer.say(AuthOk())
            self.lobby.play(verdict, self._queue)
        except Exception:
            self.log.failure("answering a log-in failed")
            self._part("a fault of the host")

    def _turn_away(self, reason: str) -> None:
        self._failed_log_ins += 1
        self.peer.refuse(AuthErr())
        if not self._strict:
            self.peer.say(Err(reason))
        if self._failed_log_ins >= TRIES:
            self._part("failed log-ins")
            return
        self.set_state(State.NAME)
        self.peer.logged_out()
        self.peer.say(AuthReq())

    # -- heard: playing

    def row(self, message: Text | UndecodableLine) -> None:
        """A line of a set-up; it is judged when all four have come."""
        self._rows.append(message.text.upper() if isinstance(message, Text) else "")
        if len(self._rows) < _ROWS:
            return
        lines = tuple(self._rows)
        self._rows.clear()
        fault = fault_of_set_up(lines)
        if fault is not None:
            self._refuse_set_up(fault)
            return
        assert self.handle is not None
        self.set_state(State.READY)
        # Red begins with row 1, blue with row 10: each with the row at the back.
        upwards = lines if self.handle.seat == 0 else lines[::-1]
        self.act(actions.PlaceRows(tuple(map(in_pieces, upwards))))

    def _refuse_set_up(self, reason: str) -> None:
        self._bad_set_ups += 1
        if self._strict:
            self.peer.refuse(Color(COLORS[self._seat]))
        else:
            self.peer.refuse(Err(reason))
        if self._bad_set_ups >= TRIES:
            self._part("bad set-ups")

    def move(self, message: Text | UndecodableLine) -> None:
        """A move, if it is one."""
        move = read_move(message.text) if isinstance(message, Text) else None
        if move is None:
            self._refuse_move(
                message.reason if isinstance(message, UndecodableLine) else "a move is written like B4-B5"
            )
            return
        self.set_state(State.MOVED)
        self.act(actions.Move(*move))

    def _refuse_move(self, reason: str) -> None:
        if self._strict:
            self.peer.refuse(GetMove())
        else:
            self.peer.refuse(Err(reason))
            self.peer.say(GetMove())

    def early(self, message: Text | UndecodableLine) -> None:
        """One line too many. It is refused when the move before it is answered, so that the answers keep their order."""
        self._early += 1

    def unexpected(self, message: Message) -> None:
        """Say what to wait for."""
        self._refuse(message.reason if isinstance(message, UndecodableLine) else NOT_NOW[self.state])

    def _refuse(self, reason: str) -> None:
        if self._strict:
            self._part(reason)
        else:
            self.peer.refuse(Err(reason))

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        self._parting = True
        self._forget_attempt()
        if not self._strict:
            self.peer.say(Err(reason))

    def _dismiss(self, reason: str) -> None:
        self.say_closing(reason)
        self._part(reason)

    def _part(self, reason: str) -> None:
        self._parting = True
        self.peer.hang_up(reason)

    def _forget_attempt(self) -> None:
        if self._attempt is not None:
            self._attempt.cancel()
            self._attempt = None

    def end(self) -> None:
        """Whoever is being looked at need not be; a seat is kept."""
        self._forget_attempt()
        super().end()

    HEARS: ClassVar[Any] = {
        (State.NAME, Text): name_given,
        (State.NAME, UndecodableLine): name_given,
        (State.PASSWORD, Text): password_given,
        (State.PASSWORD, UndecodableLine): password_given,
        (State.PASSWORD, Blank): password_given,
        (State.SETUP, Text): row,
        (State.SETUP, UndecodableLine): row,
        (State.ASKED, Text): move,
        (State.ASKED, UndecodableLine): move,
        (State.MOVED, Text): early,
        (State.MOVED, UndecodableLine): early,
    }

    # -- told

    @property
    def _seat(self) -> Seat:
        assert self.handle is not None
        return self.handle.seat

    def _set_up(self) -> None:
        self._rows.clear()
        self._bad_set_ups = 0
        self._moved_last = None
        self._early = 0
        self.set_state(State.SETUP)
        self.peer.say(New())
        self.peer.say(Color(COLORS[self._seat]))

    def _go_on(self, turn: Seat | None) -> None:
        """Ask for a move, if it is this player's turn."""
        if turn == self._seat:
            self.set_state(State.ASKED)
            self.peer.say(GetMove())
        else:
            self.set_state(State.PLAYING)

    def tell_opened(self, event: told.Opened) -> None:
        """A game begins, with the set-up."""
        self._set_up()

    def tell_playing(self, event: told.Playing) -> None:
        """Both set-ups stand."""
        self.peer.say(EndSetup())
        self._go_on(event.next)

    def tell_moved(self, event: told.Moved) -> None:
        """A move onto an empty square."""
        self._tell_move(event.seat, event.move, None, None, event.next)

    def tell_fought(self, event: told.Fought) -> None:
        """A move that struck. What became of the two, both players can work out."""
        self._tell_move(event.seat, event.move, LETTERS[event.attacker], LETTERS[event.defender], event.next)

    def _tell_move(
        self, seat: Seat, move: actions.Move, attacker: str | None, defender: str | None, turn: Seat | None
    ) -> None:
        if seat == self._seat:
            self.peer.say(Met(defender))
            if turn is not None:
                self._refuse_early(State.PLAYING)
        else:
            self.peer.say(Moved(square(move.x, move.y), square(move.to_x, move.to_y), attacker))
        self._go_on(turn)

    def _refuse_early(self, state: State) -> None:
        early, self._early = self._early, 0
        for _ in range(early):
            self._refuse(NOT_NOW[state])

    def tell_refused(self, event: Refused) -> None:
        """The referee says no."""
        reason = str(event.error)
        if self.state is State.MOVED:
            self.set_state(State.ASKED)
            self._refuse_move(reason)
            self._refuse_early(State.PLAYING)
        elif self.state is State.READY:
            self.set_state(State.SETUP)
            self._refuse_set_up(reason)
        else:
            self._refuse(reason)

    def tell_decided(self, event: told.Over) -> None:
        """The referee's last word; the table's follows, and is what is said."""
        self._moved_last = event.last

    def tell_over(self, event: Over) -> None:
        """The game is over; the next one begins when there is an opponent."""
        winners = event.result.winners
        if winners:
            self.peer.say(Winner(COLORS[winners[0]]))
        elif not self._strict:
            self.peer.say(Winner("none"))
        elif self._moved_last is not None:
            self.peer.say(Winner(COLORS[self._moved_last]))
        else:
            self._part("a draw before anybody moved, which the document has no words for")
        self.leave_table(State.WAITING)
        self._refuse_early(State.WAITING)
        if self.session is not None and not self._parting:
            self.lobby.play(self.session, self._queue)

    def tell_back(self, event: Back[told.Situation]) -> None:
        """A player is back; told to them alone, with all that is needed to go on."""
        if event.seat != self._seat:
            return
        view = event.view
        if view.phase is told.Phase.SETUP:
            self._set_up()
        elif self._strict:
            self._part("a game goes on, and the document has no words for coming back to it")
        else:
            for message in (Resume(), Color(COLORS[self._seat]), Board(board_rows(view.squares)), EndSetup()):
                self.peer.say(message)
            self._go_on(view.turn)

    def tell_displaced(self, event: Displaced) -> None:
        """The same account has logged in anew; this connection has nothing any more."""
        self._dismiss("this account has logged in elsewhere")

    def tell_suspended(self, event: Suspended) -> None:
        """The host has a fault at this table, and nothing more can be done at it here."""
        self._dismiss(SUSPENDED)

    TELLS: ClassVar[Any] = {
        told.Opened: tell_opened,
        told.Playing: tell_playing,
        told.Moved: tell_moved,
        told.Fought: tell_fought,
        told.Over: tell_decided,
        Refused: tell_refused,
        Over: tell_over,
        Back: tell_back,
        Displaced: tell_displaced,
        Suspended: tell_suspended,
    }
