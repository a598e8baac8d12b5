"""The client library at a host in memory: looking on, keys, and a second connection."""

from typing import Any

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore, Heard, Lost
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.open import Player, exchange_all

SETTINGS = {"limits.unlimited": "yes", "onitama.deal": "boar,ox/crab,eel/tiger"}


class _Case(SynchronousTestCase):
    """Ann and Bob play Onitama; each client's messages are kept."""

    def setUp(self) -> None:
        self.world = MemoryHost(SETTINGS, wires=(WIRE,))
        self.heard: dict[Player, list[Any]] = {}
        self.players: list[Player] = []
        self.ann, self.bob = self.player(m.Enter("ann")), self.player(m.Enter("bob"))
        for player in self.players:
            player.core.say(m.Seek("onitama"))
        exchange_all(self.players)

    def player(self, login: m.Enter | None) -> Player:
        """Another client, with a connection."""
        player = Player(self.world, "", self.hear)
        player.core = ClientCore(login, lambda: 0.5)
        player.connect()
        self.players.append(player)
        self.heard[player] = []
        return player

    def hear(self, player: Player, message: Heard) -> None:
        """Keep it."""
        self.heard[player].append(message)

    def act(self, player: Player, action: str) -> None:
        """Act, and let all hear of it."""
        player.core.act(action)
        exchange_all(self.players)


class ClockTests(_Case):
    """Clocks of a match, as the client knows them."""

    def test_clocks_are_known(self) -> None:
        """To players and to those who look on: as they stood when the host last told them."""
        self.assertIsNone(self.ann.core.own and self.ann.core.own.clocks)
        self.players.clear()
        cid, dan = self.player(m.Enter("cid")), self.player(m.Enter("dan"))
        for player in self.players:
            player.core.say(m.Seek("onitama", settings={"game_time": 60, "increment": 2.5}))
        exchange_all(self.players)
        own = cid.core.own
        assert own is not None
        self.assertEqual(own.clocks, [60_000, 60_000])
        self.world.wait(4)
        watcher = self.player(None)
        watcher.core.say(m.Watch(own.number))
        exchange_all(self.players)
        watched = watcher.core.tables.get(own.number)
        assert watched is not None
        self.assertEqual((watched.clocks, own.clocks), ([56_000, 60_000], [60_000, 60_000]))
        self.act(cid, "ox c1 c2")
        self.world.wait(1)
        exchange_all(self.players)
        dans = dan.core.own
        assert dans is not None
        self.assertEqual([table.clocks for table in (own, dans, watched)], [[58_500, 60_000]] * 3)


class WatchingTests(_Case):
    """What a client sees that looks on."""

    def test_a_view_follows_what_is_told(self) -> None:
        """It is the same as the players'."""
        self.act(self.ann, "ox c1 c2")
        watcher = self.player(None)
        watcher.core.say(m.Watch(1))
        exchange_all(self.players)
        self.act(self.bob, "crab a5 a4")
        self.world.wait(1)
        exchange_all(self.players)
        table, own = watcher.core.tables.get(1), self.ann.core.own
        assert table is not None and own is not None
        self.assertEqual((table.view, table.n, table.seat), (own.view, own.n, None))

    def test_after_a_lost_connection(self) -> None:
        """The table is shown again."""
        watcher = self.player(None)
        watcher.core.say(m.Watch(1))
        exchange_all(self.players)
        watcher.drop()
        self.act(self.ann, "ox c1 c2")
        watcher.connect()
        exchange_all(self.players)
        kinds = [type(message) for message in self.heard[watcher]]
        self.assertEqual(kinds, [m.Shown, Lost, m.Shown])
        table, own = watcher.core.tables.get(1), self.ann.core.own
        assert table is not None and own is not None
        self.assertEqual(table.view, own.view)

    def test_the_lobby(self) -> None:
        """Which tables there are."""
        watcher = self.player(None)
        watcher.core.say(m.Lobby())
        exchange_all(self.players)
        [tables] = self.heard[watcher]
        self.assertEqual([row.names for row in tables.tables], [["ann", "bob"]])


class KeyTests(_Case):
    """The key of a guest."""

    def test_a_second_connection_with_the_key(self) -> None:
        """It takes the seat; the first client is told, and does not come back."""
        login = self.ann.core.login
        assert isinstance(login, m.Enter) and login.key is not UNSET
        second = self.player(login)
        exchange_all(self.players)
        self.assertIsInstance(self.heard[self.ann][-1], m.Bye)
        self.assertIsNone(self.ann.core.connection_lost("closed").again)
        assert second.core.own is not None and self.bob.core.own is not None
        self.assertEqual(second.core.own.view, self.bob.core.own.view)

    def test_a_key_that_is_not_known(self) -> None:
        """The client enters under its name without it."""
        stranger = self.player(m.Enter("eva", "x" * 26))
        exchange_all(self.players)
        self.assertTrue(stranger.core.ready)
        self.assertEqual([type(message) for message in self.heard[stranger]], [m.Sorry, m.Entered])
