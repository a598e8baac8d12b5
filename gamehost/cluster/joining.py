"""
How a host becomes a member: it listens for the others before it opens the store, because the store has its address.
"""

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field
from twisted.internet.interfaces import IListeningPort, IReactorTime
from twisted.python.failure import Failure

from gamehost.cluster.hop import Hop
from gamehost.cluster.internal import InternalFactory
from gamehost.cluster.preamble import Preamble
from gamehost.journal.records import StoreUnusable
from gamehost.net.limiter import HeaderLimiter
from gamehost.net.tcp import send_at_once

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster


@define(eq=False)
class Joining:
    """The listener of a member."""

    hop: Hop
    clock: IReactorTime
    #: Counts the connections whose preamble has not come.
    headers: HeaderLimiter
    #: What a connection to this life must begin with.
    token: str = field(init=False, factory=lambda: secrets.token_hex(16), repr=False)
    #: Where the others reach this member, once it listens.
    address: str = field(init=False, default="")
    _factory: InternalFactory = field(init=False)
    _port: IListeningPort | None = None
    _failure: Failure | None = None

    def listen(self) -> None:
        """
        Listen. What comes is read when the host is ready.

        :raises StoreUnusable: the endpoint cannot be used, so there is no cluster for this host
        """
        self._factory = InternalFactory(self.clock, self.token, self.headers)
        self.hop.endpoint.listen(self._factory).addCallbacks(self._listening, self._failed)
        if self._port is None:
            reason = "no answer" if self._failure is None else self._failure.getErrorMessage()
            raise StoreUnusable(f"--cluster: cannot listen: {reason}")
        self.address = self.hop.address(self._port)

    def open(self, cluster: "Cluster", factories: Mapping[str, Any]) -> None:
        """As of `InternalFactory`."""
        self._factory.open(cluster, factories)

    def keep(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """As of `InternalFactory`."""
        self._factory.keep(transport, preamble, data)

    def close(self) -> None:
        """Listen no longer."""
        if self._port is not None:
            self._port.stopListening()
            self._port = None

    def _listening(self, port: IListeningPort) -> None:
        send_at_once(port)
        self._port = port

    def _failed(self, failure: Failure) -> None:
        self._failure = failure
