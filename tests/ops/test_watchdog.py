"""What watches over a host: a reactor that stands still is told of, and three broken tables within a minute end it."""

import threading
import time
from typing import NoReturn

from twisted.internet.task import Clock
from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.ops.watchdog import Watchdog, fault_breaker, stacks
from tests.kit.reactors import logged


class WatchdogCase(SynchronousTestCase):
    """A watchdog whose time is set by hand."""

    def setUp(self) -> None:
        self.now = 100.0
        self.lines = logged(self)
        self.watchdog = Watchdog(lambda: self.now, beat_at=self.now, looked_at=self.now)

    def pass_time(self, seconds: float, beating: bool) -> None:
        """Looks as often as the thread does, with beats between them or without."""
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            if beating:
                self.watchdog.beat()
            self.watchdog.look()


class StandstillTests(WatchdogCase):
    def test_reactor_that_turns(self) -> None:
        """Nothing is said, for as long as it does."""
        self.pass_time(60, beating=True)
        self.pass_time(0.9, beating=False)
        self.pass_time(60, beating=True)
        self.assertEqual(self.lines.events, [])

    def test_standstill(self) -> None:
        """After a second it is told, once, with every thread's place; and again when it is over."""
        self.pass_time(5, beating=False)
        [words] = self.lines.of(LogLevel.critical)
        self.assertEqual(words, "the reactor has not run for 1.1 s")
        [mine] = [line for line in self.lines.of(LogLevel.error) if line.startswith("thread MainThread: ")]
        self.assertRegex(mine, r"ops/watchdog.py:\d+ stacks < .* ops/test_watchdog.py:\d+ pass_time <")
        self.lines.events.clear()
        self.pass_time(1, beating=True)
        self.assertEqual(self.lines.of(LogLevel.warn), ["the reactor runs again, after 5.1 s"])

    def test_every_standstill_is_told(self) -> None:
        """The second one as the first."""
        for _ in range(2):
            self.pass_time(2, beating=False)
            self.pass_time(2, beating=True)
        self.assertEqual(len(self.lines.of(LogLevel.critical)), 2)

    def test_process_that_stood_still(self) -> None:
        """Stopped and continued from outside: it is said, and no thread is blamed."""
        self.now += 30
        self.watchdog.look()
        self.assertEqual(self.lines.of(LogLevel.warn), ["the whole process did not run for 30.0 s"])
        self.watchdog.beat()
        self.pass_time(5, beating=True)
        self.assertEqual(self.lines.of(LogLevel.critical), [])


class ThreadTests(WatchdogCase):
    def test_blocked_for_real(self) -> None:
        """A thread finds a main thread that does not beat, and ends when it is told to."""
        watchdog = Watchdog(time.monotonic, patience=0.03, every=0.005)
        watchdog.start()
        until = time.monotonic() + 5
        while not self.lines.of(LogLevel.critical) and time.monotonic() < until:
            sum(range(1000))
        watchdog.stop()
        self.assertEqual(len(self.lines.of(LogLevel.critical)), 1)
        self.assertNotIn("gamehost-watchdog", [thread.name for thread in threading.enumerate()])

    def test_stacks_hold_no_values(self) -> None:
        """Row 153: places alone."""

        def inner(password: str) -> str:
            return repr(list(stacks()))

        self.assertNotIn("hunter2", inner("hunter2"))
        self.assertIn("test_stacks_hold_no_values", inner("hunter2"))


class Ended(Exception):
    """What ends a process, in a test."""


class BellTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.bell = fault_breaker(self.clock, self.end)
        self.lines = logged(self)

    def end(self, reason: str) -> NoReturn:
        raise Ended(reason)

    def ring(self, table: int) -> None:
        self.bell(TableId(table))

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
