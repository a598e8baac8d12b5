"""
The writer's thread. It commits everything that is queued as one group, and reports that with
one call on the reactor's thread. Meanwhile the next group collects. No timer delays a commit to make a group larger.

A failure is final: nothing of that group is acknowledged, nothing is tried again, and later changes are ignored.

A second thread writes the high-water marks, so that no commit waits for one.

The thread can also do long work, such as a copy of the store, in slices: between two slices it commits what is queued.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Protocol

from attrs import define, field

from gamehost.measures import JournalMeasures
from gamehost.storage.contents import Change


class WorkStopped(Exception):
    """Long work ends before it is done: the writer stops."""


#: Commits what is queued now and within so many seconds. Raises `WorkStopped`, or the error of a commit that has failed.
Between = Callable[[float], None]
#: Long work, called on the writer's thread. It raises nothing of its own.
Work = Callable[[Between], None]


class CommitTarget(Protocol):
    """The store behind the writer; each method raises if it fails."""

    def commit(self, changes: Sequence[Change]) -> None:
        """Make a group durable."""

    def mark(self) -> Callable[[], None]:
        """A function that writes the high-water mark as it is now, for any thread. It raises if it fails."""

    def close(self) -> None:
        """End in order: nothing more is written."""


@define(eq=False)
class Writer:
    """
    The thread and its queue.

    `start`, `put` and `stop` are for the reactor's thread.
    """

    _target: CommitTarget
    #: Calls a function on the reactor's thread, in the order of the calls.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called there with the number of changes that have become durable, once a group.
    _durable: Callable[[int], None]
    #: Called there, at most once, with the error.
    _broken: Callable[[str], None]
    #: Seconds, monotonic.
    _clock: Callable[[], float]
    _measures: JournalMeasures = field(factory=JournalMeasures)
    #: Called on the thread after the last write, before the target is closed: ends the reads beside it.
    _before_close: Callable[[], None] = lambda: None
    #: Seconds between two marks, and changes between two marks.
    _mark_every: float = 0.1
    _mark_changes: int = 500
    _queue: "SimpleQueue[Sequence[Change] | None]" = field(factory=SimpleQueue)
    #: Seconds on the clock when a mark is due; `None`: nothing has changed since the last.
    _mark_due: float | None = None
    #: Changes since the last mark.
    _unmarked: int = 0
    #: Functions that write marks, for the second thread.
    _marks: "SimpleQueue[Callable[[], None] | None]" = field(factory=SimpleQueue)
    _mark_failure: Exception | None = None
    _works: deque[Work] = field(factory=deque)
    #: A commit has failed during long work.
    _work_failure: Exception | None = None
    _ending: bool = False
    _ended: bool = False
    _on_end: list[Callable[[], None]] = field(factory=list)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._live, name="gamehost-journal", daemon=True)
        self._thread.start()

    def put(self, changes: Sequence[Change]) -> None:
        """Queue changes, if there are any. They are committed together, and nothing may be added to them any more."""
        if changes:
            self._queue.put(changes)

    def work(self, work: Work) -> None:
        """Queue long work. Returns at once. Work that is still queued when the thread has ended is called then, and stopped."""
        self._works.append(work)
        if self._ended:
            self._stop_works()
        else:
            self._queue.put(())

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Commit what is queued, and end.

        :param stopped: called on the reactor's thread after all other calls, also if a write has failed
        """
        if self._ended:
            stopped()
            return
        self._on_end.append(stopped)
        self._queue.put(None)

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _live(self) -> None:
        """The body of the thread: commit changes, do longer work between commits, and at the end close the store."""
        try:
            marking = threading.Thread(target=self._write_marks, name="gamehost-marks", daemon=True)
            marking.start()
            try:
                while not self._ending:
                    self._turn(None)
                    if self._works and not self._ending:
                        self._works.popleft()(self._between)
                        if self._work_failure is not None:
                            raise self._work_failure
                self._marks.put(None)
                marking.join()
                self._raise_mark_failure()
            finally:
                self._before_close()
            self._target.mark()()
            self._target.close()
        except Exception as error:
            self._from_thread(partial(self._broken, f"{type(error).__name__}: {error}"))
        finally:
            self._ending = True
            self._from_thread(self._end)

    def _between(self, seconds: float) -> None:
        if self._ending:
            raise WorkStopped
        try:
            self._turn(seconds)
        except Exception as error:
            self._work_failure = error
            raise
        if self._ending:
            raise WorkStopped

    def _end(self) -> None:
        """The last call on the reactor's thread."""
        self.join()
        self._ended = True
        self._stop_works()
        for stopped in self._on_end:
            stopped()

    def _stop_works(self) -> None:
        while self._works:
            self._works.popleft()(self._between)

    def _turn(self, seconds: float | None) -> None:
        """Wait for changes or for the time of the next mark, at most for so many seconds, and do what is due."""
        patience = seconds
        if self._mark_due is not None:
            until_mark = max(0.0, self._mark_due - self._clock())
            patience = until_mark if seconds is None else min(seconds, until_mark)
        with suppress(Empty):
            self._commit(self._queue.get(timeout=patience))
        self._raise_mark_failure()
        if self._mark_due is not None and (self._clock() >= self._mark_due or self._unmarked >= self._mark_changes):
            self._marks.put(self._target.mark())
            self._mark_due = None
            self._unmarked = 0

    def _write_marks(self) -> None:
        """The second thread. If it is behind, it writes the newest mark alone."""
        while (write := self._marks.get()) is not None:
            if not self._marks.empty():
                continue
            try:
                write()
            except Exception as error:
                self._mark_failure = error
                self._queue.put(())  # the first thread may be waiting
                return

    def _raise_mark_failure(self) -> None:
        """
        :raises Exception: a mark could not be written
        """
        if self._mark_failure is not None:
            raise self._mark_failure

    def _commit(self, first: Sequence[Change] | None) -> None:
        """Commit this and everything else in the queue as one group."""
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
        begun = perf_counter()
        self._target.commit(changes)
        self._measures.commits.observe(perf_counter() - begun)
        self._measures.groups.observe(len(changes))
        self._from_thread(partial(self._durable, len(changes)))
        self._unmarked += len(changes)
        if self._mark_due is None:
            self._mark_due = self._clock() + self._mark_every
