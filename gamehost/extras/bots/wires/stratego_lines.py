"""
The client's side of the wire `stratego-lines`: the codec, and a program that plays. Also functions that follow a board of
Stratego as one side sees it, for the programs of both wires of Stratego.

The server's messages have different forms, so a line alone shows which message it is. A board is eleven lines. The server sends
the board only at the beginning, so the program follows it by the moves.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import STRATEGO, board_of_set_up
from gamehost.games.stratego.rules import Board as GameBoard
from gamehost.games.stratego.rules import Moved as GameMoved
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import ClientLineCodec, WireError, is_foreign
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.codec import FRAME_OPENINGS, LINE_LIMIT

ENEMY = "#"


def other(seat: Seat) -> Seat:
    """Returns the opponent's seat."""
    return Seat(1 - seat)


def square_of(x: int, y: int) -> int:
    """Returns the number of a square, from 0 to 99."""
    return y * rules.WIDTH + x


def told(
    squares: str, seat: Seat, mover: Seat, move: rules.Move, met: str | None
) -> tuple[GameMoved | rules.Fought, str]:
    """
    Returns the event of a move, and the board after the move.

    :param squares: the board before the move, as one side sees it
    :param seat: the seat of this side
    :param mover: the seat that has moved
    :param met: the kind of the enemy's piece in the battle; `None`: there was no battle
    :raises ProgramError: the move is not possible on this board, or no board is known
    """
    if not squares:
        raise ProgramError("the server tells of a move before the board is known")
    start, end = squares[square_of(move.x, move.y)], squares[square_of(move.to_x, move.to_y)]
    mine = mover == seat
    # A side moves its own piece, and not an empty square or water.
    if (start == ENEMY) == mine or start in ".~":
        raise ProgramError("the server tells of a move from a square where no such piece stands")
    event: GameMoved | rules.Fought
    if met is None:
        event = GameMoved(mover, move, other(mover))
    else:
        attacker, defender = (start, met) if mine else (met, end)
        try:
            winner = rules.survivor(attacker, defender)
        except ValueError:
            raise ProgramError("the server tells of a battle that cannot be") from None
        event = rules.Fought(mover, move, attacker, defender, winner, other(mover))
    view = rules.Situation(seat, rules.Phase.PLAY, squares, (True, True), mover, None)
    after = STRATEGO.follow(view, event, seat)
    assert after is not None
    return event, after.squares


def attacked(before: str, after: str, seat: Seat, attacker: str, defender: str, winner: str) -> rules.Move | None:
    """
    Finds the enemy's move in a battle, by the boards before and after it. If the defender has won, the square of the battle is
    not certain, and any possible one is returned.

    :param attacker: the kind of the enemy's piece
    :param defender: the kind of the own piece
    :param winner: `attacker`, `defender` or `tie`
    :returns: `None`: no move fits the boards
    """
    # The enemy's piece has left exactly one square.
    gone = [square for square in range(100) if before[square] == ENEMY and after[square] != ENEMY]
    if len(gone) != 1:
        return None
    start = gone[0]
    if winner == "defender":
        # The own piece remains, so the boards do not show which one was attacked: take one that the enemy could reach.
        ends = [square for square, _ in rules.STEPS[start] if before[square] == defender]
    else:
        ends = [square for square in range(100) if before[square] == defender and after[square] != defender]
    if not ends:
        return None
    (y, x), (to_y, to_x) = divmod(start, rules.WIDTH), divmod(ends[0], rules.WIDTH)
    return rules.Move(x, y, to_x, to_y)


#: The longest line of the server in bytes. The longest ones are sentences for people, of a few hundred bytes.
SERVER_LINE_LIMIT = 4096

ROWS = len(m.COLUMNS)

_PLAIN: Mapping[str, m.Message] = {
    "auth-req": m.AuthReq(),
    "auth-ok": m.AuthOk(),
    "auth-err": m.AuthErr(),
    "new": m.New(),
    "endsetup": m.EndSetup(),
    "get-move": m.GetMove(),
    "none": m.Met(None),
    "resume": m.Resume(),
    **{letter: m.Met(letter) for letter in m.LETTERS.values()},
}
_SQUARE = "([A-J](?:[1-9]|10))"
_MOVED = re.compile(f"{_SQUARE}-{_SQUARE}(?:-([{''.join(m.LETTERS.values())}]))?", re.ASCII)
_COLOR = re.compile("color (red|blue)")
_WINNER = re.compile("winner (red|blue|none)")
_ROW = re.compile(f"[#.~{''.join(m.LETTERS.values())}]{{{ROWS}}}")


