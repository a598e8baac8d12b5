"""
Longer checks of Stratego, run by name: `python -m twisted.trial tests.games.slow_stratego`. A minute or two.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.games.test_stratego_secrets import differences
from tests.games.test_stratego_vectors import PERFT, perft
from tests.kit.games.stratego import from_setups


class LongPerftTests(SynchronousTestCase):
    """Legal moves, counted to depth 5."""

    def test_counts(self) -> None:
        """The numbers of move sequences of length 5 from three set-ups."""
        for first, second, counts in PERFT:
            self.assertEqual(perft(from_setups(first, second), 5), counts[4], first)


class ManySecretsTests(SynchronousTestCase):
    """Far more pairs of games than the suite plays."""

    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a player learn what the rules hide."""
        self.assertEqual(list(differences(10_000, first_seed=1_000_000)), [])
