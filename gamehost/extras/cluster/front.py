"""
The ports of a member of a cluster. Clients connect to the ports of the wires, and other members to the port of the cluster.
Another member first sends a preamble, which describes the client that it passes on.

Members connect to each other over TCP, over TLS, or through a socket in the file system.

`--cluster` sets the endpoint at which a member listens for the others. In the database, each member publishes an address for
the others. The address may differ from the endpoint: a TLS endpoint also names a folder with a certificate, and a listener
may have port 0, or be behind NAT.

The preamble contains a secret. So both ends of a TLS connection check each other's certificate, and a member with TLS does
not connect to an address without TLS.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, frozen
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.endpoints import (
    HostnameEndpoint,
    TCP4ClientEndpoint,
    TCP4ServerEndpoint,
    UNIXClientEndpoint,
    UNIXServerEndpoint,
)
from twisted.internet.interfaces import (
    IAddress,
    IListeningPort,
    IProtocolFactory,
    IReactorTime,
    IStreamClientEndpoint,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import replace_protocol
from gamehost.accounts.names import place_of
from gamehost.extras.cluster.claiming import ClaimingInput, adopt, free_name
from gamehost.extras.cluster.membership import Cluster
from gamehost.extras.cluster.relay import LONGEST, MOST_HOPS, SOCKET, FramedTransport, Preamble, read_preamble
from gamehost.journal.records import StoreUnusable
from gamehost.net.connection import WireProtocol
from gamehost.net.endpoints import BACKLOG, HeaderProtocol, send_at_once
from gamehost.net.limiter import HeaderLimiter
from gamehost.ops import LONGEST_PATH, remove_stale
from gamehost.settings import BadOption

if TYPE_CHECKING:
    from gamehost.net.tls import Certificates

#: The seconds after which a connection attempt to a member has failed.
CONNECT_SECONDS = 3.0

#: The access rights of a socket in the file system: only its user may connect.
_SOCKET_MODE = 0o600

_FORMS = "tcp:HOST:PORT, tls:FOLDER:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"
_ADDRESSES = "tcp:HOST:PORT, tls:HOST:PORT or unix:PATH, such as tcp:10.0.0.1:8990"

_PLACE = re.compile(
    r"(?P<kind>tcp|tls):(?:(?P<folder>.+):)?(?P<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+):(?P<port>[0-9]{1,5})"
)

#: The addresses that mean all addresses of a machine. Other members cannot connect to them.
_EVERYWHERE = ("0.0.0.0", "::")


@frozen
class _Place:
    """An address at which a member listens, or to which other members connect."""

    #: `tcp`, `tls` or `unix`.
    kind: str
    #: A host name, or an IP address without brackets; for `unix`, the path of the socket.
    host: str
    port: int = 0

    def __str__(self) -> str:
        if self.kind == "unix":
            return f"unix:{self.host}"
        return f"{self.kind}:{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@frozen
class Hop:
    """
    The connections between this member and the others: listens for them, and makes the endpoints to reach them.

    :param endpoint: the endpoint at which this member listens
    :param place: the address of this endpoint
    :param announced: the address for the others, if `--cluster-address` sets it
    :param certificates: the certificates for TLS; `None`: the members connect without TLS
    """

    _endpoint: IStreamServerEndpoint
    _reactor: Any
    _place: _Place
    _announced: _Place | None
    _certificates: "Certificates | None"

    def listen(self, factory: IProtocolFactory) -> Deferred[IListeningPort]:
        """
        Begins to listen. The socket file of a killed process is removed first.

        :raises SocketUnusable: another process listens there
        """
        if self._place.kind == "unix":
            remove_stale(self._place.host)
        listening: Deferred[IListeningPort] = self._endpoint.listen(factory)
        return listening

    def address(self, port: IListeningPort) -> str:
        """
        Returns the address to which the other members connect: that of `--cluster-address`, or of the open port.

        :param port: the port on which this member listens
        """
        if self._announced is not None:
            return str(self._announced)
        if self._place.kind == "unix":
            return str(self._place)
        # Port 0 stands for any free port, so the number of the open port is used.
        listening: Any = port.getHost()
        return str(_Place(self._place.kind, self._place.host, listening.port))

    def connect(self, address: str) -> IStreamClientEndpoint:
        """
        Returns an endpoint that connects to another member.

        With TLS, the connection counts as made before the end of the handshake. Bytes that are written before that are sent
        only if the certificate of the other member is good. If it is not, the connection is lost with an `OpenSSL.SSL.Error`.

        :param address: the address that the other member publishes
        :raises BadOption: this member cannot connect to this address; the message says why
        """
        place, _ = _read_place(address)
        if place.kind == "unix":
            return UNIXClientEndpoint(self._reactor, place.host, timeout=CONNECT_SECONDS)
        # An address needs no look-up of its name.
        make = TCP4ClientEndpoint if _is_ip(place.host) else HostnameEndpoint
        plain: IStreamClientEndpoint = make(self._reactor, place.host, place.port, CONNECT_SECONDS)
        if place.kind == "tcp" and self._certificates is None:
            return plain
        if place.kind == "tcp" or self._certificates is None:
            with_tls, without = ("this", "the other") if place.kind == "tcp" else ("the other", "this")
            raise BadOption(f"{address}: {with_tls} member uses TLS, and {without} one does not")
        from gamehost.net.tls import TLSClientEndpoint

        return TLSClientEndpoint(plain, self._certificates.to(place.host), self._reactor)


def read_hop(
    reactor: Any,
    listener: str,
    address: str | None = None,
    authority: Path | None = None,
    reloads: Callable[[Callable[[], None]], object] = lambda reload: None,
) -> Hop:
    """
    Reads the options of a member. No port is opened, but certificates are read.

    :param listener: the value of `--cluster`
    :param address: the value of `--cluster-address`: the address to which the others connect
    :param authority: the value of `--cluster-ca`: the file with the certificate that has signed those of all members
    :param reloads: called with a function that the host must call at a SIGHUP
    :raises BadOption: the options cannot be used; the message names the option
    """
    # Check that the options fit each other.
    place, folder = _read_place(listener, "--cluster")
    announced = None if address is None else _read_place(address, "--cluster-address")[0]
    # Such a host means all addresses of this machine.
    if announced is None and place.host in _EVERYWHERE:
        raise BadOption(
            f"--cluster: {listener!r} has no address that others can dial; add --cluster-address=tcp:HOST:PORT"
        )
    if folder is None and authority is not None:
        raise BadOption("--cluster-ca is for TLS: expected --cluster=tls:FOLDER:HOST:PORT")
    if announced is not None and announced.kind != place.kind:
        raise BadOption(f"--cluster-address: expected {place.kind}: as in --cluster, got {address!r}")
    # Make the endpoint.
    if place.kind == "unix":
        return Hop(UNIXServerEndpoint(reactor, place.host, BACKLOG, _SOCKET_MODE), reactor, place, announced, None)
    endpoint: IStreamServerEndpoint = TCP4ServerEndpoint(reactor, place.port, BACKLOG, place.host)  # of either family
    if folder is None:
        return Hop(endpoint, reactor, place, announced, None)
    if authority is None:
        raise BadOption(
            "--cluster: tls: needs --cluster-ca=FILE, with the certificate that those of all members come from"
        )
    certificates, endpoint = _with_tls(reactor, endpoint, Path(folder), authority)
    reloads(certificates.reload)
    return Hop(endpoint, reactor, place, announced, certificates)


def _with_tls(
    reactor: Any, endpoint: IStreamServerEndpoint, folder: Path, authority: Path
) -> "tuple[Certificates, IStreamServerEndpoint]":
    """
    Reads the certificates of a member with TLS, and wraps its endpoint.

    :raises BadOption: TLS is not installed, or the certificates cannot be used
    """
    try:
        from gamehost.net.tls import Certificates, TLSEndpoint
    except ImportError:
        raise BadOption("--cluster: tls: needs pyOpenSSL: pip install 'Twisted[tls]'") from None
    try:
        certificates = Certificates(folder, authority)
    except BadOption as error:
        raise BadOption(f"--cluster: {error}") from None
    return certificates, TLSEndpoint(endpoint, certificates, reactor)


def _is_ip(host: str) -> bool:
    return isIPAddress(host) or isIPv6Address(host)


def _read_place(text: str, option: str = "") -> tuple[_Place, str | None]:
    """
    Reads the address of an endpoint of a member, or the address to which others connect.

    :param option: the option with this text; empty: the text is the published address of another member
    :returns: the address, and for a TLS endpoint the folder of its certificate
    :raises BadOption: the text cannot be used
    """
    listens, name = option == "--cluster", f"{option}: " if option else ""
    # A Unix socket.
    if text.startswith("unix:"):
        path = text.removeprefix("unix:")
        if not path.startswith("/") or len(path.encode()) > LONGEST_PATH:
            raise BadOption(f"{name}expected unix: and an absolute path of {LONGEST_PATH} bytes at most, got {text!r}")
        return _Place("unix", path), None
    found = _PLACE.fullmatch(text)
    host, port = (found["host"].strip("[]"), int(found["port"])) if found else ("", 0)
    folder = found["folder"] if found else None
    # Only `--cluster` has a folder, and only with TLS.
    fits = found is not None and port < 65_536 and (folder is not None) == (listens and found["kind"] == "tls")
    # The port 0 and all addresses are possible only for listening.
    if found is None or not fits or not (listens or (port and host not in _EVERYWHERE)):
        raise BadOption(f"{name}expected {_FORMS if listens else _ADDRESSES}, got {text!r}")
    if listens and not _is_ip(host):
        raise BadOption(
            f"{name}expected an IP address of this machine, got {host!r}; a name can stand in --cluster-address"
        )
    return _Place(found["kind"], host, port), folder


class InternalProtocol(HeaderProtocol):
    """A connection of another member, until its preamble is complete. Then the protocol of the client replaces this one."""

    refusal, late = "a connection between hosts is refused", "no preamble came"

    def __init__(self, factory: "InternalFactory", address: str, admitted: bool) -> None:
        super().__init__(factory.clock, factory.headers, address)
        self._factory = factory
        self._admitted = admitted

    def connectionMade(self) -> None:
        """
        Called when another member has connected. Waits for the preamble, and reads nothing before the host is ready.
        """
        # There is room for one more connection without a preamble.
        if self._admitted:
            super().connectionMade()
            self._factory.silent[self] = self._address
            self._factory.wait(self)
        else:
            # The connection is aborted: the other member tries again then. It would take an orderly close for an answer.
            self.refuse("too many connections without a preamble")

    def read(self, come: bytes) -> None:
        """
        Reads the preamble, the first line on the connection, when it is complete. Then the factory takes the
        connection.

        :param come: all bytes that have come so far
        :raises WireError: it is not a preamble
        """
        line, end, rest = come.partition(b"\n")
        # A line that is too long without an end is read as well, and refused.
        if end or len(come) > LONGEST:
            preamble = read_preamble(line)
            self.end_wait()
            self._factory.admit(self.transport, preamble, rest)

    def end_wait(self) -> None:
        """Ends the wait for the preamble. The connection does not count as silent any more."""
        super().end_wait()
        self._factory.silent.pop(self, None)

    def connectionLost(self, reason: Failure | None = None) -> None:
        super().connectionLost(reason)
        self._factory.gone(self)


class InternalFactory(Factory):
    """
    The port to which other members connect. Nothing is read from their connections before `open` is called.

    Real members send their preamble as soon as they are connected. So if there is no room for another connection, the
    connection that has been silent longest is closed. Other programs cannot block the members by silent connections.

    :param hop: listens on the port
    :param headers: limits the number of connections without a preamble
    """

    noisy = False
    log = Logger()

    def __init__(self, hop: Hop, clock: IReactorTime, headers: HeaderLimiter) -> None:
        """
        Makes the factory of the connections that other members make to this one.

        :param hop: the port
        :param headers: limits how many connections are open without a preamble
        """
        self.hop = hop
        self.clock = clock
        self.headers = headers
        #: The secret in each preamble for this run of the host.
        self.token = secrets.token_hex(16)
        #: The address to which the others connect; empty: this member does not listen yet.
        self.address = ""
        self._port: IListeningPort | None = None
        self._cluster: Cluster | None = None
        #: The connections that wait until the host is ready.
        self._early: set[InternalProtocol] = set()
        #: The connections without a preamble, with their addresses, the oldest one first.
        self.silent: dict[InternalProtocol, str] = {}
        self._factories: Mapping[str, Any] = {}

    def buildProtocol(self, addr: IAddress | None) -> InternalProtocol:
        address = str(getattr(addr, "host", ""))
        return InternalProtocol(self, address, self.headers.admit(address) or self._make_room(address))

    def _make_room(self, address: str) -> bool:
        """
        Closes the oldest silent connection, if possible one from the same address. Returns whether there is room for a new
        connection then.
        """
        # An address that makes many connections loses its own ones first.
        from_there = (one for one, its_address in self.silent.items() if its_address == address)
        oldest = next(from_there, None) or next(iter(self.silent), None)
        if oldest is not None:
            oldest.refuse("it has said nothing, and others have come")
        return self.headers.admit(address)

    def listen(self) -> None:
        """
        Opens the port.

        :raises StoreUnusable: the endpoint cannot be used, so this host cannot be a member
        """
        failures: list[Failure] = []
        # Ports of this machine open at once, so the result is there when this call returns.
        maybeDeferred(self.hop.listen, self).addCallbacks(self._listening, failures.append)
        if self._port is None:
            reason = failures[0].getErrorMessage() if failures else "no answer"
            raise StoreUnusable(f"--cluster: cannot listen: {reason}")
        self.address = self.hop.address(self._port)

    def _listening(self, port: IListeningPort) -> None:
        send_at_once(port)
        self._port = port

    def close(self) -> None:
        """Closes the port."""
        if self._port is not None:
            self._port.stopListening()
            self._port = None

    def open(self, cluster: Cluster, factories: Mapping[str, Any]) -> None:
        """
        Called when the host is ready: reads from the connections that wait.

        :param factories: the factories of the clients' protocols, by the name of the wire, or `SOCKET`
        """
        self._cluster, self._factories = cluster, factories
        for one in self._early:
            one.transport.resumeProducing()
        self._early.clear()

    def wait(self, connection: InternalProtocol) -> None:
        """Pauses a connection until the host is ready."""
        if self._cluster is None:
            self._early.add(connection)
            connection.transport.pauseProducing()

    def gone(self, connection: InternalProtocol) -> None:
        """Called when a connection is lost before its preamble was complete."""
        self._early.discard(connection)

    def admit(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """
        Accepts a client's connection from another member, if the preamble has the right token.

        :param data: bytes that came after the preamble
        """
        if self._cluster is None or self._cluster.halted:
            transport.abortConnection()  # the other member looks for the name's home again then
        # The token proves that the other side can read the database of the cluster.
        elif compare_digest(preamble.token.encode(), self.token.encode()) and preamble.hops <= MOST_HOPS:
            self.keep(FramedTransport(transport, preamble.mark), preamble, data)
        else:
            self.log.warn("a connection between hosts is refused: a wrong token, or too many hops")
            transport.abortConnection()

    def keep(self, transport: Any, preamble: Preamble, data: bytes) -> None:
        """
        Handles a client's connection at this host.

        :param transport: the transport of the client; `None`: the client's connection is lost
        :param data: bytes that the client has sent already
        """
        cluster, factory = self._cluster, self._factories.get(preamble.wire)
        assert cluster is not None
        # The connection is lost already: only the name has to become free.
        if preamble.lost:
            if preamble.adopt is not None:
                free_name(cluster, preamble.adopt)
            if transport is not None:
                transport.loseConnection()
            return
        # Find or make the protocol.
        if factory is None:
            self.log.warn("a connection between hosts is refused: no wire {wire!r} here", wire=preamble.wire)
            transport.abortConnection()
            return
        if preamble.wire == SOCKET:
            protocol = factory.new_socket(preamble.address, preamble.tls)
        else:
            # All clients of such a wire are at this member from now on.
            if not factory.wire.spreads:
                cluster.keep(place_of("wire", factory.wire.name))
            # The port of the client is not known here.
            protocol = factory.buildProtocol(IPv4Address("TCP", preamble.address, 0))
        if protocol is None:
            transport.abortConnection()
            return
        # Connect it to the transport, and let it continue.
        with cluster.cork:
            replace_protocol(transport, protocol, b"")
            _go_on(cluster, protocol, preamble)
        if data:
            protocol.dataReceived(data)


def _go_on(cluster: Cluster, protocol: WireProtocol[Any], preamble: Preamble) -> None:
    """Brings a new conversation into the state that the client's conversation had at the other member."""
    assert isinstance(protocol.input, ClaimingInput)
    protocol.input.go_on_from(preamble)
    # On a wire that does not spread, the client has received no greeting yet.
    if protocol.closing or not protocol.factory.wire.spreads:
        return
    # The new conversation has written a greeting. The client has received one from the other member, so it is dropped.
    protocol.output.end_holds()
    protocol.output.clear()
    if preamble.adopt is not None:
        adopt(cluster, protocol, preamble.adopt, preamble.parcel)
    else:
        conversation: Any = protocol.conversation
        conversation.unpack(preamble.parcel, None)


