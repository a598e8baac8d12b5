"""
Listeners for what is played at the leader: every other member passes such connections on, from their first byte.
"""

from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IAddress, ISSLTransport
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger

from gamehost._twisted import replace_protocol
from gamehost.cluster.preamble import Preamble

if TYPE_CHECKING:
    from gamehost.cluster.membership import Cluster


class _Arrived(Protocol):
    """A connection whose transport is not known yet."""

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
    :param wire: the wire by its name, or `gamehost.cluster.preamble.WEB`
    """

    noisy = False
    log = Logger()

    def __init__(self, factory: Any, wire: str, cluster: "Cluster") -> None:
        self._factory = factory
        self._wire = wire
        self._cluster = cluster

    def doStart(self) -> None:
        """Start the other one, too."""
        super().doStart()
        self._factory.doStart()

    def doStop(self) -> None:
        """Stop the other one, too."""
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
