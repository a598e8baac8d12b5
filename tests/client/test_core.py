"""The client without input and output: log-in, coming back, time, and the tables that it plays or watches."""

import importlib.util
import random
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import (
    LOG_IN_WITHIN,
    LONGEST_PAUSE,
    MESSAGES,
    PING_AFTER,
    PONG_WITHIN,
    ClientCore,
    Heard,
    Lost,
    NotConnected,
    NotSeated,
    followed,
    read,
)
from gamehost.games.base import Seat
from gamehost.games.onitama import messages
from gamehost.games.onitama.messages import MovedEvent
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.wires.framing import WireError
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.open.messages import Back, Join, Over, Refused, Seated, Seek, Seeking
from tests.games.test_eriantys_master import MessagesTests as EriantysTests
from tests.games.test_onitama_master import MessagesTests as OnitamaTests
from tests.games.test_paper_soccer_master import MessagesTests as PaperSoccerTests
from tests.games.test_stratego_master import MessagesTests as StrategoTests
from tests.kit.drawn_messages import ANY_JSON
from tests.kit.hostile import BEFORE, WITHIN, cases
from tests.kit.memory_host import MemoryHost
from tests.kit.process import ROOT
from tests.kit.wires.open import Player, exchange_all

GUEST = m.Enter("ann")
ENTERED = m.Entered("ann", "k1")
SEATED = m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 0)
DEALT = m.Event(3, 0, messages.DealtEvent((["boar", "ox"], ["crab", "eel"]), "tiger"))
MOVED = m.Event(3, 1, messages.MovedEvent(0, "ox", "c1", "c2"))
OVER = m.Over(3, 2, [1], "left", "a player left")


def line(message: Any) -> bytes:
    return msgspec.json.encode(message) + b"\n"


class Talk:
    """A core, and what a host hears and says. Time stands still unless a test moves it."""

    def __init__(self, login: m.Enter | m.LogIn | None = GUEST, chance: float = 0.5) -> None:
        self.core = ClientCore(login, lambda: chance)
        self.now = 0.0

    def connect(self) -> Sequence[dict[str, Any]]:
        self.core.connection_made(self.now)
        return self.said()

    def said(self) -> Sequence[dict[str, Any]]:
        return [msgspec.json.decode(line) for line in self.core.take_output().splitlines()]

    def hear(self, *messages: Any) -> Sequence[Any]:
        return self.core.received(b"".join(map(line, messages)), self.now)


class LoggingInTests(PropertyCase):
    def test_a_guest(self) -> None:
        talk = Talk()
        self.assertEqual(talk.connect(), [{"do": "enter", "name": "ann"}])
        self.assertFalse(talk.core.ready)
        self.assertEqual(talk.hear(ENTERED), [ENTERED])
        self.assertTrue(talk.core.ready)
        talk.core.connection_lost("gone")
        self.assertEqual(talk.connect(), [{"do": "enter", "name": "ann", "key": "k1"}])

    def test_ready_when_the_seat_is_back(self) -> None:
        """Between the log-in and `Back` the host refuses actions, so a client is not ready then."""
        view = messages.View("PPKPP" + "." * 15 + "ppkpp", (["boar", "ox"], ["crab", "eel"]), "tiger", 0)
        others, own = m.Back(3, 1, 1), m.Back(3, 1, 0, view)
        for last in (own, OVER, m.Suspended(3, "a fault")):
            talk = Talk()
            talk.connect()
            talk.hear(m.Entered("ann", "k1", table=3), SEATED, others)
            self.assertFalse(talk.core.ready)
            talk.core.say(m.AskHistory(3))  # other messages can be sent
            talk.hear(last)
            self.assertTrue(talk.core.ready)

    def test_an_account(self) -> None:
        talk = Talk(m.LogIn("ann", "secret"))
        for _ in range(2):
            self.assertEqual(talk.connect(), [{"do": "log-in", "name": "ann", "password": "secret"}])
            talk.hear(m.Entered("ann", account=True))
            talk.core.connection_lost("gone")

    def test_without_a_log_in(self) -> None:
        talk = Talk(None)
        self.assertEqual(talk.connect(), [])
        self.assertTrue(talk.core.ready)

    def test_a_key_that_is_not_accepted(self) -> None:
        talk = Talk(m.Enter("ann", "old"))
        self.assertEqual(talk.connect(), [{"do": "enter", "name": "ann", "key": "old"}])
        self.assertEqual(talk.hear(m.Sorry("unknown key")), [m.Sorry("unknown key")])
        self.assertEqual(talk.said(), [{"do": "enter", "name": "ann"}])
        talk.hear(ENTERED)
        self.assertTrue(talk.core.ready)
        self.assertEqual(talk.core.login, m.Enter("ann", "k1"))

    def test_a_name_that_is_not_accepted(self) -> None:
        talk = Talk()
        talk.connect()
        talk.hear(m.Sorry("somebody has this name"))
        self.assertEqual(talk.said(), [])
        talk.core.say(m.Enter("anna"))
        self.assertEqual(talk.said(), [{"do": "enter", "name": "anna"}])
        talk.hear(m.Sorry("this one too"))
        self.assertEqual(talk.core.connection_lost("closed"), Lost("closed", None))

    def test_a_sorry_later_is_no_refusal(self) -> None:
        talk = Talk()
        talk.connect()
        talk.hear(ENTERED, m.Sorry("no such table"))
        self.assertTrue(talk.core.ready)


