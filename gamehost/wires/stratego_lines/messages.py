"""
The messages of the Stratego wire in lines: one frozen class each. A client's line has no command: its meaning depends
on the state of the conversation.

This module also translates set-ups and moves between the game's notation and the letters and squares of this wire.
"""

from collections.abc import Mapping

from gamehost.wires.framing import Blank, UndecodableLine, WireMessage


class Text(WireMessage, frozen=True):
    """Sent by the client: a line of text. It may be a password, so the text is never shown in logs."""

    text: str

    def __repr__(self) -> str:
        return "Text()"


class AuthReq(WireMessage, frozen=True):
    """Sent by the server: asks for a user name and a password, each on its own line."""


class AuthOk(WireMessage, frozen=True):
    """Sent by the server: the log-in is accepted. A game begins later, with `New`."""


class AuthErr(WireMessage, frozen=True):
    """Sent by the server: the log-in is refused."""


class New(WireMessage, frozen=True):
    """Sent by the server: a game begins."""


class Color(WireMessage, frozen=True):
    """Sent by the server: the colour of the receiver. The server now waits for the four lines of the set-up."""

    color: str


class EndSetup(WireMessage, frozen=True):
    """Sent by the server: both players have completed their set-ups."""


class GetMove(WireMessage, frozen=True):
    """Sent by the server: it is the receiver's turn."""


class Met(WireMessage, frozen=True):
    """
    Sent by the server to the player that has moved: the letter of the enemy piece that was on the target square;
    `None`: the square was empty.
    """

    piece: str | None


class Moved(WireMessage, frozen=True):
    """
    Sent by the server to the other player: the opponent has moved. `attacker` is the letter of the opponent's piece, if
    it attacked one of yours.
    """

    start: str
    end: str
    attacker: str | None = None


class Winner(WireMessage, frozen=True):
    """Sent by the server: the game is over, and this colour has won. `none` (an extension) means a draw."""

    color: str


class Err(WireMessage, frozen=True):
    """Sent by the server (an extension): what was wrong, or why the server closes the connection."""

    reason: str


class Resume(WireMessage, frozen=True):
    """
    Sent by the server (an extension): the client is back in a game that continues. The colour, the board and `EndSetup`
    follow.
    """


class Board(WireMessage, frozen=True):
    """
    Sent by the server (an extension): the board as the receiver may see it: ten rows from row 10 down to row 1, each
    from column A to J.
    """

    rows: tuple[str, ...]


Message = WireMessage | UndecodableLine | Blank

#: The description of this port, for clients that speak another protocol.
SPOKEN = "Stratego in lines of ASCII; begin with a user name and a password, each on its own line"

NOT_ASCII = UndecodableLine("a line that is not ASCII")

#: The game's ids of pieces -> the letters of this wire. In the letters of this wire, `S` is the sergeant.
LETTERS: Mapping[str, str] = {
    **{"F": "V", "1": "M", "2": "G", "3": "K", "4": "J", "5": "P"},
    **{"6": "L", "7": "S", "8": "I", "9": "R", "S": "O", "B": "B"},
}
PIECES: Mapping[str, str] = {letter: piece for piece, letter in LETTERS.items()}

#: How many pieces of each letter a complete set-up has.
COUNTS: Mapping[str, int] = dict(zip("VMGKJPLSIROB", (1, 1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 6), strict=True))

COLUMNS = "ABCDEFGHIJ"

#: The name of each square by its column and row, from 0. `_PLACES` is the inverse; it contains the names in upper and
#: lower case.
_NAMES: Mapping[tuple[int, int], str] = {
    (x, y): f"{column}{y + 1}" for y in range(10) for x, column in enumerate(COLUMNS)
}
_PLACES = {written: place for place, name in _NAMES.items() for written in (name, name.lower())}


def square(x: int, y: int) -> str:
    """Returns the name of a square. `A1` is column 0, row 0."""
    return _NAMES[x, y]


def read_move(text: str) -> tuple[int, int, int, int] | None:
    """Returns the column and row of the start and of the end, each from 0; `None`: the text is not a move."""
    start, _, end = text.partition("-")
    source, target = _PLACES.get(start), _PLACES.get(end)
    return None if source is None or target is None else (*source, *target)


def in_pieces(line: str) -> str:
    """Returns a line of a set-up in the game's ids of pieces instead of this wire's letters."""
    return "".join(PIECES[letter] for letter in line)


def board_rows(squares: str) -> tuple[str, ...]:
    """Returns the game's board as ten rows in this wire's letters, row 10 first. The game's board begins with A1."""
    letters = "".join(LETTERS.get(square, square) for square in squares)
    # The last ten squares are row 10.
    return tuple(letters[start : start + 10] for start in range(90, -1, -10))


def fault_of_set_up(lines: tuple[str, ...]) -> str | None:
    """Returns what is wrong with the four lines of a set-up, without quoting them; `None`: they are correct."""
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
    """Whether this line resigns the game, in upper or lower case."""
    return len(text) == len(RESIGN) and text.casefold() == RESIGN
