"""
The script, `->` from the client, `<-` from the server::

    -> LOGIN|ann                  <- WAITING|ann                    always, and always before START
    -> LOGIN|bob    (another)     <- START|bob|ann|<five cards>     to both: Black, White, who moves first, and the cards
    -> MAKE_MOVE|tiger|4|2|2|2    <- MOVE_WAS_MADE|tiger|4|2|2|2    to both
                                  <- INVALID_MOVE|reason            or to the sender alone
    -> MAKE_PASS|ox               <- PASS_WAS_MADE|ox               to both; only when nothing can be moved
                                  <- GAME_OVER|ann                  to both, after the last move
    connection lost               <- DISCONNECT|bob                 to the other
    -> LOGIN|bob    (again)       <- RECONNECT|<34 fields>          to the returned player
                                  <- RECONNECT|bob                  to the other
    -> PING|PING                  <- PING|PING                      at once, in every state

The clients lose messages that they read together with START or the long RECONNECT. So for a second after these two,
only PING is sent. A move or a pass at a wrong time is answered with INVALID_MOVE, all other faults with FAILED. In a
match the clients leave after the fifth FAILED.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar

from gamehost.accounts.names import NameRefused, composed
from gamehost.extras.dialects.onitama_final import messages as m
from gamehost.games.onitama.master import Dealt, Exchanged, Moved
from gamehost.games.onitama.rules import BLACK, SIDE, WHITE, Position, Square, read_exchange, read_move
from gamehost.tables.interfaces import Away, Back, Over, Refused, SeatHandle
from gamehost.wires.base import Claim, GuestConversation, claim_of_guest
from gamehost.wires.framing import NOT_UTF8, UndecodableLine, for_people

#: For how many seconds nothing is sent after START and the long RECONNECT.
PAUSE = 1.0
#: The connection of a player that has sent no byte for so many seconds is closed. The clients send a ping every 10 s.
SILENCE = 30.0
#: The seconds between two checks of the silence.
LOOK = 1.0
#: The longest name in characters. The clients cannot show a longer name of their own.
LONGEST_NAME = 10
#: The most characters of a sentence, so that its message is read in one piece.
LONGEST_TEXT = 230

DRAW = "draw"

NO_SQUARE = "there is no such square; expected a row and a column from 0 to 4"
NOT_BEGUN = "the game has not begun: wait for START"

_DIGITS = "01234"
PIECES = {"K": "wK", "P": "wP", "k": "bK", "p": "bP", ".": "--"}


class FinalState(Enum):
    #: Before LOGIN, and again after GAME_OVER.
    OUTSIDE = "outside"
    #: Logged in; there is no opponent yet.
    WAITING = "waiting"
    PLAYING = "playing"


def square_at(row: str, column: str) -> Square | None:
    """
    Returns a square of the game; `None`: there is no such square.

    :param row: a digit, counted from the top
    :param column: a digit, counted from White's left
    """
    if len(row) != 1 or len(column) != 1 or row not in _DIGITS or column not in _DIGITS:
        return None
    return (SIDE - 1 - int(row)) * SIDE + int(column)


def row_and_column(square: Square) -> tuple[str, str]:
    """Returns the row and the column of a square, as this wire writes them. It is the inverse of `square_at`."""
    return str(SIDE - 1 - square // SIDE), str(square % SIDE)


def cards_of(position: Position) -> tuple[str, str, str, str, str]:
    """Returns the five cards in the order of START and RECONNECT: Black's two cards, the spare, White's two cards."""
    white, black = position.hands
    return (*black, position.spare, *white)


def squares_of(position: Position) -> tuple[str, ...]:
    """Returns the 25 squares for RECONNECT, row by row from the top."""
    return tuple(PIECES[square] for row in position.rows() for square in row)


def name_objection(name: str) -> str | None:
    """
    Returns the reason why a client of this wire cannot have a name; `None`: the lobby decides. The clients expect
    exactly the name that they have sent, so the host may not change it.
    """
    if not name:
        return "Name empty!"
    if len(name) > LONGEST_NAME:
        return f"Name is too long (>{LONGEST_NAME})!"
    # A colon would stand before a guest's key, and `composed` would change the name.
    if ":" in name or any(map(str.isspace, name)) or composed(name) != name:
        return f"a name has 1 to {LONGEST_NAME} letters, digits, _ - or . and nothing else"
    return None


class FinalConversation(GuestConversation[m.Message]):
    """
    The conversation on one connection.

    :param queue: the queue in which the players of this wire wait
    :param strict: whether the reason for the end of a connection is not sent, because the dialect has no message for it
    """

    FIRST = FinalState.OUTSIDE
    WAITING = FinalState.WAITING

    #: The players of the match by their seats, as this client knows them.
    _names: Sequence[str] = ()

    def begin(self) -> None:
        """Starts the check for silent clients."""
        self.peer.pulse(LOOK, self._look)

    def _look(self, silent: float) -> None:
        """
        Closes the connection of a player that is silent for too long.

        :param silent: the seconds since the last byte of the client
        """
        if silent >= SILENCE and self.state is not FinalState.OUTSIDE:
            self.say_closing(f"no PING for {SILENCE:g} s")
            self.peer.hang_up("silent")

    # -- from the client

    def log_in(self, message: m.Login) -> None:
        """Enters the lobby under a name, or takes back the seat that is reserved under the name."""
        reason = name_objection(message.name)
        if reason is not None:
            self._refuse(reason)
            return
        try:
            # These clients have no keys. So a seat is taken back by the address alone, and at once.
            session = self.lobby.enter(message.name, self._wire, self.peer.address, self, strict=True)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.logged_in(session)
        self.set_state(FinalState.WAITING)
        if not self.lobby.reconnect(session):
            # The clients end if START comes without WAITING before it.
            self.peer.say(m.Waiting(session.name))
            self.lobby.play(session, self._queue)

    def claim_of_log_in(self, message: m.Login) -> Claim | None:
        """
        Returns the claim of the name in a log-in: only one host of a cluster may use a name, and that host handles the
        message. `None`: the name will be refused, which any host can do.
        """
        if name_objection(message.name) is not None:
            return None
        # `strict`: the clients of this wire have no keys, so the whole text is the name.
        return claim_of_guest(message.name, self._queue, strict=True)

    def move(self, message: m.MakeMove) -> None:
        """Passes a move to the table, or refuses it."""
        start = square_at(message.start_row, message.start_column)
        end = square_at(message.end_row, message.end_column)
        self.act_or_refuse(read_move(message.card, start, end, NO_SQUARE), self._refuse_move)

    def pass_turn(self, message: m.MakePass) -> None:
        self.act_or_refuse(read_exchange(message.card), self._refuse_move)

    def unexpected(self, message: m.Message) -> None:
        """
        Answers a message that is not expected now. A move gets INVALID_MOVE, because the client waits for an answer to
        it.
        """
        match message:
            case m.MakeMove() | m.MakePass():
                self._refuse_move(NOT_BEGUN)
            case m.WrongFields("MAKE_MOVE" | "MAKE_PASS", expected):
                self._refuse_move(f"expected {expected}")
            case _:
                self._refuse(self._what_is_wrong(message))

    def _what_is_wrong(self, message: m.Message) -> str:
        """Returns the fault of a message that is not expected now, in words."""
        match message:
            case UndecodableLine(reason):
                return "a message that is not UTF-8" if message is NOT_UTF8 else reason
            case m.WrongFields(_, expected):
                return f"expected {expected}"
            case m.HelpAsked():
                return f"this port speaks {m.SPOKEN}{for_people('' if self._strict else self.by_hand)}"
            # The command would be known in capital letters.
            case m.Unknown(meant) if meant:
                return f"commands are upper case: {meant}"
            case m.NotForServer(command):
                return f"only the server says {command}"
            case m.Login():
                return "already logged in"
        return f"unknown command; expected one of {', '.join(m.CLIENT_COMMANDS)}, PING"

    def _refuse_move(self, reason: str) -> None:
        self.peer.refuse(m.InvalidMove(_sentence(reason)))

    def _refuse(self, reason: str) -> None:
        self.peer.refuse(m.Failed(_sentence(reason)))

    def say_closing(self, reason: str) -> None:
        if not self._strict:
            self.peer.say(m.Failed(_sentence(reason)))

    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        (FinalState.OUTSIDE, m.Login): log_in,
        (FinalState.PLAYING, m.MakeMove): move,
        (FinalState.PLAYING, m.MakePass): pass_turn,
        **dict.fromkeys(((state, m.Ping) for state in FinalState), lambda self, message: self.peer.say_past(message)),
    }
    CLAIMS: ClassVar[Any] = {(FinalState.OUTSIDE, m.Login): claim_of_log_in}

    # -- to the client

    def seated(self, handle: SeatHandle[Any]) -> None:
        """
        Called when the player has a seat. The names are stored, because the client knows the players by their present names.
        """
        super().seated(handle)
        self._names = tuple(handle.names)

    def tell_dealt(self, event: Dealt) -> None:
        """Called when the match begins: sends the names of the players and the cards."""
        self.set_state(FinalState.PLAYING)
        start = m.Start(self._names[BLACK], self._names[WHITE], cards_of(event.position))
        # The client needs a moment before it can read the next message.
        self.peer.say_and_hold(start, PAUSE)

    def tell_moved(self, event: Moved) -> None:
        move = event.move
        self.peer.say(m.MoveWasMade(move.card, *row_and_column(move.start), *row_and_column(move.end)))

    def tell_exchanged(self, event: Exchanged) -> None:
        """Sends an exchange. The client itself exchanges the card for the spare card."""
        self.peer.say(m.PassWasMade(event.old))

    def tell_refused(self, event: Refused) -> None:
        """Sends the refusal of a move with the reason. A refusal after the end of the match is dropped."""
        if self.state is FinalState.PLAYING:
            self._refuse_move(str(event.error))

    def tell_away(self, event: Away) -> None:
        self.peer.say(m.Disconnect(self._names[event.seat]))

    def tell_back(self, event: Back[Any]) -> None:
        """
        Sends a player that is back the state of the match. The other player receives that its opponent is back, unless
        the absence was not sent yet.
        """
        assert self.handle is not None
        self.set_state(FinalState.PLAYING)
        if event.seat == self.handle.seat:
            position = event.view.position
            names, seat = self._names, self.handle.seat
            state = m.Restore(
                names[BLACK],
                names[WHITE],
                cards_of(position),
                seat == WHITE,
                position.turn == WHITE,
                squares_of(position),
            )
            self.peer.say_and_hold(state, PAUSE)
        # `unsay` takes DISCONNECT back, if it was not sent yet.
        elif not self.peer.unsay(lambda held: isinstance(held, m.Disconnect)):
            self.peer.say(m.Reconnect(self._names[event.seat]))

    def tell_over(self, event: Over) -> None:
        """Sends the end of the match. After it, the client may log in again."""
        winners = event.result.winners
        self.peer.say(m.GameOver(self._names[winners[0]] if winners else DRAW))
        self.leave_table(FinalState.OUTSIDE)
        self.end()

    TELLS: ClassVar[Any] = {
        Dealt: tell_dealt,
        Moved: tell_moved,
        Exchanged: tell_exchanged,
        Refused: tell_refused,
        Away: tell_away,
        Back: tell_back,
        Over: tell_over,
    }


def _sentence(text: str) -> str:
    """Returns a text as a field: without pipes, and short enough to be read in one piece."""
    return text.replace("|", "/")[:LONGEST_TEXT]
