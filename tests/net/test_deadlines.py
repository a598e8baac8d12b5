"""The deadlines of a connection."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.deadlines import Cork, Deadline, Deadlines


class DeadlinesTests(SynchronousTestCase):
    """A deadline is due once, unless it is cancelled before."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.cork = Cork()
        self.deadlines = Deadlines(self.clock, self.cork)
        self.due: list[str] = []

    def test_due(self) -> None:
        """It is called after its seconds, and does not run any more then: it can be set again from there."""

        def again() -> None:
            self.due.append("first")
            self.deadlines.set(Deadline.LOGIN, 1, lambda: self.due.append("second"))

        self.deadlines.set(Deadline.LOGIN, 2, again)
        self.assertIn(Deadline.LOGIN, self.deadlines)
        self.clock.advance(1.9)
        self.assertEqual(self.due, [])
        self.clock.advance(0.1)
        self.assertEqual(self.due, ["first"])
        self.clock.advance(1)
        self.assertEqual(self.due, ["first", "second"])
        self.assertFalse(self.deadlines)

    def test_cancelled(self) -> None:
        """One is cancelled, or all are; cancelling a deadline that is not running does nothing."""
        for deadline in Deadline:
            self.deadlines.set(deadline, 1, lambda: self.due.append("due"))
        self.deadlines.cancel(Deadline.ALARM)
        self.deadlines.cancel(Deadline.ALARM)
        self.assertNotIn(Deadline.ALARM, self.deadlines)
        self.assertIn(Deadline.LOGIN, self.deadlines)
        self.deadlines.cancel_all()
        self.assertFalse(self.deadlines)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_what_is_sent_when_it_is_due_is_one_write(self) -> None:
        """The call is made under the cork."""
        flushes: list[str] = []

        class Flushed:
            """Notes its flushes."""

            def flush(self) -> None:
                """Note one."""
                flushes.append("flushed")

        def due() -> None:
            self.cork.add(Flushed())
            self.due.append(f"{len(flushes)} before the end")

        self.deadlines.set(Deadline.ALARM, 1, due)
        self.clock.advance(1)
        self.assertEqual((self.due, flushes), (["0 before the end"], ["flushed"]))
