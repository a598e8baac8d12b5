"""The interface of the lobby to the other hosts of its cluster."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamehost.journal.records import TableId
    from gamehost.lobby.lists import Page


class Membership:
    """
    The functions for the other hosts of a cluster, which the lobby calls. This class is for a host without a cluster, so its
    methods
    do nothing. In a cluster, `gamehost.extras.cluster` has another implementation in its place.

    Each name of a player and each slow match in memory has one home: the only host of the cluster that may serve it.
    """

    #: The living members.
    members: Sequence[Any] = ()

    @property
    def epoch(self) -> int | None:
        """The number of this host among the members of its cluster; `None`: the host has no cluster."""
        return None

    def restore(self, tables: Sequence[Any]) -> None:
        """Take over these unfinished tables at the start of the host."""

    def begin(self) -> None:
        """Begin to take part in the cluster. Called when the unfinished tables are known."""

    def open(self, factories: Sequence[Any], sites: Sequence[Any]) -> None:
        """Begin to accept clients of other members. Called when the ports of this host are open."""

    def front_of(self, factory: Any, spreads: bool) -> Any:
        """
        The protocol factory that a listener of this host uses: the given one, or another one that wraps it and can pass a
        connection to another member.

        :param spreads: whether every member of the cluster may serve the clients of this listener
        """
        return factory

    def cut_relays(self) -> None:
        """Close all connections that are passed to or from other members, because this host has a fault."""

    @property
    def not_ready(self) -> str | None:
        """The reason why the other members prevent log-ins now; `None`: they do not."""
        return None

    def halt(self) -> Any:
        """Leave the cluster, because the host stops. Returns a `Deferred` if that takes time, otherwise `None`."""

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
        """
        Whether another host of the cluster is the home of a name.

        :param key: of the name
        """
        return False

    def entered(self, session: Any) -> None:
        """
        Note that a player has logged in.

        :param session: a `gamehost.lobby.sessions.Session`, here and below
        """

    def freed(self, key: str) -> None:
        """
        Stop being the home of a name, unless it still has a seat at a sleeping table here. Called when its session has
        ended.
        """

    @property
    def pages(self) -> "Sequence[Page]":
        """The public parts of the lobbies of the other hosts of a cluster."""
        return ()

    def keep(self, place: str) -> None:
        """
        Make this host the home of a match.

        :param place: the text that identifies the match, from `gamehost.accounts.names.place_of`
        """

    def give_up(self, place: str, /) -> None:
        """Stop being the home of a match. The parameter is as for `keep`."""

    def take(self, table: "TableId", taken: Callable[[bool], None]) -> None:
        """
        Try to make this host the home of a slow match, before the match is read into memory. `give_up` undoes it.

        :param taken: called with `True` if this host is the home now, and with `False` if another host has the match in
            memory
        """
        taken(True)

    def waits(self, session: Any, queue: tuple[str, str]) -> None:
        """Note that a player waits in the queue with this `Queue.key`, so that players at other members can be sent here."""

    def waits_no_longer(self, session: Any) -> None:
        """Note that a player does not wait in a queue any more. The player need not have waited."""
