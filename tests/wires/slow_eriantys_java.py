"""
Many whole games of strict players of Java objects, who lose their connections now and then: `make test-slow` runs them.
`GAMEHOST_ERIANTYS_JAVA_GAMES` says how many (60; about half a minute of work for ten).
"""

import os
import random

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.wires.eriantys_java_players import play
from tests.wires.test_eriantys_java import company, losing, new_host

GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_JAVA_GAMES", "60"))


class ManyGamesTests(SynchronousTestCase):
    """Games of two, three and four players, with characters and without."""

    def test_all_kinds(self) -> None:
        """Every game comes to its end, in every second one with players who are lost and come back."""
        for seed in range(GAMES):
            players = company(new_host(seed), seed, 2 + seed % 3, expert=seed % 5 > 0)
            for player in players:
                if seed % 2:
                    player.before_answer = losing(player, random.Random(f"{seed} {player.name}"), 0.25, [])
            play(players)
            self.assertEqual({str(player.told[-1]) for player in players}, {str(players[0].told[-1])}, seed)
