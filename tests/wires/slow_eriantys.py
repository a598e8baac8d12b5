"""
Thousands of whole matches over the JSON wire, every board looked at: run by hand with
`python -m twisted.trial tests.wires.slow_eriantys`. `GAMEHOST_ERIANTYS_GAMES` says how many of each kind (1000).
"""

import os
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from tests.wires.test_eriantys import played

GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_GAMES", "1000"))


class ManyGamesTests(SynchronousTestCase):
    """All kinds of matches, many times."""

    def test_all_kinds(self) -> None:
        """Every match comes to its end over the wire; a fifth of the players are rude."""
        for seats in (2, 3, 4):
            for expert in (False, True):
                heard = Counter[str]()
                for seed in range(GAMES):
                    heard += played(seats, expert, seed, rude=0.2 if seed % 5 == 0 else 0.0)
                self.assertEqual(heard["CLOSING_GAME"], seats * GAMES)
                print(seats, "players,", "expert" if expert else "normal", dict(sorted(heard.items())))
