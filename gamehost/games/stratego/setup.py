"""
One side's set-up: forty pieces on four rows, one by one or all at once. All checks come before any change.
"""

from collections import Counter
from collections.abc import Sequence

from attrs import define, field

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.stratego.pieces import KINDS
from gamehost.games.stratego.position import BARE, WIDTH, codes

DEPTH = 4
#: By seat: the lowest of its four rows.
HOME = (0, 6)

#: By the id of a kind: how many pieces a side has.
COUNTS = Counter({kind.id: kind.count for kind in KINDS.values()})
PIECES = sum(COUNTS.values())
_IN_WORDS = ", ".join(f"{count} of {kind}" for kind, count in COUNTS.items())


class BadPlacement(IllegalAction):
    """A piece, a whole set-up or a ready that the rules of the set-up refuse."""


class NoPiece(BadPlacement):
    """A placement that names no piece at all: an empty id."""


class NotReady(BadPlacement):
    """The player said ready before all forty pieces were placed."""


@define(eq=False)
class Placing:
    """The pieces that one side has placed."""

    _seat: Seat
    #: The whole board with this side's pieces, as in a position.
    squares: bytearray = field(init=False, factory=lambda: bytearray(BARE))
    ready: bool = field(init=False, default=False)
    _left: dict[str, int] = field(init=False, factory=lambda: dict(COUNTS))
    #: Whether pieces were placed one by one.
    singly: bool = field(init=False, default=False)

    @property
    def state(self) -> object:
        """All that decides what may still be placed. How many are left is seen from the board."""
        return (self.squares, self.ready, self.singly)

    def place(self, piece: str, x: int, y: int) -> None:
        """
        Put one piece.

        :raises NoPiece: the id is empty
        :raises BadPlacement: no such piece, none left of it, not an own square, a square that is taken, or after ready
        """
        if not piece:
            raise NoPiece("there is no such piece: the placement names none")
        if self.ready:
            raise BadPlacement("you are ready: your pieces can no longer change")
        left = self._left.get(piece)
        if left is None:
            raise BadPlacement(f"there is no such piece; expected one of {' '.join(KINDS)}")
        low = HOME[self._seat]
        if not (0 <= x < WIDTH and low <= y < low + DEPTH):
            raise BadPlacement(f"your pieces are placed on x 0 to 9, y {low} to {low + DEPTH - 1}")
        square = y * WIDTH + x
        if self.squares[square] != BARE[square]:
            raise BadPlacement("one of your pieces is already on that square")
        if left == 0:
            raise BadPlacement(f"no piece of that kind is left: a side has {KINDS[piece].count}")
        self.squares[square] = codes(self._seat, piece)[0]
        self._left[piece] = left - 1
        self.singly = True

    def place_rows(self, rows: Sequence[str]) -> None:
        """
        Put all forty at once, and be ready. Rows may be sent again: they take the place of the earlier ones.

        :param rows: four rows of ten ids, by ascending y and x
        :raises BadPlacement: not exactly a side's forty pieces, or pieces were placed one by one
        """
        if self.singly:
            raise BadPlacement("you have placed pieces one by one: a whole set-up must come before any single piece")
        if len(rows) != DEPTH or any(len(row) != WIDTH for row in rows):
            raise BadPlacement("a set-up is four rows of ten pieces")
        pieces = "".join(rows)
        if Counter(pieces) != COUNTS:
            raise BadPlacement(f"a set-up is exactly {_IN_WORDS}")
        low = HOME[self._seat] * WIDTH
        self.squares[low : low + PIECES] = codes(self._seat, pieces)
        self.ready = True

    def say_ready(self) -> None:
        """
        :raises NotReady: not all forty pieces stand
        :raises BadPlacement: ready was said before
        """
        if self.ready:
            raise BadPlacement("you have already said that you are ready")
        if missing := sum(self._left.values()):
            raise NotReady(f"{missing} of your {PIECES} pieces are not placed yet")
        self.ready = True
