"""
Time slicing among busy connections: those that have sent more than is handled in one turn. What is done for strangers who look
something up has turns among them.

In a round, busy connections are handled one after the other, for at most `SHARE` seconds in all. Then the rest has the
reactor for `PAUSE` seconds: players who send one message at a time, and the journal's thread, which needs the
interpreter. So honest players wait for one share at most, however many connections are busy.
"""

from collections import OrderedDict
from typing import Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.limits import TokenBucket

#: Seconds of one connection's turn, and of a round of turns.
SHARE = 0.0005

#: Seconds between two rounds: busy connections get a fifth of the time.
PAUSE = 0.002

#: Pieces of work for strangers that have no turn, at once and a second in the long run: such as requests, and answers to
#: questions. A piece takes about a quarter of a millisecond. A message of somebody who is at no table is a part of one.
AT_ONCE, AT_ONCE_PER_SECOND = 16, 200.0
MESSAGE = 0.25


class Scheduled(Protocol):
    """A busy connection."""

    def go_on(self) -> None:
        """Use this turn: handle messages for at most `SHARE` seconds, and call `wait` again if there are more."""


@define(eq=False)
class FairScheduler:
    """The busy connections that wait for a turn, in the order in which they came."""

    _clock: IReactorTime
    #: Anybody in it waits.
    waiting: OrderedDict[Scheduled, None] = field(factory=OrderedDict)
    #: Has its turn at the beginning of each round, if it waits: one that works for many clients.
    first: Scheduled | None = None
    _next: IDelayedCall | None = None
    _at_once: TokenBucket = field(
        init=False,
        default=Factory(lambda self: TokenBucket(AT_ONCE_PER_SECOND, AT_ONCE, self._clock.seconds()), takes_self=True),
    )
    #: Seconds on the clock before which there is no round.
    _not_before: float = 0.0

    def wait(self, scheduled: Scheduled) -> None:
        """Give a connection a turn, after those that wait already."""
        self.waiting[scheduled] = None
        if self._next is None:
            self._next = self._clock.callLater(max(0.0, self._not_before - self._clock.seconds()), self._go_around)

    def has_time(self, pieces: float = 1.0) -> bool:
        """Whether so many pieces of work are done now, without a turn: nobody waits, and there were few of them lately."""
        return not self.waiting and self._at_once.take(self._clock.seconds(), pieces)

    def leave(self, scheduled: Scheduled) -> None:
        """Give a connection no turn. Does nothing if it does not wait."""
        if scheduled in self.waiting:
            del self.waiting[scheduled]
            self._rest()

    def _go_around(self) -> None:
        clock = self._clock
        ends = clock.seconds() + SHARE
        # The next round is scheduled first, so that an error in one turn does not cost the others theirs.
        self._next = clock.callLater(PAUSE, self._go_around)
        if self.first is not None and self.first in self.waiting:
            self.waiting.move_to_end(self.first, last=False)
        for _ in range(len(self.waiting)):
            if not self.waiting:
                break  # a turn made the others leave
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
