"""
Far more pairs of games on the console: `python -m twisted.trial tests.wires.slow_console`. About half an hour.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.wires.console import ON_WIRE
from tests.kit.wires.stratego_frames import differences


class ManySecretsTests(SynchronousTestCase):
    """What the suite does with 8."""

    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a player get one byte that depends on what the rules hide."""
        self.assertEqual(list(differences(ON_WIRE, 10_000, first_seed=4_000_000)), [])
