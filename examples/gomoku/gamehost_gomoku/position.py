"""
A position of Gomoku, and the rules. Immutable: a move gives a new position.

Two players place stones in turn on the points of a square board. Black begins. Five or more stones of one colour in a
straight line win. A full board is a draw.
"""

import re

from attrs import frozen

BLACK, WHITE = 0, 1
IN_A_ROW = 5

_POINT = re.compile(r"([a-s])([1-9]|1[0-9])", re.ASCII)
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@frozen
class Point:
    """A point of the board. Columns and rows count from 0."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{chr(ord('a') + self.column)}{self.row + 1}"


def point_named(text: str) -> Point | None:
    """The point with this name, such as `h8`; `None` if no board has it."""
    match = _POINT.fullmatch(text)
    return None if match is None else Point(ord(match[1]) - ord("a"), int(match[2]) - 1)


@frozen
class Position:
    """The stones on the board."""

    #: Points on each side of the board.
    size: int
    #: In the order of the moves: Black's and White's by turns.
    stones: tuple[Point, ...] = ()

    @property
    def turn(self) -> int:
        """Whose move it is."""
        return len(self.stones) % 2

    @property
    def full(self) -> bool:
        """Whether no point is empty."""
        return len(self.stones) == self.size**2

    def why_not(self, point: Point) -> str | None:
        """Why no stone can be placed there; `None` if one can."""
        if not (0 <= point.column < self.size and 0 <= point.row < self.size):
            return f"the point is not on the board of {self.size} by {self.size}"
        if point in self.stones:
            return "a stone stands there already"
        return None

    def after(self, point: Point) -> "Position":
        """The position after a move that `why_not` allows."""
        return Position(self.size, (*self.stones, point))

    @property
    def won(self) -> bool:
        """Whether the last stone made five or more in a row."""
        if not self.stones:
            return False
        last = self.stones[-1]
        own = set(self.stones[(len(self.stones) - 1) % 2 :: 2])

        def length(column_step: int, row_step: int) -> int:
            """How many stones follow the last one in a direction, without a gap."""
            count = 0
            while Point(last.column + column_step * (count + 1), last.row + row_step * (count + 1)) in own:
                count += 1
            return count

        return any(1 + length(x, y) + length(-x, -y) >= IN_A_ROW for x, y in _DIRECTIONS)
