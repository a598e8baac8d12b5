"""Thinking for many matches: the more of them wait, the less for each."""

from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.programs.thinking import LEAST, WITHIN, Thinking


class ThinkingTests(SynchronousTestCase):
    """A worker that works when the test says so."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.queue: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        self.think = Thinking(lambda work, done: self.queue.append((work, done)), self.clock.seconds)
        self.efforts: list[float] = []

    def ask(self) -> None:
        self.think(self.efforts.append, lambda result: None)

    def work(self, seconds: float = 0.0) -> None:
        """Do the first of the queue; it takes so long."""
        work, done = self.queue.pop(0)
        result = work()
        self.clock.advance(seconds)
        done(result)

    def test_alone(self) -> None:
        """One that is alone has the whole effort of its level."""
        self.ask()
        self.work()
        self.assertEqual((self.efforts, self.think.waiting), ([1.0], 0))

    def test_many(self) -> None:
        """Each takes its share of a second, so the last one is not late."""
        for _ in range(50):
            self.ask()
        while self.queue:
            self.work(self.think.effort(self.clock.seconds()))
        self.assertAlmostEqual(self.efforts[0], WITHIN / 50)
        self.assertLess(self.clock.seconds(), 2.0)
        self.assertGreaterEqual(min(self.efforts), LEAST)

    def test_late(self) -> None:
        """One that has waited too long answers with the least effort."""
        self.ask()
        self.clock.advance(5)
        self.work()
        self.assertEqual(self.efforts, [LEAST])
