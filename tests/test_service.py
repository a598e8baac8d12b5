"""The service that options describe: a start in order, a look at the disk, and a stop that nobody loses by."""

import errno
import gc
import io
import platform
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from attrs import define, evolve, field
from twisted.internet.address import IPv4Address
from twisted.internet.error import CannotListenError
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import Logger, LogLevel, capturedLogs, formatEvent, globalLogPublisher
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost import service
from gamehost.accounts.proofs import MemoryProofs, ProvenLogins
from gamehost.config import Options
from gamehost.extras.cluster import postgresql as urls
from gamehost.journal.records import Pressure, Room, StoreUnusable, TableId
from gamehost.limits import PROFILES
from gamehost.lobby.queues import TooManyTables
from gamehost.lobby.sessions import Queue
from gamehost.ops.watchdog import Supervisor, Watchdog
from gamehost.plugins import REGISTRY, WIRES, Registry
from gamehost.service import AWAY, BUSY, DRAINING, FULL, NO_ROOM, STOPPING, GameHostService
from gamehost.tap import house_service, make_host, makeService, plugin_folders
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.paper_soccer.messages import ServerShutdown
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.plugin_games import GOMOKU
from tests.kit.reactors import Lines, logged
from tests.kit.service import Gone, HostCase, Kept


class StartTests(HostCase):
    def test_tables_are_resumed_before_ports_open(self) -> None:
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
            self.assertEqual(host.context.lobby.directory.by_hand, "nc HOST 1" if for_people else "")

    def test_the_log_says_once_that_python_is_slow(self) -> None:
        for plain, lines in ((True, 1), (False, 0)):
            self.patch(service, "is_plain", lambda plain=plain: plain)
            with capturedLogs() as events:
                self.make().startService()
            logged = [formatEvent(event) for event in events]
            self.assertIn(f"Python {platform.python_version()})", logged[0])
            self.assertEqual(sum("built without --enable-optimizations" in line for line in logged), lines)

    def restarted(self) -> Kept:
        store = Kept()
        store.openings, store.entries = dict(self.store.openings), dict(self.store.entries)
        store._tables = self.store._tables
        return store

    def test_store_that_must_not_be_used(self) -> None:
        host = self.make()

        def refuse() -> Any:
            raise StoreUnusable("planted")

        host.build_context = refuse
        error = self.assertRaises(Gone, host.startService)
        self.assertIn("planted", str(error))
        self.assertEqual(self.reactor.tcpServers, [])

    def test_port_that_cannot_be_had(self) -> None:
        host = self.make()
        self.reactor.listenTCP = self.cannot_listen
        error = self.assertRaises(Gone, host.startService)
        self.assertIn("--toy: cannot listen on tcp:1: planted", str(error))
        self.assertTrue(self.store.stopped)
        self.assertFalse(host.running)

    def test_the_way_out_of_a_port_in_use_is_named(self) -> None:
        def in_use(port: int, factory: Any, backlog: int = 50, interface: str = "") -> Any:
            raise CannotListenError(interface, port, OSError(errno.EADDRINUSE, "planted"))

        host = self.make()
        self.reactor.listenTCP = in_use
        error = self.assertRaises(Gone, host.startService)
        words = "--toy: cannot listen on tcp:1: this port is in use; --shift=1000, or another number, moves all ports"
        self.assertEqual(str(error), words)

    def test_extra_port_that_cannot_be_had(self) -> None:
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
    def press(self, host: GameHostService, pressure: Pressure) -> None:
        self.store.pressure = pressure
        self.reactor.advance(0.1)

    def test_players_are_not_read_while_the_disk_is_behind(self) -> None:
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
        host = self.make()
        host.startService()
        early = StrictTransport(self.reactor)
        early.protocol = host.factories[0].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        early.protocol.makeConnection(early)
        self.press(host, Pressure.REFUSE)
        self.assertEqual(self.connect(host, "ann").read(), f"bye {BUSY.format(medium='disk')}\n".encode())
        host.factories[0].pause_input(False)  # what was read before the pause may still be a log-in
        early.receive(b"hi bob\n")
        self.assertEqual(early.read(), f"no {BUSY.format(medium='disk')}\n".encode())
        self.press(host, Pressure.NONE)
        early.receive(b"hi bob\n")
        self.assertEqual(early.read(), b"")
        self.assertIsNotNone(host.context.lobby.registry.get("bob"))

    def test_a_member_without_its_database_sends_everybody_away(self) -> None:
        """All connections and ports are closed until it answers. The log and the clients are told of the database."""
        host = self.make()
        host.medium = "database"
        lines = Lines()
        host.log = Logger("test", observer=lines)
        host.startService()
        client = self.connect(host, "ann")
        client.read()
        lines.events.clear()
        for words in (f"bye {AWAY}\n".encode(), b""):
            self.press(host, Pressure.AWAY)
            self.assertEqual((client.read(), host.ports), (words, []))
            self.assertEqual(host.not_serving, BUSY.format(medium="database"))
        self.assertTrue(client.disconnecting)
        consequence = "all connections and ports are closed until it answers, so that players go to another host"
        self.assertEqual(lines.of(LogLevel.warn), [f"the database is behind: {consequence}"])
        self.press(host, Pressure.NONE)
        self.assertEqual((len(host.ports), len(self.reactor.tcpServers), host.not_serving), (1, 2, None))
        self.assertEqual(self.connect(host, "bob").read(), b"")
        self.store.pressure = Pressure.GIVE_UP
        error = self.assertRaises(Gone, self.reactor.advance, 0.1)
        self.assertIn("the database has not answered", str(error))

    def test_disk_that_is_gone_ends_the_host(self) -> None:
        host = self.make()
        host.startService()
        self.store.pressure = Pressure.GIVE_UP
        error = self.assertRaises(Gone, self.reactor.advance, 0.1)
        self.assertIn("the disk has not answered", str(error))