class LastingTests(PropertyCase):
    def test_before_there_is_a_connection(self) -> None:
        talk = Talk()
        talk.core.say(m.Seek("onitama"))
        talk.core.say(m.Watch(7))
        talk.core.say(m.Lobby())
        talk.core.say(m.AskMine())
        talk.connect()
        self.assertEqual(talk.said(), [])
        talk.hear(ENTERED)
        self.assertEqual([one["do"] for one in talk.said()], ["lobby", "mine", "watch", "seek"])

    def test_after_a_lost_connection(self) -> None:
        talk = Talk()
        talk.connect()
        talk.hear(ENTERED)
        for message in (m.Seek("onitama"), m.Watch(7), m.Watch(8), m.Watch(9), m.Lobby()):
            talk.core.say(message)
        for end in (m.Watch(8, False), m.Lobby(False), m.Stop()):
            talk.core.say(end)
        self.assertEqual(len(talk.said()), 8)
        talk.hear(m.Over(9, 3, [], "rules", "a draw"))
        talk.core.connection_lost("gone")
        talk.connect()
        talk.hear(ENTERED)
        self.assertEqual([(one["do"], one["table"]) for one in talk.said()], [("watch", 7)])

    def test_a_search_ends_with_a_seat(self) -> None:
        for end in (SEATED, m.Stopped("nobody came"), m.Entered("ann", "k1", 3)):
            talk = Talk()
            talk.connect()
            talk.hear(ENTERED)
            talk.core.say(m.Seek("onitama"))
            self.assertTrue(talk.core.seeking)
            talk.hear(end)
            self.assertFalse(talk.core.seeking)
            talk.said()
            talk.core.connection_lost("gone")
            talk.connect()
            talk.hear(ENTERED)
            self.assertEqual(talk.said(), [])

    def test_what_needs_a_connection_is_refused(self) -> None:
        talk = Talk()
        for message in (m.Ping(1), m.Join(3), m.Leave(), m.AskHistory(3)):
            self.assertRaises(NotConnected, talk.core.say, message)
        talk.connect()
        self.assertRaises(NotConnected, talk.core.say, m.Ping(1))
        talk.hear(ENTERED)
        self.assertEqual(talk.said(), [])

    def test_what_the_host_would_refuse_does_not_last(self) -> None:
        talk = Talk()
        self.assertRaises(WireError, talk.core.say, m.Seek("x" * 5000))
        talk.connect()
        talk.hear(ENTERED)
        self.assertEqual(talk.said(), [])


