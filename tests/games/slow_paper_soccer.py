"""Counts that take longer than the suite may. Run with `python -m twisted.trial tests.games.slow_paper_soccer`."""

from gamehost.games.paper_soccer.rules import Position
from gamehost.testing.cases import PropertyCase
from tests.games.test_paper_soccer_vectors import perft


class LongCountTests(PropertyCase):
    """One move deeper."""

    def test_six_moves(self) -> None:
        """Sequences of six moves from the start."""
        self.assertEqual(perft(Position(), 6).total(), 1_704_730)
