"""The back room: work is done in a thread of its own, and told in the reactor's."""

import threading
from functools import partial

from twisted.internet import defer, reactor
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

from gamehost.ops.worker import SerialWorker


class BackRoomTests(TestCase):
    """On the real reactor: there is no other way to see threads."""

    timeout = 20

    def setUp(self) -> None:
        self.room = SerialWorker(reactor)

    def test_one_at_a_time_elsewhere_and_told_here(self) -> "defer.Deferred[None]":
        """In the order in which it was given, what was given before the start too."""
        told: list[tuple[int, str, bool]] = []
        finished: defer.Deferred[None] = defer.Deferred()
        here = threading.current_thread()

        def done(number: int, thread: str) -> None:
            told.append((number, thread, threading.current_thread() is here))
            if len(told) == 5:
                finished.callback(None)

        for number in range(5):
            self.room(lambda: threading.current_thread().name, partial(done, number))
        self.assertEqual(self.room.waiting, 5)
        self.room.start()
        self.addCleanup(self.room.stop)

        def check(_: None) -> None:
            self.assertEqual([number for number, _, _ in told], list(range(5)))
            self.assertEqual({thread for _, thread, _ in told}, {"PoolThread-gamehost-worker-0"})
            self.assertTrue(all(is_here for _, _, is_here in told))
            self.assertEqual(self.room.waiting, 0)

        return finished.addCallback(check)

    def test_a_failure_is_told_like_anything_else(self) -> "defer.Deferred[None]":
        """Who waits for work that went wrong, and was given a failure for it, does not wait for ever."""
        told: defer.Deferred[object] = defer.Deferred()
        failure = Failure(MemoryError("planted"))
        self.room(lambda: failure, lambda given: told.callback((given,)))
        self.room.start()
        self.addCleanup(self.room.stop)
        return told.addCallback(lambda given: self.assertEqual(given, (failure,)))

    def test_stop_waits_for_no_more_than_what_is_being_done(self) -> None:
        """And a room that was never used closes too."""
        self.room.start()
        self.room.stop()
