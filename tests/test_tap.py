"""Options, settings, and the service they make, on a reactor in memory."""

import gc
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from twisted.application.service import IServiceMaker
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel, globalLogPublisher
from twisted.plugin import getPlugins
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost.config import Options, SortedSettings, described_settings
from gamehost.journal.records import TableId
from gamehost.lobby.sessions import ResumePolicy
from gamehost.plugins import WIRES
from gamehost.tap import make_host, makeService
from tests.kit.logged import Lines


def parsed(*arguments: str) -> Options:
    """Options from a command line."""
    options = Options()
    options.parseOptions(list(arguments))
    return options


class OptionsTests(SynchronousTestCase):
    """The command line, and the file."""

    def test_defaults_are_the_documented_ones(self) -> None:
        """Every wire on its port, on this machine alone; a store; a minute of grace."""
        options = parsed()
        for wire in WIRES:
            self.assertEqual(options[wire.name], [wire.endpoint])
            self.assertIn("interface=127.0.0.1", wire.endpoint)
        self.assertEqual((options["store"], options["grace"]), ("gamehost.sqlite", 60.0))
        self.assertEqual((options["resume"], options["strict"]), (ResumePolicy.SAME_ADDRESS, False))

    def test_an_endpoint_given_twice_is_two_listeners_and_empty_is_off(self) -> None:
        """As the help says."""
        self.assertEqual(parsed("--onitama=tcp:1", "--onitama=tcp:2")["onitama"], ["tcp:1", "tcp:2"])
        for arguments, listeners in ((("--onitama=tcp:1", "--onitama=tcp:2"), 2), (("--onitama=",), 0)):
            host = make_host(parsed(*arguments), MemoryReactorClock())
            self.assertEqual(len([one for one in host.listeners if one.wire.name == "onitama"]), listeners)

    def test_bad_options_name_themselves(self) -> None:
        """Before anything is opened, in words a host's owner can act on."""
        for argument, words in (
            ("--grace=soon", "--grace: expected seconds"),
            ("--move-time=-1", "--move-time: expected seconds"),
            ("--resume=perhaps", "--resume: expected one of same-address, any, never"),
            ("--set=onitama.deal", "--set: expected NAME=VALUE"),
            ("--set=onitama.nothing=1", "onitama.nothing: unknown setting"),
            ("--set=nobody.deal=1", "nobody.deal: unknown setting"),
            ("--set=onitama.max_plies=many", "onitama.max_plies: expected a whole number"),
            ("--set=onitama.strict=perhaps", "onitama.strict: expected yes or no"),
            ("--set=limits.connections=0", "limits.connections: expected a whole number from 1"),
        ):
            error = self.assertRaises(UsageError, parsed, argument)
            self.assertIn(words, str(error))

    def test_bad_endpoint_is_named(self) -> None:
        """Not an endpoint string."""
        error = self.assertRaises(UsageError, make_host, parsed("--onitama=nonsense"), MemoryReactorClock())
        self.assertIn("--onitama: 'nonsense' is not an endpoint", str(error))

    def test_file_holds_the_same_options_and_the_command_line_wins(self) -> None:
        """One by one: what the command line does not say stays as the file has it."""
        path = self.mktemp()
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                'grace = 5\nstrict = true\nonitama = ["tcp:1", "tcp:2"]\nstore = "memory"\n'
                '[set]\n"onitama.max_plies" = 9\nlimits.unlimited = true\n[set.onitama]\nseparate = "yes"\n'
            )
        options = parsed(f"--config={path}", "--grace=7", "--set=onitama.max_plies=11")
        self.assertEqual((options["grace"], options["strict"], options["store"]), (7.0, True, "memory"))
        self.assertEqual(options["onitama"], ["tcp:1", "tcp:2"])
        self.assertEqual(
            options["set"], {"onitama.max_plies": "11", "limits.unlimited": "True", "onitama.separate": "yes"}
        )
        self.assertEqual(parsed(f"--config={path}", "--onitama=tcp:3")["onitama"], ["tcp:3"])

    def test_a_setting_that_was_renamed(self) -> None:
        """The old name goes on working, and the log says the new one."""
        lines = Lines()
        globalLogPublisher.addObserver(lines)
        self.addCleanup(globalLogPublisher.removeObserver, lines)
        settings = SortedSettings.sort(parsed("--set=limits.open=yes"))
        self.assertEqual(settings.limits, {"unlimited": "yes"})
        self.assertEqual(
            lines.of(LogLevel.warn), ["limits.open is now called limits.unlimited; the old name still works"]
        )

    def test_bad_files_name_themselves(self) -> None:
        """Missing, not TOML, or with something that is not an option."""
        for content, words in (
            ("grace = ", "--config: "),
            ("graze = 5", "unknown option 'graze'"),
            ("[limits]\nopen = true", "unknown table [limits]"),
            ('config = "other.toml"', "unknown option 'config'"),
            ('grace = "soon"', "--grace: expected seconds"),
        ):
            path = self.mktemp()
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            error = self.assertRaises(UsageError, parsed, f"--config={path}")
            self.assertIn(words, str(error))
        self.assertRaises(UsageError, parsed, "--config=nowhere.toml")

    def test_help_lists_every_setting_with_words(self) -> None:
        """Games, wires and limits."""
        text = Options().getUsage()
        for name, words in described_settings().items():
            self.assertIn(name, text)
            self.assertTrue(words)

    def test_plugin_is_known_to_twistd(self) -> None:
        """`twistd gamehost` finds it."""
        makers = {maker.tapname: maker for maker in getPlugins(IServiceMaker)}
        self.assertIs(makers["gamehost"].options, Options)


class HostTests(SynchronousTestCase):
    """The service."""

    def test_listens_on_every_wire_with_room_for_a_rush(self) -> None:
        """One listener a wire, with a long queue of connections to be accepted."""
        reactor: Any = MemoryReactorClock()
        host = make_host(parsed("--store=memory"), reactor)
        self.assertEqual(reactor.tcpServers, [], "making a service opens nothing")
        host.startService()
        self.assertEqual(len(reactor.tcpServers), len(WIRES))
        for _port, _factory, backlog, interface in reactor.tcpServers:
            self.assertEqual((backlog, interface), (4096, "127.0.0.1"))
        self.successResultOf(host.stopService())

    def test_strict_reaches_every_wire(self) -> None:
        """`--strict` is a setting of each."""
        host = make_host(parsed("--store=memory", "--strict"), MemoryReactorClock())
        host.startService()
        self.assertEqual(len(host.factories), len(WIRES))
        self.assertTrue(all(getattr(factory.config, "strict", False) for factory in host.factories))

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
        self.assertIs(reactor.seconds, time.monotonic)
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
        error = self.assertRaises(SystemExit, host.startService)
        self.assertIn("--onitama: cannot listen on tcp:8893:interface=127.0.0.1: planted", str(error))
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
