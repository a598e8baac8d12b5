"""
One timer for all connections of a listener that must be checked regularly.

A timer for each connection would cost more than most of its messages. Here one delayed call serves all of them, and
there is none while there are no connections.
"""

from collections.abc import Callable

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

#: Called with the time, in the reactor's seconds.
Tick = Callable[[float], None]


@define(eq=False)
class Ticker:
    """
    Calls every member, every so many seconds.

    The first member sets the seconds; the connections of one listener all use the same.
    """

    _clock: IReactorTime
    _seconds: float = 0.0
    _ticks: dict[object, Tick] = field(factory=dict)
    _next: IDelayedCall | None = None

    def join(self, member: object, seconds: float, beat: Tick) -> None:
        """Have `beat` called from now on."""
        self._ticks[member] = beat
        if self._next is None:
            self._seconds = seconds
            self._next = self._clock.callLater(seconds, self._go_around)

    def leave(self, member: object) -> None:
        """Stop the calls for a member. Does nothing if it has not joined."""
        if self._ticks.pop(member, None) is not None and not self._ticks and self._next is not None:
            self._next.cancel()
            self._next = None

    def _go_around(self) -> None:
        self._next = self._clock.callLater(self._seconds, self._go_around)
        now = self._clock.seconds()
        # A copy, because a member may leave when it is called, and make others leave.
        for member, beat in list(self._ticks.items()):
            if member in self._ticks:
                beat(now)
