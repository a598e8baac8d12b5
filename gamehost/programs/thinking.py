"""
Thinking for many matches at once: one thread, one match after another, in turns by groups, and less effort for each the more of
them wait.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field, frozen

#: Does the first function in a thread, then the second one with its result.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

#: Seconds from a question to its answer; an answer is told within 2 seconds, and this leaves a margin.
WITHIN = 1.2
#: The least share of a level's effort.
LEAST = 0.02


@frozen
class _Question:
    """Some thinking that waits."""

    work: Callable[[float], Any]
    done: Callable[[Any], None]
    asked: float


@define(eq=False)
class Thinking:
    """
    The queue of a process. Groups take turns, so that one with many matches keeps no other one waiting.

    :param worker: has one thread
    :param seconds: the time, as everybody feels it
    """

    _worker: Worker
    _seconds: Callable[[], float]
    #: By the number of the group, the one first whose turn it is.
    _groups: OrderedDict[int, deque[_Question]] = field(factory=OrderedDict)
    _busy: bool = False

    @property
    def waiting(self) -> int:
        """How many wait, the one that thinks included."""
        return sum(map(len, self._groups.values())) + self._busy

    def __call__(self, work: Callable[[float], Any], done: Callable[[Any], None], group: int = 0) -> None:
        """
        Queue some thinking.

        :param work: is given its share of a level's effort; it must not raise
        :param done: is called with the result
        :param group: in whose turn it is done
        """
        self._groups.setdefault(group, deque()).append(_Question(work, done, self._seconds()))
        self._next()

    def _next(self) -> None:
        if self._busy or not self._groups:
            return
        group, questions = next(iter(self._groups.items()))
        effort = self._effort(questions)
        question = questions.popleft()
        if not questions:
            del self._groups[group]
        self._busy = True

        def thought(result: Any) -> None:
            self._busy = False
            if group in self._groups:
                self._groups.move_to_end(group)
            self._next()
            question.done(result)

        self._worker(partial(question.work, effort), thought)

    def _effort(self, questions: deque[_Question]) -> float:
        """
        The share of the effort for the first question of a group. The longest answers take about a second.

        :param questions: all of this group
        """
        left = WITHIN - (self._seconds() - questions[0].asked)
        return max(LEAST, min(1.0, left / (len(questions) * len(self._groups))))
