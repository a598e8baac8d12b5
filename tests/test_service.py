"""The service: a start in order, a look at the disk, and a stop that nobody loses by."""

import threading
from typing import Any

from attrs import evolve
from twisted.internet.address import IPv4Address
from twisted.logger import Logger, LogLevel, capturedLogs, formatEvent

from gamehost.journal.records import Pressure, Room, StoreUnusable
from gamehost.lobby.queues import Queue, TooManyTables
from gamehost.ops.watchdog import Supervisor, Watchdog
from gamehost.service import BUSY, FULL, NO_ROOM, GameHostService
from gamehost.testing.transport import StrictTransport
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.reactors import Lines
from tests.kit.service import Gone, HostCase, Kept


class StartTests(HostCase):
    """Nothing is open before everything is right."""

    def test_tables_are_resumed_before_ports_open(self) -> None:
        """A player of an earlier life finds the table in the first moment."""
        host = self.make()
        host.startService()
        for name in ("ann", "bob"):
            self.connect(host, name)
        again = self.make(self.restarted())
        again.startService()
        self.assertEqual(again.context.lobby.registry.sleeping.tables(), [1])
        self.assertEqual(self.connect(again, "ann").read(), b"back 0 0 9\naway 1 already\n")
        self.assertEqual(len(self.reactor.tcpServers), 1)

    def test_records_that_are_not_checked_keep_nobody_waiting(self) -> None:
        """The ports are open, and the player has the seat, while they are checked. A stop ends the check."""
        host = self.make()
        host.startService()
        for name in ("ann", "bob"):
            self.connect(host, name)
        store = self.restarted()
        store.checks = [(), (), ()]
        again = self.make(store)
        with capturedLogs() as events:
            again.startService()
            self.assertEqual(self.connect(again, "ann").read(), b"back 0 0 9\naway 1 already\n")
            self.assertFalse(store.all_checked)
            self.assertIn(
                "1 table to resume: their records are checked while players come in", map(formatEvent, events)
            )
            stopped = again.stopService()
            self.reactor.advance(60)
        self.successResultOf(stopped)
        self.assertFalse(store.all_checked)

    def test_the_last_line_says_how_to_play(self) -> None:
        """For people in a terminal, if a port is theirs; and the wires can tell them so."""
        for for_people, words in (
            (True, "play in a terminal with nc HOST 1, and type: play onitama"),
            (False, "play with"),
        ):
            host = self.make()
            [listener] = host.listeners
            host.listeners = [evolve(listener, wire=evolve(TOY_WIRE, for_people=for_people))]
            with capturedLogs() as events:
                host.startService()
            last = formatEvent(events[-1])
            self.assertTrue(last.startswith(words), last)
            self.assertEqual(host.context.lobby.spectators.by_hand, "nc HOST 1" if for_people else "")

    def restarted(self) -> Kept:
        store = Kept()
        store.openings, store.entries = dict(self.store.openings), dict(self.store.entries)
        store._tables = self.store._tables
        return store

    def test_store_that_must_not_be_used(self) -> None:
        """It says why, and no port opens."""
        host = self.make()

        def refuse() -> Any:
            raise StoreUnusable("planted")

        host.build_context = refuse
        error = self.assertRaises(Gone, host.startService)
        self.assertIn("planted", str(error))
        self.assertEqual(self.reactor.tcpServers, [])

    def test_port_that_cannot_be_had(self) -> None:
        """It names the wire and the endpoint; the store is closed again."""
        host = self.make()
        self.reactor.listenTCP = self.cannot_listen
        error = self.assertRaises(Gone, host.startService)
        self.assertIn("--toy: cannot listen on tcp:1: planted", str(error))
        self.assertTrue(self.store.stopped)
        self.assertFalse(host.running)

    def test_extra_port_that_cannot_be_had(self) -> None:
        """A wire that need not listen is named in the log and left out; the host starts."""
        host = self.make()
        [listener] = host.listeners
        host.listeners = [evolve(listener, wire=evolve(TOY_WIRE, must_listen=False))]
        self.reactor.listenTCP = self.cannot_listen
        lines = Lines()
        host.log = Logger("test", observer=lines)
        host.startService()
        [line] = lines.of(LogLevel.error)
        self.assertEqual(line, "--toy: cannot listen on tcp:1: planted; this port is left out")
        self.assertTrue(host.running)
        self.assertEqual(host.ports, [])

    def cannot_listen(self, *args: object, **kwargs: object) -> None:
        raise OSError("planted")


