"""The signs of life of a member."""

from collections.abc import Callable

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.cluster.membership import EVERY, Beats


class BeatsTests(SynchronousTestCase):
    """Beats on a clock."""

    def setUp(self) -> None:
        self.clock: Clock = Clock()
        self.asked: list[Callable[[], None]] = []
        self.beats = Beats(self.clock, self.asked.append)

    def test_one_after_the_other(self) -> None:
        """The next beat comes when the last one is durable, and some time after that."""
        self.beats.begin()
        self.assertEqual(self.asked, [])
        self.clock.advance(0)
        self.clock.advance(10 * EVERY)
        self.assertEqual(len(self.asked), 1)
        self.asked[0]()
        self.clock.advance(EVERY / 2)
        self.assertEqual(len(self.asked), 1)
        self.clock.advance(EVERY / 2)
        self.assertEqual(len(self.asked), 2)

    def test_an_early_end(self) -> None:
        """A host whose start fails has not begun."""
        self.beats.begin()
        self.beats.halt()
        self.clock.advance(EVERY)
        self.assertEqual(self.asked, [])

    def test_the_end(self) -> None:
        """A host that stops beats no more, and leaves no timer behind."""
        self.beats.begin()
        self.assertEqual(self.asked, [])
        self.clock.advance(0)
        self.asked[0]()
        self.beats.halt()
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.asked[0]()
        self.assertEqual(self.clock.getDelayedCalls(), [])
