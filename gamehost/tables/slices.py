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

from gamehost.tables.scheduler import SHARE, FairScheduler

R = TypeVar("R")

#: Steps of a slice, and seconds after which it ends earlier. A step is an entry of a record, so most records are one slice.
STEPS = 256
SECONDS = 0.002
#: Steps between two looks at the clock.
BETWEEN = 16
#: The same where slices have turns among busy connections. They take half of each round.
BETWEEN_IN_TURN = 4


@define(eq=False)
class _Work:
    steps: Generator[None, None, Any]
    done: Callable[[Any], None]


@define(eq=False)
class Slices:
    """
    Works that have their slices one after the other.

    :param clock: sets the slices
    :param scheduler: gives each slice a turn among busy connections, so that players have most of the time; `None`: there is a
        slice in each turn of the reactor
    """

    #: In turns of addresses, it is one.
    address = "slices"

    _clock: IReactorTime
    _scheduler: FairScheduler | None = None
    _waiting: deque[_Work] = field(init=False, default=Factory(deque))
    _next: IDelayedCall | None = field(init=False, default=None)

    def run(
        self, steps: Generator[None, None, R], done: Callable[[R | Exception], None], has_time: bool = False
    ) -> None:
        """
        Do the first slice now if there is time, and the others in later turns.

        :param steps: the work; its return value is the result
        :param done: called once with the result, or with what the work has raised
        :param has_time: whether there is time, because this is a part of other work
        """
        work, scheduler = _Work(steps, done), self._scheduler
        if not (has_time or scheduler is None or scheduler.has_time()) or not self._slice(work):
            self._waiting.append(work)
            if len(self._waiting) == 1:
                self._wait()

    def halt(self) -> None:
        """Do nothing more of what waits."""
        self._waiting.clear()
        if self._scheduler is not None:
            self._scheduler.leave(self)
        elif self._next is not None:
            self._next.cancel()

    def _wait(self) -> None:
        if self._scheduler is not None:
            self._scheduler.wait(self)
        else:
            self._next = self._clock.callLater(0, self.go_on)

    def go_on(self) -> None:
        """Use a turn: do a slice of the next work."""
        self._next = None
        work = self._waiting[0]
        try:
            if not self._slice(work):
                self._waiting.append(work)  # each has one slice before the next round
        finally:
            if self._waiting:  # nothing waits if the work had it halted
                self._waiting.popleft()
            if self._waiting:
                self._wait()

    def _slice(self, work: _Work) -> bool:
        """Whether the work is done with this slice."""
        seconds, between = (SECONDS, BETWEEN) if self._scheduler is None else (SHARE / 2, BETWEEN_IN_TURN)
        ends = self._clock.seconds() + seconds
        result: Any
        try:
            for step in range(1, STEPS + 1):
                next(work.steps)
                if step % between == 0 and self._clock.seconds() >= ends:
                    return False
        except StopIteration as stop:
            result = stop.value
        except Exception as error:
            result = error
        else:
            return False
        work.done(result)
        return True