class RoomTests(HostCase):
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

    def test_nobody_who_waits_is_seated_without_room(self) -> None:
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
    def __init__(self) -> None:
        super().__init__("@nowhere", 1.0)
        self.told: list[str] = []

    def _say(self, words: str) -> None:
        self.told.append(words)


class WatchingTests(HostCase):
    def test_supervisor_is_told(self) -> None:
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
        host = self.make()
        host.watchdog = watchdog = Watchdog(lambda: float(self.reactor.seconds()))
        host.startService()
        self.reactor.pump([0.1] * 50)
        self.assertAlmostEqual(watchdog._beat_at, 5.0)
        host.stopService()
        self.assertNotIn("gamehost-watchdog", [thread.name for thread in threading.enumerate()])

    def test_look_that_fails_is_not_the_last(self) -> None:
        """Whatever a look meets, the next one is taken."""
        host = self.make()
        host.startService()
        self.store.pressure = "broken"  # type: ignore[assignment]
        self.assertRaises(KeyError, self.reactor.advance, 0.1)
        self.store.pressure = Pressure.REFUSE
        self.reactor.advance(0.1)
        self.assertEqual(host.context.limiter.closed, BUSY.format(medium="disk"))


class StopTests(HostCase):
    def test_what_was_accepted_is_told_before_the_goodbye(self) -> None:
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
        self.successResultOf(self.make().stopService())


def parsed(*arguments: str) -> Options:
    options = Options()
    options.parseOptions(list(arguments))
    return options


class FaultTests(SynchronousTestCase):
    def test_folders_of_games_of_other_packages(self) -> None:
        """A turn that stops the host counts against a game whose files run then; the host's own games are not asked."""
        [(folder, game)] = plugin_folders({"onitama": REGISTRY.games["onitama"], "gomoku": GOMOKU}).items()
        self.assertEqual((Path(folder).name, game), ("gamehost_gomoku", "gomoku"))


