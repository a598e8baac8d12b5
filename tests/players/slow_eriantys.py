"""
Longer checks of the players of Eriantys, run by name: `python -m twisted.trial tests.players.slow_eriantys`. Many minutes.
"""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.players import check_whole_matches, slow_line_ups
from tests.players.test_eriantys import ERIANTYS, LEVELS, settings_of


class SlowEriantysTests(SynchronousTestCase):
    """Far more than the suite has time for."""

    def test_many_matches(self) -> None:
        """1,000 matches of each pair of quick levels, and as many with hard as there is time for, without a refusal."""
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, ERIANTYS, [line_up], range(matches), settings_of, effort=0.2)

    def test_four(self) -> None:
        """100 matches of four, one of each level."""
        check_whole_matches(self, ERIANTYS, [LEVELS], range(100), settings_of, effort=0.2)
