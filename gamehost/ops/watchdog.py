"""
A thread that sees when the reactor stands still, and says where.

Everything in a host happens in turns of one reactor, and a turn that takes a second is a fault: everybody waits. The
reactor beats; the watchdog looks whether it does, and logs once for every standstill what each thread is doing: files,
lines and functions, and nothing that a variable holds.
"""

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType

from attrs import define, field
from twisted.logger import Logger

from gamehost.ops.logging import frames

#: Seconds without a beat that are a standstill.
STANDSTILL = 1.0

#: Seconds between two looks.
LOOK_EVERY = 0.1


@define(eq=False)
class Watchdog:
    """
    :param clock: seconds, monotonic
    :param patience: seconds without a beat that are a standstill
    """

    _clock: Callable[[], float] = time.monotonic
    _patience: float = STANDSTILL
    _every: float = LOOK_EVERY
    _beat_at: float = 0.0
    _looked_at: float = 0.0
    #: When the last beat before the standstill was that has been told of; `None`: the reactor turns.
    _told: float | None = None
    _over: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None

    log = Logger()

    def start(self) -> None:
        """Begin to look. The first beat is now."""
        self._beat_at = self._looked_at = self._clock()
        self._thread = threading.Thread(target=self._watch, name="gamehost-watchdog", daemon=True)
        self._thread.start()

    def beat(self) -> None:
        """The reactor turns. Called by it at least every `LOOK_EVERY` seconds or so."""
        self._beat_at = self._clock()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            self.look()

    def look(self) -> None:
        """See whether the reactor has turned, and say so if it has not."""
        now, beat_at = self._clock(), self._beat_at
        own_gap = now - self._looked_at
        self._looked_at = now
        if self._told is not None and beat_at != self._told:
            self.log.warn("the reactor turns again, after {seconds:.1f} s", seconds=beat_at - self._told)
            self._told = None
        if own_gap > self._patience:
            # This thread could not run either, so nobody knows what the reactor was doing.
            self.log.warn("the whole process stood still for {seconds:.1f} s", seconds=own_gap)
        elif now - beat_at > self._patience and self._told is None:
            self._told = beat_at
            self.log.critical("the reactor has stood still for {seconds:.1f} s", seconds=now - beat_at)
            log_stacks(self.log)


def log_stacks(log: Logger) -> None:
    """Say what every thread is doing, one line each."""
    for name, where in stacks():
        log.error("thread {name}: {where}", name=name, where=where)


def stacks() -> Iterator[tuple[str, str]]:
    """Every thread's name, and where it is, innermost first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        yield names.get(number, str(number)), frames(_summary(frame))


def _summary(frame: FrameType) -> traceback.StackSummary:
    summary = traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)
    summary.reverse()
    return summary
