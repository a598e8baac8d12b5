"""
Longer checks of the players, run by name: `python -m twisted.trial tests.players.slow`. Many minutes for each game.
"""

from time import process_time

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.master import ONITAMA
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.stratego.master import STRATEGO
from gamehost.players.base import Level
from tests.kit.players import check_whole_matches, slow_line_ups
from tests.lobby.test_studies import missed, planted, study_of
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


# Studies find the blunder in at least 18 of 20 matches in which one was planted, and take at most 10 s for 100 moves.


SEEDS = {
    "onitama": (1, 2, 3, 5, 6),
    "paper-soccer": (1, 3, 4, 5, 6),
    "eriantys": (1, 2, 3, 4, 5, 6),
    "stratego": (1, 3, 6, 7),
}


class ManyStudiesTests(SynchronousTestCase):
    timeout = 600

    def test_blunders_are_found(self) -> None:
        self.assertLessEqual(len(lost := missed(SEEDS)), 2, lost)

    def test_seconds(self) -> None:
        for name in SEEDS:
            opening, entries, _ = planted(name, 1)
            began = process_time()
            study_of(opening, entries)
            self.assertLess((process_time() - began) * 100 / len(entries), 10, name)
