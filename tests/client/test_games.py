"""The client library and the bot of its page, at a host in memory: whole games, and coming back."""

import importlib.util
import random
from types import ModuleType
from typing import Any

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import Heard
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.open.messages import Back, Join, Over, Refused, Seated, Seek, Seeking
from tests.kit.memory_host import MemoryHost
from tests.kit.process import ROOT
from tests.kit.wires.open import Player, exchange_all


def bot() -> ModuleType:
    """The documentation's bot."""
    path = ROOT / "docs" / "bots" / "all_games_bot.py"
    spec = importlib.util.spec_from_file_location("all_games_bot", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BOT = bot()


class GameTests(SynchronousTestCase):
    """Whole games between two clients."""

    def setUp(self) -> None:
        self.rng = random.Random(7)
        state = random.getstate()
        self.addCleanup(random.setstate, state)
        random.seed(7)
        self.heard: list[Any] = []
        self.acted: dict[Player, int | None] = {}

    def hear(self, player: Player, message: Heard) -> None:
        """Play as the bot does."""
        self.heard.append(message)
        table = player.core.own
        if table is None or table.view is None or isinstance(message, Over):
            return
        if table.n != self.acted.get(player) or isinstance(message, Refused | Back):
            choices = BOT.CHOICES[table.game](table.view, table.seat)
            if choices:
                player.core.act(random.choice(choices))
                self.acted[player] = table.n

    def play(self, game: str, drops: float = 0.0, **more: Any) -> list[Player]:
        """A game to its end. In each round, a connection is lost with some probability."""
        self.world = MemoryHost({"limits.unlimited": "yes"}, wires=(WIRE,))
        self.heard.clear()
        players = [Player(self.world, name, self.hear) for name in ("ann", "bob")]
        for player in players:
            player.core.say(Seek(game, **more))
            player.connect()
        begun = False
        while not begun or any(player.core.own for player in players):
            for player in players:
                player.exchange(self.rng.choice((1, 7, 100, 65_536)))
                if self.rng.random() < drops:
                    player.drop()
                    player.connect()
            begun = begun or all(player.core.own for player in players)
        return players

    def test_each_game_to_its_end(self) -> None:
        """Both are told the same end; the bytes come in pieces of many sizes."""
        for game in BOT.CHOICES:
            self.play(game)
            ends = [message for message in self.heard if isinstance(message, Over)]
            self.assertEqual(len(ends), 2, game)
            self.assertEqual(ends[0], ends[1])
            self.assertEqual(ends[0].cause, "rules")

    def test_connections_are_lost(self) -> None:
        """The clients come back into the same match, and play it to its end."""
        for game in BOT.CHOICES:
            self.play(game, drops=0.02)
            backs = [message for message in self.heard if isinstance(message, Back) and message.view is not UNSET]
            self.assertTrue(backs, game)
            self.assertEqual({message.table for message in self.heard if isinstance(message, Seated)}, {1}, game)

    def test_three_at_a_table(self) -> None:
        """A game of Eriantys for three, at a private table that the others join with its code."""
        self.world = MemoryHost({"limits.unlimited": "yes"}, wires=(WIRE,))
        codes: list[Any] = []

        def hear(player: Player, message: Heard) -> None:
            if isinstance(message, Seeking) and not codes:
                codes.append((message.table, message.code))
            self.hear(player, message)

        players = [Player(self.world, name, hear) for name in ("ann", "bob", "eva")]
        players[0].core.say(Seek("eriantys", seats=3, private=True))
        for player in players:
            player.connect()
            exchange_all(players)
        [(table, code)] = codes
        for player in players[1:]:
            player.core.say(Join(table, code))
        exchange_all(players)
        self.assertEqual([type(message) for message in self.heard].count(Over), 3)
