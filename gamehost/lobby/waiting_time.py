"""
How long players have waited in queues.
"""

from collections.abc import Callable

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.lobby.sessions import Session

#: Seconds. Programs that were forgotten wait longer than a day. People do not.
LONGEST = 86_400.0


@define(eq=False)
class WaitingTime:
    """
    Calls a function for each player who has waited for a day. There is one timer, for the one who has waited longest.

    :param too_long: called with the player, who does not wait any more then
    """

    _clock: IReactorTime
    _too_long: Callable[[Session], None]
    #: Since when each of them waits, in seconds of the reactor; the one who has waited longest comes first.
    _since: dict[Session, float] = field(factory=dict)
    _timer: IDelayedCall | None = None

    def start(self, session: Session) -> None:
        """A player waits from now on."""
        self._since[session] = self._clock.seconds()
        if self._timer is None:
            self._wait_for_oldest()

    def stop(self, session: Session) -> None:
        """A player does not wait any more. Nothing happens to one who did not."""
        if self._since.pop(session, None) is not None and not self._since:
            self.halt()

    def halt(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait_for_oldest(self) -> None:
        oldest = next(iter(self._since.values()))
        self._timer = self._clock.callLater(max(0.0, oldest + LONGEST - self._clock.seconds()), self._due)

    def _due(self) -> None:
        """The one who waited longest when the timer was set may be gone. Then the timer is set for the next one."""
        self._timer = None
        now = self._clock.seconds()
        while self._since and (oldest := next(iter(self._since))) and self._since[oldest] + LONGEST <= now:
            del self._since[oldest]
            self._too_long(oldest)
        if self._since and self._timer is None:
            self._wait_for_oldest()
