"""
Thinking for many matches at once: one thread, one match after another, and less effort for each the more of them wait.
"""

from collections.abc import Callable
from typing import Any

from attrs import define

#: Does the first function in a thread, then the second one with its result.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

#: Seconds from a question to its answer; an answer is told within 2 seconds, and this leaves a margin.
WITHIN = 1.2
#: The least share of a level's effort.
LEAST = 0.02


@define(eq=False)
class Thinking:
    """
    The queue of a process.

    :param worker: has one thread
    :param seconds: the time, as everybody feels it
    """

    _worker: Worker
    _seconds: Callable[[], float]
    #: How many wait, the one that thinks included.
    waiting: int = 0

    def __call__(self, work: Callable[[float], Any], done: Callable[[Any], None]) -> None:
        """
        Queue some thinking.

        :param work: is given its share of a level's effort; it must not raise
        :param done: is called with the result
        """
        asked = self._seconds()
        self.waiting += 1

        def think() -> Any:
            return work(self.effort(self._seconds() - asked))

        def thought(result: Any) -> None:
            self.waiting -= 1
            done(result)

        self._worker(think, thought)

    def effort(self, waited: float) -> float:
        """The share of the effort for one that has waited for so many seconds. The longest answers take about a second."""
        return max(LEAST, min(1.0, (WITHIN - waited) / max(1, self.waiting)))
