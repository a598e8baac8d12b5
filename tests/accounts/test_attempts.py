"""The queue of attempts to log in: two lines that are served in turn."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.attempts import LoginAttempt, WorkQueue


def attempt(name: str) -> LoginAttempt:
    """An attempt that nobody waits for."""
    return LoginAttempt(name, name, "192.0.2.1", b"", lambda outcome: None)


class WorkQueueTests(SynchronousTestCase):
    """`WorkQueue`."""

    def test_two_lines_are_served_in_turn(self) -> None:
        """The players of matches have every second piece of work, whatever the others do; within a line it is by age."""
        queue = WorkQueue(None)
        for name in ("a", "b", "c"):
            queue.put(attempt(name), seated=False)
        for name in ("x", "y"):
            queue.put(attempt(name), seated=True)
        self.assertEqual([queue.pop().name for _ in range(5)], ["x", "a", "y", "b", "c"])
        self.assertFalse(queue)

    def test_each_line_has_room_of_its_own(self) -> None:
        """A full line of other log-ins refuses no player of a match."""
        queue = WorkQueue(2)
        self.assertEqual([queue.put(attempt(name), seated=False) for name in "abc"], [True, True, False])
        self.assertEqual([queue.put(attempt(name), seated=True) for name in "xyz"], [True, True, False])

    def test_put_back_and_clear(self) -> None:
        """What is put back comes before the rest of the common line; a queue that was cleared is empty."""
        queue = WorkQueue(None)
        queue.put(attempt("a"), seated=False)
        queue.put_back(attempt("b"))
        self.assertEqual(queue.pop().name, "b")
        queue.clear()
        self.assertFalse(queue)
