"""
Thousands of whole games of Eriantys at random, every position looked at: run by hand with
`python -m twisted.trial tests.games.slow_eriantys`. `GAMEHOST_ERIANTYS_GAMES` says how many of each kind (300).
"""

import os
import random
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.events import NoEntryUsed, PlayedCharacter, Unified
from gamehost.games.eriantys.master import Eriantys
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import Character
from tests.kit.games.eriantys import Dice, any_action, flaws

GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_GAMES", "300"))


class ManyGamesTests(SynchronousTestCase):
    """All kinds of games, many times."""

    def play(self, seats: int, seed: int, liking: float, met: Counter[str], **settings: str) -> None:
        """One game; what it met on the way is counted."""
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, settings, Dice(seed))
        master.begin(0)
        while (choice := any_action(master, rng, liking)) is not None:
            for to in master.act(*choice, now=0):
                match to.event:
                    case PlayedCharacter(character=character):
                        met[f"character {character.value}"] += 1
                    case Unified() | NoEntryUsed():
                        met[type(to.event).__name__] += 1
            state = master._state
            if isinstance(state, Play):
                self.assertEqual(flaws(state), [], f"{seats} players, {settings}, seed {seed}")
        result = master.result
        assert result is not None
        met[result.why] += 1

    def test_all_kinds(self) -> None:
        """Every game keeps every invariant; together they meet every character and every end of a match."""
        met = Counter[str]()
        for seats in (2, 3, 4):
            for order in ("previous", "clockwise"):
                for seed in range(GAMES):
                    self.play(seats, seed, 0, met, expert="no", planning_order=order)
                    self.play(seats, seed, 0.3, met, expert="yes", planning_order=order)
        for what, times in sorted(met.items()):
            print(f"{times:8} {what}")
        for character in Character:
            self.assertGreater(met[f"character {character.value}"], 0)
        for why in ("the last tower is built", "the assistants are used up", "the students have run out"):
            self.assertGreater(sum(times for what, times in met.items() if what.startswith(why)), 0)
        self.assertGreater(sum(times for what, times in met.items() if what.startswith("only three groups")), 0)
        self.assertGreater(sum(times for what, times in met.items() if "a tie" in what), 0)
