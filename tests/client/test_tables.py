"""The tables that a client plays or watches: their views follow the events, in each game."""

import importlib.util
import random
from types import ModuleType
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore, Heard, Lost
from gamehost.client.tables import MESSAGES, followed, read_event, read_view
from gamehost.games.base import Seat
from gamehost.games.onitama.messages import MovedEvent
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.open.messages import Back, Join, Over, Refused, Seated, Seek, Seeking
from tests.games.test_eriantys_messages import MessagesTests as EriantysTests
from tests.games.test_onitama_master import MessagesTests as OnitamaTests
from tests.games.test_paper_soccer_master import MessagesTests as PaperSoccerTests
from tests.games.test_stratego_master import MessagesTests as StrategoTests
from tests.kit.memory_host import MemoryHost
from tests.kit.process import ROOT
from tests.kit.wires.open import Player, exchange_all

PLAYERS: dict[str, MasterContract] = {
    "eriantys": EriantysTests.player,
    "onitama": OnitamaTests.player,
    "paper-soccer": PaperSoccerTests.player,
    "stratego": StrategoTests.player,
}
#: What the events of Eriantys do not tell, or not at once.
NOT_TOLD = ("turn", "statuses")
#: The tests of the messages would be collected here, too.
del EriantysTests, OnitamaTests, PaperSoccerTests, StrategoTests


def plain(struct: Any) -> Any:
    """A struct as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(struct))


class FollowingTests(PropertyCase):
    """What a client that hears the events knows is what the host would show it."""

    def test_all_games_are_played(self) -> None:
        """Each game that has messages."""
        self.assertEqual(PLAYERS.keys(), MESSAGES.keys())

    @given(st.sampled_from(sorted(PLAYERS)), st.integers(0, 10_000))
    def test_the_view_after_any_events_is_the_host_s(self, game: str, seed: int) -> None:
        """After any number of moves, for each seat and for a watcher, from the first event on."""
        rng = random.Random(seed)
        messages = MESSAGES[game]
        master, steps = PLAYERS[game].play(2, rng, rng.randrange(150))
        for seat in (Seat(0), Seat(1), None):
            view = None
            for step in steps:
                for to in step.events:
                    message = messages.event(to.event)
                    if message is not None and (to.audience is None or seat in to.audience):
                        view = followed(view, read_event(game, plain(message)), seat)
            expected = plain(messages.view(master.view(seat)))
            if master.result is not None and "phase" in expected:
                # The end is told by `over`, and is no event of the game.
                expected |= {"phase": "play", "turn": None}
            followed_view = plain(view)
            for key in NOT_TOLD if game == "eriantys" else ():
                del expected[key], followed_view[key]
            if game == "eriantys" and expected["board"] is None:
                # Teams are known when the table is laid.
                del expected["teams"], followed_view["teams"]
            self.assertEqual(followed_view, expected)
            self.assertEqual(plain(read_view(game, plain(view))), plain(view))

    def test_onitama_s_exchange_for_the_spare(self) -> None:
        """A card that was given for the spare is the spare then."""
        begun = read_event("onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"})
        given = read_event("onitama", {"kind": "exchanged", "seat": 0, "old": "ox", "new": "tiger"})
        view = followed(followed(None, begun, 0), given, 0)
        self.assertEqual((view.hands, view.spare), ((["boar", "tiger"], ["crab", "eel"]), "ox"))

    def test_rules_that_are_not_known(self) -> None:
        """A card, a colour or a step of a later host: the view stays as it is."""
        begun = read_event("onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"})
        view = followed(None, begun, 0)
        event = {"kind": "exchanged", "seat": 0, "old": "ox", "new": "dodo"}
        self.assertEqual(followed(view, read_event("onitama", event), 0), view)
        kickoff = read_event("paper-soccer", {"kind": "kickoff", "first": 0})
        view = followed(None, kickoff, 0)
        event = {"kind": "moved", "seat": 0, "points": [[9, 9]], "next": 1}
        self.assertEqual(followed(view, read_event("paper-soccer", event), 0), view)


class ReadingTests(PropertyCase):
    """Values that are read from JSON."""

    def test_events(self) -> None:
        """As the structs of the game."""
        event = {"kind": "moved", "seat": 0, "card": "ox", "from": "a1", "to": "a2"}
        self.assertEqual(read_event("onitama", event), MovedEvent(0, "ox", "a1", "a2"))

    def test_what_is_not_known_stays_as_it_is(self) -> None:
        """Events of a game or of a kind that a later host has."""
        for game, value in (("chess", {"kind": "moved"}), ("onitama", {"kind": "danced"}), ("onitama", None)):
            self.assertEqual(read_event(game, value), value)
            self.assertEqual(read_view(game, value), value)

    def test_nothing_is_followed_without_a_beginning(self) -> None:
        """An event before any view, and an event that is not known."""
        self.assertIsNone(followed(None, MovedEvent(0, "ox", "a1", "a2"), 0))
        self.assertIsNone(followed(None, {"kind": "danced"}, 0))


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
