"""Longer checks of the games than `make test` has time for: `python -m twisted.trial tests.games.slow_games`."""

import os
import random
import secrets
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, SystemChance
from gamehost.games.eriantys.events import NoEntryUsed, PlayedCharacter, Unified
from gamehost.games.eriantys.master import Eriantys
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import Character
from gamehost.games.onitama.master import Action
from gamehost.games.onitama.rules import Exchange
from gamehost.games.paper_soccer.rules import Position
from gamehost.testing.cases import PropertyCase
from tests.games.test_paper_soccer_rules import perft as paper_soccer_perft
from tests.games.test_stratego_rules import PERFT as STRATEGO_PERFT
from tests.games.test_stratego_rules import perft as stratego_perft
from tests.games.test_stratego_secrets import differences
from tests.kit.games.eriantys import Dice, any_action, flaws
from tests.kit.games.onitama import PERFT as ONITAMA_PERFT
from tests.kit.games.onitama import begun, dealt
from tests.kit.games.onitama import perft as onitama_perft
from tests.kit.games.stratego import from_setups
from tests.kit.players import unfair

# Thousands of whole games of Eriantys at random, every position looked at. `GAMEHOST_ERIANTYS_GAMES`: how many of each kind.


GAMES = int(os.environ.get("GAMEHOST_ERIANTYS_GAMES", "300"))


class EriantysGamesTests(SynchronousTestCase):
    def play(self, seats: int, seed: int, liking: float, met: Counter[str], **settings: str) -> None:
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


# Onitama: under a minute.


class OnitamaPerftTests(SynchronousTestCase):
    def test_counts(self) -> None:
        for deal, counts in ONITAMA_PERFT:
            self.assertEqual(onitama_perft(dealt(deal), 5), counts[4], deal)


class OnitamaGamesTests(SynchronousTestCase):
    def test_ten_thousand_games(self) -> None:
        """10,000 random games all come to an end, and always with five different cards on the table."""
        rng = random.Random(1)
        for _ in range(10_000):
            master = begun(chance=SystemChance(rng.randrange))
            while master.result is None:
                position = master.position
                moves: list[Action] = list(position.moves())
                hand = position.hands[position.turn]
                action = rng.choice(moves or [Exchange(card) for card in hand])
                master.act(Seat(position.turn), action, 0)
                self.assertEqual(len({*position.hands[0], *position.hands[1], position.spare}), 5)


# Paper Soccer.


class PaperSoccerPerftTests(PropertyCase):
    def test_six_moves(self) -> None:
        self.assertEqual(paper_soccer_perft(Position(), 6).total(), 1_704_730)


# Stratego: a minute or two.


class StrategoPerftTests(SynchronousTestCase):
    def test_counts(self) -> None:
        for first, second, counts in STRATEGO_PERFT:
            self.assertEqual(stratego_perft(from_setups(first, second), 5), counts[4], first)


class StrategoSecretsTests(SynchronousTestCase):
    def test_ten_thousand_pairs(self) -> None:
        """In none of 10,000 pairs does a player learn what the rules hide."""
        self.assertEqual(list(differences(10_000, first_seed=1_000_000)), [])


# Fairness: 200,000 draws of each sample, half a minute.


DRAWS = 200_000


class LongFairnessTests(SynchronousTestCase):
    def test_even(self) -> None:
        """Nothing is further from its odds than luck is in 10^8 tries."""
        self.assertEqual(unfair(DRAWS), [])

    def test_small_faults_are_seen(self) -> None:
        """Ten bits folded by their remainder: no place in a bag of 120 is off by more than an eighth."""
        self.assertNotEqual(unfair(DRAWS, lambda n: secrets.randbits(10) % n), [])
