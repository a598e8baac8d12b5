"""The check of many unfinished tables, beside the players who come in."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.logger import LogEvent, capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.sleeping import LEAST_PAUSE, PAUSE, Resuming
from gamehost.testing.cases import PropertyCase
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.service import Kept


class ResumingTests(SynchronousTestCase):
    """What is asked of the store, when, and what the log says."""

    def begin(self, *checks: list[str], tables: int = 12) -> list[str]:
        """A start with so many tables; the log."""
        self.clock, self.store = Clock(), Kept()
        self.store.checks = list(checks)
        self.resuming = Resuming(self.clock, self.store)
        with capturedLogs() as self.events:
            self.resuming.begin(tables)
        return self.said(self.events)

    def said(self, events: Sequence[LogEvent]) -> list[str]:
        """The lines of the log."""
        return [str(formatEvent(event)) for event in events]

    def test_all_checked_at_the_start(self) -> None:
        """One line, and nothing is asked; without tables none."""
        self.assertEqual(self.begin(), ["resumed 12 tables"])
        self.assertEqual(self.begin(tables=1), ["resumed 1 table"])
        self.assertEqual(self.begin(tables=0), [])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_the_rest_in_slices(self) -> None:
        """One after the other, with a pause; then the log says how long it took, and which tables are damaged."""
        self.assertEqual(
            self.begin([], ["table 7: row 3 does not match its hash"], []),
            ["12 tables to resume: their records are checked while players come in"],
        )
        self.assertTrue(self.resuming.under_way)
        with capturedLogs() as events:
            for _ in range(3):
                self.clock.advance(LEAST_PAUSE)
        self.assertEqual(
            self.said(events),
            ["not resumed: table 7: row 3 does not match its hash", "resumed 11 tables in 0.0 s"],
        )
        self.assertFalse(self.resuming.under_way)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_busy_disk_is_left_alone(self) -> None:
        """The pause grows with the time that the store took to answer, so the check has a third of it at most."""
        self.begin([], [])
        self.clock.advance(LEAST_PAUSE)
        self.begin([], [], [])
        self.store.late = True
        self.clock.advance(LEAST_PAUSE)
        self.clock.advance(0.5)
        self.store.release()
        [pause] = self.clock.getDelayedCalls()
        self.assertAlmostEqual(pause.getTime() - self.clock.seconds(), PAUSE * 0.5)

    def test_stop(self) -> None:
        """Between two slices, and while one is asked for: nothing more is asked."""
        self.begin([], [], [])
        self.resuming.halt()
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.begin([], [], [])
        self.store.late = True
        self.clock.advance(LEAST_PAUSE)
        self.resuming.halt()
        self.store.release()
        self.assertEqual((self.clock.getDelayedCalls(), len(self.store.checks)), ([], 1))


class LateTests(SynchronousTestCase):
    """Tables that are taken over while players are there, such as those of another host."""

    def test_one_record_at_any_time(self) -> None:
        """Its players come back to it. A name that somebody has here stays theirs, and that seat is nobody's."""
        first = MemoryHost(wires=(TOY_WIRE,))
        for name in ("ann", "bob", "cid", "dan"):
            first.connect("toy").say(f"hi {name}")
        journal = first.journal.restarted()
        found = list(journal.unfinished())
        self.assertEqual(len(found), 2)
        self.patch(journal, "unfinished", list)
        host = MemoryHost(wires=(TOY_WIRE,), journal=journal)
        ann, eve = host.connect("toy"), host.connect("toy")
        for client, name in ((ann, "ann"), (eve, "eve")):
            client.say(f"hi {name}")
        ann.heard()
        for one in found:
            host.lobby.restore({"toy": TOY}, [one])
        self.assertEqual(host.unfinished, [1, 2, 3])
        bob, dan = host.connect("toy"), host.connect("toy")
        self.assertEqual(bob.ask("hi bob"), ["back 1 0 9", "away 0 already"])
        self.assertEqual(dan.ask("hi dan"), ["back 1 0 9", "away 0 already"])
        cid = host.connect("toy")
        self.assertEqual(cid.ask("hi cid"), ["back 0 0 9"])
        self.assertEqual(ann.ask("+1"), ["count 1 9"])
        held = host.lobby.registry.get("ann")
        assert held is not None
        self.assertEqual(held.table_id, 3)


TABLES = 4
#: Two players for each table.
PLAYERS = [f"p{number}" for number in range(2 * TABLES)]


class OrderTests(PropertyCase):
    """In whatever order players come back after a kill, while their tables are loaded, all is as if it had been there."""

    def host(self, journal: RecordingJournal | None = None) -> MemoryHost:
        return MemoryHost(wires=(TOY_WIRE,), journal=journal, move_time="10", settings={"toy.goal": "1000"})

    def come(self, host: MemoryHost, player: str) -> Client:
        client = host.connect("toy", f"192.0.2.{PLAYERS.index(player)}")
        client.say(f"hi {player}")
        return client

    def state(self, host: MemoryHost) -> list[object]:
        """Of each table: its clock, which goes on from the last entry, its position, and who is there."""
        return [
            (number, table.now(), table._master.state(), [(one.name, one.player is not None) for one in sessions])
            for number, table in sorted(host.lobby.tables.items())
            for sessions in [host.lobby.seats._seated[number]]
        ]

    def check_invariants(self, host: MemoryHost) -> None:
        """One name, one seat; a table is in play, or being loaded, or asleep."""
        registry = host.lobby.registry
        places = [set(host.lobby.tables), set(registry.waking), set(registry.sleepers.tables())]
        self.assertEqual(sorted(number for some in places for number in some), list(range(1, TABLES + 1)))
        self.assertEqual(len(registry), len(PLAYERS))
        for number, player in enumerate(PLAYERS):
            held = registry.get(player)
            assert held is not None
            self.assertEqual((held.table_id, held.seat), (number // 2 + 1, number % 2))

    @settings(max_examples=40)
    @given(st.data())
    def test_any_order(self, data: st.DataObject) -> None:
        """Players come, go and come again; records are read late. At the end all are there, as if they had never been gone."""
        first = self.host()
        clients = [self.come(first, player) for player in PLAYERS]
        for number in range(data.draw(st.integers(1, 9))):
            first.wait(1)
            for seats in zip(clients[::2], clients[1::2], strict=True):
                seats[number % 2].say("+2")
        before = self.state(first)
        host = self.host(first.journal.restarted())
        host.journal.late = True
        there: dict[str, Client] = {}
        for step in data.draw(st.lists(st.sampled_from(["read", *PLAYERS]), max_size=30)):
            if step == "read":
                host.journal.release(1)
            elif step in there:
                there.pop(step).drop()
            else:
                there[step] = self.come(host, step)
            host.settle()
            self.check_invariants(host)
        for player in data.draw(st.permutations(PLAYERS)):
            if player not in there:
                there[player] = self.come(host, player)
        while host.journal.release():
            host.settle()
        self.check_invariants(host)
        self.assertEqual(self.state(host), before)
