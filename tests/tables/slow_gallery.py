"""
A longer check of those who watch, run by name: `python -m twisted.trial tests.tables.slow_gallery`. About ten minutes.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.tables.test_gallery import differences


class ManySecretsTests(SynchronousTestCase):
    timeout = 3600

    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a watcher, or a reader of the history, learn what the rules hide."""
        self.assertEqual(list(differences(10_000, first_seed=1_000_000)), [])
