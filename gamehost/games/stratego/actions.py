"""
What a player can do, and its notation in the journal: `9@A4`, forty ids with a slash between rows, `ready`, `A4-A5`.

An action holds what its player sent, valid or not. Only the master judges it. The notation is for actions that a master
has accepted.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct


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


def square_name(x: int, y: int) -> str:
    """
    A square as people name it: `A1` is x 0, y 0.

    :raises ValueError: not on the board
    """
    if not (0 <= x <= 9 and 0 <= y <= 9):
        raise ValueError("there is no such square: x and y are 0 to 9")
    return f"{_COLUMNS[x]}{y + 1}"


#: The number of each square by its name: row by row, as on a board.
SQUARE_NAMED: Mapping[str, int] = {square_name(x, y): y * 10 + x for y in range(10) for x in range(10)}


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
