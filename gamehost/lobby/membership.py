"""
What a lobby tells the other hosts of its cluster. A host alone tells nobody.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamehost.lobby.sessions import Session


class Membership:
    """The place of a host that is no member of a cluster."""

    @property
    def prefix(self) -> str:
        """What makes the names unique that the host gives to guests and house players: it stands before a number."""
        return ""

    def is_elsewhere(self, key: str) -> bool:
        """Whether a name has its home at another host."""
        return False

    def entered(self, session: "Session") -> None:
        """Somebody has logged in."""

    def freed(self, key: str) -> None:
        """A name has no session any more. It may still have a seat at a table that sleeps."""

    def waits(self, session: "Session", queue: tuple[str, str]) -> None:
        """A player waits for an opponent in a queue, named as by `Queue.key`."""

    def waits_no_longer(self, session: "Session") -> None:
        """A player does not wait any more, or did not."""
