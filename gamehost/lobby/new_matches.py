"""
How often matches begin: a rate for each address, so that nobody fills the disk by opening matches and giving them up.

A match counts for each address of its players, once. A player in a queue whose address has to wait stays in the queue, and
others are matched meanwhile. Where a wire has words for it, a wish is refused. This machine's own address has no rate.
"""

import math
from collections.abc import Callable, Iterable

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.limits import KeyedBuckets, is_loopback, rate_limit_key

#: Seconds between two looks at the queues while somebody in them has to wait.
LEAST_PAUSE = 0.1


@define(eq=False)
class NewMatches:
    """
    The rates of all addresses.

    :param again: called after `wait`, when an address may begin a match again
    """

    _clock: IReactorTime
    _again: Callable[[], None]
    #: `None`: there is no rate.
    _buckets: KeyedBuckets[str] | None = None
    _timer: IDelayedCall | None = None
    _stopped: bool = field(default=False, init=False)

    def limit(self, rate: tuple[float, int] | None) -> None:
        """
        Use another rate from now on. Every address begins with a full bucket.

        :param rate: matches a second in the long run, and matches at once; `None`: there is none
        """
        self._buckets = None if rate is None else KeyedBuckets(*rate)

    def seconds_until(self, address: str) -> float:
        """The seconds until a match of this address may begin; 0: now."""
        if self._buckets is None or is_loopback(address):
            return 0.0
        now = self._clock.seconds()
        return self._buckets.of(rate_limit_key(address), now).seconds_to_one(now)

    def refusal(self, address: str) -> str | None:
        """Why no match of this address may begin now, for the player; `None`: it may."""
        seconds = self.seconds_until(address)
        if not seconds:
            return None
        return f"too many new matches from your address: try again in {math.ceil(seconds)} s"

    def begin(self, addresses: Iterable[str]) -> None:
        """A match of these addresses begins. All of them may begin one."""
        if self._buckets is not None:
            now = self._clock.seconds()
            for whom in {rate_limit_key(address) for address in addresses if not is_loopback(address)}:
                self._buckets.of(whom, now).take(now)

    def wait(self, seconds: float) -> None:
        """Call back after so many seconds at the latest. Nothing changes if that is going to happen earlier."""
        if self._stopped or (self._timer is not None and self._timer.getTime() <= self._clock.seconds() + seconds):
            return
        self._cancel()
        self._timer = self._clock.callLater(max(LEAST_PAUSE, seconds), self._due)

    def halt(self) -> None:
        """The host stops."""
        self._stopped = True
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._again()
