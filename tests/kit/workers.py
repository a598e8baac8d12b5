"""A worker whose work is done when the test says so."""

from collections.abc import Callable
from typing import Any


class HeldWorker:
    """Keeps what it is given until `release`."""

    def __init__(self) -> None:
        self.held: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        #: How many pieces of work were done.
        self.done = 0

    def __call__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        self.held.append((work, done))

    def release(self, number: int | None = None) -> int:
        """Do so many pieces of work (all, and what comes of them too), oldest first; how many were done."""
        before = self.done
        while self.held and (number is None or self.done - before < number):
            work, done = self.held.pop(0)
            self.done += 1
            done(work())
        return self.done - before