class PlayingTests(PropertyCase):
    def setUp(self) -> None:
        self.talk = Talk()
        self.core = self.talk.core
        self.talk.connect()
        self.talk.hear(ENTERED)

    def test_events_are_structs_of_the_game(self) -> None:
        self.assertEqual(self.talk.hear(SEATED, DEALT, MOVED), [SEATED, DEALT, MOVED])
        own = self.core.own
        assert own is not None
        self.assertEqual((own.number, own.game, own.seat, own.n), (3, "onitama", 0, 1))
        self.assertEqual(
            own.view, messages.View("PP.PP..K.." + "." * 10 + "ppkpp", (["boar", "tiger"], ["crab", "eel"]), "ox", 1)
        )

    def test_acting(self) -> None:
        self.assertRaises(NotSeated, self.core.act, "ox c1 c2")
        self.talk.hear(SEATED)
        self.assertEqual([self.core.act("ox c1 c2"), self.core.act("ox c1 c3")], [1, 2])
        self.assertEqual(self.talk.said()[1], {"do": "act", "table": 3, "action": "ox c1 c3", "id": 2})
        self.core.connection_lost("gone")
        self.assertRaises(NotConnected, self.core.act, "ox c1 c2")

    def test_the_end(self) -> None:
        self.talk.hear(SEATED, DEALT, OVER)
        self.assertRaises(NotSeated, self.core.act, "ox c1 c2")
        table = self.core.tables.get(3)
        assert table is not None
        self.assertEqual(table.over, OVER)
        self.talk.hear(m.Seated(4, "onitama", 1, ["ann", "bob"], ["open", "open"], 0))
        self.assertIsNone(self.core.tables.get(3))

    def test_coming_back(self) -> None:
        self.talk.hear(SEATED, DEALT)
        self.core.connection_lost("gone")
        self.talk.connect()
        view = messages.View("K" + "." * 23 + "k", (["ox", "boar"], ["crab", "eel"]), "tiger", 0)
        self.talk.hear(m.Entered("ann", "k1", 3), SEATED, m.Back(3, 9, 0, view))
        own = self.core.own
        assert own is not None
        self.assertEqual((own.n, own.view), (9, view))

    def test_a_match_that_ended_meanwhile(self) -> None:
        self.talk.hear(SEATED, DEALT)
        self.core.connection_lost("gone")
        self.talk.connect()
        self.talk.hear(ENTERED)
        self.assertIsNone(self.core.own)
        self.assertIsNone(self.core.tables.get(3))

    def test_who_is_there(self) -> None:
        self.talk.hear(SEATED, m.Away(3, 1, 1), m.Left(3, 2, 0))
        own = self.core.own
        assert own is not None
        self.assertEqual(own.away, {0, 1})
        self.talk.hear(m.Back(3, 3, 1))
        self.assertEqual((own.away, own.n), ({0}, 3))

    def test_suspended(self) -> None:
        self.talk.hear(SEATED, m.Suspended(3))
        self.assertIsNone(self.core.own)

    def test_watching(self) -> None:
        view = messages.View("K" + "." * 23 + "k", (["ox", "boar"], ["crab", "eel"]), "tiger", 0)
        self.core.say(m.Watch(5))
        shown = m.Shown(5, "onitama", ["bob", "eva"], ["open", "onitama"], [1], 4, view, 0.0)
        self.assertEqual(self.talk.hear(shown), [shown])
        table = self.core.tables.get(5)
        assert table is not None
        self.assertEqual((table.seat, table.view, table.away), (None, view, {1}))
        history = m.History(5, 1, [m.Numbered(1, MOVED.event)])
        self.assertEqual(self.talk.hear(history), [history])
        self.core.say(m.Watch(5, False))
        self.assertIsNone(self.core.tables.get(5))
        self.assertEqual(self.talk.hear(m.Event(5, 5, {"kind": "x"})), [m.Event(5, 5, {"kind": "x"})])


