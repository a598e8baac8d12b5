"""
The thread that answers what people ask, one question at a time. No change waits for it.

It reads beside the writer, through a connection of its own. If the store cannot be read, nothing is found, and the log says so.
That never ends the host: the writer finds out whether the disk is gone.
"""

import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from time import perf_counter
from typing import Protocol

from attrs import define, field

from gamehost.storage.questions import AnsweringStore, Question

#: Seconds between two answers, at most. The reader rests as long as an answer has taken.
LONGEST_REST = 0.1


class ReadableStore(AnsweringStore, Protocol):
    """A store that is open for reading. Every method but `interrupt` is called on the reader's thread."""

    def interrupt(self) -> None:
        """Have an answer given up that is being read."""

    def close(self) -> None:
        """End in order."""


@define(eq=False)
class Reader:
    """
    The thread and its queue.

    `start` and `put` are for the reactor's thread, `end` for any.
    """

    _store: ReadableStore
    #: Calls a function on the reactor's thread; the order of the calls is kept.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called there, with words for the log, when a question could not be answered.
    _warn: Callable[[str], None]
    _queue: "SimpleQueue[tuple[Question, Callable[[], None]] | None]" = field(factory=SimpleQueue)
    #: Questions that were not answered yet. For the reactor's thread.
    waiting: int = 0
    _ending: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._live, name="gamehost-reader", daemon=True)
        self._thread.start()

    def put(self, question: Question, answered: Callable[[], None]) -> None:
        """
        Queue a question. Returns at once.

        :param answered: called on the reactor's thread
        """
        self.waiting += 1
        self._queue.put((question, answered))

    def end(self) -> None:
        """Give up what is being read, leave all other questions without an answer, close the store, and wait for that."""
        self._ending.set()
        self._store.interrupt()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _live(self) -> None:
        """The thread."""
        while (asked := self._queue.get()) is not None:
            question, answered = asked
            begun = perf_counter()
            if not self._ending.is_set():
                self._ask(question)
            self._from_thread(partial(self._answer, answered))
            # The interpreter and the disk are for moves at least half of the time, however many questions wait.
            self._ending.wait(min(perf_counter() - begun, LONGEST_REST))
        self._store.close()

    def _ask(self, question: Question) -> None:
        try:
            question.ask(self._store)
        except Exception as error:
            if not self._ending.is_set():
                what = f"{type(question).__name__} was not answered: {type(error).__name__}: {error}"
                self._from_thread(partial(self._warn, what))

    def _answer(self, answered: Callable[[], None]) -> None:
        self.waiting -= 1
        answered()
