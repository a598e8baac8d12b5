"""
Supervision of a host: messages to systemd, signals, the limit of open files, a thread that detects a blocked reactor,
and a circuit breaker that closes a game after too many faults.

If `NOTIFY_SOCKET` is in the environment, the host notifies systemd when its ports are open, when it stops, and
regularly while its reactor runs.

One reactor does all work of a host, so one long piece of work makes all clients wait. The reactor calls `beat`
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

#: After how many seconds without a beat the reactor counts as blocked.
STANDSTILL = 1.0

#: Seconds between two checks.
LOOK_EVERY = 0.1


@define(eq=False)
class Watchdog:
    """
    A thread that logs when the reactor is blocked.

    :param clock: returns seconds that never go back
    :param patience: after how many seconds without a beat the reactor counts as blocked
    """

    _clock: Callable[[], float] = time.monotonic
    _patience: float = STANDSTILL
    _every: float = LOOK_EVERY
    _beat_at: float = 0.0
    _looked_at: float = 0.0
    #: If the reactor is blocked and this was logged: the time of the last beat. Otherwise `None`.
    _told: float | None = None
    _over: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None
    #: Called on the watchdog's thread when the reactor is blocked, with the files of its calls, innermost first.
    blocked_in: Callable[[Sequence[str]], None] = lambda files: None

    log = Logger()

    def start(self) -> None:
        """Start the thread. The time of the last beat is set to now."""
        self._beat_at = self._looked_at = self._clock()
        self._thread = threading.Thread(target=self._watch, name="gamehost-watchdog", daemon=True)
        self._thread.start()

    def beat(self) -> None:
        """Called by the reactor about every `LOOK_EVERY` seconds, to show that it runs."""
        self._beat_at = self._clock()

    def stop(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            self.look()

    def look(self) -> None:
        """
        Called regularly on the watchdog's thread: log if the reactor has given no sign of life (`beat`) for too long,
        and when it runs again.
        """
        now, beat_at = self._clock(), self._beat_at
        own_gap = now - self._looked_at
        self._looked_at = now
        # `_told` is the time of the last beat, if it was logged that the reactor is blocked. A newer beat says that it
        # runs again.
        if self._told is not None and beat_at != self._told:
            self.log.warn("the reactor runs again, after {seconds:.1f} s", seconds=beat_at - self._told)
            self._told = None
        if own_gap > self._patience:
            # This thread did not run, either, so it cannot know whether the reactor was blocked.
            self.log.warn("the whole process did not run for {seconds:.1f} s", seconds=own_gap)
        elif now - beat_at > self._patience and self._told is None:
            self._told = beat_at
            self.log.critical("the reactor has not run for {seconds:.1f} s", seconds=now - beat_at)
            log_stacks(self.log)
            # The game in this code may be the cause.
            self.blocked_in(files_of(threading.main_thread()))


def files_of(thread: threading.Thread) -> Sequence[str]:
    """The files of the functions that a thread is in, innermost first."""
    frame = sys._current_frames().get(thread.ident or 0)
    return [] if frame is None else [one.f_code.co_filename for one, _ in traceback.walk_stack(frame)]


def log_stacks(log: Logger) -> None:
    """Log what every thread is doing, one line for each thread."""
    for name, where in stacks():
        log.error("thread {name}: {where}", name=name, where=where)


def stacks() -> Iterator[tuple[str, str]]:
    """The name of every thread, and the calls on its stack, innermost first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        summary = traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)
        summary.reverse()
        # A thread without a name was not started by Python.
        yield names.get(number, str(number)), frames(summary)


#: A game is closed after this many faults within this many seconds.
MOST = 3
WITHIN = 60.0


