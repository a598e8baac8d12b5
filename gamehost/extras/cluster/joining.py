"""The steps by which a host becomes a member of a cluster. `gamehost.tap` takes them at the start of the host."""

from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import Any

from twisted.python import usage

from gamehost.extras.cluster.claiming import ClaimingInput, gather_at_tables, gather_in_queues
from gamehost.extras.cluster.front import InternalFactory, front_of, read_hop, relays_in
from gamehost.extras.cluster.membership import Cluster, Learn
from gamehost.extras.cluster.postgresql import shown
from gamehost.extras.cluster.postgresql.members import ClusterAddress
from gamehost.extras.cluster.postgresql.registry import PostgresRegistry
from gamehost.extras.cluster.relay import Relays
from gamehost.journal.records import AGENT
from gamehost.net.context import Cork, HostContext
from gamehost.settings import BadOption


class JoinedCluster(Cluster):
    """The membership of a host with ports, to which clients and other members connect."""

    def front_of(self, factory: Any, spreads: bool) -> Any:
        """Returns the factory for a listener of a wire, see `gamehost.extras.cluster.front.front_of`."""
        return front_of(self, factory, spreads)

    @property
    def relay_counts(self) -> Mapping[str, int]:
        """The numbers of connections that this member passes on to others, and that others pass on to it, for metrics."""
        return {"relays_out": self.relays_out, "relays_in": relays_in(self)}


class Joining:
    """
    Makes a host a member of a cluster. Its methods are called in this order: `listen`, `member`, `attach`.

    :param options: the options of the host; `--cluster` names the endpoint for the other members
    :param endpoints: the endpoints of the host
    :raises UsageError: the endpoint of `--cluster` cannot be used
    """

    def __init__(self, options: Any, reactor: Any, endpoints: Any) -> None:
        """
        Reads the options of a member of a cluster.

        :param options: the command line
        :param endpoints: knows what must be read again at a SIGHUP
        :raises UsageError: an option cannot be used
        """
        self._store: str = options["store"]
        self._spreading: Set[str] = {
            AGENT,
            *(wire.name for wire in options.registry.wires if wire.spreads),
        }
        self._reactor = reactor
        try:
            hop = read_hop(
                reactor,
                options["cluster"],
                options["cluster-address"],
                authority=options["cluster-ca"],
                reloads=endpoints.reloads.append,
            )
        except BadOption as error:
            raise usage.UsageError(str(error)) from None
        self._listener = InternalFactory(hop, reactor, endpoints.headers)

    def listen(self) -> None:
        """
        Opens the port for the other members.

        :raises StoreUnusable: the endpoint cannot be used, so this host cannot be a member
        """
        self._listener.listen()

    @property
    def address(self) -> ClusterAddress:
        """The address under which the other members reach this host. It is known after `listen`."""
        return ClusterAddress(self._listener.address, self._listener.token, self._spreading)

    def member(self, store: Any, cork: Cork, fail: Callable[[str], None], warn: Callable[[str], None]) -> JoinedCluster:
        """
        Makes the membership of the host, with a registry in the database.

        :param store: the opened store
        :param fail: called with the reason when the host must end
        :param warn: called with words for the log
        """
        registry = PostgresRegistry(
            store.epoch,
            self._store,
            self._reactor.callFromThread,
            broken=lambda reason: fail(f"{shown(self._store)}: {reason}"),
            warn=warn,
            spreading=self._spreading,
        )
        # Numbers of tables are given by the database, so that no two members use the same one.
        store.numbers.ask = registry.new_numbers
        return JoinedCluster(registry, self._reactor, cork, self._listener, store.beat, store.find_opened, store.take)

    def attach(
        self,
        cluster: Cluster,
        context: HostContext,
        restore: Callable[..., object],
        learn: Learn,
        follow: Callable[[], None],
    ) -> None:
        """
        Connects the membership with the parts of the host that are made after it.

        :param restore: called with the tables of a member that has ended, which sleep here from then on
        :param learn: called with accounts and bans that another member has changed
        :param follow: called when the host is ready: begins to follow the matches of the other members
        """
        relays = Relays(self._listener.hop.connect, context.clock, context.limiter)
        cluster.attach(context.lobby, restore, relays, learn, gather_in_queues, gather_at_tables)
        cluster.opened = follow
        context.new_input = partial(ClaimingInput, cluster)
