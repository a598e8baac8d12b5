"""
Where a game master gets its random numbers from.

A master is given a `Chance` and calls `below`. In a live match the numbers come from the operating system and are kept for
the journal. In a replay they come from the journal. In a test they come from a script.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

A = TypeVar("A")
T = TypeVar("T")


class Chance(Protocol):
    """Where a master gets its luck from."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1, each as likely as the others."""


class SystemChance:
    """
    Luck from the operating system, kept until the journal takes it.

    :param draw: gives a whole number from 0 to n-1; tests may hand in what they know beforehand
    """

    __slots__ = ("_draw", "_drawn")

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._draw = draw
        self._drawn: list[int] = []

    def below(self, n: int) -> int:
        outcome = self._draw(n)
        self._drawn.append(outcome)
        return outcome

    def take(self) -> tuple[int, ...]:
        """The outcomes since the last call, in order."""
        if not self._drawn:
            return ()
        drawn = tuple(self._drawn)
        self._drawn.clear()
        return drawn


class ScriptedChance:
    """Luck that is known beforehand: a journal's, or a test's."""

    def __init__(self, outcomes: Iterable[int] = ()) -> None:
        self._outcomes = list(outcomes)

    def feed(self, outcomes: Iterable[int]) -> None:
        """Add outcomes after those not yet used."""
        self._outcomes.extend(outcomes)

    def below(self, n: int) -> int:
        """
        :raises ValueError: the script is used up, or its next outcome does not fit
        """
        if not self._outcomes:
            raise ValueError("a draw was asked for that the script does not hold")
        outcome = self._outcomes.pop(0)
        if not 0 <= outcome < n:
            raise ValueError(f"the script says {outcome}, which is not in 0..{n - 1}")
        return outcome

    @property
    def unused(self) -> tuple[int, ...]:
        """What has not been asked for."""
        return tuple(self._outcomes)


class JournalledChance:
    """A master's luck: from the system, or from the journal during replay."""

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._live = SystemChance(draw)
        self._source: Chance = self._live

    def below(self, n: int) -> int:
        return self._source.below(n)

    def take(self) -> tuple[int, ...]:
        """What was drawn since the last call."""
        return self._live.take()

    def replay(self, drawn: Sequence[int], step: Callable[[], object]) -> None:
        """
        Run one step on outcomes that are known.

        :raises ValueError: the step draws more, or less, or something else
        """
        script = self._source = ScriptedChance(drawn)
        try:
            step()
        finally:
            self._source = self._live
        if script.unused:
            raise ValueError("the record holds draws that the rules did not ask for")


def shuffled(items: Iterable[T], chance: Chance) -> list[T]:
    """The same items in an order drawn from `chance` (Fisher and Yates: every order is as likely)."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result