@define(eq=False)
class GameBreaker:
    """
    A circuit breaker: closes a game after too many faults. Faults are suspended tables, and work of the game's rules
    that blocks the reactor.

    :param close_game: called with the name of the game, and the reason why no more matches of the game begin
    """

    _clock: IReactorTime
    _close_game: Callable[[str, str], None]
    #: The times of the last faults of each game, in seconds of the clock.
    _faults: defaultdict[str, deque[float]] = field(factory=lambda: defaultdict(lambda: deque(maxlen=MOST)))

    def suspended(self, table: TableId, game: str) -> None:
        """Log a suspended table, and count it as a fault of its game."""
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
        """
        Log that the rules of a game have blocked the reactor, and count it as a fault. Called when the reactor runs
        again.
        """
        log.critical(
            "the rules of {game} stopped the host, as the lines above say; {most} such faults within {within} seconds close "
            "that game",
            game=game,
            most=MOST,
            within=round(WITHIN),
        )
        self._count(game)

    def _count(self, game: str) -> None:
        """Count a fault, and close the game if there are too many."""
        now, times = self._clock.seconds(), self._faults[game]
        times.append(now)
        # `times` has at most `MOST` times: the first one is the oldest of the last `MOST` faults.
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
    The game with code that a thread is in; `None`: no game's code.

    :param files: see `files_of`
    :param folders: the names of games, by the folders of their packages
    """
    for file in files:
        for folder, game in folders.items():
            if file.startswith(folder + os.sep):
                return game
    return None


@define(eq=False)
class Supervisor:
    """
    Sends messages to systemd, which has started this process.

    :param address: the address of systemd's socket; empty: nothing is sent
    :param every: the seconds between two watchdog messages; 0: systemd expects none
    """

    _address: str = ""
    _every: float = 0.0
    _due: float = 0.0

    @classmethod
    def of(cls, environment: Mapping[str, str], pid: int) -> "Supervisor":
        """Make the supervisor that the environment describes: see sd_notify(3) and sd_watchdog_enabled(3)."""
        address = environment.get("NOTIFY_SOCKET", "")
        if address[:1] not in ("/", "@"):
            # No systemd: a supervisor without an address does nothing.
            return cls()
        microseconds = environment.get("WATCHDOG_USEC", "")
        # The variables may be for another process, which has started this one.
        mine = environment.get("WATCHDOG_PID", str(pid)) == str(pid)
        # Three messages in the time that systemd allows, which is in microseconds.
        every = int(microseconds) / 3e6 if mine and microseconds.isascii() and microseconds.isdecimal() else 0.0
        return cls(address, every)

    def ready(self) -> None:
        """Notify systemd that the ports are open."""
        self._say("READY=1")

    def stopping(self) -> None:
        """Notify systemd that the host stops."""
        self._say("STOPPING=1")

    def status(self, words: str) -> None:
        """Set the line that `systemctl status` shows."""
        self._say(f"STATUS={words}")

    def alive(self, now: float) -> None:
        """
        Called regularly by the reactor: send a watchdog message if one is due. Three are sent in the time after which
        systemd would restart the host.

        :param now: seconds of a clock that never goes back
        """
        if self._every and now >= self._due:
            self._due = now + self._every
            self._say("WATCHDOG=1")

    def _say(self, words: str) -> None:
        """Send a message to the socket of systemd, if there is one."""
        if not self._address:
            return
        # An address that begins with @ is in the abstract name space of Linux: the system wants a NUL in place of the
        # @.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC) as one:
                one.sendto(words.encode("utf-8"), address)
        except OSError as error:
            log.warn("systemd cannot be notified of {words!r}: {error}", words=words, error=str(error))


def install_signal_handlers(from_thread: Callable[..., Any], hangups: Sequence[Callable[[], None]]) -> None:
    """
    Install handlers for signals that would end the process. SIGHUP calls `hangups`, SIGUSR1 logs what every thread is
    doing, SIGUSR2 does nothing. SIGPIPE is ignored: the write to the closed pipe fails instead.

    :param from_thread: calls a function on the reactor's thread
    :param hangups: functions that open files again; they raise `BadOption` or `OSError` if they cannot, and continue to
        use the old file
    """

    def hang_up() -> None:
        """Called after SIGHUP: opens all files again, also after a fault in one of them, and logs the faults."""
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
                # The fault is logged already, so its text is empty, but it counts.
                faults.append("")
        # Log each fault once: several listeners may use one folder.
        for fault in filter(None, dict.fromkeys(faults)):
            log.error("SIGHUP: {fault}; the old one remains in use", fault=fault)
        if not faults:
            log.info("SIGHUP: the log and the certificates are opened again")

    def user_1() -> None:
        log.info("SIGUSR1: the next lines say what each thread is doing")
        log_stacks(log)

    # Python may call a signal handler anywhere in the code, so pass the work to the reactor.
    for number, call in (
        (signal.SIGHUP, hang_up),
        (signal.SIGUSR1, user_1),
        # Without a handler, this signal would end the process.
        (signal.SIGUSR2, lambda: log.info("SIGUSR2 has no effect")),
    ):
        signal.signal(number, lambda *_, call=call: from_thread(call))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


#: How many files a host needs besides its connections: for the store, the log, listeners, the reactor, connections that
#: are being refused, and a reserve.
OTHER_FILES = 112


def raise_fd_limit() -> None:
    """Raise the soft limit of open files to the hard limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a sandbox may forbid this; it sets the limit itself then
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fd_budget(wanted: int) -> int:
    """
    How many connections this process may have, according to its limit of open files. Logs a warning if this is less
    than `wanted`.

    A host without a free file cannot write its high-water mark. So `OTHER_FILES` are reserved for the host itself.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return wanted
    # At least one connection, even if the limit is smaller than the reserve.
    room = max(1, files - OTHER_FILES)
    if room < wanted:
        log.warn(
            "room for {room} connections, not {wanted}: the process may open {files} files (LimitNOFILE=, ulimit -n)",
            room=room,
            wanted=wanted,
            files=files,
        )
    return room
