"""
The messages of the wire: one frozen class each. A client has no commands: the meaning of its line depends on the state.

Also here: the spelling of set-ups and moves, in the wire's own letters and squares.
"""

from collections.abc import Mapping

from gamehost.wires.framing import Blank, UndecodableLine, WireMessage


class Text(WireMessage, frozen=True):
    """Client: a line. It may be a password, so it is never shown."""

    text: str

    def __repr__(self) -> str:
        return "Text()"


class AuthReq(WireMessage, frozen=True):
    """Server: send a user name and a password, each on its own line."""


class AuthOk(WireMessage, frozen=True):
    """Server: logged in; a game begins with `New`."""


class AuthErr(WireMessage, frozen=True):
    """Server: not logged in."""


class New(WireMessage, frozen=True):
    """Server: a game begins."""


class Color(WireMessage, frozen=True):
    """Server: your colour; four lines of set-up are awaited."""

    color: str


class EndSetup(WireMessage, frozen=True):
    """Server: both set-ups are complete."""


class GetMove(WireMessage, frozen=True):
    """Server: your turn."""


class Met(WireMessage, frozen=True):
    """Server, to the mover: the letter of the enemy piece on the target square; `None`: the square was empty."""

    piece: str | None


class Moved(WireMessage, frozen=True):
    """Server, to the other: a move. `attacker` is the letter of the piece if it attacked one of yours."""

    start: str
    end: str
    attacker: str | None = None


class Winner(WireMessage, frozen=True):
    """Server: the game is over. `none` (an extension) is a draw."""

    color: str


class Err(WireMessage, frozen=True):
    """Server, extension: what was wrong, or why the connection ends."""

    reason: str


class Resume(WireMessage, frozen=True):
    """Server, extension: back in a game that goes on; colour, board and `EndSetup` follow."""


class Board(WireMessage, frozen=True):
    """Server, extension: the board as this player may see it: ten rows, row 10 first, from A to J."""

    rows: tuple[str, ...]


Message = WireMessage | UndecodableLine | Blank

#: The description of this port, for clients that speak another protocol.
SPOKEN = "Stratego in lines of ASCII; begin with a user name and a password, each on its own line"

NOT_ASCII = UndecodableLine("a line that is not ASCII")

#: The game's names of pieces -> the letters of this wire. `S` is the sergeant here.
LETTERS: Mapping[str, str] = {
    **{"F": "V", "1": "M", "2": "G", "3": "K", "4": "J", "5": "P"},
    **{"6": "L", "7": "S", "8": "I", "9": "R", "S": "O", "B": "B"},
}
PIECES: Mapping[str, str] = {letter: piece for piece, letter in LETTERS.items()}

#: How many of each letter a set-up has.
COUNTS: Mapping[str, int] = dict(zip("VMGKJPLSIROB", (1, 1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 6), strict=True))

COLUMNS = "ABCDEFGHIJ"

#: The name of each square by its column and row, from 0; and the inverse, in either case.
_NAMES: Mapping[tuple[int, int], str] = {
    (x, y): f"{column}{y + 1}" for y in range(10) for x, column in enumerate(COLUMNS)
}
_PLACES = {written: place for place, name in _NAMES.items() for written in (name, name.lower())}


def square(x: int, y: int) -> str:
    """A square's name: `A1` is column 0, row 0."""
    return _NAMES[x, y]


def read_move(text: str) -> tuple[int, int, int, int] | None:
    """Column and row of start and end, each from 0; `None`: not a move."""
    start, _, end = text.partition("-")
    source, target = _PLACES.get(start), _PLACES.get(end)
    return None if source is None or target is None else (*source, *target)


def in_pieces(line: str) -> str:
    return "".join(PIECES[letter] for letter in line)


def board_rows(squares: str) -> tuple[str, ...]:
    """The game's board, A1 first, as rows in this wire's letters, row 10 first."""
    letters = "".join(LETTERS.get(square, square) for square in squares)
    return tuple(letters[start : start + 10] for start in range(90, -1, -10))


def fault_of_set_up(lines: tuple[str, ...]) -> str | None:
    """The fault of the four lines of a set-up, without any of their text; `None`: there is none."""
    for number, line in enumerate(lines, 1):
        if len(line) != len(COLUMNS) or not all(letter in COUNTS for letter in line):
            return f"line {number} of the set-up is not ten letters of {' '.join(COUNTS)}"
    together = "".join(lines)
    wrong = [
        f"{together.count(letter)} {letter} instead of {count}"
        for letter, count in COUNTS.items()
        if together.count(letter) != count
    ]
    return f"the set-up has {', '.join(wrong)}" if wrong else None


#: The text with which a client resigns at any time in a game (extension).
RESIGN = "resign"


def is_resignation(text: str) -> bool:
    return len(text) == len(RESIGN) and text.casefold() == RESIGN
