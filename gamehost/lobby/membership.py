"""The interface of the lobby to the other hosts of its cluster."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamehost.journal.records import TableId
    from gamehost.lobby.lists import Page


class Membership:
    """
    The other hosts that share this host's store. This class is for a host that is alone; a member of a cluster replaces
    it with its own membership.
    """

    #: The living members.
    members: Sequence[Any] = ()

    @property
    def epoch(self) -> int | None:
        """The number of this host among the members; `None`: it is alone."""
        return None

    def restore(self, tables: Sequence[Any]) -> None:
        """Take unfinished tables over."""

    def begin(self) -> None:
        """Called when the unfinished tables are known."""

    def open(self, factories: Sequence[Any], sites: Sequence[Any]) -> None:
        """Called when the ports of the host are open."""

    def front_of(self, factory: Any, spreads: bool) -> Any:
        """
        The factory that a listener uses: the given one, or another one that wraps it.

        :param spreads: whether a client of it may be at any member
        """
        return factory

    def cut_relays(self) -> None:
        """Close all connections to and from other members, because this host has a fault."""

    @property
    def not_ready(self) -> str | None:
        """The reason why the other members prevent log-ins now; `None`: they do not."""
        return None

    def halt(self) -> Any:
        """The host stops. Returns a `Deferred` if that takes time."""

    @property
    def relay_counts(self) -> Mapping[str, int]:
        """How many connections this host passes to other members, and how many it receives from them."""
        return {}

    @property
    def prefix(self) -> str:
        """
        A prefix of the names that the host gives to guests and house players, before a number. It makes them unique in
        a cluster.
        """
        return ""

    def is_elsewhere(self, key: str) -> bool:
        """Whether a name has its home at another host."""
        return False

    def entered(self, session: Any) -> None:
        """
        A player has logged in.

        :param session: a `gamehost.lobby.sessions.Session`, here and below
        """

    def freed(self, key: str) -> None:
        """The session of a name has ended. The name may still have a seat at a sleeping table."""

    @property
    def pages(self) -> "Sequence[Page]":
        """The public parts of the lobbies of the other hosts of a cluster."""
        return ()

    def keep(self, place: str) -> None:
        """Make this host the home of a place, as of `gamehost.accounts.names.place_of`."""

    def give_up(self, place: str, /) -> None:
        """Stop being the home of a place."""

    def take(self, table: "TableId", taken: Callable[[bool], None]) -> None:
        """
        Make this host the home of a slow match that is about to be read. `give_up` with its place ends that.

        :param taken: called with whether this host is the home now; it is `False` if another host has the match in
            memory
        """
        taken(True)

    def waits(self, session: Any, queue: tuple[str, str]) -> None:
        """A player waits for an opponent in a queue, named as by `Queue.key`."""

    def waits_no_longer(self, session: Any) -> None:
        """A player does not wait. It may have waited until now."""