class HostTests(SynchronousTestCase):
    def test_listens_on_every_wire_with_room_for_a_rush(self) -> None:
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory"), reactor)
        self.assertEqual(reactor.tcpServers, [], "making a service opens nothing")
        host.startService()
        self.assertEqual(len(reactor.tcpServers), len(WIRES) + 1, "each wire, and the pages for browsers")
        for _port, _factory, backlog, interface in reactor.tcpServers:
            self.assertEqual((backlog, interface), (4096, "127.0.0.1"))
        self.successResultOf(host.stopService())

    def test_metrics(self) -> None:
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory", "--metrics=tcp:9108", "--metrics="), reactor)
        host.startService()
        self.assertEqual([port for port, *_ in reactor.tcpServers if port == 9108], [9108])
        self.assertEqual([type(part).__name__ for part in host.parts], ["HttpService"])
        self.successResultOf(host.stopService())
        error = self.assertRaises(UsageError, make_host, parsed("--metrics=nonsense"), MemoryReactorClock())
        self.assertIn("--metrics: 'nonsense' is not an endpoint", str(error))

    def test_health(self) -> None:
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory", "--health=tcp:9109"), reactor)
        self.assertEqual(host.not_serving, STOPPING)
        host.startService()
        self.assertEqual([port for port, *_ in reactor.tcpServers if port == 9109], [9109])
        self.assertIsNone(host.not_serving)
        host.drain()
        self.assertEqual(host.not_serving, DRAINING)
        self.successResultOf(host.stopService())

    def test_house_players(self) -> None:
        self.assertIsNone(make_host(parsed("--store=memory"), MemoryReactorClock()).house)
        for arguments, there in (((), True), (("--house=0",), False), (("--strict",), False)):
            service = house_service(parsed("--store=memory", *arguments), MemoryReactorClock())
            self.assertEqual(service is not None, there)
        options = parsed("--store=memory", "--house=0", "--set=onitama.house=5")
        self.assertIsNotNone(house_service(options, MemoryReactorClock()))
        host = make_host(parsed("--store=memory", "--house=5"), MemoryReactorClock())
        host.startService()
        self.assertEqual(host.context.lobby.house.rules.seconds["stratego"], 5.0)
        self.successResultOf(host.stopService())

    def test_an_endpoint_given_twice_is_two_listeners_and_empty_is_off(self) -> None:
        """As the help says."""
        self.assertEqual(parsed("--onitama=tcp:1", "--onitama=tcp:2")["onitama"], ["tcp:1", "tcp:2"])
        for arguments, listeners in ((("--onitama=tcp:1", "--onitama=tcp:2"), 2), (("--onitama=",), 0)):
            host = make_host(parsed(*arguments), MemoryReactorClock())
            self.assertEqual(len([one for one in host.listeners if one.wire.name == "onitama"]), listeners)

    def test_a_folder_that_everybody_can_write_to(self) -> None:
        """The start names it, also that of the small files beside a database, and goes on."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        folder.chmod(0o777)
        (folder / "games.sqlite").write_text("no store, so nothing of it is opened")
        lines = logged(self)
        reactor: Any = MemoryReactorClock()
        reactor.callFromThread = reactor.callLater
        for store in (str(folder / "games.sqlite"), "postgresql://ann@127.0.0.1:1/games"):
            with chdir(folder):
                host = make_host(parsed(f"--store={store}"), reactor)
                host.abort_start = lambda reason: None
                host.startService()
            [words] = [one for one in lines.of(LogLevel.warn) if "every user can replace the store" in one]
            self.assertIn(f"{folder} has mode 0777; type: chmod o-w {folder}", words)
            lines.events.clear()

    def test_a_database_that_cannot_be_reached(self) -> None:
        store = "postgresql://ann:canary@127.0.0.1:1/games"
        for words in ("there is no connection to the database", "pip install 'gamehost[postgresql]'"):
            reactor: Any = MemoryReactorClock()
            reactor.callFromThread = reactor.callLater
            host = make_host(parsed(f"--store={store}"), reactor)
            reasons: list[str] = []
            host.abort_start = reasons.append
            host.startService()
            self.assertIn(words, reasons[0])
            self.assertNotIn("canary", reasons[0])
            self.patch(urls, "OLDEST", (99, 0))

    def test_profile(self) -> None:
        lines = logged(self)
        for profile, connections, said in (("public", 64, 0), ("class", 300, 1)):
            host = make_host(parsed("--store=memory", f"--profile={profile}"), MemoryReactorClock())
            host.startService()
            self.assertEqual((host.profile, host.context.limits.connections_per_address), (profile, connections))
            self.assertEqual(sum("profile" in line for line in lines.of(LogLevel.info)), said)
            self.successResultOf(host.stopService())

    def test_bad_endpoint_is_named(self) -> None:
        error = self.assertRaises(UsageError, make_host, parsed("--onitama=nonsense"), MemoryReactorClock())
        self.assertIn("--onitama: 'nonsense' is not an endpoint", str(error))

    def test_a_wire_of_another_package_is_served(self) -> None:
        options = Options(Registry(WIRES, (TOY_WIRE,)))
        options.parseOptions(["--store=memory", "--toy=tcp:7000"])
        reactor: Any = MemoryReactorClock()
        host = make_host(options, reactor)
        host.startService()
        self.assertIn(7000, [port for port, *_ in reactor.tcpServers])
        self.successResultOf(host.stopService())

    def test_wires_with_websocket_are_at_the_web_port(self) -> None:
        """Those that listen, at `/socket/WIRE`."""
        for options, expected in ((("--store=memory",), {"litama"}), (("--store=memory", "--litama="), set())):
            host = make_host(parsed(*options), MemoryReactorClock())
            host.startService()
            self.assertEqual([set(site.wires) for site in host.sites], [expected])
            self.successResultOf(host.stopService())

    def test_strict_reaches_every_wire(self) -> None:
        host = make_host(parsed("--store=memory", "--strict"), MemoryReactorClock())
        host.startService()
        self.assertEqual(len(host.factories), len(WIRES))
        configs: list[Any] = [factory.config for factory in host.factories if "strict" in factory.wire.options]
        self.assertTrue(all(getattr(config, "lines", config).strict for config in configs))

    def test_a_wires_flag_is_a_setting_of_that_wire(self) -> None:
        """`--declaration`, on the command line or in a file, is `--set paper-soccer.declaration=yes`."""
        file = self.mktemp()
        for content, arguments, declares in (
            ("", ["--declaration"], True),
            ("declaration = true", [], True),
            ("declaration = false", [], False),
            ("declaration = true", ["--set=paper-soccer.declaration=no"], False),
        ):
            Path(file).write_text(content)
            host = make_host(parsed("--store=memory", f"--config={file}", *arguments), MemoryReactorClock())
            host.startService()
            config: Any = next(one.config for one in host.factories if one.wire.name == "paper-soccer")
            self.assertIs(config.new_codec().encode(ServerShutdown()).startswith(b"<?xml"), declares)

    def test_time_is_monotonic(self) -> None:
        """A clock that people or daemons set moves no game: the reactor counts on one that only goes forward."""
        from twisted.internet import reactor as this_reactor

        reactor: Any = this_reactor
        self.patch(reactor, "seconds", reactor.seconds)
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(gc.unfreeze)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, files)
        host = makeService(parsed("--store=memory"))
        before = time.monotonic()
        self.assertTrue(before <= reactor.seconds() <= time.monotonic())
        self.assertIsNotNone(host.watchdog)

    def test_three_suspended_tables_close_their_game(self) -> None:
        """The tables ring; the host and its other games go on."""
        reasons: list[str] = []
        host = make_host(parsed("--store=memory"), MemoryReactorClock(), reasons.append)
        host.startService()
        for table in range(1, 4):
            host.context.lobby.context.suspended(TableId(table), "onitama")
        self.assertEqual((reasons, list(host.context.lobby.closed_games)), ([], ["onitama"]))

    def test_what_cannot_listen_stops_the_start(self) -> None:
        class Refusing(MemoryReactorClock):
            def listenTCP(self, *args: Any, **kwargs: Any) -> Any:
                raise OSError("planted")

        host = make_host(parsed("--store=memory"), Refusing())
        lines, errors = Lines(), io.StringIO()
        globalLogPublisher.addObserver(lines)
        self.addCleanup(globalLogPublisher.removeObserver, lines)
        self.patch(sys, "__stderr__", errors)
        error = self.assertRaises(SystemExit, host.startService)
        self.assertEqual(error.code, 1)
        [first, *others] = [wire for wire in WIRES if wire.must_listen]
        expected = f"--{first.name}: cannot listen on {first.endpoint}: planted, and {len(others)} more\n"
        self.assertIn(expected, errors.getvalue())
        self.assertIn(expected.strip(), lines.of(LogLevel.critical)[0])
        self.assertFalse(host.running)


class ProcessTests(SynchronousTestCase):
    def test_no_thread_waits_long_for_another(self) -> None:
        """A busy reactor does not keep the journal's thread from the interpreter."""
        from twisted.internet import reactor

        self.patch(reactor, "seconds", reactor.seconds)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        self.addCleanup(gc.unfreeze)
        makeService(parsed("--store=memory"))
        self.assertLessEqual(sys.getswitchinterval(), 0.001)

    def test_what_was_imported_is_not_looked_through_for_garbage(self) -> None:
        """A round of the collector over all modules is a turn of 30 ms, in which nobody is heard."""
        from twisted.internet import reactor

        self.patch(reactor, "seconds", reactor.seconds)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        self.addCleanup(gc.unfreeze)
        gc.unfreeze()  # the suite does so with modules, too
        makeService(parsed("--store=memory"))
        self.assertGreater(gc.get_freeze_count(), 10_000)


