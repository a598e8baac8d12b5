"""One worker thread, for work that would block the reactor for too long, such as password digests."""

from collections.abc import Callable
from typing import Any

from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool


class SerialWorker:
    """
    Does one piece of work at a time, in the order in which they were given.

    :param reactor: results are delivered on its thread
    """

    log = Logger()

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        #: Pieces of work that are queued or being done.
        self.waiting = 0
        self._pool = ThreadPool(0, 1, "gamehost-worker")

    def start(self) -> None:
        """Start the thread. Work that was given before is done now."""
        self._pool.start()

    def stop(self) -> None:
        """Finish the current work, and end the thread."""
        self._pool.stop()

    def __call__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """
        Queue a piece of work.

        :param work: runs on the worker thread; it must not raise
        :param done: called on the reactor's thread with the result
        """
        self.waiting += 1

        def finished(result: Any) -> Any:
            self.waiting -= 1
            return result

        # In a tuple, because a result that is a Failure would otherwise count as an error of the Deferred.
        given = deferToThreadPool(self._reactor, self._pool, lambda: (work(),))
        given.addBoth(finished).addCallback(lambda result: done(*result)).addErrback(self._failed)

    def _failed(self, failure: Failure) -> None:
        self.log.failure("the result of a piece of work could not be used", failure)
