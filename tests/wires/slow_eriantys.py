"""
Thousands of whole matches over the JSON wire, every board looked at, and many of strict players of Java objects, who lose their
connections now and then: `make test-slow` runs them. `GAMEHOST_ERIANTYS_GAMES` says how many of each kind (1000),
`GAMEHOST_ERIANTYS_JAVA_GAMES` how many of Java objects (60; about half a minute of work for ten).
"""

import os
import random
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.wires.eriantys_java_players import play
from tests.wires.test_eriantys import played
from tests.wires.test_eriantys_java import company, losing, new_host

GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_GAMES", "1000"))


class ManyGamesTests(SynchronousTestCase):
    def test_all_kinds(self) -> None:
        """Every match comes to its end over the wire; a fifth of the players are rude."""
        for seats in (2, 3, 4):
            for expert in (False, True):
                heard = Counter[str]()
                for seed in range(GAMES):
                    heard += played(seats, expert, seed, rude=0.2 if seed % 5 == 0 else 0.0)
                self.assertEqual(heard["CLOSING_GAME"], seats * GAMES)
                print(seats, "players,", "expert" if expert else "normal", dict(sorted(heard.items())))


JAVA_GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_JAVA_GAMES", "60"))


class ManyJavaGamesTests(SynchronousTestCase):
    """Games of two, three and four players, with characters and without."""

    def test_all_kinds(self) -> None:
        """Every game comes to its end, in every second one with players who are lost and come back."""
        for seed in range(JAVA_GAMES):
            players = company(new_host(seed), seed, 2 + seed % 3, expert=seed % 5 > 0)
            for player in players:
                if seed % 2:
                    player.before_answer = losing(player, random.Random(f"{seed} {player.name}"), 0.25, [])
            play(players)
            self.assertEqual({str(player.told[-1]) for player in players}, {str(players[0].told[-1])}, seed)
