"""
The guard against a loop of restarts: a host that dies soon after every start stays down and says so, instead of
doing the same damage again and again.

Only starts that follow an end without a goodbye are counted, and only until a life has made something durable.
The count is in a file beside the store.
"""

import json

from attrs import frozen

from gamehost.journal.records import StoreUnusable

SUFFIX = ".starts"

#: So many starts after unclean ends within so many seconds are allowed; the next is refused.
MOST = 5
WITHIN = 60.0


@frozen
class Starts:
    """What is known of earlier starts."""

    #: A host was started and has not said goodbye.
    running: bool = False
    #: When starts followed an unclean end, in seconds since 1970.
    unclean: tuple[float, ...] = ()

    def started(self, now: float) -> "Starts":
        """
        What is known after a start at `now`.

        :raises Refused: too many of them
        """
        # A wall clock that was set back must not keep a host down: what lies in the future is not counted.
        recent = tuple(start for start in self.unclean if now - WITHIN < start <= now)
        if not self.running:
            return Starts(True, recent)
        if len(recent) >= MOST:
            wait = recent[-MOST] + WITHIN - now
            raise StoreUnusable(
                f"the host was started {MOST} times in {WITHIN:.0f} seconds and died each time; its log says why. "
                f"It may be started again in {wait:.0f} seconds"
            )
        return Starts(True, (*recent, now))

    def productive(self) -> "Starts":
        """What is known once a life has made something durable: it is no loop, however it ends."""
        return Starts(self.running)

    def ended(self) -> "Starts":
        """What is known after a clean end."""
        return Starts(False, self.unclean)

    def write(self) -> str:
        """What stands in the file."""
        return json.dumps({"running": self.running, "unclean": list(self.unclean)}) + "\n"


def read_starts(text: str | None) -> Starts:
    """The inverse of `Starts.write`; a file that is missing or says nothing known counts as no starts."""
    try:
        fields = json.loads(text or "{}")
        return Starts(bool(fields["running"]), tuple(float(start) for start in fields["unclean"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Starts()
