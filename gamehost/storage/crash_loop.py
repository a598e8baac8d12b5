"""
The limit on restarts: a host that crashes soon after each start is not started again for a while.

A start is counted if the run before did not end in order and had made nothing durable. The count is in a file beside
the store.
"""

import json

from attrs import frozen

from gamehost.journal.records import StoreUnusable

SUFFIX = ".starts"

#: The starts after unclean ends that are allowed within `WITHIN` seconds.
MOST = 5
WITHIN = 60.0


@frozen
class Starts:
    """What is known of earlier starts."""

    #: A host was started and has not ended in order.
    running: bool = False
    #: The times of starts after an unclean end, in seconds since 1970.
    unclean: tuple[float, ...] = ()

    def started(self, now: float) -> "Starts":
        """
        The record after a start at `now`.

        :raises StoreUnusable: there were too many starts
        """
        # The wall clock may have been set back. Starts in the future must not block the host, so they are not counted.
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
        """The record after this run made something durable: it is no crash loop, however it ends."""
        return Starts(self.running)

    def ended(self) -> "Starts":
        """The record after an orderly end."""
        return Starts(False, self.unclean)

    def write(self) -> str:
        """The text of the file."""
        return json.dumps({"running": self.running, "unclean": list(self.unclean)}) + "\n"


def read_starts(text: str | None) -> Starts:
    """The inverse of `Starts.write`. A file that is missing or cannot be read counts as no starts."""
    try:
        fields = json.loads(text or "{}")
        return Starts(bool(fields["running"]), tuple(float(start) for start in fields["unclean"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Starts()
