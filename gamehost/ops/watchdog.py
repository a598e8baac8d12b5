"""
What watches over a host: a thread that notices when the reactor is blocked, and a count of tables that faults have stopped.

All work of a host is done in turns of one reactor, so all clients wait while one turn lasts. The reactor calls `beat`
regularly. If it does not for a second, the watchdog logs what each thread is doing, once: files, lines and functions, but
no values of variables.
"""

import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.journal.records import TableId
from gamehost.ops.logging import frames

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
            # This thread did not run either, so it cannot tell whether the reactor was blocked.
            self.log.warn("the whole process did not run for {seconds:.1f} s", seconds=own_gap)
        elif now - beat_at > self._patience and self._told is None:
            self._told = beat_at
            self.log.critical("the reactor has not run for {seconds:.1f} s", seconds=now - beat_at)
            log_stacks(self.log)


def log_stacks(log: Logger) -> None:
    """Log what every thread is doing, one line for each."""
    for name, where in stacks():
        log.error("thread {name}: {where}", name=name, where=where)


def stacks() -> Iterator[tuple[str, str]]:
    """The name of every thread, and its calls, innermost first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        yield names.get(number, str(number)), frames(_summary(frame))


def _summary(frame: FrameType) -> traceback.StackSummary:
    summary = traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)
    summary.reverse()
    return summary


#: So many suspended tables within so many seconds end the host.
MOST = 3
WITHIN = 60.0

log = Logger()


def fault_breaker(clock: IReactorTime, on_fatal: Callable[[str], None]) -> Callable[[TableId], None]:
    """
    What logs each table that is suspended, and ends the host if there were too many.

    :param on_fatal: called with the reason when the host must end; it does not return
    """
    suspended_at: deque[float] = deque(maxlen=MOST)

    def suspended(table: TableId) -> None:
        now = clock.seconds()
        suspended_at.append(now)
        log.critical(
            "table {table} is suspended because of the error above; its players were told; it continues after the next "
            "start of the host; {most} such tables within {within} seconds end the host",
            table=table,
            most=MOST,
            within=round(WITHIN),
        )
        if len(suspended_at) == MOST and now - suspended_at[0] <= WITHIN:
            on_fatal(f"{MOST} tables were suspended within {WITHIN:.0f} seconds; the log says by which faults")

    return suspended
