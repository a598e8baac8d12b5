"""
Parts that supervise a host: systemd, signals, the limit of open files, a thread that detects a blocked reactor, and a
breaker that closes a game with too many faults.

The host notifies systemd when its ports are open, when it stops, and regularly while its reactor runs. Without
`NOTIFY_SOCKET` in the environment it sends nothing.

All work of a host is done in turns of one reactor, so all clients wait while one turn lasts. The reactor calls `beat`
regularly. If no call comes for a second, the watchdog logs once what each thread is doing: files, lines and functions,
but no values of variables.
"""

import os
import resource
import signal
import socket
import sys
import threading
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.journal.records import TableId
from gamehost.ops.logging import frames
from gamehost.settings import BadOption

log = Logger()

#: Seconds without a beat after which the reactor counts as blocked.
STANDSTILL = 1.0

#: Seconds between two checks.
LOOK_EVERY = 0.1


@define(eq=False)
class Watchdog:
    """
    :param clock: seconds, monotonic
    :param patience: seconds without a beat after which the reactor counts as blocked
    """

    _clock: Callable[[], float] = time.monotonic
    _patience: float = STANDSTILL
    _every: float = LOOK_EVERY
    _beat_at: float = 0.0
    _looked_at: float = 0.0
    #: The last beat before the block that was logged; `None`: the reactor is not blocked.
    _told: float | None = None
    _over: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None
    #: Called on the watchdog's thread when the reactor is blocked, with the files of its calls, innermost first.
    blocked_in: Callable[[Sequence[str]], None] = lambda files: None

    log = Logger()

    def start(self) -> None:
        """Start the thread. The first beat is now."""
        self._beat_at = self._looked_at = self._clock()
        self._thread = threading.Thread(target=self._watch, name="gamehost-watchdog", daemon=True)
        self._thread.start()

    def beat(self) -> None:
        """The reactor runs. It calls this about every `LOOK_EVERY` seconds."""
        self._beat_at = self._clock()

    def stop(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            self.look()

    def look(self) -> None:
        """Check for a beat since the last check, and log if there was none for too long."""
        now, beat_at = self._clock(), self._beat_at
        own_gap = now - self._looked_at
        self._looked_at = now
        if self._told is not None and beat_at != self._told:
            self.log.warn("the reactor runs again, after {seconds:.1f} s", seconds=beat_at - self._told)
            self._told = None
        if own_gap > self._patience:
            # This thread did not run either, so it does not know whether the reactor was blocked.
            self.log.warn("the whole process did not run for {seconds:.1f} s", seconds=own_gap)
        elif now - beat_at > self._patience and self._told is None:
            self._told = beat_at
            self.log.critical("the reactor has not run for {seconds:.1f} s", seconds=now - beat_at)
            log_stacks(self.log)
            self.blocked_in(files_of(threading.main_thread()))


def files_of(thread: threading.Thread) -> Sequence[str]:
    """The file of each call of a thread, innermost first."""
    frame = sys._current_frames().get(thread.ident or 0)
    return [] if frame is None else [one.f_code.co_filename for one, _ in traceback.walk_stack(frame)]


def log_stacks(log: Logger) -> None:
    """Log what every thread is doing, one line for each."""
    for name, where in stacks():
        log.error("thread {name}: {where}", name=name, where=where)


def stacks() -> Iterator[tuple[str, str]]:
    """The name of every thread, and its calls, innermost first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        summary = traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)
        summary.reverse()
        yield names.get(number, str(number)), frames(summary)


#: This many suspended tables of one game within this many seconds close that game.
MOST = 3
WITHIN = 60.0


@define(eq=False)
class GameBreaker:
    """
    Closes a game if it has too many faults: suspended tables, and turns that stop the host.

    :param close_game: called with the name of the game, and why no more matches of it begin
    """

    _clock: IReactorTime
    _close_game: Callable[[str, str], None]
    #: When each game had its last faults, in seconds on the clock.
    _faults: defaultdict[str, deque[float]] = field(factory=lambda: defaultdict(lambda: deque(maxlen=MOST)))

    def suspended(self, table: TableId, game: str) -> None:
        """Log a table that is suspended, and count it."""
        log.critical(
            "table {table} of {game} is suspended because of the error above; its players received a message, and are free; "
            "gamehost admin lost lists such tables; {most} of one game within {within} seconds close that game",
            table=table,
            game=game,
            most=MOST,
            within=round(WITHIN),
        )
        self._count(game)

    def blocked(self, game: str) -> None:
        """Log that a game has stopped the reactor for too long, and count it. It is called when the reactor runs again."""
        log.critical(
            "the rules of {game} stopped the host, as the lines above say; {most} such faults within {within} seconds close "
            "that game",
            game=game,
            most=MOST,
            within=round(WITHIN),
        )
        self._count(game)

    def _count(self, game: str) -> None:
        now, times = self._clock.seconds(), self._faults[game]
        times.append(now)
        if len(times) == MOST and now - times[0] <= WITHIN:
            times.clear()
            log.critical(
                "{game} is closed: no more matches of it begin until gamehost admin game open {game}, or the next start; the "
                "other games go on",
                game=game,
            )
            self._close_game(game, f"{game} is closed because of a fault; the other games continue")


def game_of(files: Iterable[str], folders: Mapping[str, str]) -> str | None:
    """
    The game that is running in these files; `None`: none of them is a game's.

    :param files: of the calls of a thread, innermost first
    :param folders: games by the folders of their packages
    """
    for file in files:
        for folder, game in folders.items():
            if file.startswith(folder + os.sep):
                return game
    return None


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
        self._say("READY=1")

    def stopping(self) -> None:
        self._say("STOPPING=1")

    def status(self, words: str) -> None:
        """Set the line that `systemctl status` shows."""
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
        # An address that begins with @ is in the abstract name space of Linux, where a NUL replaces the @.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC) as one:
                one.sendto(words.encode("utf-8"), address)
        except OSError as error:
            log.warn("systemd cannot be notified of {words!r}: {error}", words=words, error=str(error))


def install_signal_handlers(from_thread: Callable[..., Any], hangups: Sequence[Callable[[], None]]) -> None:
    """
    Give meanings to signals that end a process by default.

    SIGHUP calls `hangups`, SIGUSR1 logs what every thread is doing, SIGUSR2 does nothing. SIGPIPE is ignored: the write
    to the closed pipe fails instead.

    :param from_thread: calls something on the reactor's thread
    :param hangups: functions that open files again; they raise `BadOption` or `OSError` if the old one remains in use
    """

    # SIGHUP: open all files again; a fault in one does not stop the others.
    def hang_up() -> None:
        faults = []
        for call in hangups:
            try:
                call()
            except BadOption as error:
                faults.append(str(error))
            except OSError as error:
                faults.append(f"{error.filename}: {error.strerror}" if error.filename else str(error))
            except Exception:
                log.failure("SIGHUP: a file cannot be opened again; the old one remains in use")
                faults.append("")
        # Several listeners may have one folder.
        for fault in filter(None, dict.fromkeys(faults)):
            log.error("SIGHUP: {fault}; the old one remains in use", fault=fault)
        if not faults:
            log.info("SIGHUP: the log and the certificates are opened again")

    def user_1() -> None:
        log.info("SIGUSR1: the next lines say what each thread is doing")
        log_stacks(log)

    # Python calls handlers at any place, so the work is passed to the reactor.
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

    A host without a free file cannot write its high-water mark, so some files are reserved for the host itself.
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
