"""The service that options describe, on a reactor in memory."""

import gc
import io
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel, globalLogPublisher
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost.config import Options
from gamehost.journal.records import TableId
from gamehost.plugins import WIRES, Registry
from gamehost.storage import postgresql as urls
from gamehost.tap import house_service, make_host, makeService
from tests.kit.example_game import TOY_WIRE
from tests.kit.reactors import Lines, logged


def parsed(*arguments: str) -> Options:
    """Options from a command line."""
    options = Options()
    options.parseOptions(list(arguments))
    return options


class HostTests(SynchronousTestCase):
    """The service."""

    def test_listens_on_every_wire_with_room_for_a_rush(self) -> None:
        """One listener a wire, with a long queue of connections to be accepted."""
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory"), reactor)
        self.assertEqual(reactor.tcpServers, [], "making a service opens nothing")
        host.startService()
        self.assertEqual(len(reactor.tcpServers), len(WIRES) + 1, "each wire, and the pages for browsers")
        for _port, _factory, backlog, interface in reactor.tcpServers:
            self.assertEqual((backlog, interface), (4096, "127.0.0.1"))
        self.successResultOf(host.stopService())

    def test_metrics(self) -> None:
        """They have a port of their own if an option says so, and it is closed with the others."""
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory", "--metrics=tcp:9108", "--metrics="), reactor)
        host.startService()
        self.assertEqual([port for port, *_ in reactor.tcpServers if port == 9108], [9108])
        self.assertEqual([type(part).__name__ for part in host.parts], ["MetricsService"])
        self.successResultOf(host.stopService())
        error = self.assertRaises(UsageError, make_host, parsed("--metrics=nonsense"), MemoryReactorClock())
        self.assertIn("--metrics: 'nonsense' is not an endpoint", str(error))

    def test_house_players(self) -> None:
        """There is a process for them unless they are off; `make_host` starts none by itself."""
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

    def test_a_database_that_cannot_be_reached(self) -> None:
        """The start is given up, and the password is not shown. Without the library it is said what to install."""
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
            self.patch(urls, "find_spec", lambda name: None)

    def test_profile(self) -> None:
        """The service and its limits have it, and the log says it."""
        lines = logged(self)
        for profile, connections, said in (("public", 64, 0), ("class", 300, 1)):
            host = make_host(parsed("--store=memory", f"--profile={profile}"), MemoryReactorClock())
            host.startService()
            self.assertEqual((host.profile, host.context.limits.connections_per_address), (profile, connections))
            self.assertEqual(sum("profile" in line for line in lines.of(LogLevel.info)), said)
            self.successResultOf(host.stopService())

    def test_bad_endpoint_is_named(self) -> None:
        """Not an endpoint string."""
        error = self.assertRaises(UsageError, make_host, parsed("--onitama=nonsense"), MemoryReactorClock())
        self.assertIn("--onitama: 'nonsense' is not an endpoint", str(error))

    def test_a_host_without_its_own_wires_does_not_start(self) -> None:
        """Its package is not installed as it should be: it would listen nowhere, and say nothing."""
        options = Options(Registry())
        options.parseOptions(["--store=memory"])
        error = self.assertRaises(UsageError, make_host, options, MemoryReactorClock())
        self.assertIn("install gamehost again", str(error))

    def test_a_wire_of_another_package_is_served(self) -> None:
        """On the port that was asked for, beside the others."""
        options = Options(Registry(WIRES, (TOY_WIRE,)))
        options.parseOptions(["--store=memory", "--toy=tcp:7000"])
        reactor: Any = MemoryReactorClock()
        host = make_host(options, reactor)
        host.startService()
        self.assertIn(7000, [port for port, *_ in reactor.tcpServers])
        self.successResultOf(host.stopService())

    def test_strict_reaches_every_wire(self) -> None:
        """`--strict` is a setting of each."""
        host = make_host(parsed("--store=memory", "--strict"), MemoryReactorClock())
        host.startService()
        self.assertEqual(len(host.factories), len(WIRES))
        configs: list[Any] = [factory.config for factory in host.factories if "strict" in factory.wire.options]
        self.assertTrue(all(config.strict for config in configs))

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
            script: Any = next(one.config for one in host.factories if one.wire.name == "paper-soccer")
            self.assertIs(script.declaration, declares)

    def test_time_is_monotonic(self) -> None:
        """Row 127: a clock that people or daemons set moves no game: the reactor counts on one that only goes forward."""
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

    def test_three_suspended_tables_end_the_host(self) -> None:
        """Row 123: the tables ring, and what ends the process is called."""
        reasons: list[str] = []
        host = make_host(parsed("--store=memory"), MemoryReactorClock(), reasons.append)
        host.startService()
        for table in range(1, 4):
            host.context.lobby.context.suspended(TableId(table))
        self.assertEqual(len(reasons), 1)
        self.assertIn("3 tables were suspended", reasons[0])

    def test_what_cannot_listen_stops_the_start(self) -> None:
        """The others are closed again, and the message names the option."""

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
        expected = "--onitama: cannot listen on tcp:8893:interface=127.0.0.1: planted"
        self.assertIn(expected, errors.getvalue())
        self.assertIn(expected, lines.of(LogLevel.critical)[0])
        self.assertFalse(host.running)


class ProcessTests(SynchronousTestCase):
    """What a host changes in its process."""

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
        before = gc.get_freeze_count()
        makeService(parsed("--store=memory"))
        self.assertGreater(gc.get_freeze_count(), before + 10_000)
