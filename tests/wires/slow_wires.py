"""Longer tests of the wires, run by name: `python -m twisted.trial tests.wires.slow_wires`, or a class of it."""

import os
import random
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from tests.extras.dialects.test_eriantys_java import company, losing, new_host
from tests.kit.wires.console import ON_WIRE as CONSOLE
from tests.kit.wires.eriantys_java_players import play
from tests.kit.wires.stratego_frames import ON_WIRE as FRAMES
from tests.kit.wires.stratego_frames import differences
from tests.kit.wires.stratego_lines import ON_WIRE as LINES
from tests.wires.test_eriantys import played

# Far more pairs of games that differ in what is hidden: on the console half an hour, on both wires of Stratego some minutes.


class SecretsOnConsoleTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        self.assertEqual(list(differences(CONSOLE, 10_000, first_seed=4_000_000)), [])


class SecretsInFramesTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        self.assertEqual(list(differences(FRAMES, 10_000, first_seed=2_000_000)), [])


class SecretsInLinesTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        self.assertEqual(list(differences(LINES, 10_000, first_seed=3_000_000)), [])


# Thousands of whole matches over the JSON wire of Eriantys, every board looked at, and many of strict players of Java
# objects, who lose their connections now and then. `GAMEHOST_ERIANTYS_GAMES` says how many of each kind,
# `GAMEHOST_ERIANTYS_JAVA_GAMES` how many of Java objects (about half a minute of work for ten).


GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_GAMES", "1000"))


class EriantysGamesTests(SynchronousTestCase):
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


class EriantysJavaGamesTests(SynchronousTestCase):
    def test_all_kinds(self) -> None:
        """Every game comes to its end, in every second one with players who are lost and come back."""
        for seed in range(JAVA_GAMES):
            players = company(new_host(seed), seed, 2 + seed % 3, expert=seed % 5 > 0)
            for player in players:
                if seed % 2:
                    player.before_answer = losing(player, random.Random(f"{seed} {player.name}"), 0.25, [])
            play(players)
            self.assertEqual({str(player.told[-1]) for player in players}, {str(players[0].told[-1])}, seed)