class PressureTests(HostCase):
    """A slow disk is answered before it hurts."""

    def press(self, host: GameHostService, pressure: Pressure) -> None:
        self.store.pressure = pressure
        self.reactor.advance(0.1)

    def test_players_are_not_read_while_the_disk_is_behind(self) -> None:
        """What they send waits in the network, and is heard afterwards."""
        host = self.make()
        host.startService()
        client = self.connect(host, "ann")
        self.press(host, Pressure.PAUSE)
        client.receive(b"say 3\n")
        self.assertEqual(client.read(), b"")
        self.press(host, Pressure.NONE)
        self.reactor.advance(0)
        self.assertEqual(client.read(), b"xx\n")

    def test_log_tells_what_a_slow_disk_leads_to(self) -> None:
        """Each level has a sentence of its own, and so has the recovery."""
        host = self.make()
        lines = Lines()
        host.log = Logger("test", observer=lines)
        host.startService()
        lines.events.clear()
        for pressure in (Pressure.PAUSE, Pressure.REFUSE, Pressure.NONE):
            self.press(host, pressure)
        self.assertEqual(
            lines.of(LogLevel.warn),
            [
                "the disk is behind: input from all clients pauses",
                "the disk is behind: input pauses, and new connections and log-ins are refused",
            ],
        )
        self.assertEqual(lines.of(LogLevel.info), ["the disk has caught up"])

    def test_nobody_is_let_in_while_the_disk_is_far_behind(self) -> None:
        """New connections are told and closed, and so are log-ins; then it is over."""
        host = self.make()
        host.startService()
        early = StrictTransport(self.reactor)
        early.protocol = host.factories[0].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        early.protocol.makeConnection(early)
        self.press(host, Pressure.REFUSE)
        self.assertEqual(self.connect(host, "ann").read(), f"bye {BUSY}\n".encode())
        host.factories[0].pause_input(False)  # what was read before the pause may still be a log-in
        early.receive(b"hi bob\n")
        self.assertEqual(early.read(), f"no {BUSY}\n".encode())
        self.press(host, Pressure.NONE)
        early.receive(b"hi bob\n")
        self.assertEqual(early.read(), b"")
        self.assertIsNotNone(host.context.lobby.registry.get("bob"))

    def test_disk_that_is_gone_ends_the_host(self) -> None:
        """It says so, and the process ends."""
        host = self.make()
        host.startService()
        self.store.pressure = Pressure.GIVE_UP
        error = self.assertRaises(Gone, self.reactor.advance, 0.1)
        self.assertIn("the disk has not answered", str(error))


class RoomTests(HostCase):
    """A disk that fills up: no new tables first, then an orderly end, and a start that waits for room."""

    def fill(self, room: Room) -> None:
        self.store.room = room
        self.reactor.advance(1.0)

    def test_no_new_tables_on_a_disk_that_is_nearly_full(self) -> None:
        """A newcomer is told why; those who sit at a table play on, and may come back."""
        host = self.make()
        host.startService()
        ann, _ = self.connect(host, "ann"), self.connect(host, "bob")
        self.fill(Room.LOW)
        self.assertEqual(self.connect(host, "cid").read(), f"no {NO_ROOM}\n".encode())
        ann.read()
        ann.receive(b"say 3\n")
        self.assertEqual(ann.read(), b"xx\n")
        ann.hang_up()
        self.reactor.advance(0)
        self.assertIn(b"back", self.connect(host, "ann").read())
        self.fill(Room.ENOUGH)
        self.assertEqual(self.connect(host, "cid").read(), b"")

    def test_who_waits_goes_on_waiting(self) -> None:
        """No table begins, and no table of one's own opens."""
        host = self.make()
        host.startService()
        self.connect(host, "ann")
        host.context.lobby.no_room = NO_ROOM
        registry, lobby = host.context.lobby.registry, host.context.lobby
        session = registry.get("ann")
        assert session is not None
        queue = Queue(TOY, "toy")
        self.assertRaises(TooManyTables, lobby.open_table, session, queue, 2, {})
        self.assertEqual(lobby.tables, {})

    def test_full_disk_stops_the_host_in_order(self) -> None:
        """What was accepted is durable, the players are told, and the process ends with a reason."""
        host = self.make()
        host.startService()
        ann = self.connect(host, "ann")
        reasons: list[str] = []
        host.on_fatal = reasons.append
        self.fill(Room.NONE)
        self.assertIn(b"the host is stopping", ann.read())
        self.reactor.advance(10)
        self.assertEqual(reasons, [FULL])
        self.assertTrue(self.store.stopped)

    def test_start_on_a_full_disk(self) -> None:
        """The host runs and refuses everybody with a sentence; when there is room, tables are resumed."""
        host = self.make()
        host.startService()
        for name in ("ann", "bob"):
            self.connect(host, name)
        full = Kept()
        full.openings, full.entries = dict(self.store.openings), dict(self.store.entries)
        full._tables = self.store._tables
        full.room = Room.NONE
        again = self.make(full)
        again.startService()
        self.assertEqual(self.connect(again, "ann").read(), f"bye {FULL}\n".encode())
        self.assertEqual(again.context.lobby.tables, {})
        self.fill(Room.LOW)
        self.assertEqual(again.context.lobby.registry.sleeping.tables(), [1])
        self.assertIn(b"back", self.connect(again, "ann").read())


