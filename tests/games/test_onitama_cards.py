"""The sixteen cards: what they are called, where they lead, and that the documentation says the same."""

import re
from collections import Counter
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.cards import LEADS, SQUARE_NAMED, SQUARES, VECTORS, Card, card_named

_PAGE = Path(__file__).parents[2] / "docs" / "games" / "onitama.rst"

SYMMETRIC = ("tiger", "dragon", "crab", "elephant", "monkey", "mantis", "crane", "boar")
MIRRORED = (("goose", "rooster"), ("eel", "cobra"), ("rabbit", "frog"), ("ox", "horse"))


def vectors(card: str) -> set[tuple[int, int]]:
    """A card's vectors, without their order."""
    return set(VECTORS[Card(card)])


class CardTests(SynchronousTestCase):
    """The cards as they are printed."""

    def test_sixteen_different_cards(self) -> None:
        """There are sixteen cards, no two alike, none with a vector twice, and none that leads nowhere."""
        self.assertEqual(len(VECTORS), 16)
        self.assertEqual(len({frozenset(vectors) for vectors in VECTORS.values()}), 16)
        for card, one in VECTORS.items():
            self.assertEqual(len(set(one)), len(one), card)
            self.assertNotIn((0, 0), one, card)
            self.assertTrue(all(-2 <= right <= 2 and -2 <= forward <= 2 for right, forward in one), card)

    def test_eight_are_their_own_mirror_and_eight_are_pairs(self) -> None:
        """Mirrored left to right eight cards are themselves, and the other eight are each other's."""
        for card in SYMMETRIC:
            self.assertEqual({(-right, forward) for right, forward in vectors(card)}, vectors(card), card)
        for card, other in MIRRORED:
            self.assertEqual({(-right, forward) for right, forward in vectors(card)}, vectors(other), card)
        self.assertEqual({*SYMMETRIC, *sum(MIRRORED, ())}, set(VECTORS))

    def test_how_many_vectors(self) -> None:
        """One card has two vectors, ten have three and five have four."""
        self.assertEqual(Counter(len(one) for one in VECTORS.values()), {2: 1, 3: 10, 4: 5})

    def test_documented(self) -> None:
        """The table of cards on the game's page holds exactly these cards and vectors."""
        table = re.findall(r"^   \* - ([a-z]+)\n     - (\(.*\))$", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        documented = {
            card: {(int(right), int(forward)) for right, forward in re.findall(r"\((-?\d), (-?\d)\)", words)}
            for card, words in table
        }
        self.assertEqual(documented, {card: vectors(card) for card in VECTORS})

    def test_names(self) -> None:
        """A card is named in any case, in ASCII and in full."""
        for text in ("tiger", "TIGER", "Tiger"):
            self.assertEqual(card_named(text), "tiger")
        for text in ("", "tige", "tigers", " tiger", "tiger\n", "cat", "mon\u212aey", "\uff4f\uff58"):
            self.assertIs(card_named(text), None, ascii(text))


class SquareTests(SynchronousTestCase):
    """The squares and their names."""

    def test_names(self) -> None:
        """25 squares from a1 along White's side to e5, in either case, and no other name."""
        self.assertEqual((len(SQUARES), len(set(SQUARES))), (25, 25))
        for name, square in (("a1", 0), ("e1", 4), ("a2", 5), ("c3", 12), ("e5", 24), ("C5", 22)):
            self.assertEqual(SQUARE_NAMED[name], square)
        for name in ("", "a", "a0", "a6", "f1", "1a", "a1 ", "a10", "\uff41\uff11", "a\u0661"):
            self.assertNotIn(name, SQUARE_NAMED)
        self.assertEqual(len(SQUARE_NAMED), 50)


class LeadsTests(SynchronousTestCase):
    """Where a card leads from a square."""

    def named(self, colour: int, card: str, start: str) -> set[str]:
        """The squares a card leads to, by name."""
        return {SQUARES[square] for square in LEADS[colour][Card(card)][SQUARE_NAMED[start]]}

    def test_both_sides(self) -> None:
        """Forward is up for White and down for Black, and Black's right is White's left."""
        self.assertEqual(self.named(0, "tiger", "c2"), {"c4", "c1"})
        self.assertEqual(self.named(1, "tiger", "c4"), {"c2", "c5"})
        self.assertEqual(self.named(0, "rabbit", "b2"), {"c3", "d2", "a1"})
        self.assertEqual(self.named(1, "rabbit", "d4"), {"c3", "b4", "e5"})

    def test_the_board_has_edges(self) -> None:
        """What would leave the board is left out; no way leads around its edge."""
        self.assertEqual(self.named(0, "dragon", "a1"), {"c2"})
        self.assertEqual(self.named(0, "crab", "e5"), {"c5"})
        self.assertEqual(self.named(0, "tiger", "a1"), {"a3"})
        self.assertEqual(self.named(1, "tiger", "a1"), {"a2"})

    def test_black_is_white_turned_around(self) -> None:
        """For every card and square: Black's way is White's on the board turned by half."""
        for card in VECTORS:
            for square in range(25):
                turned = {24 - end for end in LEADS[0][card][24 - square]}
                self.assertEqual(set(LEADS[1][card][square]), turned, (card, square))

    def test_every_vector_somewhere(self) -> None:
        """From the middle every card leads to as many squares as it has vectors, for both sides."""
        for colour in (0, 1):
            for card, one in VECTORS.items():
                self.assertEqual(len(set(LEADS[colour][card][12])), len(one), card)
