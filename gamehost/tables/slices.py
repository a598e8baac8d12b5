"""
Work that takes long, in slices: one slice in each turn of the reactor, so that nobody waits for the whole of it.

A record of many entries is carried out this way. It cannot go to a thread, because that would take the interpreter's lock from
the reactor for longer than a slice takes.
"""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from attrs import Factory, define, field
from twisted.internet.interfaces import IReactorTime

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
    All such work of a host.

    :param clock: sets the slices
    """

    _clock: IReactorTime
    _waiting: deque[_Work] = field(init=False, default=Factory(deque))

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
                self._clock.callLater(0, self._go_on)

    def _go_on(self) -> None:
        work = self._waiting[0]
        try:
            if not self._slice(work):
                self._waiting.append(work)  # each has one slice before the next round
        finally:
            self._waiting.popleft()
            if self._waiting:
                self._clock.callLater(0, self._go_on)

    def _slice(self, work: _Work) -> bool:
        """Whether the work is done with this slice."""
        ends = self._clock.seconds() + SECONDS
        result: Any
        try:
            for step in range(1, STEPS + 1):
                next(work.steps)
                if step % BETWEEN == 0 and self._clock.seconds() >= ends:
                    return False
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            result = error
        else:
            return False
        work.done(result)
        return True
