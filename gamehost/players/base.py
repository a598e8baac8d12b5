"""
What every player shares: levels, the limit on thinking, and the source of random numbers.

A player depends on three things: what its seat was told, its seed, and the number of nodes that it may visit. With the same
three it gives the same moves. A limit in seconds is a second bound for slow machines; without a clock it is not used.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from math import exp
from typing import Any, Protocol, TypeVar, runtime_checkable

from attrs import define, field, frozen
from msgspec import Struct

from gamehost.games.base import Seat

T = TypeVar("T")

_MASK = 2**64 - 1


class Level(StrEnum):
    """How strong a player is, from the weakest to the strongest."""

    RANDOM = "random"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Player(Protocol):
    """A player in one seat of one match."""

    def hear(self, event: Any) -> None:
        """Take an event of the game's master that this seat may know, or what `GameMaster.view` gives to this seat."""

    def answer(self) -> bytes | None:
        """The next action in the game's notation; `None`: this seat has nothing to do now. It changes nothing but the luck."""

    def refused(self, notation: bytes) -> None:
        """
        The host refused this answer. The next answer is another one where the game has cause for it: a player that has come
        back may not know every move on which the rules depend.
        """


@frozen
class Weighed:
    """What a player thinks of an action that was taken in its seat."""

    #: By seat, what it may expect to win before the action if all play well: from 0 to 1, and 1 together.
    shares: tuple[float, ...]
    #: What the player would have done.
    best: bytes
    #: How much less the seat may expect after the action than after that.
    lost: float


@runtime_checkable
class Weigher(Protocol):
    """A player that can say what it thinks of an action, so that finished matches can be studied."""

    def weigh(self, action: bytes) -> Weighed | None:
        """
        What this seat, which is about to take an action in the game's notation, gives away by it; the same for the same match.

        `None`: such an action cannot be weighed.
        """


class Standing(Struct, frozen=True):
    """After entry `n`: what each seat might expect to win, in percent of a victory."""

    n: int
    shares: list[int]


class TurningPoint(Struct, frozen=True):
    """Entry `n`: a `seat` took an `action`, and gave away `lost` percent of a victory. `better` is what it should have done."""

    n: int
    seat: int
    action: str
    better: str
    lost: int


def expected(value: float, scale: float) -> float:
    """
    What a side may expect to win, from 0 to 1.

    :param value: what the position is worth to it; 0 is even
    :param scale: of the values; with so much ahead, nearly three of four are won
    """
    return 1 / (1 + exp(-max(-50.0, min(50.0, value / scale))))


def weighed(seat: Seat, scale: float, best: bytes, value: float, taken: float) -> Weighed:
    """
    An action of a game of two.

    :param value: what the position is worth to this seat with the best action
    :param taken: the same with the action that was taken
    """
    share = expected(value, scale)
    shares = (share, 1 - share) if seat == 0 else (1 - share, share)
    return Weighed(shares, best, max(0.0, share - expected(taken, scale)))


#: Makes the player of a match.
NewPlayer = Callable[[Seat, "Level", "Thinking"], Player]


@define(eq=False)
class Thinking:
    """What a player is given to think with. The effort may change from one answer to the next."""

    #: Decides among equal moves, and draws what is unknown.
    chance: "SeededChance"
    #: `time.process_time`; `None`: only nodes are counted.
    clock: Callable[[], float] | None = None
    #: The share of the level's nodes and seconds that is used: less than 1 when many matches share the processor.
    effort: float = 1.0

    def budget(self, nodes: int, seconds: float) -> "Budget":
        """The budget of one answer."""
        return Budget(round(nodes * self.effort), seconds * self.effort, self.clock)


class OutOfBudget(Exception):
    """A search has used up its nodes or its time."""


@define(eq=False)
class Budget:
    """How much one answer may cost."""

    #: Nodes that may still be visited.
    nodes: int
    #: CPU seconds for the answer; used only with a clock.
    seconds: float = 0.0
    #: `time.process_time`; `None`: nodes alone count.
    clock: Callable[[], float] | None = None
    _end: float = field(init=False, default=0.0)

    def __attrs_post_init__(self) -> None:
        if self.clock is not None:
            self._end = self.clock() + self.seconds

    def spend(self) -> None:
        """
        Visit one node.

        :raises OutOfBudget: there are no nodes or no time left
        """
        self.nodes -= 1
        # A look at the clock costs as much as a node, so only every 32nd node looks.
        if self.nodes < 0 or (self.clock is not None and not self.nodes & 31 and self.clock() > self._end):
            raise OutOfBudget


class SeededChance:
    """Random numbers that are the same for the same seed on every machine (the generator is SplitMix64)."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((mixed ^ (mixed >> 31)) * n) >> 64

    def one_of(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[self.below(len(items))]
