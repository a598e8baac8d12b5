"""The way of a host into a cluster. `gamehost.tap` takes it at the start."""

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
    """The membership of a host that has ports."""

    def front_of(self, factory: Any, spreads: bool) -> Any:
        return front_of(self, factory, spreads)

    @property
    def relay_counts(self) -> Mapping[str, int]:
        return {"relays_out": self.relays_out, "relays_in": relays_in(self)}


class Joining:
    """
    A host that is about to become a member.

    :param options: of the host; `cluster` names where it listens for the others
    :param endpoints: of the host
    :raises UsageError: where it is to listen cannot be used
    """

    def __init__(self, options: Any, reactor: Any, endpoints: Any) -> None:
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
        :raises StoreUnusable: the endpoint cannot be used, so there is no cluster for this host
        """
        self._listener.listen()

    @property
    def address(self) -> ClusterAddress:
        """The address under which the others reach this host, once it listens."""
        return ClusterAddress(self._listener.address, self._listener.token, self._spreading)

    def member(self, store: Any, cork: Cork, fail: Callable[[str], None], warn: Callable[[str], None]) -> JoinedCluster:
        """
        The membership of a host.

        :param store: the journal that `open` has given
        :param fail: called with the reason when the host must end
        """
        registry = PostgresRegistry(
            store.epoch,
            self._store,
            self._reactor.callFromThread,
            broken=lambda reason: fail(f"{shown(self._store)}: {reason}"),
            warn=warn,
            spreading=self._spreading,
        )
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
        Give a member the parts of the host that are made after it.

        :param restore: takes tables over that another member had
        :param learn: called with accounts and bans that another member has changed
        :param follow: follows the matches of the others, once the host is ready
        """
        relays = Relays(self._listener.hop.connect, context.clock, context.limiter)
        cluster.attach(context.lobby, restore, relays, learn, gather_in_queues, gather_at_tables)
        cluster.opened = follow
        context.new_input = partial(ClaimingInput, cluster)