class LinesClientCodec(ClientLineCodec[m.Message]):
    """Reads the server's messages, which are lines or boards of several lines, and writes a client's lines."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    #: The rows of a board that is being read; `None`: none is.
    _rows: list[str] | None = None
    #: Whether the client has written a line. The first one must not look like another protocol.
    _said = False

    @property
    def unfinished(self) -> bool:
        return self._rows is not None or super().unfinished

    def read(self, line: bytes) -> m.Message | None:
        """
        Returns the server's message in a line; `None`: the line is a part of a board, or empty.

        :raises WireError: the server does not send such a line
        """
        if not line.isascii():
            raise WireError("a line that is not ASCII")
        text = line.decode("ascii")
        # The lines after `board` are its rows.
        if self._rows is not None:
            return self._row(text)
        if not text:
            return None
        if text == "board":
            self._rows = []
            return None
        plain = _PLAIN.get(text)
        if plain is not None:
            return plain
        if text.startswith("err "):
            return m.Err(text.removeprefix("err "))
        if moved := _MOVED.fullmatch(text):
            return m.Moved(*moved.groups())
        if color := _COLOR.fullmatch(text):
            return m.Color(color[1])
        if winner := _WINNER.fullmatch(text):
            return m.Winner(winner[1])
        raise WireError("not a line that the server sends")

    def _row(self, text: str) -> m.Board | None:
        """Adds a row to the board that is being read. Returns the board when it is complete."""
        rows = self._rows
        assert rows is not None
        if not _ROW.fullmatch(text):
            raise WireError(f"expected a row of a board: {ROWS} letters, #, . or ~")
        rows.append(text)
        if len(rows) < ROWS:
            return None
        self._rows = None
        return m.Board(tuple(rows))

    def encode(self, message: m.Message) -> bytes:
        """Writes a client's line: a name, a password, a row of a set-up, or a move."""
        data = super().encode(message)
        # For `line`: only the first line may not look like another protocol.
        self._said = True
        return data

    def line(self, message: m.Message) -> bytes:
        """
        Returns the line with which a client sends a message.

        :raises WireError: it is not a client's line, or the server would refuse it
        """
        if not isinstance(message, m.Text):
            raise WireError(f"a client does not say {type(message).__name__}")
        if not message.text or not message.text.isascii():
            raise WireError("expected a line of ASCII that is not empty")
        line = message.text.encode("ascii")
        if not self._said and (line.startswith(FRAME_OPENINGS) or is_foreign(line)):
            raise WireError("the first line begins as another protocol does")
        return line


_COLORS = ("red", "blue")


