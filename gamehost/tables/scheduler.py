"""
Time slicing among busy connections: those that have sent more than is handled in one turn. What is done for strangers who look
something up has turns among them.

In a round, busy connections are handled one after the other, for at most `SHARE` seconds in all. Then the rest has the
reactor for `PAUSE` seconds: players who send one message at a time, and the journal's thread, which needs the
interpreter. So honest players wait for one share at most, however many connections are busy. Addresses have turns, and so
have the connections of each, so who comes alone waits for one turn of each address.
"""

from collections import OrderedDict
from typing import Protocol

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.limits import TokenBucket, rate_limit_key

#: Seconds of one connection's turn, and of a round of turns.
SHARE = 0.0005

#: Seconds between two rounds: busy connections get a ninth of the time.
PAUSE = 0.004

#: Pieces of work for strangers that have no turn, at once and a second in the long run: such as requests, and answers to
#: questions. A piece takes about a quarter of a millisecond. A message of somebody who is at no table is a part of one.
AT_ONCE, AT_ONCE_PER_SECOND = 16, 100.0
MESSAGE = 0.25


class Scheduled(Protocol):
    """A busy connection."""

    @property
    def address(self) -> str:
        """Whose turn it uses."""

    def go_on(self) -> None:
        """Use this turn: handle messages for at most `SHARE` seconds, and call `wait` again if there are more."""


@define(eq=False)
class FairScheduler:
    """The busy connections that wait for a turn."""

    _clock: IReactorTime
    #: By address, in the order in which they came. The first address has the next turn.
    _lines: OrderedDict[str, OrderedDict[Scheduled, None]] = field(factory=OrderedDict)
    #: How many wait.
    waiting: int = 0
    #: Has its turn at the beginning of each round, if it waits: one that works for many clients.
    first: str = ""
    _next: IDelayedCall | None = None
    _at_once: TokenBucket = field(
        init=False,
        default=Factory(lambda self: TokenBucket(AT_ONCE_PER_SECOND, AT_ONCE, self._clock.seconds()), takes_self=True),
    )
    #: Seconds on the clock before which there is no round.
    _not_before: float = 0.0
    #: Whether somebody has a turn at this moment, in which what they ask for is done, too.
    in_turn: bool = False

    def wait(self, scheduled: Scheduled) -> None:
        """Give a connection a turn, after those that wait already."""
        line = self._lines.setdefault(rate_limit_key(scheduled.address), OrderedDict())
        self.waiting += scheduled not in line
        line[scheduled] = None
        if self._next is None:
            self._next = self._clock.callLater(max(0.0, self._not_before - self._clock.seconds()), self._go_around)

    def has_time(self, pieces: float = 1.0) -> bool:
        """Whether so many pieces of work are done now, without a turn: nobody waits, and there were few of them lately."""
        return not self.waiting and self._at_once.take(self._clock.seconds(), pieces)

    def leave(self, scheduled: Scheduled) -> None:
        """Give a connection no turn. Does nothing if it does not wait."""
        key = rate_limit_key(scheduled.address)
        line = self._lines.get(key)
        if line is not None and scheduled in line:
            del line[scheduled]
            if not line:
                del self._lines[key]
            self.waiting -= 1
            self._rest()

    def _pop(self) -> Scheduled:
        """Whose turn is next."""
        key, line = next(iter(self._lines.items()))
        scheduled, _ = line.popitem(last=False)
        if line:
            self._lines.move_to_end(key)
        else:
            del self._lines[key]
        self.waiting -= 1
        return scheduled

    def _go_around(self) -> None:
        clock = self._clock
        ends = clock.seconds() + SHARE
        # The next round is scheduled first, so that an error in one turn does not cost the others theirs.
        self._next = clock.callLater(PAUSE, self._go_around)
        self.in_turn = True
        if self.first in self._lines:
            self._lines.move_to_end(self.first, last=False)
        for _ in range(self.waiting):
            if not self.waiting:
                break  # a turn made the others leave
            self._pop().go_on()
            if clock.seconds() >= ends:
                break
        self.in_turn = False
        self._not_before = clock.seconds() + PAUSE
        if self._next is not None:
            self._next.reset(PAUSE)
        self._rest()

    def _rest(self) -> None:
        if not self.waiting and self._next is not None:
            self._next.cancel()
            self._next = None
