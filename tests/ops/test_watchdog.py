"""What watches over a host: systemd, signals, open files, the watchdog, and suspended tables."""

import errno
import os
import resource
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable

from twisted.internet.task import Clock
from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.ops.watchdog import (
    OTHER_FILES,
    GameBreaker,
    Supervisor,
    Watchdog,
    fd_budget,
    game_of,
    install_signal_handlers,
    raise_fd_limit,
    stacks,
)
from gamehost.settings import BadOption
from tests.kit.reactors import logged


class NotifyTests(SynchronousTestCase):
    def listening(self, address: str) -> socket.socket:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(end.close)
        end.bind(address)
        end.setblocking(False)
        return end

    def said(self, end: socket.socket) -> list[str]:
        words = []
        while True:
            try:
                words.append(end.recv(4096).decode("utf-8"))
            except BlockingIOError:
                return words

    def test_words(self) -> None:
        folder = tempfile.mkdtemp(prefix="gh")  # short enough for a socket's address
        self.addCleanup(shutil.rmtree, folder)
        name = f"gamehost-test-{os.getpid()}"
        for address, variable in ((f"{folder}/notify", f"{folder}/notify"), ("\0" + name, "@" + name)):
            end = self.listening(address)
            supervisor = Supervisor.of({"NOTIFY_SOCKET": variable}, 1)
            supervisor.ready()
            supervisor.status("all is well")
            supervisor.stopping()
            self.assertEqual(self.said(end), ["READY=1", "STATUS=all is well", "STOPPING=1"])

    def test_signs_of_life(self) -> None:
        """Three within the time that the supervisor waits, however often the reactor turns."""
        name = f"gamehost-test-{os.getpid()}"
        end = self.listening("\0" + name)
        environment = {"NOTIFY_SOCKET": "@" + name, "WATCHDOG_USEC": "9000000", "WATCHDOG_PID": "7"}
        supervisor = Supervisor.of(environment, 7)
        for tenth in range(91):
            supervisor.alive(1000 + tenth / 10)
        self.assertEqual(self.said(end), ["WATCHDOG=1"] * 4)
        for other in (Supervisor.of(environment, 8), Supervisor.of({**environment, "WATCHDOG_USEC": "soon"}, 7)):
            other.alive(5000)
        self.assertEqual(self.said(end), [])

    def test_nobody_there(self) -> None:
        for supervisor in (Supervisor(), Supervisor.of({}, 1), Supervisor.of({"NOTIFY_SOCKET": "vsock:2:1"}, 1)):
            supervisor.ready()
            supervisor.alive(1.0)
        lines = logged(self)
        Supervisor.of({"NOTIFY_SOCKET": "@gamehost-nobody"}, 1).ready()
        self.assertEqual(len(lines.of(LogLevel.warn)), 1)


class SignalTests(SynchronousTestCase):
    def setUp(self) -> None:
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        self.lines = logged(self)
        self.calls: list[Callable[[], None]] = []

    def test_hangup_opens_files_anew(self) -> None:
        """Each of them, in the reactor's turn; one with a fault of ours is logged, and keeps no other from it."""
        done: list[str] = []

        def broken() -> None:
            raise LookupError("planted")

        install_signal_handlers(self.calls.append, [lambda: done.append("log"), broken, lambda: done.append("key")])
        os.kill(os.getpid(), signal.SIGHUP)
        self.assertEqual(done, [])
        for call in self.calls:
            call()
        self.assertEqual(done, ["log", "key"])
        self.assertEqual(len(self.flushLoggedErrors(LookupError)), 1)
        self.assertEqual(self.lines.of(LogLevel.info), [])

    def test_hangup_says_what_happened(self) -> None:
        """After it has happened: success if all files were opened, else one sentence for each file and its fault."""

        def certificate() -> None:
            self.assertEqual(self.lines.events, [])
            raise BadOption("/tls/cert.pem: a certificate that cannot be read")

        def log_file() -> None:
            raise PermissionError(errno.EACCES, "Permission denied", "/var/log/games.log")

        install_signal_handlers(self.calls.append, [certificate, log_file, certificate])
        os.kill(os.getpid(), signal.SIGHUP)
        self.calls.pop()()
        self.assertEqual(
            self.lines.of(LogLevel.error),
            [
                "SIGHUP: /tls/cert.pem: a certificate that cannot be read; the old one remains in use",
                "SIGHUP: /var/log/games.log: Permission denied; the old one remains in use",
            ],
        )
        self.assertEqual(self.lines.of(LogLevel.info), [])
        install_signal_handlers(self.calls.append, [lambda: self.assertEqual(self.lines.of(LogLevel.info), [])])
        os.kill(os.getpid(), signal.SIGHUP)
        self.calls.pop()()
        self.assertEqual(self.lines.of(LogLevel.info), ["SIGHUP: the log and the certificates are opened again"])

    def test_others(self) -> None:
        install_signal_handlers(self.calls.append, [])
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
            os.kill(os.getpid(), number)
        self.assertEqual(len(self.calls), 2)
        for call in self.calls:
            call()
        self.assertTrue(any("thread MainThread: " in line for line in self.lines.of(LogLevel.error)))
        self.assertEqual(self.lines.of(LogLevel.info)[-1], "SIGUSR2 has no effect")


class FilesTests(SynchronousTestCase):
    def test_room(self) -> None:
        """Some files are kept for the host itself; fewer than wanted is said at the start."""
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        lines = logged(self)
        resource.setrlimit(resource.RLIMIT_NOFILE, (600, limits[1]))
        self.assertEqual(fd_budget(100), 600 - OTHER_FILES)
        self.assertEqual(lines.of(LogLevel.warn), [])
        self.assertEqual(fd_budget(1000), 600 - OTHER_FILES)
        self.assertIn("room for 488 connections, not 1000", lines.of(LogLevel.warn)[0])
        raise_fd_limit()
        self.assertEqual(resource.getrlimit(resource.RLIMIT_NOFILE)[0], limits[1])


class WatchdogCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 100.0
        self.lines = logged(self)
        self.watchdog = Watchdog(lambda: self.now, beat_at=self.now, looked_at=self.now)
        self.blocked: list[str] = []
        self.watchdog.blocked_in = self.blocked.extend

    def pass_time(self, seconds: float, beating: bool) -> None:
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            if beating:
                self.watchdog.beat()
            self.watchdog.look()


class StandstillTests(WatchdogCase):
    def test_reactor_that_turns(self) -> None:
        self.pass_time(60, beating=True)
        self.pass_time(0.9, beating=False)
        self.pass_time(60, beating=True)
        self.assertEqual(self.lines.events, [])

    def test_standstill(self) -> None:
        self.pass_time(5, beating=False)
        [words] = self.lines.of(LogLevel.critical)
        self.assertEqual(words, "the reactor has not run for 1.1 s")
        [mine] = [line for line in self.lines.of(LogLevel.error) if line.startswith("thread MainThread: ")]
        self.assertRegex(mine, r"ops/watchdog.py:\d+ stacks < .* ops/test_watchdog.py:\d+ pass_time <")
        self.assertIn(__file__, self.blocked)
        self.lines.events.clear()
        self.pass_time(1, beating=True)
        self.assertEqual(self.lines.of(LogLevel.warn), ["the reactor runs again, after 5.1 s"])

    def test_every_standstill_is_told(self) -> None:
        for _ in range(2):
            self.pass_time(2, beating=False)
            self.pass_time(2, beating=True)
        self.assertEqual(len(self.lines.of(LogLevel.critical)), 2)

    def test_process_that_stood_still(self) -> None:
        """Stopped and continued from outside: it is said, and no thread is blamed."""
        self.now += 30
        self.watchdog.look()
        self.assertEqual(self.lines.of(LogLevel.warn), ["the whole process did not run for 30.0 s"])
        self.watchdog.beat()
        self.pass_time(5, beating=True)
        self.assertEqual(self.lines.of(LogLevel.critical), [])


class ThreadTests(WatchdogCase):
    def test_a_thread_finds_a_main_thread_that_does_not_beat(self) -> None:
        watchdog = Watchdog(time.monotonic, patience=0.03, every=0.005)
        watchdog.start()
        until = time.monotonic() + 5
        while not self.lines.of(LogLevel.critical) and time.monotonic() < until:
            sum(range(1000))
        watchdog.stop()
        self.assertEqual(len(self.lines.of(LogLevel.critical)), 1)
        self.assertNotIn("gamehost-watchdog", [thread.name for thread in threading.enumerate()])

    def test_stacks_hold_no_values(self) -> None:
        """Places alone."""

        def inner(password: str) -> str:
            return repr(list(stacks()))

        self.assertNotIn("hunter2", inner("hunter2"))
        self.assertIn("test_stacks_hold_no_values", inner("hunter2"))


class BellTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.closed: list[tuple[str, str]] = []
        self.breaker = GameBreaker(self.clock, lambda *closed: self.closed.append(closed))
        self.lines = logged(self)

    def ring(self, table: int, game: str = "onitama") -> None:
        self.breaker.suspended(TableId(table), game)

    def test_every_table_is_told_to_the_operator(self) -> None:
        """At the highest level, with its number and what will become of it."""
        self.ring(7)
        [event] = self.lines.of(LogLevel.critical)
        self.assertIn("table 7 of onitama is suspended", event)
        self.assertIn("3 of one game within 60 seconds close that game", event)

    def test_three_within_a_minute_close_the_game(self) -> None:
        """The third is one too many, however they are spread over the minute."""
        self.ring(1)
        self.clock.advance(30)
        self.ring(2)
        self.clock.advance(30)
        self.ring(3)
        self.assertEqual(self.closed, [("onitama", "onitama is closed because of a fault; the other games continue")])
        self.assertIn("gamehost admin game open onitama", self.lines.of(LogLevel.critical)[-1])

    def test_turns_that_stop_the_host_count_too(self) -> None:
        self.ring(1)
        for _ in range(2):
            self.breaker.blocked("onitama")
        self.assertIn("the rules of onitama stopped the host", self.lines.of(LogLevel.critical)[1])
        self.assertEqual([game for game, _ in self.closed], ["onitama"])

    def test_which_game_is_running(self) -> None:
        """The innermost file that is a game's decides; a folder whose name only begins alike is another one."""
        folders = {"/plugins/gomoku": "gomoku", "/plugins/go": "go"}
        for files, game in (
            (["/lib/json.py", "/plugins/gomoku/rules.py", "/plugins/go/a.py", "/host/table.py"], "gomoku"),
            (["/plugins/gomoku2/rules.py", "/plugins/go/sub/a.py"], "go"),
            (["/host/table.py"], None),
        ):
            self.assertEqual(game_of(files, folders), game)

    def test_games_are_told_apart(self) -> None:
        for table, game in enumerate(("onitama", "stratego", "eriantys") * 2):
            self.ring(table, game)
        self.assertEqual(self.closed, [])

    def test_a_game_that_is_open_again_is_counted_anew(self) -> None:
        for table in range(5):
            self.ring(table)
        self.assertEqual(len(self.closed), 1)

    def test_slower_ones_do_not(self) -> None:
        for table in range(20):
            self.ring(table)
            self.clock.advance(30.1)
        self.ring(20)
        self.assertEqual(self.closed, [])
        self.ring(21)
        self.assertEqual(len(self.closed), 1)
