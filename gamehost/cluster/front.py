"""
Where connections arrive at a member of a cluster: clients at its ports, and other members at the port of the cluster.

Another member says first, in a preamble, whose connection it passes on.
"""

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IAddress, IDelayedCall, IListeningPort, IReactorTime, ISSLTransport
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import replace_protocol
from gamehost.cluster.claiming import ClaimingInput, adopt, free
from gamehost.cluster.hop import Hop
from gamehost.cluster.membership import Cluster
from gamehost.cluster.relay import LONGEST, MOST_HOPS, WEB, Preamble, read_preamble
from gamehost.journal.records import StoreUnusable
from gamehost.net.connection import WireProtocol
from gamehost.net.endpoints import send_at_once
from gamehost.net.haproxy import HEADER_SECONDS
from gamehost.net.limiter import HeaderLimiter
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError


class InternalProtocol(Protocol):
    """A connection, until its preamble is complete."""

    transport: Any

    def __init__(self, factory: "InternalFactory", address: str, admitted: bool) -> None:
        self._factory = factory
        self._admitted = admitted
        self._address = address
        self._data = b""
        self._deadline: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Wait for the preamble, and before that for the host."""
        if not self._admitted:
            # Not closed in order: the member that dials would take that for an answer, and tries again after this.
            self._refuse("too many have not said whose they are")
            return
        self._deadline = self._factory.clock.callLater(HEADER_SECONDS, self._refuse, "no preamble came")
        self._factory.wait(self)

    def dataReceived(self, data: bytes) -> None:
        if self._deadline is None:
            return
        self._data += data
        line, end, rest = self._data.partition(b"\n")
        if end or len(self._data) > LONGEST:
            try:
                preamble = read_preamble(line)
            except WireError as error:
                self._refuse(str(error))
            else:
                self._end_wait()
                self._factory.admit(self.transport, preamble, rest)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._end_wait()
        self._factory.gone(self)

    def _end_wait(self) -> None:
        """The preamble has come, or it does not count any more."""
        deadline, self._deadline = self._deadline, None
        if deadline is not None:
            if deadline.active():
                deadline.cancel()
            self._factory.headers.leave(self._address)

    def _refuse(self, reason: str) -> None:
        self._end_wait()
        self._factory.log.warn("a connection between hosts is refused: {reason}", reason=reason)
        self.transport.abortConnection()


class InternalFactory(Factory):
    """
    Where the other members connect to this one. Nothing is read from their connections before `open`.

    :param headers: counts the connections whose preamble has not come
    """

    noisy = False
    log = Logger()

    def __init__(self, hop: Hop, clock: IReactorTime, headers: HeaderLimiter) -> None:
        self.hop = hop
        self.clock = clock
        self.headers = headers
        #: What a connection to this run of the host must begin with.
        self.token = secrets.token_hex(16)
        #: Where the others reach this member, once it listens.
        self.address = ""
        self._port: IListeningPort | None = None
        self._cluster: Cluster | None = None
        self._early: set[InternalProtocol] = set()
        self._factories: Mapping[str, Any] = {}

    def buildProtocol(self, addr: IAddress | None) -> InternalProtocol:
        address = str(getattr(addr, "host", ""))
        return InternalProtocol(self, address, self.headers.admit(address))

    def listen(self) -> None:
        """
        :raises StoreUnusable: the endpoint cannot be used, so there is no cluster for this host
        """
        failures: list[Failure] = []
        self.hop.endpoint.listen(self).addCallbacks(self._listening, failures.append)
        if self._port is None:
            reason = failures[0].getErrorMessage() if failures else "no answer"
            raise StoreUnusable(f"--cluster: cannot listen: {reason}")
        self.address = self.hop.address(self._port)

    def _listening(self, port: IListeningPort) -> None:
        send_at_once(port)
        self._port = port

    def close(self) -> None:
        """Listen no longer."""
        if self._port is not None:
            self._port.stopListening()
            self._port = None

    def open(self, cluster: Cluster, factories: Mapping[str, Any]) -> None:
        """
        The host is ready.

        :param factories: what makes the protocols of clients: by the wire's name, or `WEB`
        """
        self._cluster, self._factories = cluster, factories
        for one in self._early:
            one.transport.resumeProducing()
        self._early.clear()

    def wait(self, connection: InternalProtocol) -> None:
        if self._cluster is None:
            self._early.add(connection)
            connection.transport.pauseProducing()

    def gone(self, connection: InternalProtocol) -> None:
        """A connection is lost before its preamble was complete."""
        self._early.discard(connection)

    def admit(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """A client's connection has come from another member."""
        if self._cluster is None or self._cluster.halted:
            transport.abortConnection()  # the member that passes it on finds out who has the name then
        elif compare_digest(preamble.token.encode(), self.token.encode()) and preamble.hops <= MOST_HOPS:
            self.keep(transport, preamble, data)
        else:
            self.log.warn("a connection between hosts is refused: a wrong token, or too many hops")
            transport.abortConnection()

    def keep(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """A client's connection is for this host."""
        cluster, factory = self._cluster, self._factories.get(preamble.wire)
        assert cluster is not None
        if factory is None:
            self.log.warn("a connection between hosts is refused: no wire {wire!r} here", wire=preamble.wire)
            transport.abortConnection()
            return
        if preamble.adopt is not None and preamble.lost:
            free(cluster, preamble.adopt)
            transport.loseConnection()
            return
        if not cluster.leads and (preamble.wire == WEB or not factory.wire.spreads):
            cluster.pass_to_leader(transport, preamble, data)
            return
        protocol = factory.buildProtocol(IPv4Address("TCP", preamble.address, 0))
        if protocol is None:
            transport.abortConnection()
            return
        if preamble.wire == WEB:
            protocol.relayed_tls = preamble.tls
            replace_protocol(transport, protocol, data)
            return
        with cluster.cork:
            replace_protocol(transport, protocol, b"")
            _go_on(cluster, protocol, preamble)
        if data:
            protocol.dataReceived(data)


def _go_on(cluster: Cluster, protocol: WireProtocol[Any], preamble: Preamble) -> None:
    assert isinstance(protocol.input, ClaimingInput)
    protocol.input.go_on_from(preamble)
    if protocol.closing or not protocol.factory.wire.spreads:
        return
    # The client has heard the beginning from the other member.
    protocol.output.end_holds()
    protocol.output.clear()
    if preamble.adopt is not None:
        adopt(cluster, protocol, preamble.adopt)


class _Arrived(Protocol):
    def __init__(self, front: "FrontFactory", addr: IAddress | None, address: str) -> None:
        self._front = front
        self._addr = addr
        self._address = address

    def connectionMade(self) -> None:
        self._front.pass_on(self.transport, self._addr, self._address)

    def dataReceived(self, data: bytes) -> None:
        """What came behind a PROXY header: this is somebody else's connection by now."""
        transport: Any = self.transport
        transport.protocol.dataReceived(data)


class FrontFactory(Factory):
    """
    Makes the protocols of a listener.

    :param factory: makes them at the leader
    :param wire: the wire by its name, or `gamehost.cluster.relay.WEB`
    """

    noisy = False
    log = Logger()

    def __init__(self, factory: Any, wire: str, cluster: Cluster) -> None:
        self._factory = factory
        self._wire = wire
        self._cluster = cluster

    def doStart(self) -> None:
        super().doStart()
        self._factory.doStart()

    def doStop(self) -> None:
        self._factory.doStop()
        super().doStop()

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """A protocol for a new connection; `None`: there are too many."""
        if self._cluster.leads:
            return self._factory.buildProtocol(addr)
        address = str(getattr(addr, "host", ""))
        limiter = self._cluster.relays.limiter
        if (reason := limiter.admit(address, self._cluster.clock.seconds())) is not None:
            self.log.info("{wire}: refused {address!r}: {reason}", wire=self._wire, address=address, reason=reason)
            return None
        return _Arrived(self, addr, address)

    def pass_on(self, transport: Any, addr: IAddress | None, address: str) -> None:
        """Pass a connection on, or keep it if this host leads by now."""

        def keep(transport: Any, preamble: Preamble, data: bytes) -> None:
            protocol = self._factory.buildProtocol(addr)
            if protocol is None:
                transport.abortConnection()
            else:
                replace_protocol(transport, protocol, data)

        cluster = self._cluster
        preamble = Preamble("", self._wire, address, tls=ISSLTransport.providedBy(transport))
        cluster.relays.pass_on(transport, cluster.find_leader, preamble, b"", keep)


def front_of(cluster: Cluster, factory: Any, wire: Wire[Any] | None) -> Any:
    """
    What a listener of a member gets for a factory: what does not spread is played at the leader.

    :param wire: `None`: the pages
    """
    if wire is not None and wire.spreads:
        return factory
    return FrontFactory(factory, WEB if wire is None else wire.name, cluster)


def relays_in(cluster: Cluster) -> int:
    """Connections that other members pass on to this one, without those of pages."""
    connections = (connection for one in cluster.factories.values() for connection in one.connections)
    return sum(isinstance(one.input, ClaimingInput) and one.input.hops > 0 for one in connections)
