"""
The beats of a member: several times a second it shows the others, through its journal, that it lives and can write.
"""

from collections.abc import Callable

from attrs import define
from twisted.internet.interfaces import IDelayedCall, IReactorTime

#: Seconds between two beats.
EVERY = 0.25


@define(eq=False)
class Beats:
    """
    :param beat: shows that this host lives, and calls a function when that is durable
    """

    _clock: IReactorTime
    _beat: Callable[[Callable[[], None]], None]
    _next: IDelayedCall | None = None
    _halted: bool = False

    def begin(self) -> None:
        """
        Beat from now on. The next beat comes after the last one is durable.

        The first one comes when the reactor runs, because only then the host hears that it is durable. A host that starts
        would seem to have a slow disk.
        """
        self._next = self._clock.callLater(0, self._show)

    def halt(self) -> None:
        """The host stops."""
        self._halted = True
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _show(self) -> None:
        self._next = None
        self._beat(self._shown)

    def _shown(self) -> None:
        if not self._halted:
            self._next = self._clock.callLater(EVERY, self._show)
