"""The back room: one thread, for what would take longer than a turn of the reactor may."""

from collections.abc import Callable
from typing import Any

from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool


class SerialWorker:
    """
    A worker: work is done in the order in which it was given, one piece at a time.

    :param reactor: in whose thread it is told that work is done
    """

    log = Logger()

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._pool = ThreadPool(0, 1, "gamehost-backroom")

    def start(self) -> None:
        """Open. What was given before is done now."""
        self._pool.start()

    def stop(self) -> None:
        """Finish what is being done, and close."""
        self._pool.stop()

    def __call__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """
        Have work done, which must not raise.

        :param done: called with what it gave
        """
        # In a tuple: a Deferred would take a Failure that the work gave for one that it had.
        given = deferToThreadPool(self._reactor, self._pool, lambda: (work(),))
        given.addCallback(lambda result: done(*result)).addErrback(self._failed)

    def _failed(self, failure: Failure) -> None:
        self.log.failure("what came of work in the back room could not be used", failure)