class StrategoLinesPlayer(WirePlayer):
    """A program that plays Stratego on this wire. The server begins the next match without a message of the client."""

    GAME = STRATEGO
    ANSWERED_WITHIN = ANSWERED_WITHIN

    _seat = Seat(0)
    #: The board as this side sees it; empty: it is not known yet.
    _squares = ""
    #: The reason of the last refusal.
    _reason = ""
    #: The own move that the server has not judged yet.
    _sent: rules.Move | None = None
    #: Whether the match has begun on an earlier connection, and no side has moved since then.
    _resumed = False
    #: Whether the server waits for a set-up or a move. The enemy's move alone does not mean that: `get-move` follows it.
    _asked = False

    def think(self) -> Sequence[Any]:
        return super().think() if self._asked else ()

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server: passes its event to the player. Returns the messages that answer it: the
        log-in, or none.

        :raises ProgramError: the server refuses the log-in, or has sent a message that cannot be right
        """
        match message:
            # The log-in was refused, and the server asks for another one.
            case m.AuthReq() if self._reason:
                raise ProgramError(f"the server refuses the log-in: {self._reason}")
            case m.AuthReq():
                return (m.Text(self.name), m.Text(self.password))
            case m.AuthErr():
                self._reason = "the name or the password is wrong"
            case m.Err(reason):
                self._reason = reason
                if self.match is None and reason:
                    return ()
            case m.New() | m.Resume():
                self._resumed, self._sent = isinstance(message, m.Resume), None
            case m.Color(color):
                self._begin(color)
            case m.Board(rows):
                self._squares = "".join(m.PIECES.get(letter, letter) for row in reversed(rows) for letter in row)
            case m.Winner(color):
                self.end(NOBODY if color not in _COLORS else won(self._called(color)))
            case m.EndSetup() | m.GetMove() | m.Met() | m.Moved():
                self._play(message)
        return ()

    def _begin(self, color: str) -> None:
        """Handles the color of this side: a match begins, or is resumed, or the last set-up was refused."""
        if color not in _COLORS:
            raise ProgramError("the server names no color; expected red or blue")
        # There is a match, and no board has come since its set-up was sent.
        if self.match is not None and not self._resumed and not self._squares:
            self.refused(self._reason)  # the server sends the color again after it has refused the set-up
            return
        self._seat = Seat(_COLORS.index(color))
        self._reason = ""
        self._squares = ""
        # A new match begins with the set-up, for which the server waits. In a resumed one, `get-move` says that it waits.
        self._asked = not self._resumed
        self.sit_down(self._seat)
        if not self._resumed:
            self.tell(rules.Opened())

    def _called(self, color: str) -> str:
        """Returns the name of a side for people. Of the opponent only the color is known."""
        return f"{self.name} ({color})" if _COLORS.index(color) == self._seat else color

    def _play(self, message: Any) -> None:
        """Handles a message of a match: the end of the set-up, a request for a move, or a move."""
        seat = self._seat
        self._asked = self._asked or isinstance(message, m.GetMove)
        match message:
            case m.EndSetup() if not self._resumed:
                self.tell(rules.ReadySet(seat), rules.Playing(Seat(0), Seat(0)), GameBoard(self._squares))
            # The server asks again without an answer to the move, so it has refused the move.
            case m.GetMove() if self._sent is not None:
                self._sent = None
                self.refused(self._reason)
            case m.GetMove():
                self._come_back(seat)
            # The answer to the own move: what stood on its end square.
            case m.Met(piece) if self._sent is not None:
                move, self._sent = self._sent, None
                self._follow(seat, move, piece)
            case m.Moved(start, end, attacker):
                self._come_back(other(seat))
                places = m.read_move(f"{start}-{end}")
                if places is None:
                    raise ProgramError("the server tells of a move that is none")
                self._follow(other(seat), rules.Move(*places), attacker)

    def _come_back(self, turn: Seat) -> None:
        """
        Continues a match of an earlier connection, after its first message, which shows which side is to move.

        :param turn: the seat of that side
        """
        if self._resumed:
            self._resumed = False
            self.tell(rules.Situation(self._seat, rules.Phase.PLAY, self._squares, (True, True), turn, None))

    def _follow(self, mover: Seat, move: rules.Move, letter: str | None) -> None:
        """
        Follows a move on the board.

        :param letter: the letter of the enemy's piece in a battle; `None`: there was no battle
        """
        met = None if letter is None else m.PIECES.get(letter)
        event, self._squares = told(self._squares, self._seat, mover, move, met)
        self.tell(event, GameBoard(self._squares))

    def act(self, action: Any) -> Sequence[Any]:
        """Returns the messages that carry out an action of the player: the rows of its set-up, or a move."""
        self._reason, self._asked = "", False
        if isinstance(action, rules.PlaceRows):
            self._squares = board_of_set_up(self._seat, action.rows)
            lines = ["".join(m.LETTERS[piece] for piece in row) for row in action.rows]
            return tuple(map(m.Text, lines if self._seat == 0 else reversed(lines)))
        if not isinstance(action, rules.Move):
            raise ProgramError("the server shows a set-up that is placed piece by piece, which this wire does not have")
        self._sent = action
        return (m.Text(f"{m.square(action.x, action.y)}-{m.square(action.to_x, action.to_y)}"),)


CLIENT = WireClient(LinesClientCodec, StrategoLinesPlayer)
