"""200,000 draws of each sample, run by name: `python -m twisted.trial tests.slow_fairness`. Half a minute."""

import secrets

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.players import unfair

DRAWS = 200_000


class LongFairnessTests(SynchronousTestCase):
    """Luck, looked at closely."""

    def test_even(self) -> None:
        """Nothing is further from its odds than luck is in 10^8 tries."""
        self.assertEqual(unfair(DRAWS), [])

    def test_small_faults_are_seen(self) -> None:
        """Ten bits folded by their remainder: no place in a bag of 120 is off by more than an eighth."""
        self.assertNotEqual(unfair(DRAWS, lambda n: secrets.randbits(10) % n), [])
