"""
Far more pairs of games on both wires of Stratego: `python -m twisted.trial tests.wires.slow_stratego`. Some minutes.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.wires.stratego_frames import ON_WIRE, differences
from tests.kit.wires.stratego_lines import ON_WIRE as LINES


class SecretsInFramesTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a player get one byte that depends on what the rules hide."""
        self.assertEqual(list(differences(ON_WIRE, 10_000, first_seed=2_000_000)), [])


class SecretsInLinesTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a player get one byte that depends on what the rules hide."""
        self.assertEqual(list(differences(LINES, 10_000, first_seed=3_000_000)), [])
