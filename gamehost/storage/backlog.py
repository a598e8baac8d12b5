"""
What has been handed to the disk and is not durable yet, seen from the reactor's thread, and how bad that is.

A slow disk is answered before it hurts: first the players' own connections are not read any more, then nobody new is
let in, then the host gives up. Ask `Backlog.pressure` on a timer; asking costs next to nothing.
"""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from attrs import define, field, frozen

from gamehost.journal.records import Pressure


@frozen
class BacklogLimits:
    """Where the levels begin."""

    #: Seconds that the oldest change has waited.
    pause_after: float = 0.25
    refuse_after: float = 2.0
    give_up_after: float = 10.0
    #: Changes, and bytes, that wait; more than this refuses.
    most_waiting: int = 10_000
    most_bytes: int = 8 * 1024 * 1024


@define(eq=False)
class Backlog:
    """The changes that wait, in order, with what is to be called when they are durable."""

    #: Seconds, monotonic.
    _clock: Callable[[], float]
    _limits: BacklogLimits = field(factory=BacklogLimits)
    #: Entered around the callbacks of one group: the place to join what they write.
    group: Callable[[], AbstractContextManager[object]] = nullcontext
    _waiting: deque[tuple[int, float, Callable[[], None]]] = field(factory=deque)
    _bytes: int = 0

    @property
    def waiting(self) -> int:
        """How many changes are not durable yet."""
        return len(self._waiting)

    @property
    def size(self) -> int:
        """About how many bytes they are."""
        return self._bytes

    @property
    def age(self) -> float:
        """How many seconds the oldest has waited."""
        return self._clock() - self._waiting[0][1] if self._waiting else 0.0

    @property
    def pressure(self) -> Pressure:
        """What the host is to do now."""
        age, limits = self.age, self._limits
        if age > limits.give_up_after:
            return Pressure.GIVE_UP
        if age > limits.refuse_after or len(self._waiting) > limits.most_waiting or self._bytes > limits.most_bytes:
            return Pressure.REFUSE
        return Pressure.PAUSE if age > limits.pause_after else Pressure.NONE

    def add(self, size: int, durable: Callable[[], None]) -> None:
        """A change of about so many bytes was handed over."""
        self._bytes += size
        self._waiting.append((size, self._clock(), durable))

    def done(self, count: int) -> None:
        """
        The oldest so many are durable: say so, in order.

        A callback that raises keeps none of the others from being called.

        :raises ExceptionGroup: of what the callbacks raised
        """
        errors: list[Exception] = []
        with self.group():
            for _ in range(count):
                size, _, durable = self._waiting.popleft()
                self._bytes -= size
                try:
                    durable()
                except Exception as error:
                    errors.append(error)
        if errors:
            raise ExceptionGroup("called back that an entry is durable", errors)
