"""
What a host says to the system that runs it, and hears and has from it.

`systemd` is told when the ports are open and when the host stops, and is shown that the reactor turns, in its own
datagrams; without a `NOTIFY_SOCKET` nothing is said. Signals that would end a process, and are sent for something else,
end no host. Files are had as many as may be, and clients are turned away before there are none left.
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
    :param address: of the socket to say things to; empty: nobody listens
    :param every: seconds between two signs of life; 0: nobody looks
    """

    _address: str = ""
    _every: float = 0.0
    _due: float = 0.0

    @classmethod
    def of(cls, environment: Mapping[str, str], pid: int) -> "Supervisor":
        """The one that started this process, if it says so in the environment (sd_notify(3), sd_watchdog_enabled(3))."""
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
        The reactor turns. Says so a few times within the time that the supervisor waits.

        :param now: seconds, on any clock that goes forward
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
            log.warn("the supervisor cannot be told {words!r}: {error}", words=words, error=str(error))


def install_signal_handlers(from_thread: Callable[..., Any], hangups: Sequence[Callable[[], None]]) -> None:
    """
    Take the signals that would end this process, and are sent for something else.

    SIGHUP: go on with files that were exchanged; SIGUSR1: log what every thread is doing; SIGUSR2: nothing. A closed
    pipe (SIGPIPE) is an error where it is written to.

    :param from_thread: has something called by the reactor
    :param hangups: what to do at a SIGHUP
    """

    def hang_up() -> None:
        log.info("SIGHUP: files that were exchanged are opened anew")
        for call in hangups:
            try:
                call()
            except Exception:
                log.failure("a file cannot be opened anew; the old one is used")

    def user_1() -> None:
        log.info("SIGUSR1: what every thread is doing")
        log_stacks(log)

    for number, call in (
        (signal.SIGHUP, hang_up),
        (signal.SIGUSR1, user_1),
        (signal.SIGUSR2, lambda: log.info("SIGUSR2 means nothing here")),
    ):
        signal.signal(number, lambda *_, call=call: from_thread(call))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


#: Files that a host has open beside its connections: the store, the log, listeners, the reactor's own, and some to spare.
OTHER_FILES = 40


def raise_fd_limit() -> None:
    """Raise the number of files that this process may have open to what it may raise it to."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a sandbox may forbid it, and sets the number itself then
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fd_budget(wanted: int) -> int:
    """
    For how many connections this process has files. Says so if they are fewer than wanted.

    A host that has no file left cannot even note how long its journal is.
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
