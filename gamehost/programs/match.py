"""
One seat of one match: what its player is to hear, and when it may answer; and the thinking for many matches. Pure.

Thinking may take a second, so it can be done in a thread: `work` gives what is to be done, and `done` takes the result. What is
told meanwhile waits. An answer is followed by another one only when it was judged, so nothing is said twice.

Many matches share one thread (`ThinkingQueue`): one match after another, in turns by groups, and less effort for each the more
of them wait.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field, frozen

from gamehost.players.base import Player


@define(eq=False)
class Match:
    """
    One match.

    :param player: of the seat
    """

    player: Player
    #: Whether the match is over, or cannot go on.
    over: bool = False
    _unheard: list[Any] = field(factory=list)
    _refused: list[bytes] = field(factory=list)
    #: The answer that is not judged yet.
    _said: bytes | None = None
    _working: bool = False

    def hear(self, event: Any, judged: bool = True) -> None:
        """
        Take an event of the game's master.

        :param judged: whether it can be what came of the own answer
        """
        self._unheard.append(event)
        if judged:
            self._said = None

    def refuse(self) -> None:
        """The answer had no effect."""
        if self._said is not None:
            self._refused.append(self._said)
            self._said = None

    def work(self) -> Callable[[], bytes | None] | None:
        """What is to be done now, at any place: it touches the player alone. `None`: nothing."""
        if self._working or self.over or not (self._unheard or self._refused):
            return None
        self._working = True
        events, refused = self._unheard, self._refused
        self._unheard, self._refused = [], []
        player, silent = self.player, self._said is not None

        def think() -> bytes | None:
            for event in events:
                player.hear(event)
            for notation in refused:
                player.refused(notation)
            return None if silent else player.answer()

        return think

    def done(self, answer: bytes | None) -> bytes | None:
        """What was done has given this. Returns what is to be said now; `None`: nothing."""
        self._working = False
        if answer is None or self.over:
            return None
        self._said = answer
        return answer


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
class ThinkingQueue:
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
