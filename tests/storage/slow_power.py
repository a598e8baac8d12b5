"""
Fifty thousand power cuts, about two minutes. Not part of the suite: `python -m twisted.trial tests.storage.slow_power`.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.storage.test_power import cuts


class LongPowerTests(SynchronousTestCase):
    """`PowerTests`, fifty times as long."""

    timeout = 900

    def test_fifty_thousand_cuts(self) -> None:
        """Nothing lost, nothing damaged, always a beginning of what was sent."""
        self.assertEqual(cuts(50_000), {None: 50_000})
