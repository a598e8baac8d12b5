"""
The learning environments: numbers, arrays and masks of all games, in PettingZoo's own tests, and in matches on a host.

They need the extra `learn`; `make check-learn` installs it, and looks at more positions (`GAMEHOST_POSITIONS`).
"""

import os
import random
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from importlib.util import find_spec
from io import StringIO
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore, Heard
from gamehost.games.base import HasSteps, Seat
from gamehost.games.installed import installed
from gamehost.games.play import messages_of
from gamehost.players.base import SeededChance
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.pages import blocks
from tests.kit.wires.open import Player

NEEDS = ("pettingzoo", "gymnasium", "numpy")
skip = None if all(map(find_spec, NEEDS)) else "needs more: pip install gamehost[learn]"
if skip is None:
    import numpy as np
    from pettingzoo.test import api_test, seed_test

    from gamehost.extras.learn import encoder, env, raw_env
    from gamehost.extras.learn.match import PolicySeat

POSITIONS = int(os.environ.get("GAMEHOST_POSITIONS", "60"))
EXPERT = {"expert": "yes"}
#: All games as they are learnt: the name, and the other arguments of `env`.
MATCHES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in installed().games),
    ("eriantys", {"seats": 3, "settings": EXPERT}),
    ("eriantys", {"seats": 4, "settings": EXPERT}),
    ("stratego", {"settings": {"two_squares": 5}}),
    *((name, {"generic": True}) for name in installed().games),
]


def views(name: str, count: int = POSITIONS, **more: Any) -> Iterator[tuple[Any, Seat, Any, Any]]:
    """Positions of random matches: the environment, the seat that acts, its encoder, and its view as a message."""
    match, luck = raw_env(name, **more), random.Random(7)
    for number in range(count):
        match.reset(number)
        # The set-up of Stratego is long; other matches are looked at from their first position on.
        for _ in range(count):
            agent = match.agent_selection
            if match.terminations[agent] or match.truncations[agent]:
                break
            seat = Seat(match.possible_agents.index(agent))
            mask = match.observe(agent)["action_mask"]
            yield match, seat, match._encoders[seat], match._view(seat)
            count -= 1
            if count <= 0:
                return
            match.step(luck.choice(np.flatnonzero(mask)))


class EnvironmentTests(SynchronousTestCase):
    def test_the_tests_of_pettingzoo(self) -> None:
        for name, more in MATCHES:
            with redirect_stdout(StringIO()):
                api_test(env(name, **more), num_cycles=POSITIONS)
                seed_test(lambda name=name, more=more: env(name, **more), num_cycles=POSITIONS)
            self.flushWarnings()

    def test_numbers_and_actions_are_one_to_one_and_those_of_the_master(self) -> None:
        """The mask is made of messages; the master's own view gives the same actions, or the same number of steps."""
        for name, more in MATCHES:
            if more.get("generic"):
                continue
            for match, seat, one, view in views(name, **more):
                game, known = match.game, match.master.view(seat)
                numbers = [int(number) for number in np.flatnonzero(one.legal(view))]
                legal = game.legal(known, seat)
                stepwise = isinstance(game, HasSteps)
                if stepwise:
                    begun = game.read(_written(one._steps)) if one._steps else None
                    taken = [deepcopy(one).took(number, view) for number in numbers]
                    expected = {game.write(step).decode(): whole for step, whole in game.steps(known, seat, begun)}
                    self.assertEqual(len(numbers), len(expected), name)
                    self.assertEqual({text for text in taken if text}, {text for text in expected if expected[text]})
                elif legal is not None:
                    taken = [game.write(one._options(view)[number]) for number in numbers]
                    self.assertEqual(sorted(taken), sorted(map(game.write, legal)), name)

    def test_what_a_seat_cannot_know_changes_nothing(self) -> None:
        for name, more in MATCHES:
            for match, seat, one, view in views(name, **more):
                if getattr(one, "_steps", None):
                    continue  # a whole turn is the master's
                messages = messages_of(match.game)
                assert messages is not None
                for seed in (1, 2):
                    other = match.game.determinized(match.master.view(seat), seat, SeededChance(seed))
                    same = messages.view(other.view(seat))
                    self.assertTrue((one.see(same) == one.see(view)).all(), name)
                    self.assertTrue((one.legal(same) == one.legal(view)).all(), name)

    def test_stratego_remembers_what_was_seen(self) -> None:
        """Each kind that an encoder has seen is the true one, and each enemy beyond its own rows has moved."""
        for match, seat, one, _ in views("stratego", POSITIONS + 600):
            position = match.master.position
            if position is None:
                continue
            for square, kind in one._kinds.items():
                self.assertEqual(chr(position.squares[square] & 0x7F), kind)
            enemies = {square for square, mark in enumerate(match.master.view(seat).squares) if mark == "#"}
            self.assertTrue({*one._kinds, *one._moved} <= enemies)
            self.assertTrue({square for square in enemies if 40 <= square < 60} <= one._moved)

    def test_the_match_of_the_page(self) -> None:
        [block] = [one for one in blocks("docs/extras/learn/learning.rst") if one.first.startswith("from gamehost")]
        told = StringIO()
        with redirect_stdout(told):
            exec(block.text, {})
        self.assertEqual(sorted(told.getvalue().split()), ["-1", "1", "player_0", "player_1"])

    def test_what_cannot_be_made_is_refused(self) -> None:
        self.assertIn("expected one of onitama", str(self.assertRaises(ValueError, env, "chess")))
        self.assertIn("2 to 2 players", str(self.assertRaises(ValueError, env, "onitama", seats=3)))
        self.assertIn("legal", str(self.assertRaises(ValueError, encoder("onitama", 0, 2).took, 1, None)))


