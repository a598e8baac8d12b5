"""Towers as JSON. The master has these messages as its own views, events and actions."""

from msgspec import Struct

from gamehost.games.messages import ActionMessage, EventMessage, SameMessages


class View(Struct, frozen=True):
    """
    Where the match stands: rows from the top down. A digit is an empty square of that colour. A tower is the letter of its
    colour, small for seat 0, which moves up: `a` for colour 1.
    """

    board: tuple[str, ...]
    #: The seat that moves next.
    turn: int
    #: The tower that it moves; nothing: any.
    tower: str = ""


class Begun(EventMessage, frozen=True, tag="begun"):
    """The towers stand on the first and the last row of a board with so many squares on each side."""

    size: int


class Moved(EventMessage, frozen=True, tag="moved"):
    """A tower has moved."""

    seat: int
    way: str


class Passed(EventMessage, frozen=True, tag="passed"):
    """The tower of a seat cannot move, so it stays."""

    seat: int
    tower: str


class Move(ActionMessage, frozen=True, tag="move"):
    """Move a tower from one square to another: `a1 a4`."""

    way: str


MESSAGES = SameMessages(View, Begun | Moved | Passed, Move)
