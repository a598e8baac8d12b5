"""
What a player can do, and what players are told.

An action holds what its player sent, valid or not. Only the master judges it. In the journal it is `9@A4`, forty ids with a
slash between rows, `ready`, or `A4-A5`; that notation is for actions that a master has accepted.

Each event is made for its audience: where something is hidden, every seat has its own event. `next` in an event of play is
the seat that has to move now; it is `None` when play is over, and an `Over` follows.
"""

import re
from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import Result, Seat
from gamehost.games.stratego.rules import Survivor, Walk


class Place(Struct, frozen=True, gc=False):
    """Put one piece on a square of the player's own rows. The piece is named by the id of its kind."""

    piece: str
    #: The column, 0..9, and the row, 0..9: the same for both players.
    x: int
    y: int


class PlaceRows(Struct, frozen=True, gc=False):
    """Put all forty pieces at once. The player is ready then."""

    #: Four rows of ten ids each, by ascending y, each by ascending x: y 0..3 or 6..9.
    rows: tuple[str, ...]


class Ready(Struct, frozen=True, gc=False):
    """The player has placed all forty pieces and is ready to play."""


class Move(Struct, frozen=True, gc=False):
    """Move a piece, or attack with it."""

    x: int
    y: int
    to_x: int
    to_y: int


Action: TypeAlias = Place | PlaceRows | Ready | Move

_COLUMNS = "ABCDEFGHIJ"
_SQUARE = "([A-J])(10|[1-9])"
_PLACE = re.compile(f"([1-9SFB])@{_SQUARE}", re.ASCII)
_ROWS = re.compile("[1-9SFB]{10}(/[1-9SFB]{10}){3}", re.ASCII)
_MOVE = re.compile(f"{_SQUARE}-{_SQUARE}", re.ASCII)
_READY = "ready"


_NAMES = {(x, y): f"{column}{y + 1}" for y in range(10) for x, column in enumerate(_COLUMNS)}


def square_name(x: int, y: int) -> str:
    """
    A square as people name it: `A1` is x 0, y 0.

    :raises ValueError: not on the board
    """
    name = _NAMES.get((x, y))
    if name is None:
        raise ValueError("there is no such square: x and y are 0 to 9")
    return name


#: The number of each square by its name: row by row, as on a board.
SQUARE_NAMED: Mapping[str, int] = {name: y * 10 + x for (x, y), name in _NAMES.items()}


def write(action: Action) -> bytes:
    """
    An accepted action, for the journal.

    :raises ValueError: an action that no master accepts: a square that is not on the board
    """
    match action:
        case Move(x, y, to_x, to_y):
            text = f"{square_name(x, y)}-{square_name(to_x, to_y)}"
        case Place(piece, x, y):
            text = f"{piece}@{square_name(x, y)}"
        case PlaceRows(rows):
            text = "/".join(rows)
        case Ready():
            text = _READY
    return text.encode("ascii")


def read(notation: bytes) -> Action:
    """
    The inverse of `write`.

    :raises ValueError: not an action of this game
    """
    text = notation.decode("ascii")
    if found := _MOVE.fullmatch(text):
        column, row, to_column, to_row = found.groups()
        return Move(_COLUMNS.index(column), int(row) - 1, _COLUMNS.index(to_column), int(to_row) - 1)
    if found := _PLACE.fullmatch(text):
        piece, column, row = found.groups()
        return Place(piece, _COLUMNS.index(column), int(row) - 1)
    if _ROWS.fullmatch(text):
        return PlaceRows(tuple(text.split("/")))
    if text == _READY:
        return Ready()
    raise ValueError("expected a move (A4-A5), a placement (9@A4), four rows of ten pieces, or: ready")


@frozen
class Opened:
    """The match has begun with the set-up: both players place their pieces. To everyone."""

    #: In how many turns in a row a piece may cross the same border; 0: in any number. No wire tells it.
    two_squares: int = field(default=3, repr=False)


class Placed(Struct, frozen=True, gc=False):
    """One piece has been placed. To that player."""

    piece: str
    x: int
    y: int


class PlacedAll(Struct, frozen=True, gc=False):
    """All forty pieces have been placed. To that player."""

    rows: tuple[str, ...]


class ReadySet(Struct, frozen=True, gc=False):
    """A player is ready. To everyone."""

    seat: Seat


class Playing(Struct, frozen=True, gc=False):
    """Both are ready; play begins. To everyone; a `Board` for each seat follows."""

    first: Seat
    #: As `first`, unless there is no move to begin with.
    next: Seat | None


class Board(Struct, frozen=True, gc=False):
    """
    The board after what was just said, as one seat may know it. To that seat.

    After every `Playing`, `Moved` and `Fought` there is one for each seat.
    """

    #: 100 characters, (0,0) (1,0) (2,0) ... (9,9): own pieces by id, `#` enemy, `.` empty, `~` lake.
    squares: str


class Moved(Struct, frozen=True, gc=False):
    """A piece moved onto an empty square. To everyone."""

    seat: Seat
    move: Move
    next: Seat | None


class Fought(Struct, frozen=True, gc=False):
    """
    A piece attacked another. To everyone.

    This is the one event that names kinds of both sides; boards made later hide the enemy's survivor again.
    """

    seat: Seat
    move: Move
    attacker: str
    defender: str
    winner: Survivor
    next: Seat | None


class Over(Struct, frozen=True, gc=False):
    """The match is over. To everyone."""

    result: Result
    #: Who made the last move; `None`: nobody did.
    last: Seat | None


class Phase(Enum):
    """How far a match is."""

    SETUP = "setup"
    PLAY = "play"
    OVER = "over"


@frozen
class Situation:
    """All that one seat (`None`: a watcher) may know at a moment: what `view` gives."""

    seat: Seat | None
    phase: Phase
    #: As in `Board`. During the set-up own pieces only; a watcher sees `r` and `b` for the sides' pieces.
    squares: str
    #: By seat, whether it is ready; both are during play.
    ready: tuple[bool, bool]
    #: Who has to move; `None` but in play.
    turn: Seat | None
    result: Result | None
    #: What the seat's latest piece has crossed, for the two-squares rule; `None`: a watcher, or it is not known.
    walk: Walk | None = field(default=None, repr=False)
    #: Whether this seat has placed pieces one by one. Then it cannot place all at once.
    singly: bool = field(default=False, repr=False)


Event: TypeAlias = Opened | Placed | PlacedAll | ReadySet | Playing | Board | Moved | Fought | Over | Situation
