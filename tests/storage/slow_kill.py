"""
A thousand kills, a few minutes. Not part of the suite: `python -m twisted.trial tests.storage.slow_kill`.
"""

from tests.storage.test_power import KillCase


class LongKillTests(KillCase):
    """`KillTests`, forty times as long."""

    timeout = 1800

    def test_a_thousand_kills(self) -> None:
        """No acknowledged entry is lost, every next life starts."""
        for seed in range(40):
            self.kill(25, seed)
