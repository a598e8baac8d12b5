"""The operator's bell: one broken table is told, three within a minute end the host."""

from typing import NoReturn

from twisted.internet.task import Clock
from twisted.logger import LogLevel, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.ops.child_process import FaultBreaker
from tests.kit.logged import Lines


class Ended(Exception):
    """What ends a process, in a test."""


class BellTests(SynchronousTestCase):
    """Ringing."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.bell = FaultBreaker(self.clock, self.end)
        self.lines = Lines()
        globalLogPublisher.addObserver(self.lines)
        self.addCleanup(globalLogPublisher.removeObserver, self.lines)

    def end(self, reason: str) -> NoReturn:
        """The process is over."""
        raise Ended(reason)

    def ring(self, table: int) -> None:
        """One table more has stopped."""
        self.bell.suspended(TableId(table))

    def test_every_table_is_told_to_the_operator(self) -> None:
        """Row 123: at the highest level, with its number and what will become of it."""
        self.ring(7)
        [event] = self.lines.of(LogLevel.critical)
        self.assertIn("table 7 is suspended", event)
        self.assertIn("3 such tables within 60 seconds end the host", event)

    def test_three_within_a_minute_end_the_host(self) -> None:
        """Row 123: the third is one too many, however they are spread over the minute."""
        self.ring(1)
        self.clock.advance(30)
        self.ring(2)
        self.clock.advance(30)
        error = self.assertRaises(Ended, self.ring, 3)
        self.assertIn("3 tables were suspended within 60 seconds", str(error))

    def test_slower_ones_do_not(self) -> None:
        """A fault every half minute and a bit goes on for ever; then two more at once are too many."""
        for table in range(20):
            self.ring(table)
            self.clock.advance(30.1)
        self.ring(20)
        self.assertRaises(Ended, self.ring, 21)
