"""
What stands for the reactor in the journal's tests: a queue of calls, carried out by whoever waits for something.
"""

from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from attrs import define, field

from gamehost.storage.durable import DurableJournal
from gamehost.storage.sqlite import open_journal


@define(eq=False)
class Pump:
    """Calls from other threads, carried out on this one."""

    broken: list[str] = field(factory=list)
    _calls: "SimpleQueue[Callable[[], None]]" = field(factory=SimpleQueue)

    def from_thread(self, call: Callable[[], None]) -> None:
        """To be handed to the journal."""
        self._calls.put(call)

    def until(self, done: Callable[[], bool], patience: float = 20.0) -> None:
        """Carry calls out until something is so, or none has come for so many seconds."""
        while not done():
            try:
                self._calls.get(timeout=patience)()
            except Empty:
                raise AssertionError(f"nothing happened for {patience:.0f} seconds") from None

    def open(self, path: Path, **more: Any) -> DurableJournal:
        """A journal whose callbacks come through here."""
        more.setdefault("guard", False)
        return open_journal(path, self.from_thread, self.broken.append, **more)

    def settle(self, journal: DurableJournal) -> None:
        """Wait until everything is durable, and every question is answered."""
        self.until(lambda: bool(not (journal.backlog.waiting or journal.unanswered) or self.broken))
        assert not self.broken, self.broken

    def stop(self, journal: DurableJournal) -> None:
        """Wait until the journal is closed."""
        stopped: list[bool] = []
        journal.stop(lambda: stopped.append(True))
        self.until(lambda: bool(stopped))
