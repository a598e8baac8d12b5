"""
Longer checks of the players of Stratego, run by name: `python -m twisted.trial tests.players.slow_stratego`. Many minutes.
"""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.stratego.master import STRATEGO
from gamehost.players.base import Level
from tests.kit.players import check_whole_matches, slow_line_ups
from tests.players.test_stratego import Pair


class SlowStrategoTests(SynchronousTestCase):
    """Far more than the suite has time for."""

    def test_many_matches(self) -> None:
        """1,000 matches of each pair of quick levels, and as many with hard as there is time for, without a refusal."""
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, STRATEGO, [line_up], range(matches), effort=0.2)

    def test_hidden_kinds_change_nothing(self) -> None:
        """200 pairs of matches that differ in what is hidden, at each level."""
        for level in Level:
            for seed in range(200):
                Pair(level, seed).compare(self, 100)
