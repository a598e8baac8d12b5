"""Studies find the blunder in at least 18 of 20 matches in which one was planted, and take at most 10 s for 100 moves."""

from time import process_time

from twisted.trial.unittest import SynchronousTestCase

from tests.players.test_studies import missed, planted, study_of

SEEDS = {
    "onitama": (1, 2, 3, 5, 6),
    "paper-soccer": (1, 3, 4, 5, 6),
    "eriantys": (1, 2, 3, 4, 5, 6),
    "stratego": (1, 3, 6, 7),
}


class ManyStudiesTests(SynchronousTestCase):
    """All games, by players of the level hard."""

    timeout = 600

    def test_blunders_are_found(self) -> None:
        self.assertLessEqual(len(lost := missed(SEEDS)), 2, lost)

    def test_seconds(self) -> None:
        for name in SEEDS:
            opening, entries, _ = planted(name, 1)
            began = process_time()
            study_of(opening, entries)
            self.assertLess((process_time() - began) * 100 / len(entries), 10, name)