class ConnectionTests(PropertyCase):
    def test_pauses(self) -> None:
        """0.5 seconds, doubled to 10, times 0.7 to 1.3; from the beginning after a log-in."""
        for chance, factor in ((0.0, 0.7), (0.5, 1.0), (1.0, 1.3)):
            talk = Talk(chance=chance)
            for pause in (0.5, 1, 2, 4, 8, 10, 10):
                lost = talk.core.connection_lost("refused")
                assert lost.again is not None
                self.assertAlmostEqual(lost.again, pause * factor)
                talk.connect()
            talk.hear(ENTERED)
            lost = talk.core.connection_lost("gone")
            assert lost.again is not None
            self.assertAlmostEqual(lost.again, 0.5 * factor)
            self.assertLess(max(pause * factor for pause in (LONGEST_PAUSE,)), 14)

    def test_pauses_of_one_who_watches(self) -> None:
        """They begin anew when the host has said something."""
        talk = Talk(None)
        self.assertEqual([talk.core.connection_lost("x").again for _ in range(3)], [0.5, 1, 2])
        talk.connect()
        talk.hear(m.Tables([], []))
        self.assertEqual(talk.core.connection_lost("x").again, 0.5)

    def test_bye(self) -> None:
        talk = Talk()
        for bye, lost in ((m.Bye("restart", 5), Lost("restart", 5)), (m.Bye("another tab"), Lost("another tab", None))):
            talk.connect()
            talk.hear(ENTERED, bye)
            self.assertEqual(talk.core.connection_lost("closed"), lost)

    def test_a_host_that_is_silent(self) -> None:
        talk = Talk()
        talk.connect()
        talk.hear(ENTERED)
        self.assertEqual(talk.core.due, PING_AFTER)
        talk.core.tick(PING_AFTER - 1)
        self.assertEqual(talk.said(), [])
        talk.core.tick(PING_AFTER)
        self.assertEqual(talk.said(), [{"do": "ping"}])
        talk.now = PING_AFTER + 1
        self.assertEqual(talk.hear(m.Pong()), [], "the answer to the core's own ping is not told")
        self.assertEqual(talk.core.due, talk.now + PING_AFTER)
        talk.core.tick(talk.now + PING_AFTER)
        talk.core.tick(talk.now + PING_AFTER + PONG_WITHIN)
        self.assertEqual(talk.core.fault, "the host does not answer")
        self.assertIsNone(talk.core.due)
        self.assertEqual(talk.core.connection_lost("closed").why, "the host does not answer")

    def test_a_log_in_may_take_long(self) -> None:
        """There is no ping meanwhile, but an end."""
        talk = Talk()
        talk.connect()
        talk.core.tick(LOG_IN_WITHIN - 1)
        self.assertEqual((talk.said(), talk.core.fault), ([], None))
        talk.core.tick(LOG_IN_WITHIN)
        self.assertEqual(talk.core.fault, "the host does not answer")

    def test_a_host_that_lies(self) -> None:
        """Whatever stands in a message, the client hears messages, or has the one fault."""
        for case in cases():
            talk = Talk()
            talk.connect()
            try:
                talk.core.received(b"".join((line(ENTERED), *case.lines)), 0)
            except Exception as error:
                self.fail(f"{case.name}: {error!r}")
            if case.name in ("seated.names=null", "moves.moves=-", "replaced.seat=99", "over.winners=[99]", "line 10"):
                self.assertRegex(talk.core.fault or "", "^what came is not the open wire: ", case.name)

    @given(st.sampled_from([*BEFORE, *WITHIN]), st.data())
    def test_any_value_anywhere(self, right: dict[str, Any], data: st.DataObject) -> None:
        changed = {**right, data.draw(st.sampled_from(sorted(right))): data.draw(ANY_JSON)}
        talk = Talk()
        talk.connect()
        for message in (ENTERED, SEATED, changed):
            talk.core.received(line(message), 0)
        self.assertRegex(talk.core.fault or "", "^(what came is not the open wire: .+)?$")

    def test_a_line_without_an_end(self) -> None:
        """Before a match 64 KiB, in it 1 MiB; more once the client has asked for a list."""
        for told, lists, longest in (([], False, 65_536), ([SEATED], False, 1_048_576), ([], True, 16_777_216)):
            talk = Talk()
            talk.connect()
            for message in (ENTERED, *told):
                talk.hear(message)
            if lists:
                talk.core.say(m.Lobby())
            talk.core.received(b"x" * longest, 0)
            self.assertIsNone(talk.core.fault)
            talk.core.received(b"x" * 2, 0)
            self.assertEqual(talk.core.fault, f"what came is not the open wire: a line longer than {longest} bytes")

    def test_own_pings(self) -> None:
        talk = Talk()
        talk.connect()
        talk.hear(ENTERED)
        talk.core.say(m.Ping(7))
        self.assertEqual(talk.hear(m.Pong(7)), [m.Pong(7)])

    def test_another_protocol(self) -> None:
        talk = Talk()
        talk.connect()
        self.assertEqual(talk.core.received(line(ENTERED) + b"HTTP/1.1 400 Bad Request\r\n", 0), [ENTERED])
        self.assertEqual(talk.core.fault, "what came is not the open wire: a line that is not JSON")
        self.assertEqual(talk.hear(SEATED), [])
        talk.core.connection_lost("closed")
        talk.connect()
        self.assertIsNone(talk.core.fault)
        self.assertEqual(talk.hear(SEATED), [SEATED])

    @given(st.lists(st.integers(0, 700), max_size=12), st.booleans())
    def test_cuts(self, cuts: list[int], bytewise: bool) -> None:
        stream = b"".join(
            map(line, (ENTERED, SEATED, DEALT, MOVED, m.Pong(), m.Refused("no", 1), m.Away(3, 2, 1), OVER))
        )
        heard = []
        for places in ([], range(len(stream)) if bytewise else sorted(cuts)):
            talk = Talk()
            talk.connect()
            edges = [0, *places, len(stream)]
            pieces = [stream[start:end] for start, end in pairwise(edges)]
            messages = [message for piece in pieces for message in talk.core.received(piece, 0)]
            table = talk.core.tables.get(3)
            assert table is not None
            heard.append((messages, table.view, table.n, table.away, talk.said(), talk.core.fault))
        self.assertEqual(heard[0], heard[1])
        self.assertEqual(len(heard[0][0]), 7)

    @given(st.binary(max_size=200))
    def test_any_bytes_raise_nothing(self, data: bytes) -> None:
        talk = Talk()
        talk.connect()
        talk.core.received(data + b"\n", 0)
        self.assertIn(talk.core.login, (m.Enter("ann"), m.Enter("ann", UNSET)))


