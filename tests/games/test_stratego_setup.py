"""
Setting up one side.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.stratego.position import seen
from gamehost.games.stratego.setup import BadPlacement, NotReady, Placing
from gamehost.testing.cases import PropertyCase
from tests.kit.games.stratego_table import BLUE, BOX, POOR, RED, rows_of, shuffled_rows

#: Integers as they come off a wire, on the board or not.
COORDINATES = st.one_of(st.integers(-1, 10), st.integers(-(2**31), 2**31 - 1))


class PlacingTests(PropertyCase):
    """`Placing`."""

    def refused(self, placing: Placing, piece: str, x: int, y: int, word: str) -> None:
        """The piece is refused with a reason that holds `word`, and nothing has changed."""
        before = bytes(placing.squares)
        error = self.assertRaises(BadPlacement, placing.place, piece, x, y)
        self.assertIn(word, str(error))
        self.assertEqual(bytes(placing.squares), before)

    def test_first_player_has_rows_0_to_3(self) -> None:
        """The first player places on y 0 to 3, on every column, and nowhere else."""
        placing = Placing(RED)
        placing.place("9", 0, 0)
        placing.place("9", 9, 3)
        for x, y in ((0, 4), (0, 6), (10, 0), (-1, 3), (0, -1), (2**31 - 1, 0), (0, 2**31 - 1)):
            self.refused(placing, "9", x, y, "y 0 to 3")

    def test_second_player_has_rows_6_to_9(self) -> None:
        """The second player places on y 6 to 9."""
        placing = Placing(BLUE)
        placing.place("9", 0, 6)
        placing.place("9", 9, 9)
        for x, y in ((0, 5), (0, 3), (0, 10), (10, 6), (-1, 9)):
            self.refused(placing, "9", x, y, "y 6 to 9")

    def test_no_such_piece(self) -> None:
        """A piece that is not in the box is refused, and what was sent is not repeated."""
        for piece in ("0", "A", "\0", "", "s", "99", "\u0663", "."):
            placing = Placing(RED)
            self.refused(placing, piece, 0, 0, "no such piece")
        error = self.assertRaises(BadPlacement, Placing(RED).place, "\x1b[2J", 0, 0)
        self.assertNotIn("\x1b", str(error))

    def test_taken(self) -> None:
        """One square holds one piece."""
        placing = Placing(RED)
        placing.place("9", 4, 2)
        self.refused(placing, "8", 4, 2, "already")

    def test_none_left(self) -> None:
        """Of each kind a side has so many: the second flag and the seventh bomb are refused."""
        placing = Placing(RED)
        placing.place("F", 0, 0)
        self.refused(placing, "F", 1, 0, "has 1")
        for x in range(6):
            placing.place("B", x, 1)
        self.refused(placing, "B", 6, 1, "has 6")

    def test_ready_with_forty_pieces_only(self) -> None:
        """Ready is accepted when the fortieth piece stands, not before and not twice, and ends the placing."""
        placing = Placing(BLUE)
        for number, piece in enumerate(BOX):
            error = self.assertRaises(NotReady, placing.say_ready)
            self.assertIn(f"{40 - number} of your 40", str(error))
            placing.place(piece, number % 10, 9 - number // 10)
        placing.say_ready()
        self.assertTrue(placing.ready)
        self.assertRaises(BadPlacement, placing.say_ready)
        self.refused(placing, "9", 0, 0, "you are ready")
        self.assertEqual(seen(placing.squares, BLUE)[60:], "".join(reversed(rows_of(BOX))))

    def test_all_at_once(self) -> None:
        """Four rows stand where they were meant, and their player is ready."""
        for seat, start in ((RED, 0), (BLUE, 60)):
            placing = Placing(seat)
            placing.place_rows(POOR)
            self.assertTrue(placing.ready)
            board = seen(placing.squares, seat)
            self.assertEqual(board[start : start + 40], "".join(POOR))
            self.assertEqual(sum(square not in ".~" for square in board), 40)
            self.assertRaises(BadPlacement, placing.say_ready)

    def test_all_or_nothing(self) -> None:
        """Anything but exactly a side's forty pieces in four rows of ten is refused whole."""
        first, *rest = POOR
        for rows, word in (
            ((), "four rows"),
            (POOR[:3], "four rows"),
            ((*POOR, "9999999999"), "four rows"),
            ((first[:9], *rest), "four rows"),
            ((first + "9", *rest), "four rows"),
            ((first[:9], first[9] + rest[0], *rest[1:]), "four rows"),
            ((first.replace("F", "9"), *rest), "exactly"),
            ((first.replace("1", "F"), *rest), "exactly"),
            ((first.replace("1", "."), *rest), "exactly"),
            ((first.replace("1", "\x1b"), *rest), "exactly"),
        ):
            placing = Placing(RED)
            error = self.assertRaises(BadPlacement, placing.place_rows, rows)
            self.assertIn(word, str(error))
            self.assertNotIn("\x1b", str(error))
            self.assertFalse(placing.ready)
            self.assertNotIn("9", seen(placing.squares, RED))

    def test_rows_again_take_the_place_of_rows(self) -> None:
        """A whole set-up may be sent again, as a client does that has lost its memory; the later one stands."""
        placing = Placing(RED)
        placing.place_rows(POOR)
        other = POOR[::-1]
        placing.place_rows(other)
        self.assertEqual(seen(placing.squares, RED)[:40], "".join(other))
        self.assertRaises(BadPlacement, placing.place_rows, POOR[:3])
        self.assertEqual(seen(placing.squares, RED)[:40], "".join(other))

    def test_rows_do_not_mix_with_single_pieces(self) -> None:
        """Who has placed single pieces goes on with them, before and after being ready."""
        placing = Placing(RED)
        placing.place("9", 0, 0)
        self.assertIn("one by one", str(self.assertRaises(BadPlacement, placing.place_rows, POOR)))
        pieces = BOX.replace("9", "", 1)
        for number, piece in enumerate(pieces, 1):
            placing.place(piece, number % 10, number // 10)
        placing.say_ready()
        self.assertRaises(BadPlacement, placing.place_rows, POOR)

    @given(st.randoms(use_true_random=False), st.sampled_from([RED, BLUE]))
    def test_one_by_one_equals_all_at_once(self, rng: random.Random, seat: Seat) -> None:
        """The same set-up stands however it was placed, in whatever order."""
        rows = shuffled_rows(rng)
        whole, single = Placing(seat), Placing(seat)
        whole.place_rows(rows)
        low = 6 if seat else 0
        squares = [(x, y) for y in range(4) for x in range(10)]
        rng.shuffle(squares)
        for x, y in squares:
            single.place(rows[y][x], x, y + low)
        single.say_ready()
        self.assertEqual(single.squares, whole.squares)

    @given(st.lists(st.tuples(st.sampled_from("19SFB0x"), COORDINATES, COORDINATES), max_size=60))
    def test_whatever_comes(self, wishes: list[tuple[str, int, int]]) -> None:
        """Whatever is asked for, a side never has more of a kind than it owns, and only on its rows."""
        placing = Placing(BLUE)
        for piece, x, y in wishes:
            try:
                placing.place(piece, x, y)
            except BadPlacement:
                continue
            self.assertEqual(seen(placing.squares, BLUE)[y * 10 + x], piece)
        board = seen(placing.squares, BLUE)
        self.assertNotIn("#", board)
        self.assertEqual(board[:60].strip("."), seen(Placing(BLUE).squares, None)[:60].strip("."))
        for piece, most in (("1", 1), ("9", 8), ("S", 1), ("F", 1), ("B", 6)):
            self.assertLessEqual(board.count(piece), most)
