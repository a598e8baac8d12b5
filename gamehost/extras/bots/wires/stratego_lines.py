"""
The client's side of the lines: the codec, and a program that plays; and the board of Stratego as one side sees it, which
programs of the other wire follow, too.

The server's lines have different forms, so each line says by itself which message it is. A board is eleven lines. The program
follows the board by the moves, because the server does not tell it.
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
    return Seat(1 - seat)


def square_of(x: int, y: int) -> int:
    return y * rules.WIDTH + x


def told(
    squares: str, seat: Seat, mover: Seat, move: rules.Move, met: str | None
) -> tuple[GameMoved | rules.Fought, str]:
    """
    The event of a move, and the board after it.

    :param seat: who sees the board
    :param met: the kind of the enemy's piece in the battle; `None`: there was none
    :raises ProgramError: the move is not one on this board, or no board is known
    """
    if not squares:
        raise ProgramError("the server tells of a move before the board is known")
    start, end = squares[square_of(move.x, move.y)], squares[square_of(move.to_x, move.to_y)]
    mine = mover == seat
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
    The enemy's move of a battle, from the boards before and after it. If the defender remains, the move is any one that could
    have attacked it.

    :param winner: `attacker`, `defender` or `tie`
    :returns: `None`: there is no such move
    """
    gone = [square for square in range(100) if before[square] == ENEMY and after[square] != ENEMY]
    if len(gone) != 1:
        return None
    start = gone[0]
    if winner == "defender":
        ends = [square for square, _ in rules.STEPS[start] if before[square] == defender]
    else:
        ends = [square for square in range(100) if before[square] == defender and after[square] != defender]
    if not ends:
        return None
    (y, x), (to_y, to_x) = divmod(start, rules.WIDTH), divmod(ends[0], rules.WIDTH)
    return rules.Move(x, y, to_x, to_y)


#: The longest line of the server in bytes: a sentence for people has at most a few hundred.
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
    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    #: The rows of a board that has begun.
    _rows: list[str] | None = None
    _said = False

    @property
    def unfinished(self) -> bool:
        return self._rows is not None or super().unfinished

    def read(self, line: bytes) -> m.Message | None:
        """The server's message in a line; `None`: a board is not complete, or the line is empty."""
        if not line.isascii():
            raise WireError("a line that is not ASCII")
        text = line.decode("ascii")
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
        """A client's line: its name, its password, a row of its set-up, or a move."""
        data = super().encode(message)
        self._said = True
        return data

    def line(self, message: m.Message) -> bytes:
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
    """Logs in with a password. The next match begins by itself."""

    GAME = STRATEGO
    ANSWERED_WITHIN = ANSWERED_WITHIN

    _seat = Seat(0)
    _squares = ""
    _reason = ""
    #: The own move that is not judged yet.
    _sent: rules.Move | None = None
    #: Whether the match was begun in an earlier connection, and nobody has moved since.
    _resumed = False
    #: Whether a set-up or a move is awaited: a line that tells of the enemy's move comes before `get-move`.
    _asked = False

    def think(self) -> Sequence[Any]:
        return super().think() if self._asked else ()

    def hear(self, message: Any) -> Sequence[Any]:
        match message:
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
        if color not in _COLORS:
            raise ProgramError("the server names no color; expected red or blue")
        if self.match is not None and not self._resumed and not self._squares:
            self.refused(self._reason)  # the same color once more: the set-up was refused
            return
        self._seat, self._reason, self._squares, self._asked = Seat(_COLORS.index(color)), "", "", not self._resumed
        self.sit_down(self._seat)
        if not self._resumed:
            self.tell(rules.Opened())

    def _called(self, color: str) -> str:
        return f"{self.name} ({color})" if _COLORS.index(color) == self._seat else color

    def _play(self, message: Any) -> None:
        seat = self._seat
        self._asked = self._asked or isinstance(message, m.GetMove)
        match message:
            case m.EndSetup() if not self._resumed:
                self.tell(rules.ReadySet(seat), rules.Playing(Seat(0), Seat(0)), GameBoard(self._squares))
            case m.GetMove() if self._sent is not None:
                self._sent = None
                self.refused(self._reason)
            case m.GetMove():
                self._come_back(seat)
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
        """The first message about a match of an earlier connection. It shows which side is to move."""
        if self._resumed:
            self._resumed = False
            self.tell(rules.Situation(self._seat, rules.Phase.PLAY, self._squares, (True, True), turn, None))

    def _follow(self, mover: Seat, move: rules.Move, letter: str | None) -> None:
        met = None if letter is None else m.PIECES.get(letter)
        event, self._squares = told(self._squares, self._seat, mover, move, met)
        self.tell(event, GameBoard(self._squares))

    def act(self, action: Any) -> Sequence[Any]:
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