def _written(points: Any) -> bytes:
    return " ".join(f"{x},{y}" for x, y in points).encode()


#: Bytes that are read at once. The events of one action then come at once, and no policy acts between them.
WHOLE = (65_536,)


class HostTests(SynchronousTestCase):
    """Random policies play whole matches on a host in memory, while connections are lost."""

    def play(self, game: str, drops: float, pieces: Sequence[int], rounds: int = 400) -> tuple[list[m.Over], int]:
        """The ends that both players are told, and how many actions they have taken. A match may be too long for the test."""
        whole = pieces == WHOLE
        world, luck, over = MemoryHost({"limits.unlimited": "yes"}, wires=(WIRE,)), random.Random(3), []
        seats: dict[Player, Any] = {}
        acted: list[int] = []
        rewards: list[int] = []

        def policy(seen: Any) -> int:
            acted.append(int(seen["action_mask"].sum()))
            if game == "stratego":  # what is remembered of enemies is where enemies are
                board = seen["observation"]
                self.assertFalse((board[14:].any(axis=0) & (board[12] == 0)).any())
            return int(luck.choice(np.flatnonzero(seen["action_mask"])))

        def hear(player: Player, message: Heard) -> None:
            seats[player].hear(message)
            self.assertFalse(whole and isinstance(message, m.Refused), message)
            if isinstance(message, m.Over):
                over.append(message)
                rewards.append(seats[player].reward(message))

        for name in ("ann", "bob"):
            player = Player(world, name, hear)
            player.core = ClientCore(m.Enter(name), lambda: 0.5)
            seats[player] = PolicySeat(player.core, policy)
            player.core.say(m.Seek(game))
            player.connect()
        for _ in range(rounds):
            world.wait(0.01)  # the host reads a long history in slices
            for player in seats:
                player.exchange(luck.choice(pieces))
                if luck.random() < drops:
                    player.drop()
                    player.connect()
            if len(over) == len(seats):
                break
        self.assertEqual(sum(rewards), 0)
        return over, len(acted)

    def test_each_game_to_its_end(self) -> None:
        for game in installed().games:
            for pieces in (WHOLE, (1, 7, 100, *WHOLE)):
                ends, acted = self.play(game, 0.01, pieces)
                self.assertEqual([end.cause for end in ends], [] if game == "stratego" else ["rules"] * 2, game)
                self.assertGreater(acted, 150 if game == "stratego" else 10)
