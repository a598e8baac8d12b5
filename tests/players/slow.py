"""
Longer checks of the players, run by name: `python -m twisted.trial tests.players.slow`. Many minutes for each game.
"""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.master import ONITAMA
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.stratego.master import STRATEGO
from gamehost.players.base import Level
from tests.kit.players import check_whole_matches, slow_line_ups
from tests.players import test_onitama, test_paper_soccer
from tests.players.test_eriantys import ERIANTYS, LEVELS, settings_of
from tests.players.test_stratego import Pair


class SlowPlayerTests(SynchronousTestCase):
    """
    Far more than the suite has time for. Whole matches: 1,000 of each pair of quick levels, and as many with hard as there is
    time for, without a refusal. Tactics: 1,000 positions with a win, and 1,000 with a loss to avoid.
    """

    def test_matches_of_onitama(self) -> None:
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, ONITAMA, [line_up], range(matches))

    def test_tactics_of_onitama(self) -> None:
        test_onitama.check_tactics(self, 1_000, seed=2)

    def test_matches_of_paper_soccer(self) -> None:
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, PAPER_SOCCER, [line_up], range(matches))

    def test_tactics_of_paper_soccer(self) -> None:
        test_paper_soccer.check_tactics(self, 1_000, seed=2)

    def test_matches_of_stratego(self) -> None:
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, STRATEGO, [line_up], range(matches), effort=0.2)

    def test_hidden_kinds_of_stratego_change_nothing(self) -> None:
        """200 pairs of matches that differ in what is hidden, at each level."""
        for level in Level:
            for seed in range(200):
                Pair(level, seed).compare(self, 100)

    def test_matches_of_eriantys(self) -> None:
        for line_up, matches in slow_line_ups():
            check_whole_matches(self, ERIANTYS, [line_up], range(matches), settings_of, effort=0.2)

    def test_four_at_eriantys(self) -> None:
        """100 matches of four, one of each level."""
        check_whole_matches(self, ERIANTYS, [LEVELS], range(100), settings_of, effort=0.2)
