"""The queue of attempts to log in: two lines that are served in turn."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginAttempt, WorkQueue


def attempt(name: str, new: bool = False, address: str = "192.0.2.1") -> LoginAttempt:
    """An attempt that nobody waits for."""
    return LoginAttempt(name, name, address, b"", lambda outcome: None, new=new)


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

    def test_addresses_are_served_in_rounds(self) -> None:
        """Many log-ins from one address do not delay one from elsewhere by more than one of them."""
        queue = WorkQueue(None)
        for name in ("a", "b", "c"):
            queue.put(attempt(name), seated=False)
        queue.put(attempt("z", address="198.51.100.7"), seated=False)
        self.assertEqual([queue.pop().name for _ in range(4)], ["a", "z", "b", "c"])

    def test_only_new_names_are_refused(self) -> None:
        """If too many of them wait; when one was worked on, there is room for the next."""
        queue = WorkQueue(2)
        self.assertEqual([queue.put(attempt(name, new=True), seated=False) for name in "abc"], [True, True, False])
        self.assertEqual([queue.put(attempt(name), seated=False) for name in "xyz"], [True, True, True])
        queue.pop()
        self.assertTrue(queue.put(attempt("d", new=True), seated=False))
        queue.clear()
        self.assertEqual([queue.put(attempt(name, new=True), seated=False) for name in "abc"], [True, True, False])

    def test_put_back_and_clear(self) -> None:
        """What is put back comes before the rest of the common line; a queue that was cleared is empty."""
        queue = WorkQueue(None)
        queue.put(attempt("a"), seated=False)
        queue.put_back(attempt("b"))
        self.assertEqual(queue.pop().name, "b")
        queue.clear()
        self.assertFalse(queue)
