"""How far behind the disk is, and what the host is told to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import Pressure
from gamehost.measures import Histogram
from gamehost.storage.writer import Backlog, BacklogLimits
from gamehost.testing.journal_contract import nothing


class BacklogTests(SynchronousTestCase):
    """What `gamehost.storage.writer` says of itself."""

    def setUp(self) -> None:
        self.now = 100.0
        self.backlog = Backlog(lambda: self.now)

    def test_nothing_waits_at_first(self) -> None:
        """An empty backlog has no age, and presses nobody, however long it is empty."""
        self.now += 1000
        self.assertEqual((self.backlog.waiting, self.backlog.size, self.backlog.age), (0, 0, 0.0))
        self.assertIs(self.backlog.pressure, Pressure.NONE)

    def test_the_oldest_counts(self) -> None:
        """The age is that of the change that has waited longest; what became durable waits no more."""
        self.backlog.add(10, nothing)
        self.now += 1
        self.backlog.add(20, nothing)
        self.now += 0.125
        self.assertEqual((self.backlog.waiting, self.backlog.size, self.backlog.age), (2, 30, 1.125))
        self.backlog.done(1)
        self.assertEqual((self.backlog.waiting, self.backlog.size, self.backlog.age), (1, 20, 0.125))

    def test_times_are_measured_when_somebody_wants_to_know(self) -> None:
        """Each change counts, from its own beginning to the moment in which all of its group was told."""
        self.backlog.add(10, nothing)
        self.backlog.done(1)
        self.backlog.measures.acknowledged = histogram = Histogram((1.0, 2.0))
        self.backlog.add(10, nothing)
        self.now += 1
        self.backlog.add(20, partial(setattr, self, "now", self.now + 1))
        self.backlog.add(30, nothing)
        self.backlog.done(2)
        self.assertEqual((histogram.counts, histogram.total), ([1, 1, 0], 3.0))

    def test_levels_by_age(self) -> None:
        """A quarter of a second, two seconds, ten seconds: the level begins after that, not at it."""
        self.backlog.add(1, nothing)
        found = []
        for later in (0.25, 0.26, 2.0, 2.01, 10.0, 10.01):
            self.now = 100.0 + later
            found.append(self.backlog.pressure.name)
        self.assertEqual(found, ["NONE", "PAUSE", "PAUSE", "REFUSE", "REFUSE", "GIVE_UP"])
        self.backlog.done(1)
        self.assertIs(self.backlog.pressure, Pressure.NONE)

    def test_levels_by_number_and_size(self) -> None:
        """More changes or more bytes than may wait refuse at once."""
        self.backlog = Backlog(lambda: self.now, BacklogLimits(most_waiting=3, most_bytes=100))
        for _ in range(3):
            self.backlog.add(1, nothing)
        self.assertIs(self.backlog.pressure, Pressure.NONE)
        self.backlog.add(1, nothing)
        self.assertIs(self.backlog.pressure, Pressure.REFUSE)
        self.backlog.done(4)
        self.backlog.add(100, nothing)
        self.assertIs(self.backlog.pressure, Pressure.NONE)
        self.backlog.add(1, nothing)
        self.assertIs(self.backlog.pressure, Pressure.REFUSE)

    def test_documented_bounds(self) -> None:
        """Ten thousand changes, or eight mebibytes."""
        self.assertEqual((BacklogLimits().most_waiting, BacklogLimits().most_bytes), (10_000, 8_388_608))

    def test_a_callback_that_raises_stops_no_other(self) -> None:
        """All are called, in order, inside the group; what was raised is raised again at the end."""
        called: list[str] = []

        @contextmanager
        def group() -> Iterator[None]:
            called.append("in")
            yield
            called.append("out")

        def fails() -> None:
            called.append("fails")
            raise RuntimeError("planted")

        backlog = Backlog(lambda: self.now, BacklogLimits(), group)
        backlog.add(1, partial(called.append, "first"))
        backlog.add(1, fails)
        backlog.add(1, partial(called.append, "last"))
        error = self.assertRaises(ExceptionGroup, backlog.done, 3)
        self.assertEqual([str(inner) for inner in error.exceptions], ["planted"])
        self.assertEqual(called, ["in", "first", "fails", "last", "out"])
        self.assertEqual(backlog.waiting, 0)

    def test_a_callback_may_add(self) -> None:
        """What is added meanwhile is not taken for durable."""
        self.backlog.add(1, lambda: self.backlog.add(5, nothing))
        self.backlog.done(1)
        self.assertEqual((self.backlog.waiting, self.backlog.size), (1, 5))
