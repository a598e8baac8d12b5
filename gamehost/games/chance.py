"""
The random numbers of game masters.

A master is given a `Chance` and calls `below`. In a live match the numbers come from the operating system and go to the
journal. In a replay they come from the journal. In a test they come from a script.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chance(Protocol):
    """A source of random numbers."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1. All are equally likely."""


class SystemChance:
    """
    Random numbers from the operating system. They are kept until the journal takes them.

    :param draw: returns a whole number from 0 to n-1; a test can pass a function of its own
    """

    __slots__ = ("_draw", "drawn")

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._draw = draw
        #: The numbers drawn since the last `take`, in order.
        self.drawn: list[int] = []

    def below(self, n: int) -> int:
        outcome = self._draw(n)
        self.drawn.append(outcome)
        return outcome

    def take(self) -> tuple[int, ...]:
        """The numbers drawn since the last call, in order."""
        drawn, self.drawn = tuple(self.drawn), []
        return drawn


class ScriptedChance:
    """Random numbers that are known in advance, from a journal or a test."""

    def __init__(self, outcomes: Iterable[int] = ()) -> None:
        self._outcomes = list(outcomes)

    def feed(self, outcomes: Iterable[int]) -> None:
        """Add numbers after those that are not used yet."""
        self._outcomes.extend(outcomes)

    def below(self, n: int) -> int:
        """
        :raises ValueError: no number is left, or the next one is not below `n`
        """
        if not self._outcomes:
            raise ValueError("the rules draw a number, and the record has no more")
        outcome = self._outcomes.pop(0)
        if not 0 <= outcome < n:
            raise ValueError(f"the next number of the record is {outcome}; expected 0 to {n - 1}")
        return outcome

    @property
    def unused(self) -> tuple[int, ...]:
        """The numbers that are not used yet."""
        return tuple(self._outcomes)


class JournalledChance(SystemChance):
    """Random numbers for one master: from the operating system, or from the journal during a replay."""

    __slots__ = ("_script",)

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        super().__init__(draw)
        #: The numbers from the journal; `None`: there is no replay.
        self._script: ScriptedChance | None = None

    def below(self, n: int) -> int:
        return super().below(n) if self._script is None else self._script.below(n)

    def replay(self, drawn: Sequence[int], step: Callable[[], T]) -> T:
        """
        Run one step with numbers from the journal.

        :param step: a call of the master
        :returns: what the step returned
        :raises ValueError: the step draws more numbers, or fewer, or from a smaller range
        """
        script = self._script = ScriptedChance(drawn)
        try:
            result = step()
        finally:
            self._script = None
        if script.unused:
            raise ValueError("the record has numbers that the rules did not draw")
        return result


def shuffled(items: Iterable[T], chance: Chance) -> list[T]:
    """The items in a random order (Fisher-Yates). All orders are equally likely."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result
