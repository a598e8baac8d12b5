"""
Longer checks of the players of Paper Soccer, run by name: `python -m twisted.trial tests.players.slow_paper_soccer`. Some
minutes.
"""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.paper_soccer.master import PAPER_SOCCER
from tests.kit.players import check_whole_matches, slow_line_ups
from tests.players.test_paper_soccer import check_tactics


class SlowPaperSoccerTests(SynchronousTestCase):
    """Far more than the suite has time for."""

    def test_many_matches(self) -> None:
        """1,000 matches of each pair of quick levels, and as many with hard as there is time for, without a refusal."""
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, PAPER_SOCCER, [line_up], range(matches))

    def test_tactics(self) -> None:
        """1,000 positions with a win, and 1,000 with a loss to avoid."""
        check_tactics(self, 1_000, seed=2)
