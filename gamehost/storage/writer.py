"""
The one thread that writes. It takes everything that is queued, commits it as one group, and says so with one call on
the reactor's thread; while it commits, the next group gathers. No timer ever delays anything to make a group larger.

Any failure is final: nothing of that group is acknowledged, nothing is tried again, nothing later is looked at.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Protocol

from attrs import define, field

from gamehost.storage.store import Change


class CommitTarget(Protocol):
    """What the writer writes to."""

    def commit(self, changes: Sequence[Change]) -> None:
        """Make a group durable, or raise."""

    def mark(self) -> None:
        """Note beside the journal how long it is now, or raise."""

    def close(self) -> None:
        """End well: nothing more comes."""


@define(eq=False)
class Writer:
    """
    The thread, and the queue before it.

    `put`, `run` and `stop` are for the reactor's thread.
    """

    _ledger: CommitTarget
    #: Has a callable called on the reactor's thread, in the order of the calls.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called there with the number of changes that have become durable, once a group.
    _durable: Callable[[int], None]
    #: Called there, at most once, with what went wrong.
    _broken: Callable[[str], None]
    #: Seconds, monotonic.
    _clock: Callable[[], float]
    #: Seconds between two marks.
    _mark_every: float = 1.0
    _queue: "SimpleQueue[Sequence[Change] | None]" = field(factory=SimpleQueue)
    #: Seconds on the clock when a mark is due; `None`: nothing has changed since the last.
    _mark_due: float | None = None
    _ending: bool = False
    _ended: bool = False
    _on_end: list[Callable[[], None]] = field(factory=list)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to write."""
        self._thread = threading.Thread(target=self._live, name="gamehost-journal", daemon=True)
        self._thread.start()

    def put(self, *changes: Change) -> None:
        """Queue changes. Returns at once."""
        self._queue.put(changes)

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Commit what is queued, and end.

        :param stopped: called on the reactor's thread after everything else that the writer has to say, whether it
            ended well or broke
        """
        if self._ended:
            stopped()
            return
        self._on_end.append(stopped)
        self._queue.put(None)

    def _live(self) -> None:
        """The thread."""
        try:
            while not self._ending:
                self._turn()
            self._ledger.mark()
            self._ledger.close()
        except Exception as error:
            self._from_thread(partial(self._broken, f"{type(error).__name__}: {error}"))
        finally:
            self._from_thread(self._end)

    def _end(self) -> None:
        """On the reactor's thread: the last that is heard of the writer's."""
        if self._thread is not None:
            self._thread.join()
        self._ended = True
        for stopped in self._on_end:
            stopped()

    def _turn(self) -> None:
        """Wait for something to do, and do it."""
        patience = None if self._mark_due is None else max(0.0, self._mark_due - self._clock())
        with suppress(Empty):
            self._commit(self._queue.get(timeout=patience))
        if self._mark_due is not None and self._clock() >= self._mark_due:
            self._ledger.mark()
            self._mark_due = None

    def _commit(self, first: Sequence[Change] | None) -> None:
        """Commit this and everything behind it as one group."""
        changes: list[Change] = []
        queued = first
        try:
            while True:
                if queued is None:
                    self._ending = True
                else:
                    changes += queued
                queued = self._queue.get_nowait()
        except Empty:
            pass
        if not changes:
            return
        self._ledger.commit(changes)
        self._from_thread(partial(self._durable, len(changes)))
        if self._mark_due is None:
            self._mark_due = self._clock() + self._mark_every
