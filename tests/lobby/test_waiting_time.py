"""Players who wait in a queue for a day."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.queues import LONGEST, WaitingTime
from gamehost.lobby.sessions import Session
from tests.kit.memory_host import MemoryHost


class WaitingTimeTests(SynchronousTestCase):
    """One timer for all who wait."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.late: list[str] = []
        self.times = WaitingTime(self.clock, lambda session: self.late.append(session.name))
        self.ann, self.bob, self.carl = (Session(name, "w", "", False, None) for name in ("ann", "bob", "carl"))

    def test_each_after_a_day(self) -> None:
        """In the order in which they came; whoever stops is not called."""
        for session in (self.ann, self.bob, self.carl):
            self.times.start(session)
            self.clock.advance(10)
        self.times.stop(self.ann)
        self.times.stop(self.ann)
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)
        self.clock.pump([LONGEST - 30, 9.5, 0.5])
        self.assertEqual(self.late, ["bob"])
        self.clock.advance(10)
        self.assertEqual((self.late, self.clock.getDelayedCalls()), (["bob", "carl"], []))

    def test_no_timer_for_nobody(self) -> None:
        """If the last one stops, or the host does, the timer ends."""
        self.times.start(self.ann)
        self.times.stop(self.ann)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.times.start(self.ann)
        self.times.halt()
        self.assertEqual(self.clock.getDelayedCalls(), [])


class QueueTests(SynchronousTestCase):
    """On real wires."""

    def test_a_player_who_waits_for_a_day(self) -> None:
        """The client is told why, the connection ends, and the name and the place in the queue are free."""
        for strict in (False, True):
            host = MemoryHost(strict=strict)
            ann = host.connect("onitama", "192.0.2.1")
            ann.say("LOGIN|ann")
            host.wait(LONGEST - 1)
            self.assertFalse(ann.closed)
            self.assertIsNotNone(host.lobby.registry.get("ann"))
            ann.heard()
            host.wait(1)
            self.assertIs("nobody came for a day" in "".join(ann.heard()), not strict)
            host.wait(host.limits.close_seconds)
            self.assertTrue(ann.closed)
            self.assertIsNone(host.lobby.registry.get("ann"))
            host.connect("onitama", "192.0.2.2").say("LOGIN|bob")
            self.assertFalse(host.lobby.tables)
