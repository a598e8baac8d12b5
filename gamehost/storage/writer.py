"""
The thread that writes to the store. It commits all queued changes as one group, and reports the commit with one call on
the reactor's thread. New changes wait in the queue during the commit. No timer delays a commit to make a group larger.

A failure is final: no change of this group is acknowledged, nothing is tried again, and later changes are ignored.

A second thread writes the high-water marks, so that no commit waits for a mark.

The writer can also do long work in slices, such as copying the store. Between two slices it commits the queued changes.
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
    """Long work must end, although it is not complete, because the writer stops."""


#: A function that long work calls between two slices, with a number of seconds. It commits the changes that are queued
#: now, or that come within these seconds. Raises `WorkStopped`, or the error of a failed commit.
Between = Callable[[float], None]
#: Long work, called on the writer's thread with a `Between`. It must not raise errors of its own.
Work = Callable[[Between], None]


class CommitTarget(Protocol):
    """The store to which the writer writes. Each method raises an error if it fails."""

    def commit(self, changes: Sequence[Change]) -> None:
        """Write changes in one transaction. They are durable when this returns."""

    def mark(self) -> Callable[[], None]:
        """
        A function that writes the current high-water mark. It may be called on any thread, and raises an error if it
        fails.
        """

    def close(self) -> None:
        """Close the store: nothing more is written."""


@define(eq=False)
class Writer:
    """The writer's thread with its queue. `start`, `put`, `work` and `stop` must be called on the reactor's thread."""

    _target: CommitTarget
    #: Calls a function on the reactor's thread, in the order of the calls.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called on the reactor's thread after each commit, with the number of changes that are durable now.
    _durable: Callable[[int], None]
    #: Called on the reactor's thread, at most once, with the text of the error.
    _broken: Callable[[str], None]
    #: Returns seconds that never go back.
    _clock: Callable[[], float]
    _measures: JournalMeasures = field(factory=JournalMeasures)
    #: Called on the writer's thread after the last write, before the store is closed: stops the reader.
    _before_close: Callable[[], None] = lambda: None
    #: A mark is written when this many seconds have passed, or this many changes were made, since the last mark.
    _mark_every: float = 0.1
    _mark_changes: int = 500
    _queue: "SimpleQueue[Sequence[Change] | None]" = field(factory=SimpleQueue)
    #: When the next mark is due, in seconds of the clock; `None`: nothing has changed since the last mark.
    _mark_due: float | None = None
    #: Changes since the last mark.
    _unmarked: int = 0
    #: The functions that write marks, for the second thread.
    _marks: "SimpleQueue[Callable[[], None] | None]" = field(factory=SimpleQueue)
    _mark_failure: Exception | None = None
    _works: deque[Work] = field(factory=deque)
    #: The error of a commit that has failed during long work.
    _work_failure: Exception | None = None
    _ending: bool = False
    _ended: bool = False
    _on_end: list[Callable[[], None]] = field(factory=list)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._live, name="gamehost-journal", daemon=True)
        self._thread.start()

    def put(self, changes: Sequence[Change]) -> None:
        """
        Queue changes, if there are any. They are committed together. The caller must not change the sequence
        afterwards.
        """
        if changes:
            self._queue.put(changes)

    def work(self, work: Work) -> None:
        """
        Queue long work, and return at once. Work that is queued when the thread ends is called afterwards, and its
        first `Between` raises `WorkStopped`.
        """
        self._works.append(work)
        if self._ended:
            self._stop_works()
        else:
            # An empty group wakes the thread, which then finds the work.
            self._queue.put(())

    def stop(self, stopped: Callable[[], None]) -> None:
        """
        Commit the queued changes, and end the thread.

        :param stopped: called on the reactor's thread after all other calls, also if a write has failed
        """
        if self._ended:
            # The thread has ended already, so nothing would call `stopped`.
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
                # End the second thread, so that it does not write an old mark after the last one.
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
        """
        See `Between`. Long work calls this between two slices: it commits what is queued.

        :raises WorkStopped: the writer ends, and the work must end, too
        """
        if self._ending:
            raise WorkStopped
        try:
            self._turn(seconds)
        # The writer stops with this error when the work has ended.
        except Exception as error:
            self._work_failure = error
            raise
        if self._ending:
            raise WorkStopped

    def _end(self) -> None:
        """Called last on the reactor's thread: stop the queued work, and report the end."""
        self.join()
        self._ended = True
        self._stop_works()
        for stopped in self._on_end:
            stopped()

    def _stop_works(self) -> None:
        """Call the queued work after the end of the thread, so that it reports that it was stopped."""
        while self._works:
            self._works.popleft()(self._between)

    def _turn(self, seconds: float | None) -> None:
        """
        Wait for changes or until the next mark is due, at most `seconds`; `None`: without a limit. Then commit, and
        write the mark if it is due.
        """
        patience = seconds
        if self._mark_due is not None:
            until_mark = max(0.0, self._mark_due - self._clock())
            patience = until_mark if seconds is None else min(seconds, until_mark)
        # `Empty`: no changes came in this time.
        with suppress(Empty):
            self._commit(self._queue.get(timeout=patience))
        self._raise_mark_failure()
        # A mark is due some time after the first commit that it does not include, or after many changes.
        if self._mark_due is not None and (self._clock() >= self._mark_due or self._unmarked >= self._mark_changes):
            self._marks.put(self._target.mark())
            self._mark_due = None
            self._unmarked = 0

    def _write_marks(self) -> None:
        """The body of the second thread. If several marks wait, only the newest is written."""
        while (write := self._marks.get()) is not None:
            if not self._marks.empty():
                # A newer mark waits.
                continue
            try:
                write()
            except Exception as error:
                self._mark_failure = error
                self._queue.put(())  # wakes the first thread, which finds the failure
                return

    def _raise_mark_failure(self) -> None:
        """
        Report a failure of the second thread.

        :raises Exception: a mark could not be written
        """
        if self._mark_failure is not None:
            raise self._mark_failure

    def _commit(self, first: Sequence[Change] | None) -> None:
        """Commit `first` and everything else in the queue as one group. `None` in the queue ends the thread."""
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
            # The first commit since the last mark.
            self._mark_due = self._clock() + self._mark_every