class MovesTests(PropertyCase):
    def test_a_question_and_its_answer(self) -> None:
        talk = Talk()
        self.assertRaises(NotSeated, talk.core.moves)
        talk.connect()
        talk.hear(ENTERED, SEATED, DEALT)
        action, question = talk.core.act("ox c1 c2"), talk.core.moves()
        self.assertNotEqual(action, question)
        self.assertEqual(talk.said()[-1], {"do": "moves", "table": 3, "id": question})
        parts = messages.MoveAction("ox", "c1", "c2")
        view = messages.View("PPKPP...............ppkpp", (["boar", "ox"], ["crab", "eel"]), "tiger", 0)
        [heard] = talk.hear(m.Moves(3, 1, [m.Listed("ox c1 c2", parts)], question, view=view))
        self.assertEqual((heard.id, heard.moves[0].parts, heard.view), (question, parts, view))
        talk.core.moves("0,0")
        self.assertEqual(talk.said()[-1]["begun"], "0,0")


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
    return msgspec.json.decode(msgspec.json.encode(struct))


class FollowingTests(PropertyCase):
    def test_all_games_are_played(self) -> None:
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
                        view = followed(view, read(game, plain(message), "event"), seat)
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
            self.assertEqual(plain(read(game, plain(view), "view")), plain(view))

    def test_onitama_s_exchange_for_the_spare(self) -> None:
        begun = read(
            "onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"}, "event"
        )
        given = read("onitama", {"kind": "exchanged", "seat": 0, "old": "ox", "new": "tiger"}, "event")
        view = followed(followed(None, begun, 0), given, 0)
        self.assertEqual((view.hands, view.spare), ((["boar", "tiger"], ["crab", "eel"]), "ox"))

    def test_rules_that_are_not_known(self) -> None:
        begun = read(
            "onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"}, "event"
        )
        view = followed(None, begun, 0)
        event = {"kind": "exchanged", "seat": 0, "old": "ox", "new": "dodo"}
        self.assertEqual(followed(view, read("onitama", event, "event"), 0), view)
        kickoff = read("paper-soccer", {"kind": "kickoff", "first": 0}, "event")
        view = followed(None, kickoff, 0)
        event = {"kind": "moved", "seat": 0, "points": [[9, 9]], "next": 1}
        self.assertEqual(followed(view, read("paper-soccer", event, "event"), 0), view)