@define(eq=False)
class _Arrived(Protocol):
    """
    A new connection of a wire that does not spread. It is passed on to the member that is the home of the wire, which may be
    this host.
    """

    _cluster: Cluster
    _preamble: Preamble

    def connectionMade(self) -> None:
        self._cluster.relays.pass_on(self.transport, place_of("wire", self._preamble.wire), 0, self._preamble, b"")

    def dataReceived(self, data: bytes) -> None:
        """
        Called if bytes came together with a PROXY header. The header's reader still calls this object, although another
        protocol has the connection now, so the bytes are passed on to that protocol.
        """
        transport: Any = self.transport
        transport.protocol.dataReceived(data)


class FrontFactory(Factory):
    """
    Makes the protocols for a listener of a wire that does not spread. One member, the home of the wire, has all clients of
    such a wire, and the other members pass their connections on.

    :param factory: makes the protocols at the home of the wire
    """

    noisy = False
    log = Logger()

    def __init__(self, factory: Any, cluster: Cluster) -> None:
        self._factory = factory
        self._wire = factory.wire.name
        self._cluster = cluster

    def doStart(self) -> None:
        super().doStart()
        self._factory.doStart()

    def doStop(self) -> None:
        self._factory.doStop()
        super().doStop()

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Returns a protocol for a new connection; `None`: there are too many connections."""
        # This member has all clients of the wire.
        if self._cluster.has(place_of("wire", self._wire)):
            return self._factory.buildProtocol(addr)
        address = str(getattr(addr, "host", ""))
        limiter = self._cluster.relays.limiter
        if (reason := limiter.admit(address, self._cluster.clock.seconds())) is not None:
            self.log.info("{wire}: refused {address!r}: {reason}", wire=self._wire, address=address, reason=reason)
            return None
        return _Arrived(self._cluster, Preamble("", self._wire, address))


def front_of(cluster: Cluster, factory: Any, spreads: bool) -> Any:
    """
    Returns the factory for a listener of a wire.

    :param factory: makes the protocols of the wire's clients
    :param spreads: whether clients of the wire may be at any member. If not, all are at one member.
    """
    return factory if spreads else FrontFactory(factory, cluster)


def relays_in(cluster: Cluster) -> int:
    """Returns how many connections other members pass on to this member, without those of web pages."""
    connections = (connection for one in cluster.factories.values() for connection in one.connections)
    return sum(isinstance(one.input, ClaimingInput) and one.input.hops > 0 for one in connections)