class Noting(Supervisor):
    """A supervisor that notes what it is told."""

    def __init__(self) -> None:
        super().__init__("@nowhere", 1.0)
        self.told: list[str] = []

    def _say(self, words: str) -> None:
        self.told.append(words)


class WatchingTests(HostCase):
    """Row 150: who runs the host is shown that the reactor turns."""

    def test_supervisor_is_told(self) -> None:
        """Ready when the ports are open and not before, signs of life from then on, and the stop."""
        host = self.make()
        host.supervisor = supervisor = Noting()
        ready_at = []
        supervisor.ready = lambda: ready_at.append(len(self.reactor.tcpServers))  # type: ignore[method-assign]
        host.startService()
        self.assertEqual(ready_at, [1])
        self.reactor.pump([0.1] * 25)
        host.stopService()
        self.reactor.pump([0.1] * 25)
        self.assertEqual(supervisor.told, ["WATCHDOG=1"] * 3 + ["STOPPING=1"])

    def test_watchdog_is_fed(self) -> None:
        """The host beats ten times a second, and its thread ends with it."""
        host = self.make()
        host.watchdog = watchdog = Watchdog(lambda: float(self.reactor.seconds()))
        host.startService()
        self.reactor.pump([0.1] * 50)
        self.assertAlmostEqual(watchdog._beat_at, 5.0)
        host.stopService()
        self.assertNotIn("gamehost-watchdog", [thread.name for thread in threading.enumerate()])

    def test_look_that_fails_is_not_the_last(self) -> None:
        """Row 151: whatever a look meets, the next one is taken."""
        host = self.make()
        host.startService()
        self.store.pressure = "broken"  # type: ignore[assignment]
        self.assertRaises(KeyError, self.reactor.advance, 0.1)
        self.store.pressure = Pressure.REFUSE
        self.reactor.advance(0.1)
        self.assertEqual(host.context.limiter.closed, BUSY)


class StopTests(HostCase):
    """SIGTERM."""

    def test_what_was_accepted_is_told_before_the_goodbye(self) -> None:
        """The disk finishes first; then everybody hears what became of their move, and then that the host stops."""
        host = self.make(Kept(late=True), grace=0)
        host.startService()
        ann, bob = self.connect(host, "ann"), self.connect(host, "bob")
        self.store.release()
        ann.read()
        ann.receive(b"+1\n")
        self.assertEqual(ann.read(), b"")
        stopped = host.stopService()
        self.assertEqual(ann.read(), b"count 1 9\nbye the host is stopping; seats at tables are kept\n")
        bob.read()
        self.reactor.advance(0)
        self.successResultOf(stopped)
        self.assertTrue(ann.disconnected and bob.disconnected)
        self.assertEqual([entry.kind.name for entry in self.store.entries[1]], ["BEGAN", "ACTED"])  # type: ignore[index]
        self.assertEqual(self.reactor.getDelayedCalls(), [])

    def test_what_comes_after_the_stop_is_not_heard(self) -> None:
        """A move that arrives while the disk finishes is not accepted, and not answered."""
        host = self.make()
        host.startService()
        ann = self.connect(host, "ann")
        self.connect(host, "bob")
        ann.read()
        host.factories[0].stop_input()
        ann.receive(b"+1\n")
        self.assertEqual(ann.read(), b"")
        self.assertEqual(len(self.store.entries[1]), 1)  # type: ignore[index]

    def test_stopping_ends_though_nobody_reads(self) -> None:
        """Two seconds for the last words."""
        host = self.make()
        host.startService()
        ann = self.connect(host, "ann")
        ann.reads = False
        ann.receive(b"say 70000\n")
        stopped = host.stopService()
        self.assertNoResult(stopped)
        self.reactor.advance(2.1)
        self.reactor.advance(0)
        self.successResultOf(stopped)

    def test_host_that_was_never_up_stops_at_once(self) -> None:
        """A start that was refused is followed by a stop."""
        self.successResultOf(self.make().stopService())
