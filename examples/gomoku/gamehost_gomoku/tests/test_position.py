"""The rules."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost_gomoku.position import Point, Position, point_named


def position(*names: str, size: int = 15) -> Position:
    """The position after these moves."""
    stones = tuple(point for name in names if (point := point_named(name)) is not None)
    return Position(size, stones)


class PositionTests(SynchronousTestCase):
    """Points, rows of stones, and what is refused."""

    def test_names_of_points(self) -> None:
        """A letter and a number, and back; anything else is no point."""
        self.assertEqual(point_named("h8"), Point(7, 7))
        self.assertEqual(str(Point(18, 18)), "s19")
        for text in ("", "h", "8", "h0", "h20", "t1", "H8", "h08", "h8 ", "h\u0668"):
            self.assertIs(point_named(text), None, text)

    def test_five_in_a_row_win_in_every_direction(self) -> None:
        """Four do not, and a gap breaks the row."""
        for row in (
            ("c3", "d3", "e3", "f3", "g3"),
            ("c3", "c4", "c5", "c6", "c7"),
            ("c3", "d4", "e5", "f6", "g7"),
            ("c7", "d6", "e5", "f4", "g3"),
        ):
            other = ("a15", "c15", "e15", "g15")
            moves = [name for pair in zip(row, (*other, ""), strict=True) for name in pair if name]
            self.assertTrue(position(*moves).won)
            self.assertFalse(position(*moves[:-2]).won)
            # The last stone closes the row in its middle.
            self.assertTrue(position(*moves[:4], *moves[6:8], moves[8], moves[5], moves[4]).won)
        self.assertFalse(position("c3", "a15", "d3", "c15", "e3", "e15", "f3", "g15", "h3").won)

    def test_six_in_a_row_win_too(self) -> None:
        """Five or more."""
        moves = ("a1", "a15", "b1", "c15", "c1", "e15", "e1", "g15", "f1", "i15", "d1")
        self.assertTrue(position(*moves).won)

    def test_what_is_refused(self) -> None:
        """A point that is taken, or not on this board."""
        here = position("h8", size=9)
        self.assertEqual(here.why_not(Point(7, 7)), "a stone stands there already")
        self.assertEqual(here.why_not(Point(9, 0)), "the point is not on the board of 9 by 9")
        self.assertIs(here.why_not(Point(8, 8)), None)
