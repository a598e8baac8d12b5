"""One timer for many: who is looked at, when, and that nothing is left of it."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import TokenBucket
from gamehost.net.deadlines import Ticker


class PulseTests(SynchronousTestCase):
    """`Ticker`."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.pulse = Ticker(self.clock)
        self.heard: list[tuple[str, float]] = []

    def join(self, name: str) -> None:
        self.pulse.join(name, 5.0, lambda now: self.heard.append((name, now)))

    def test_all_members_beat_together_on_one_timer(self) -> None:
        """Who joins later beats with the others."""
        self.join("ann")
        self.clock.advance(2)
        self.join("bob")
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)
        self.clock.advance(3)
        self.clock.advance(5)
        self.assertEqual(self.heard, [("ann", 5.0), ("bob", 5.0), ("ann", 10.0), ("bob", 10.0)])

    def test_no_timer_while_nobody_is_there(self) -> None:
        """The last to leave takes it with them; leaving twice, or without having joined, is nothing."""
        self.join("ann")
        self.join("bob")
        self.pulse.leave("ann")
        self.pulse.leave("ann")
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)
        self.pulse.leave("bob")
        self.pulse.leave("carl")
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.join("ann")
        self.clock.advance(5)
        self.assertEqual([name for name, _ in self.heard], ["ann"])

    def test_who_is_made_to_leave_by_another_is_not_looked_at(self) -> None:
        """Not even in the round that is under way."""
        self.pulse.join("ann", 5.0, lambda now: self.pulse.leave("bob"))
        self.join("bob")
        self.clock.advance(5)
        self.assertEqual(self.heard, [])


class GivenBackTests(SynchronousTestCase):
    """`TokenBucket.give_back`."""

    def test_a_token_given_back_can_be_taken_again(self) -> None:
        """And a full bucket does not run over."""
        bucket = TokenBucket(0.0, 1, 0.0)
        bucket.give_back()
        self.assertTrue(bucket.take(0.0))
        self.assertFalse(bucket.take(0.0))
        bucket.give_back()
        self.assertTrue(bucket.take(0.0))
        self.assertFalse(bucket.take(0.0))
