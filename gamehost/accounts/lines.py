"""
Lines of log-ins that wait: for the quota of an account or of an address, or for the worker.

A line is served in rounds. In each round every turn-taker, such as an address, has one log-in served. So somebody who has
one log-in in a line waits for one round at most, however many log-ins the others have there.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import partial
from typing import Generic, Protocol, TypeVar

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.limits import KeyedBuckets

K = TypeVar("K", bound=Hashable)
T = TypeVar("T", bound=Hashable)
A = TypeVar("A", bound="Waiter")

#: Tokens that are missing and are not waited for: less than the rounding of times.
_ROUNDING = 1e-6


class Waiter(Protocol):
    """What can wait in a line."""

    #: Leave the line; `None`: it is in no line.
    leave: Callable[[], None] | None
    #: Give back the tokens that it has got.
    spent: list[Callable[[], None]]


class Rounds(Generic[T, A]):
    """Waiters by turn-taker. A round takes the oldest waiter of each, in the order in which the turn-takers came."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[T, deque[A]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, taker: T, waiter: A, first: bool = False) -> None:
        """
        Add a waiter behind the others of this turn-taker.

        :param first: be next instead
        """
        waiters = self._waiting.setdefault(taker, deque())
        if first:
            waiters.appendleft(waiter)
            self._waiting.move_to_end(taker, last=False)
        else:
            waiters.append(waiter)

    def pop(self) -> A:
        """
        The next waiter.

        :raises KeyError: nobody waits
        """
        taker, waiters = self._waiting.popitem(last=False)
        waiter = waiters.popleft()
        if waiters:
            self._waiting[taker] = waiters
        return waiter

    def remove(self, taker: T, waiter: A) -> None:
        """A waiter leaves."""
        waiters = self._waiting[taker]
        waiters.remove(waiter)
        if not waiters:
            del self._waiting[taker]


@define(eq=False)
class _Line(Generic[T, A]):
    rounds: Rounds[T, A] = field(factory=Rounds)
    timer: IDelayedCall | None = None
    served: bool = False


class QuotaLines(Generic[K, T, A]):
    """
    A quota for each key, and a line of those who are over it.

    :param rate: tokens a second
    :param burst: tokens of a full quota
    :param clock: the time
    :param within: a context that is entered around the answers that a timer leads to
    :param go_on: called for each waiter that has got its token
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        clock: IReactorTime,
        within: AbstractContextManager[object],
        go_on: Callable[[A], None],
    ) -> None:
        self._buckets: KeyedBuckets[K] = KeyedBuckets(rate, burst)
        self._clock = clock
        self._within = within
        self._go_on = go_on
        self._lines: dict[K, _Line[T, A]] = {}

    def enter(self, key: K, taker: T, waiter: A) -> None:
        """Take a token and go on, now or when it is this waiter's turn."""
        line = self._lines.get(key)
        if line is None:
            if self.take(key, waiter):
                self._go_on(waiter)
                return
            line = self._lines[key] = _Line()
        line.rounds.put(taker, waiter)
        waiter.leave = partial(self._leave, key, taker, waiter)
        if line.timer is None and not line.served:
            self._wait(key, line)

    def __len__(self) -> int:
        return sum(len(line.rounds) for line in self._lines.values())

    def take(self, key: K, waiter: A | None = None) -> bool:
        """Take a token, for this waiter or for good, if there is one."""
        now = self._clock.seconds()
        taken = self._buckets.of(key, now).take(now)
        if taken and waiter is not None:
            waiter.spent.append(partial(self.give_back, key))
        return taken

    def has_one(self, key: K) -> bool:
        """Whether there is a token to take."""
        now = self._clock.seconds()
        return self._buckets.of(key, now).has_one(now)

    def give_back(self, key: K) -> None:
        """Put a token back. The next in the line has it, in the next turn of the reactor."""
        self._buckets.of(key, self._clock.seconds()).give_back()
        line = self._lines.get(key)
        if line is not None and line.timer is not None:
            line.timer.reset(0)

    def close(self) -> None:
        """Forget all who wait, and their timers."""
        for line in self._lines.values():
            if line.timer is not None:
                line.timer.cancel()
        self._lines.clear()

    def _leave(self, key: K, taker: T, waiter: A) -> None:
        waiter.leave = None
        line = self._lines.get(key)
        if line is None:
            return
        line.rounds.remove(taker, waiter)
        if not line.rounds and line.timer is not None:
            line.timer.cancel()
            del self._lines[key]

    def _wait(self, key: K, line: _Line[T, A]) -> None:
        now = self._clock.seconds()
        line.timer = self._clock.callLater(self._buckets.of(key, now).seconds_to_one(now), self._due, key, line)

    def _due(self, key: K, line: _Line[T, A]) -> None:
        line.timer = None
        line.served = True
        try:
            with self._within:
                self._serve(key, line)
        finally:
            line.served = False
            if self._lines.get(key) is not line:
                pass  # closed meanwhile
            elif line.rounds:
                self._wait(key, line)
            else:
                del self._lines[key]

    def _serve(self, key: K, line: _Line[T, A]) -> None:
        """Have waiters go on while there are tokens."""
        while line.rounds:
            now = self._clock.seconds()
            bucket = self._buckets.of(key, now)
            if bucket.seconds_to_one(now) > _ROUNDING:
                return
            bucket.take_ahead(now)
            waiter = line.rounds.pop()
            waiter.leave = None
            waiter.spent.append(partial(self.give_back, key))
            self._go_on(waiter)
