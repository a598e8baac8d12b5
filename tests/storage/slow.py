"""
A thousand kills and fifty thousand power cuts, some minutes. Not part of the suite:
`python -m twisted.trial tests.storage.slow`.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.storage.test_damage import KillCase, cuts


class LongKillTests(KillCase):
    timeout = 1800

    def test_a_thousand_kills(self) -> None:
        """No acknowledged entry is lost, every next run starts."""
        for seed in range(40):
            self.kill(25, seed)


class LongPowerTests(SynchronousTestCase):
    timeout = 900

    def test_fifty_thousand_cuts(self) -> None:
        """Nothing lost, nothing damaged, always a beginning of what was sent."""
        self.assertEqual(cuts(50_000), {None: 50_000})
