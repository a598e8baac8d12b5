"""The tournament of levels: its intervals, and a match or two of it."""

from twisted.trial.unittest import SynchronousTestCase

from benchmarks.ladder import AGAINST_RANDOM, GOALS, ladder, wilson
from gamehost.players.base import Level
from gamehost.players.registry import PLAYERS


class LadderTests(SynchronousTestCase):
    """Figures that can be trusted."""

    def test_wilson(self) -> None:
        """The interval of known cases, which never leaves 0 to 1."""
        low, high = wilson(80, 100)
        self.assertAlmostEqual(low, 0.711, 3)
        self.assertAlmostEqual(high, 0.867, 3)
        self.assertEqual(wilson(0, 0), (0.0, 1.0))
        self.assertEqual(wilson(0, 10)[0], 0.0)
        self.assertEqual(wilson(10, 10)[1], 1.0)

    def test_two_games_a_pair(self) -> None:
        """Every level meets the one below in both seats, and each game is counted once."""
        lines: list[str] = []
        scores = ladder("onitama", 2, effort=0.02, say=lines.append)
        self.assertEqual([score.won + score.lost + score.drawn for score in scores], [2] * (len(Level) - 1))
        self.assertIn(f"goal {AGAINST_RANDOM:.0%}", lines[0])
        self.assertEqual(set(GOALS) & set(PLAYERS), set(PLAYERS))
