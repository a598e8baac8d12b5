"""
The changes that are not durable yet, and how far the disk is behind. For the reactor's thread.

The host reacts in steps to a slow disk: it pauses input, then refuses new clients, then ends. It reads
`Backlog.pressure` on a timer, which costs almost nothing.
"""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import islice

from attrs import define, field, frozen

from gamehost.journal.records import Pressure
from gamehost.measures import JournalMeasures


@frozen
class BacklogLimits:
    """The limits at which each level of pressure begins."""

    #: For how many seconds the oldest change has waited.
    pause_after: float = 0.25
    refuse_after: float = 2.0
    give_up_after: float = 10.0
    #: Changes and bytes that may wait; above either limit, new clients are refused.
    most_waiting: int = 10_000
    most_bytes: int = 8 * 1024 * 1024


@define(eq=False)
class Backlog:
    """The waiting changes in order, each with its callback."""

    #: Seconds, monotonic.
    _clock: Callable[[], float]
    _limits: BacklogLimits = field(factory=BacklogLimits)
    #: Entered around the callbacks of one group, so that their output can be joined.
    group: Callable[[], AbstractContextManager[object]] = nullcontext
    measures: JournalMeasures = field(factory=JournalMeasures)
    _waiting: deque[tuple[int, float, Callable[[], None]]] = field(factory=deque)
    _bytes: int = 0

    @property
    def waiting(self) -> int:
        """How many changes are not durable yet."""
        return len(self._waiting)

    @property
    def size(self) -> int:
        """About how many bytes these changes have."""
        return self._bytes

    @property
    def age(self) -> float:
        """How many seconds the oldest has waited."""
        return self._clock() - self._waiting[0][1] if self._waiting else 0.0

    @property
    def pressure(self) -> Pressure:
        """What the host must do now."""
        age, limits = self.age, self._limits
        if age > limits.give_up_after:
            return Pressure.GIVE_UP
        if age > limits.refuse_after or len(self._waiting) > limits.most_waiting or self._bytes > limits.most_bytes:
            return Pressure.REFUSE
        return Pressure.PAUSE if age > limits.pause_after else Pressure.NONE

    def add(self, size: int, durable: Callable[[], None]) -> None:
        """Note that a change of about so many bytes was handed to the writer."""
        self._bytes += size
        self._waiting.append((size, self._clock(), durable))

    def done(self, count: int) -> None:
        """
        Call the callbacks of the oldest `count` changes, which are durable now.

        If one callback raises, the others are still called.

        :raises ExceptionGroup: the errors of all callbacks
        """
        errors: list[Exception] = []
        acknowledged = self.measures.acknowledged
        given = [] if acknowledged is None else [at for _, at, _ in islice(self._waiting, count)]
        with self.group():
            for _ in range(count):
                size, _, durable = self._waiting.popleft()
                self._bytes -= size
                try:
                    durable()
                except Exception as error:
                    errors.append(error)
        if acknowledged is not None:
            acknowledged.observe_since(given, self._clock())  # the group has ended, so the answers are written
        if errors:
            raise ExceptionGroup("called back that an entry is durable", errors)