class ReadingTests(PropertyCase):
    def test_events(self) -> None:
        event = {"kind": "moved", "seat": 0, "card": "ox", "from": "a1", "to": "a2"}
        self.assertEqual(read("onitama", event, "event"), MovedEvent(0, "ox", "a1", "a2"))

    def test_what_is_not_known_stays_as_it_is(self) -> None:
        for game, value in (("chess", {"kind": "moved"}), ("onitama", {"kind": "danced"}), ("onitama", None)):
            self.assertEqual((read(game, value, "event"), read(game, value, "view")), (value, value))

    def test_nothing_is_followed_without_a_beginning(self) -> None:
        self.assertIsNone(followed(None, MovedEvent(0, "ox", "a1", "a2"), 0))
        self.assertIsNone(followed(None, {"kind": "danced"}, 0))


SETTINGS = {"limits.unlimited": "yes", "onitama.deal": "boar,ox/crab,eel/tiger"}


class _Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = MemoryHost(SETTINGS, wires=(WIRE,))
        self.heard: dict[Player, list[Any]] = {}
        self.players: list[Player] = []
        self.ann, self.bob = self.player(m.Enter("ann")), self.player(m.Enter("bob"))
        for player in self.players:
            player.core.say(m.Seek("onitama"))
        exchange_all(self.players)

    def player(self, login: m.Enter | None) -> Player:
        player = Player(self.world, "", self.hear)
        player.core = ClientCore(login, lambda: 0.5)
        player.connect()
        self.players.append(player)
        self.heard[player] = []
        return player

    def hear(self, player: Player, message: Heard) -> None:
        self.heard[player].append(message)

    def act(self, player: Player, action: str) -> None:
        player.core.act(action)
        exchange_all(self.players)


class ClockTests(_Case):
    def test_clocks_are_known(self) -> None:
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
    def test_a_view_follows_what_is_told(self) -> None:
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
        watcher = self.player(None)
        watcher.core.say(m.Lobby())
        exchange_all(self.players)
        [tables] = self.heard[watcher]
        self.assertEqual([row.names for row in tables.tables], [["ann", "bob"]])


class KeyTests(_Case):
    def test_a_second_connection_with_the_key(self) -> None:
        login = self.ann.core.login
        assert isinstance(login, m.Enter) and login.key is not UNSET
        second = self.player(login)
        exchange_all(self.players)
        self.assertIsInstance(self.heard[self.ann][-1], m.Bye)
        self.assertIsNone(self.ann.core.connection_lost("closed").again)
        assert second.core.own is not None and self.bob.core.own is not None
        self.assertEqual(second.core.own.view, self.bob.core.own.view)

    def test_a_key_that_is_not_known(self) -> None:
        stranger = self.player(m.Enter("eva", "x" * 26))
        exchange_all(self.players)
        self.assertTrue(stranger.core.ready)
        self.assertEqual([type(message) for message in self.heard[stranger]], [m.Sorry, m.Entered])


def bot() -> ModuleType:
    path = ROOT / "docs" / "bots" / "all_games_bot.py"
    spec = importlib.util.spec_from_file_location("all_games_bot", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BOT = bot()


class GameTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.rng = random.Random(7)
        state = random.getstate()
        self.addCleanup(random.setstate, state)
        random.seed(7)
        self.heard: list[Any] = []
        self.acted: dict[Player, int | None] = {}

    def hear(self, player: Player, message: Heard) -> None:
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
        for game in BOT.CHOICES:
            self.play(game)
            ends = [message for message in self.heard if isinstance(message, Over)]
            self.assertEqual(len(ends), 2, game)
            self.assertEqual(ends[0], ends[1])
            self.assertEqual(ends[0].cause, "rules")

    def test_connections_are_lost(self) -> None:
        for game in BOT.CHOICES:
            self.play(game, drops=0.02)
            backs = [message for message in self.heard if isinstance(message, Back) and message.view is not UNSET]
            self.assertTrue(backs, game)
            self.assertEqual({message.table for message in self.heard if isinstance(message, Seated)}, {1}, game)

    def test_three_at_a_table(self) -> None:
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
