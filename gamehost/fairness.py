"""
Fairness: turns for connections, and for work that takes long.

A connection is busy if it has sent more than is handled at once. Busy connections have turns. Work for strangers with
questions has turns among them.

In a round, busy connections are handled one after the other, for at most `SHARE` seconds in all. Then the other parts
have the reactor for `PAUSE` seconds: players that send one message at a time, and the journal's thread, which needs the
interpreter. So other players wait for one share at most, however many connections are busy. Addresses take turns, and
so do the connections of each address. So a client with an address of its own waits for one turn of each other address.

Long work has one slice in each turn of the reactor, so that no other work waits for the whole of it. A record of many
entries is carried out this way. It cannot go to a thread, because that would take the interpreter's lock from the
reactor for longer than a slice takes.
"""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost._twisted import Timer
from gamehost.rates import Rounds, TokenBucket, rate_limit_key

#: Seconds of one connection's turn, and of a round of turns.
SHARE = 0.0005

#: Seconds between two rounds: busy connections get a ninth of the time.
PAUSE = 0.004

#: Pieces of work for strangers that need no turn, at once and a second in the long run: such as requests, and answers
#: to questions. A piece takes about a quarter of a millisecond. A message of a client at no table is a part of one.
AT_ONCE, AT_ONCE_PER_SECOND = 16, 100.0
MESSAGE = 0.25


class Scheduled(Protocol):
    """A busy connection."""

    @property
    def address(self) -> str:
        """The address that takes the turn."""

    def go_on(self) -> None:
        """Use this turn: handle messages for at most `SHARE` seconds, and call `wait` again if there are more."""


@define(eq=False)
class FairScheduler:
    """The busy connections that wait for a turn."""

    _clock: IReactorTime
    #: By address.
    lines: Rounds[str, Scheduled] = field(factory=Rounds)
    #: Has its turn at the beginning of each round, if it waits: one that works for many clients.
    first: str = ""
    _next: IDelayedCall | None = None
    _at_once: TokenBucket = field(
        init=False,
        default=Factory(lambda self: TokenBucket(AT_ONCE_PER_SECOND, AT_ONCE, self._clock.seconds()), takes_self=True),
    )
    #: Seconds on the clock before which there is no round.
    _not_before: float = 0.0
    #: Whether a connection has its turn at this moment: work that it asks for is done in the same turn.
    in_turn: bool = False

    def wait(self, scheduled: Scheduled) -> None:
        """Give a connection a turn, after those that wait already."""
        self.lines.put(rate_limit_key(scheduled.address), scheduled)
        if self._next is None:
            self._next = self._clock.callLater(max(0.0, self._not_before - self._clock.seconds()), self._go_around)

    def has_time(self, pieces: float = 1.0) -> bool:
        """
        Whether pieces of work of this number are done now, without a turn: the line is empty, and there were few of
        them lately.
        """
        return not self.lines.waiting and self._at_once.take(self._clock.seconds(), pieces)

    def leave(self, scheduled: Scheduled) -> None:
        """Give a connection no turn. Does nothing if it does not wait."""
        self.lines.remove(rate_limit_key(scheduled.address), scheduled)
        self._rest()

    def _go_around(self) -> None:
        clock = self._clock
        ends = clock.seconds() + SHARE
        # The next round is scheduled first, so that an error in one turn does not cost the others theirs.
        self._next = clock.callLater(PAUSE, self._go_around)
        self.in_turn = True
        self.lines.advance(self.first)
        for _ in range(self.lines.waiting):
            if not self.lines.waiting:
                break  # a turn made the others leave
            self.lines.pop().go_on()
            if clock.seconds() >= ends:
                break
        self.in_turn = False
        self._not_before = clock.seconds() + PAUSE
        if self._next is not None:
            self._next.reset(PAUSE)
        self._rest()

    def _rest(self) -> None:
        if not self.lines.waiting and self._next is not None:
            self._next.cancel()
            self._next = None


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
    Works that are done in slices, in turns.

    :param scheduler: gives each slice a turn among busy connections, so that players have most of the time; `None`:
        each turn of the reactor does a slice
    """

    #: In turns of addresses, it is one.
    address = "slices"

    _clock: IReactorTime
    _scheduler: FairScheduler | None = None
    _waiting: deque[_Work] = field(init=False, default=Factory(deque))
    _next: Timer = field(init=False, factory=Timer)

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
        self._next.stop()

    def _wait(self) -> None:
        if self._scheduler is not None:
            self._scheduler.wait(self)
        else:
            self._next.set(self._clock, 0, self.go_on)

    def go_on(self) -> None:
        """Use a turn: do a slice of the next work."""
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
