"""
Actions as they are written down.
"""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows, Ready, read, square_name, write
from gamehost.testing.cases import PropertyCase
from tests.kit.games.stratego import POOR


class NotationTests(PropertyCase):
    """`read` and `write`."""

    def test_examples(self) -> None:
        """The notation of each kind of action, both ways."""
        examples: list[tuple[bytes, Action]] = [
            (b"A4-A5", Move(0, 3, 0, 4)),
            (b"J10-J1", Move(9, 9, 9, 0)),
            (b"9@A10", Place("9", 0, 9)),
            (b"S@B1", Place("S", 1, 0)),
            ("/".join(POOR).encode(), PlaceRows(POOR)),
            (b"ready", Ready()),
        ]
        for notation, action in examples:
            self.assertEqual(read(notation), action)
            self.assertEqual(write(action), notation)

    def test_anything_else(self) -> None:
        """What is nearly notation is refused."""
        for notation in (
            b"", b"A4A5", b"a4-a5", b"A0-A1", b"A11-A10", b"K1-K2", b"A04-A05", b"A4-A5\n", b" A4-A5",
            b"A4-A5-9", b"X@A1", b"9@A", b"Ready", "A4\u2013A5".encode(), "A\u0664-A5".encode(), b"\xff",
            b"/".join([b"9" * 10] * 3),
        ):  # fmt: skip
            self.assertRaises(ValueError, read, notation)

    def test_no_such_square(self) -> None:
        """What no master accepts has no notation."""
        for x, y in ((-1, 0), (10, 0), (0, 10), (0, -1)):
            self.assertRaises(ValueError, square_name, x, y)
            self.assertRaises(ValueError, write, Place("9", x, y))

    @given(st.builds(Move, *[st.integers(0, 9)] * 4))
    def test_every_move(self, move: Move) -> None:
        """Every move on the board reads back."""
        self.assertEqual(read(write(move)), move)
