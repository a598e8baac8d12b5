"""
Shares the time of the reactor fairly between busy connections and long work.

A connection is busy if it has sent more messages than the host handles at once. Busy connections wait for turns. Work
for clients without a seat, such as answers to their questions, waits for turns, too.

Turns come in rounds. In a round, busy connections are handled one after the other, for at most `SHARE` seconds
together. Then, for `PAUSE` seconds, the reactor is free for others: for players that send one message at a time, and
for the journal's thread, which needs the interpreter. So these wait for at most one `SHARE`, however many connections
are busy. Addresses take turns, and the connections of one address take turns, too. So a client that is alone at its
address waits for one turn of each other address.

Long work is cut into slices, so that nothing waits for the whole of it. For example, a record of many entries is
carried out in slices. A thread would be worse: it would keep the interpreter's lock for longer than a slice takes.
"""

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeVar

from attrs import Factory, define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost._twisted import Timer
from gamehost.rates import Rounds, TokenBucket, rate_limit_key

#: How many seconds one turn of a connection may take, and how many a whole round.
SHARE = 0.0005

#: How many seconds pass between two rounds. So busy connections get a ninth of the time.
PAUSE = 0.004

#: How many pieces of work for clients without a seat are done without a turn: at once, and on average in a second. A
#: piece is, for example, a request or the answer to a question, and takes about a quarter of a millisecond. A message
#: of a client without a table counts as `MESSAGE` pieces.
AT_ONCE, AT_ONCE_PER_SECOND = 16, 100.0
MESSAGE = 0.25


class Scheduled(Protocol):
    """A busy connection, or other work that waits for turns."""

    @property
    def address(self) -> str:
        """The address for which the turn counts."""

    def go_on(self) -> None:
        """
        Called for each turn: handle messages for at most `SHARE` seconds. If more remain, call `FairScheduler.wait`
        again.
        """


@define(eq=False)
class FairScheduler:
    """Gives turns to busy connections."""

    _clock: IReactorTime
    #: The connections that wait, by address.
    lines: Rounds[str, Scheduled] = field(factory=Rounds)
    #: An address that gets the first turn of each round, because it works for many clients; empty: none.
    first: str = ""
    _next: IDelayedCall | None = None
    _at_once: TokenBucket = field(
        init=False,
        default=Factory(lambda self: TokenBucket(AT_ONCE_PER_SECOND, AT_ONCE, self._clock.seconds()), takes_self=True),
    )
    #: The earliest time of the next round, in seconds of the clock.
    _not_before: float = 0.0
    #: Whether a connection has its turn at this moment. Work that it causes is done in the same turn.
    in_turn: bool = False

    def wait(self, scheduled: Scheduled) -> None:
        """Put a connection into the queue for a turn."""
        self.lines.put(rate_limit_key(scheduled.address), scheduled)
        if self._next is None:
            # No round is planned. The next one begins `PAUSE` seconds after the last one at the earliest.
            self._next = self._clock.callLater(max(0.0, self._not_before - self._clock.seconds()), self._go_around)

    def has_time(self, pieces: float = 1.0) -> bool:
        """
        Whether some pieces of work may be done now, without a turn: no connection waits, and there was little such work
        lately. If so, the pieces are counted.
        """
        return not self.lines.waiting and self._at_once.take(self._clock.seconds(), pieces)

    def leave(self, scheduled: Scheduled) -> None:
        """Remove a connection from the queue. Nothing happens if it does not wait."""
        self.lines.remove(rate_limit_key(scheduled.address), scheduled)
        self._rest()

    def _go_around(self) -> None:
        """Do a round: give turns to waiting connections, for at most `SHARE` seconds together."""
        clock = self._clock
        ends = clock.seconds() + SHARE
        # Schedule the next round first, so that the others get their turns even after an error in one turn.
        self._next = clock.callLater(PAUSE, self._go_around)
        self.in_turn = True
        # The address that works for many clients gets the first turn.
        self.lines.advance(self.first)
        # At most one turn for each connection: one that calls `wait` again is at the end of the queue.
        for _ in range(self.lines.waiting):
            if not self.lines.waiting:
                break  # all others have left the queue during a turn
            self.lines.pop().go_on()
            if clock.seconds() >= ends:
                break
        self.in_turn = False
        self._not_before = clock.seconds() + PAUSE
        if self._next is not None:
            # The pause counts from the end of this round, which may have taken long.
            self._next.reset(PAUSE)
        self._rest()

    def _rest(self) -> None:
        """Schedule no round if nobody waits."""
        if not self.lines.waiting and self._next is not None:
            self._next.cancel()
            self._next = None


R = TypeVar("R")

#: How many steps a slice may have, and after how many seconds it ends earlier. For a record, each entry is a step, so
#: most records need only one slice.
STEPS = 256
SECONDS = 0.002
#: After how many steps the clock is read.
BETWEEN = 16
#: The same for slices that wait for turns among busy connections. Such a slice may take half of a round.
BETWEEN_IN_TURN = 4


@define(eq=False)
class _Work:
    steps: Generator[None, None, Any]
    done: Callable[[Any], None]


@define(eq=False)
class Slices:
    """
    Does long work in slices. Several pieces of work take turns.

    :param scheduler: gives each slice a turn among busy connections, so that players get most of the time; `None`: one
        slice is done in each turn of the reactor
    """

    #: The name under which the slices take turns among the addresses.
    address = "slices"

    _clock: IReactorTime
    _scheduler: FairScheduler | None = None
    _waiting: deque[_Work] = field(init=False, default=Factory(deque))
    _next: Timer = field(init=False, factory=Timer)

    def run(
        self, steps: Generator[None, None, R], done: Callable[[R | Exception], None], has_time: bool = False
    ) -> None:
        """
        Begin a piece of work. The first slice is done now if there is time, the others in later turns.

        :param steps: the work, one step with each `next`; its return value is the result
        :param done: called once, with the result or with the error that the work has raised
        :param has_time: whether the first slice may be done now in any case, because it is a part of other work
        """
        work, scheduler = _Work(steps, done), self._scheduler
        # Without a scheduler there is always time. `_slice` returns whether the work is done after its first slice.
        if not (has_time or scheduler is None or scheduler.has_time()) or not self._slice(work):
            self._waiting.append(work)
            if len(self._waiting) == 1:
                # For more pieces of work, a turn is planned already.
                self._wait()

    def halt(self) -> None:
        """Drop all work that is not done."""
        self._waiting.clear()
        if self._scheduler is not None:
            self._scheduler.leave(self)
        self._next.stop()

    def _wait(self) -> None:
        """Wait for the next turn."""
        if self._scheduler is not None:
            self._scheduler.wait(self)
        else:
            self._next.set(self._clock, 0, self.go_on)

    def go_on(self) -> None:
        """Called for each turn: do a slice of the next piece of work."""
        work = self._waiting[0]
        try:
            if not self._slice(work):
                self._waiting.append(work)  # to the end of the queue: the pieces of work take turns
        finally:
            if self._waiting:  # empty if the work has called `halt`
                self._waiting.popleft()
            if self._waiting:
                self._wait()

    def _slice(self, work: _Work) -> bool:
        """Do a slice of a piece of work. Returns whether the work is done."""
        # In a turn of the scheduler, a slice is shorter, and the clock is read more often.
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