ROUTER = "192.0.2.1"
#: Seconds for one digest of a password. They are made one after the other.
DIGEST = 0.05
#: Seconds after which a client that was refused tries again.
AGAIN = 1.0


@define(eq=False)
class Pupil:
    name: str
    wire: str
    host: MemoryHost
    #: When it has its seat, in seconds after it began.
    seated: float | None = None
    _client: Client | None = None
    _heard: list[str] = field(factory=list)
    #: What a guest gives behind the name; empty: no key.
    key: str = ""

    def come(self) -> None:
        self._client = self.host.connect(self.wire, ROUTER)
        self._client.say(
            *([f"LOGIN|{self.name}{self.key}"] if self.wire == "onitama" else [self.name, f"secret of {self.name}"])
        )

    def look(self) -> None:
        if self._client is None:
            return
        self._heard += self._client.heard()
        if any(line.startswith(("START", "RECONNECT", "color ")) for line in self._heard):
            self.seated = self.host.clock.seconds()
        elif self._client.closed:
            self._client = None
            self._heard.clear()
            self.host.clock.callLater(AGAIN, self.come)


class ClassTests(SynchronousTestCase):
    """Half of them have accounts, and play Stratego. The others are guests, and play Onitama."""

    def test_a_guest_who_drops(self) -> None:
        """The opponent has the same address. For strangers that is a reason not to give the seat back; in a class it is not."""
        for profile, answer in (("public", "ERROR"), ("class", "RECONNECT")):
            host = self.host(profile)
            ann, bob = (host.connect("onitama", ROUTER) for _ in range(2))
            ann.say("LOGIN|ann")
            bob.say("LOGIN|bob")
            ann.drop()
            [first, *_] = host.connect("onitama", ROUTER).ask("LOGIN|ann")
            self.assertTrue(first.startswith(answer), first)

    def host(self, profile: str, **more: Any) -> MemoryHost:
        hosts: list[MemoryHost] = []

        def digest(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
            hosts[0].clock.callLater(DIGEST, lambda: done(work()))

        settings = {"limits.keyless_resume_seconds": "3"}
        settings |= {f"limits.{name}": text for name, text in PROFILES[profile].items()}
        hosts.append(MemoryHost(settings, worker=digest, **more))
        return hosts[0]

    def seconds(self, host: MemoryHost, pupils: int, key: str = "") -> float:
        wires = ("onitama", "stratego-lines")
        those = [Pupil(f"{wire[0]}{number}", wire, host, key=key) for wire in wires for number in range(pupils // 2)]
        for one in those:
            one.come()
        while any(one.seated is None for one in those) and host.clock.seconds() < 30:
            host.wait(DIGEST)
            for one in those:
                if one.seated is None:
                    one.look()
        times = [one.seated for one in those if one.seated is not None]
        self.assertEqual(len(times), pupils, "not everybody has a seat after 30 seconds")
        return max(times)

    def back(self, profile: str, pupils: int, proofs_are_kept: bool = True, key: str = "") -> float:
        kept = MemoryProofs()

        def proven() -> ProvenLogins:
            return ProvenLogins(b"key", kept if proofs_are_kept else MemoryProofs())

        first = self.host(profile, proven=proven())
        self.seconds(first, pupils, key)
        again = self.host(profile, journal=first.journal.restarted(), proven=proven())
        self.assertEqual(len(again.unfinished), pupils // 2)
        return self.seconds(again, pupils, key)

    def test_two_hundred(self) -> None:
        """With the profile for a class nobody is refused, and no password that was proved before waits for its digest."""
        self.assertLess(self.back("class", 200), 1)

    def test_a_class_of_thirty_two(self) -> None:
        """The limits for strangers fit it, if guests have keys: who is refused comes again a second later."""
        self.assertLess(self.back("public", 32, key=":secret"), 10)

    def test_without_proofs(self) -> None:
        """After a restart without proofs every password is hashed again, one after the other: a hundred take seconds."""
        self.assertGreater(self.back("class", 200, proofs_are_kept=False), 99 * DIGEST)
