"""
The interface to the operating system: messages to systemd, signals, and the limit of open files.

The host tells systemd when its ports are open, when it stops, and regularly that its reactor runs. Without
`NOTIFY_SOCKET` in the environment it tells nothing.
"""

import resource
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import define
from twisted.logger import Logger

from gamehost.ops.watchdog import log_stacks

log = Logger()


@define(eq=False)
class Supervisor:
    """
    Messages to the service manager that started this process.

    :param address: the address of its socket; empty: there is none, and nothing is sent
    :param every: seconds between two watchdog messages; 0: none are expected
    """

    _address: str = ""
    _every: float = 0.0
    _due: float = 0.0

    @classmethod
    def of(cls, environment: Mapping[str, str], pid: int) -> "Supervisor":
        """As the environment says: see sd_notify(3) and sd_watchdog_enabled(3)."""
        address = environment.get("NOTIFY_SOCKET", "")
        if address[:1] not in ("/", "@"):
            return cls()
        microseconds = environment.get("WATCHDOG_USEC", "")
        mine = environment.get("WATCHDOG_PID", str(pid)) == str(pid)
        every = int(microseconds) / 3e6 if mine and microseconds.isascii() and microseconds.isdecimal() else 0.0
        return cls(address, every)

    def ready(self) -> None:
        """The ports are open."""
        self._say("READY=1")

    def stopping(self) -> None:
        """The host stops in order."""
        self._say("STOPPING=1")

    def status(self, words: str) -> None:
        """What `systemctl status` shows: one line."""
        self._say(f"STATUS={words}")

    def alive(self, now: float) -> None:
        """
        The reactor runs. Sends a watchdog message if one is due: three within the time that systemd waits.

        :param now: seconds, on a monotonic clock
        """
        if self._every and now >= self._due:
            self._due = now + self._every
            self._say("WATCHDOG=1")

    def _say(self, words: str) -> None:
        if not self._address:
            return
        # An address that begins with @ is in Linux' abstract name space, where a NUL stands for the @.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC) as one:
                one.sendto(words.encode("utf-8"), address)
        except OSError as error:
            log.warn("systemd cannot be told {words!r}: {error}", words=words, error=str(error))


def install_signal_handlers(from_thread: Callable[..., Any], hangups: Sequence[Callable[[], None]]) -> None:
    """
    Give meanings to signals that end a process by default.

    SIGHUP calls `hangups`, SIGUSR1 logs what every thread is doing, SIGUSR2 does nothing. SIGPIPE is ignored: the write
    to the closed pipe fails instead.

    :param from_thread: calls something on the reactor's thread
    :param hangups: functions that open files again
    """

    def hang_up() -> None:
        log.info("SIGHUP: the log and the certificates are opened again")
        for call in hangups:
            try:
                call()
            except Exception:
                log.failure("a file cannot be opened again; the old one stays in use")

    def user_1() -> None:
        log.info("SIGUSR1: the next lines say what each thread is doing")
        log_stacks(log)

    for number, call in (
        (signal.SIGHUP, hang_up),
        (signal.SIGUSR1, user_1),
        (signal.SIGUSR2, lambda: log.info("SIGUSR2 has no effect")),
    ):
        signal.signal(number, lambda *_, call=call: from_thread(call))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


#: Files that a host needs besides its connections: the store, the log, listeners, the reactor's own, connections that are being
#: refused, and a reserve.
OTHER_FILES = 112


def raise_fd_limit() -> None:
    """Raise the soft limit of open files to the hard limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a sandbox may forbid it; it then sets the limit itself
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fd_budget(wanted: int) -> int:
    """
    The number of connections for which this process may open files. Logs a warning if it is lower than wanted.

    A host with no file left cannot write its high-water mark, so some files are kept for the host itself.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return wanted
    room = max(1, files - OTHER_FILES)
    if room < wanted:
        log.warn(
            "room for {room} connections, not {wanted}: the process may open {files} files (LimitNOFILE=, ulimit -n)",
            room=room,
            wanted=wanted,
            files=files,
        )
    return room
