"""
Whose turn it is, of those who have more to be heard than fits into one.

All of them together get a share of the reactor's time, one after the other, and then everybody else has it for a while:
the players who say one thing at a time, and the journal's thread, which needs the interpreter. So what honest players
wait for is the share, however many others have their connections full.
"""

from collections import OrderedDict
from typing import Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

#: Seconds in which one connection is heard before it is the next one's turn, and of a round in which all are that wait.
SHARE = 0.001

#: Seconds between two rounds: two thirds of the time are not theirs.
PAUSE = 0.002


class Scheduled(Protocol):
    """Who has more to be heard."""

    def go_on(self) -> None:
        """It is your turn: be heard for no more than `SHARE`, and wait again for the rest."""


@define(eq=False)
class FairScheduler:
    """Those who wait for their turn, in the order in which they came."""

    _clock: IReactorTime
    #: Anybody in it waits.
    waiting: OrderedDict[Scheduled, None] = field(factory=OrderedDict)
    _next: IDelayedCall | None = None
    #: Seconds on the clock before which there is no round.
    _not_before: float = 0.0

    def wait(self, scheduled: Scheduled) -> None:
        """Have somebody's turn come, behind everybody who waits already."""
        self.waiting[scheduled] = None
        if self._next is None:
            self._next = self._clock.callLater(max(0.0, self._not_before - self._clock.seconds()), self._go_around)

    def leave(self, scheduled: Scheduled) -> None:
        """Have nobody's turn come any more; nothing happens to who does not wait."""
        if scheduled in self.waiting:
            del self.waiting[scheduled]
            self._rest()

    def _go_around(self) -> None:
        clock = self._clock
        ends = clock.seconds() + SHARE
        # Scheduled first: a fault in somebody's turn takes nobody else's.
        self._next = clock.callLater(PAUSE, self._go_around)
        for _ in range(len(self.waiting)):
            if not self.waiting:
                break  # somebody's turn made the others leave
            scheduled, _ = self.waiting.popitem(last=False)
            scheduled.go_on()
            if clock.seconds() >= ends:
                break
        self._not_before = clock.seconds() + PAUSE
        if self._next is not None:
            self._next.reset(PAUSE)
        self._rest()

    def _rest(self) -> None:
        if not self.waiting and self._next is not None:
            self._next.cancel()
            self._next = None
