"""What a host says to whoever runs it: ready, alive, stopping; and what it makes of signals and of files."""

import os
import resource
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable

from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.watchdog import OTHER_FILES, Supervisor, fd_budget, install_signal_handlers, raise_fd_limit
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
        """A datagram each, at a path and in the abstract name space."""
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
        """Row 150: three within the time that the supervisor waits, however often the reactor turns."""
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
        """Without a supervisor nothing is said; one that has gone is a line of log, and no error."""
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
        """Each of them, in the reactor's turn; one that cannot be is logged, and keeps no other from it."""
        done: list[str] = []

        def broken() -> None:
            raise OSError("planted")

        install_signal_handlers(self.calls.append, [lambda: done.append("log"), broken, lambda: done.append("key")])
        os.kill(os.getpid(), signal.SIGHUP)
        self.assertEqual(done, [])
        for call in self.calls:
            call()
        self.assertEqual(done, ["log", "key"])
        self.assertEqual(len(self.flushLoggedErrors(OSError)), 1)

    def test_others(self) -> None:
        """SIGUSR1 says what every thread does, SIGUSR2 and SIGPIPE nothing; the process goes on."""
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
