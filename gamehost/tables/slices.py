"""
Work that takes long, in slices: one slice in each turn of the reactor, so that nobody waits for the whole of it.

A record of many entries is carried out this way. It cannot go to a thread, because that would take the interpreter's lock from
the reactor for longer than a slice takes.
"""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

R = TypeVar("R")

#: Steps of a slice, and seconds after which it ends earlier. A step is an entry of a record, so most records are one slice.
STEPS = 256
SECONDS = 0.002
#: Steps between two looks at the clock.
BETWEEN = 16


@define(eq=False)
class _Work:
    steps: Generator[None, None, Any]
    done: Callable[[Any], None]


@define(eq=False)
class Slices:
    """
    Works that have their slices one after the other.

    :param clock: sets the slices
    :param seconds: of one slice
    :param pause: seconds between two slices
    :param between: steps between two looks at the clock
    """

    _clock: IReactorTime
    _seconds: float = SECONDS
    _pause: float = 0.0
    _between: int = BETWEEN
    _waiting: deque[_Work] = field(init=False, default=Factory(deque))
    _next: IDelayedCall | None = field(init=False, default=None)

    def run(self, steps: Generator[None, None, R], done: Callable[[R | Exception], None]) -> None:
        """
        Do the first slice now, and the others in later turns.

        :param steps: the work; its return value is the result
        :param done: called once with the result, or with what the work has raised
        """
        work = _Work(steps, done)
        if not self._slice(work):
            self._waiting.append(work)
            if len(self._waiting) == 1:
                self._next = self._clock.callLater(self._pause, self._go_on)

    def halt(self) -> None:
        """Do nothing more of what waits."""
        self._waiting.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _go_on(self) -> None:
        self._next = None
        work = self._waiting[0]
        try:
            if not self._slice(work):
                self._waiting.append(work)  # each has one slice before the next round
        finally:
            if self._waiting:  # nothing waits if the work had it halted
                self._waiting.popleft()
            if self._waiting:
                self._next = self._clock.callLater(self._pause, self._go_on)

    def _slice(self, work: _Work) -> bool:
        """Whether the work is done with this slice."""
        ends = self._clock.seconds() + self._seconds
        result: Any
        try:
            for step in range(1, STEPS + 1):
                next(work.steps)
                if step % self._between == 0 and self._clock.seconds() >= ends:
                    return False
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            result = error
        else:
            return False
        work.done(result)
        return True
