"""
Makes the endpoints that the options name, such as `tcp:8893`. The kinds `tls:` and `haproxy:` are our own, and replace those of
Twisted: they reload certificates at a SIGHUP, and accept PROXY headers only from trusted proxies.

A proxy with the PROXY protocol sends a header with the address of its client, which then counts as the address of the
connection. Only trusted proxies may connect, because others could claim any address. A setting names the trusted ones. Until
the header is complete, a connection has only a buffer and a deadline. Then the protocol of the wire takes its place, so that a
connection through a proxy costs no more than a direct one.
"""

import ipaddress
import re
import socket
import typing
from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from attrs import define, field
from msgspec import Struct
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
    IListeningPort,
    IProtocolFactory,
    IReactorTime,
    IStreamServerEndpoint,
    ITCPTransport,
)
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamehost._twisted import accept_immediate_servers, replace_protocol
from gamehost.net.limiter import HeaderLimiter
from gamehost.rates import address_of
from gamehost.settings import BadOption, from_to, refuse_unknown, setting
from gamehost.wires.framing import WireError

Network = IPv4Network | IPv6Network

#: The first bytes of a PROXY header of version 2.
SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"

#: The most bytes of a version 1 line, with its end: section 2.1 of the PROXY protocol.
LONGEST_LINE = 107

#: The most bytes after the fixed part of a version 2 header: the addresses, and what proxies may add.
LONGEST_BLOCK = 4_096

_ADDRESSES = {0x1: (4, ipaddress.IPv4Address), 0x2: (16, ipaddress.IPv6Address)}


class ProxyInfo(Struct, frozen=True):
    """What a PROXY header says about a connection, and the bytes after it."""

    #: The client's address and port; `None` if the proxy itself connects (a health check), or if the client has none.
    source: tuple[str, int] | None
    #: The bytes that came after the header.
    rest: bytes


def read_header(data: bytes) -> ProxyInfo | None:
    """
    Read the PROXY header at the beginning of a connection.

    :param data: all bytes that were received up to now
    :returns: `None`: the header is not complete yet
    :raises WireError: the bytes are not a PROXY header
    """
    # With fewer bytes than these beginnings have, only the bytes that have come are compared.
    if data[: len(SIGNATURE)] == SIGNATURE[: len(data)]:
        return _block(data)
    if data[:6] == b"PROXY "[: len(data)]:
        return _line(data)
    raise WireError("no PROXY header")


def _line(data: bytes) -> ProxyInfo | None:
    """Read a header of version 1: a line of text."""
    end = data.find(b"\r\n", 0, LONGEST_LINE)
    if end < 0:
        if len(data) >= LONGEST_LINE:
            raise WireError("a PROXY line that is too long")
        return None  # not complete yet
    rest = data[end + 2 :]
    match data[:end].split(b" "):
        case [b"PROXY", b"UNKNOWN", *_]:
            return ProxyInfo(None, rest)
        case [b"PROXY", b"TCP4" | b"TCP6" as family, source, target, port, target_port]:
            kind = ipaddress.IPv4Address if family == b"TCP4" else ipaddress.IPv6Address
            # The target is not needed. It is read only to refuse a wrong header.
            _address(kind, target)
            _port(target_port)
            return ProxyInfo((_address(kind, source), _port(port)), rest)
    raise WireError("a PROXY line that cannot be read")


def _address(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], text: bytes) -> str:
    """
    Read an address of a version 1 header.

    :raises WireError: the text is no address of this kind
    """
    try:
        if b"%" in text:
            raise ValueError("a scope has a meaning only on the proxy's own machine")
        return str(kind(text.decode("ascii")))
    except ValueError:
        raise WireError("a PROXY line with an address that cannot be read") from None


def _port(text: bytes) -> int:
    """
    Read a port of a version 1 header.

    :raises WireError: the text is no port
    """
    if not (text.isdigit() and len(text) <= 5 and int(text) < 65_536):
        raise WireError("a PROXY line with a port that cannot be read")
    return int(text)


def _block(data: bytes) -> ProxyInfo | None:
    """Read a header of version 2: a block of bytes. Section 2.2 of the PROXY protocol gives its layout."""
    # The fixed part has 16 bytes. After the signature: the version and the command in one byte, the family of the
    # addresses and the kind of transport in one byte, and the number of bytes that follow.
    if len(data) < 16:
        return None
    version, command = data[12] >> 4, data[12] & 0xF
    family, length = data[13] >> 4, int.from_bytes(data[14:16], "big")
    if version != 2 or command > 1 or family > 3 or data[13] & 0xF > 2:
        raise WireError("a PROXY header of an unknown kind")
    if length > LONGEST_BLOCK:
        raise WireError("a PROXY header that is too long")
    if len(data) < 16 + length:
        return None
    block, rest = data[16 : 16 + length], data[16 + length :]
    # Command 0: the proxy itself connects, as for a health check. Other families have no IP address.
    if command == 0 or family not in _ADDRESSES:
        return ProxyInfo(None, rest)
    # The block has the client's address, the proxy's own one, and then both ports, of two bytes each.
    size, kind = _ADDRESSES[family]
    if length < 2 * size + 4:
        raise WireError("a PROXY header that is too short")
    address = str(kind(block[:size]))
    port = int.from_bytes(block[2 * size : 2 * size + 2], "big")
    return ProxyInfo((address, port), rest)


#: How many seconds a proxy has to send its header.
HEADER_SECONDS = 5.0

#: This machine.
LOOPBACK: Sequence[Network] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


def proxy_network(name: str, text: str) -> Network:
    """
    Read a setting with trusted proxies: an address such as `192.0.2.7`, or a network such as `2001:db8::/32`.

    :param name: of the setting, for the error message
    :raises BadOption: the text is neither
    """
    try:
        return ip_network(text)
    except ValueError:
        raise BadOption(f"{name}: expected an address, or a network such as 192.0.2.0/24, got {text!r}") from None


def is_among(host: str, networks: Sequence[Network]) -> bool:
    """Whether an address is in one of these networks; `False` for a text that is no address."""
    address = address_of(host)
    return any(address in network for network in networks) if address is not None else False


@implementer(IStreamServerEndpoint)
@define(eq=False)
class ProxiedEndpoint:
    """
    An endpoint for connections through proxies, which begin with a PROXY header.

    :param endpoint: where the proxies connect
    :param trusted: the addresses of the proxies; at a Unix socket, every user that may open it is trusted
    :param headers: counts the connections without a complete header
    """

    _endpoint: IStreamServerEndpoint
    _trusted: Sequence[Network]
    _clock: IReactorTime
    _headers: HeaderLimiter

    def listen(self, factory: IProtocolFactory) -> Deferred[IListeningPort]:
        proxied = ProxiedFactory(factory, self._trusted, self._clock, self._headers)
        listening: Deferred[IListeningPort] = self._endpoint.listen(proxied)
        return listening


@define(eq=False)
class ProxiedFactory(Factory):
    """Makes protocols that read the PROXY header, and then hand the connection over to a protocol of `factory`."""

    noisy = False
    log = Logger()

    factory: IProtocolFactory
    _trusted: Sequence[Network]
    clock: IReactorTime
    headers: HeaderLimiter

    def doStart(self) -> None:
        super().doStart()
        self.factory.doStart()

    def doStop(self) -> None:
        self.factory.doStop()
        super().doStop()

    def buildProtocol(self, addr: IAddress | None) -> Protocol | None:
        """
        Make the protocol for a connection of a proxy. `None`: the proxy is not trusted, or too many connections wait for
        their header; Twisted then closes the connection.
        """
        host = getattr(addr, "host", None)  # a Unix socket has no address: its folder says who may connect
        if host is not None and not is_among(host, self._trusted):
            self.log.warn("{address!r} is no trusted proxy: closed", address=host)
            return None
        if not self.headers.admit(host or ""):
            self.log.warn("too many connections of proxies without a PROXY header: closed")
            return None
        return ProxyHeaderProtocol(self, addr)


class HeaderProtocol(Protocol):
    """
    A connection that begins with a header, from a proxy or another member of a cluster. The header says which client the
    connection belongs to. Until the header is complete, the connection has only a buffer and a deadline.

    :param headers: the limiter that has admitted this connection
    :param address: of the proxy or the member
    """

    transport: Any
    log = Logger()
    #: Words for the log: what happens to a connection with a wrong header; and the reason if no header came in time.
    refusal, late = "", ""

    def __init__(self, clock: IReactorTime, headers: HeaderLimiter, address: str) -> None:
        """Make a connection without any bytes of its header. The class describes the parameters."""
        self._clock = clock
        self._headers = headers
        self._address = address
        #: The bytes that have come up to now.
        self._come = b""
        #: Fires if the header does not come in time; `None`: the wait has not begun, or is over.
        self._deadline: IDelayedCall | None = None

    def read(self, come: bytes) -> None:
        """
        Read the bytes that have come up to now. If the header is complete, call `end_wait` and hand the connection over.

        :raises WireError: the bytes are not a header
        """
        raise NotImplementedError

    def connectionMade(self) -> None:
        self._deadline = self._clock.callLater(HEADER_SECONDS, self.refuse, self.late)

    def dataReceived(self, data: bytes) -> None:
        """Add the bytes to the buffer, and try to read the header. After a refusal, bytes are ignored."""
        if self._deadline is not None:
            self._come += data
            try:
                self.read(self._come)
            except WireError as error:
                self.refuse(str(error))

    def connectionLost(self, reason: Failure | None = None) -> None:
        """End the wait for the header. After the connection was handed over, this is not called any more."""
        self.end_wait()

    def end_wait(self) -> None:
        """Stop waiting for the header: it is complete, or the connection has ended."""
        deadline, self._deadline = self._deadline, None
        if deadline is not None:
            if deadline.active():  # not if the deadline itself has called `refuse`
                deadline.cancel()
            self._headers.leave(self._address)

    def refuse(self, why: str) -> None:
        """Close the connection, because its header is wrong or late, and log the reason."""
        self.end_wait()
        self.log.warn("{refusal}: {why}", refusal=self.refusal, why=why)
        self.transport.abortConnection()


class ProxyHeaderProtocol(HeaderProtocol):
    """A connection of a proxy, until its PROXY header is complete."""

    refusal, late = "a proxy's connection is closed", f"no PROXY header within {HEADER_SECONDS:g} s"

    def __init__(self, factory: ProxiedFactory, proxy: IAddress | None) -> None:
        super().__init__(factory.clock, factory.headers, getattr(proxy, "host", ""))
        self._made_by = factory
        self._proxy = proxy

    def read(self, come: bytes) -> None:
        """If the header is complete, hand the connection over to a protocol for its client."""
        if (info := read_header(come)) is None:
            return
        self.end_wait()
        # Without a client's address in the header, the address of the proxy counts.
        address: Any = self._proxy
        if info.source is not None:
            host, port = info.source
            address = IPv6Address("TCP", host, port) if ":" in host else IPv4Address("TCP", host, port)
        protocol = self._made_by.factory.buildProtocol(address)
        if protocol is None:  # the connection is refused without a reason
            self.transport.abortConnection()
        else:
            replace_protocol(self.transport, protocol, info.rest)


# Endpoints.


#: The bytes of the system's buffer for each connection and direction; Linux doubles this. Linux's own default would store
#: megabytes for a client that does not read, or that sends too much. The messages of a match in many seconds have fewer bytes.
SYSTEM_BUFFER = 32_768


def send_at_once(port: IListeningPort) -> None:
    """
    Let the connections that a TCP port accepts from now on send each write at once, and use small system buffers. For
    another kind of port, do nothing.
    """
    if accept_immediate_servers(port):
        tcp_port: Any = port
        for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            tcp_port.socket.setsockopt(socket.SOL_SOCKET, buffer, SYSTEM_BUFFER)


class Transport(typing.Protocol):
    """
    The methods of a transport that a connection uses: parts of Twisted's `ITransport`, `IConsumer` and `IPushProducer`.
    """

    def write(self, data: bytes) -> None: ...

    def loseConnection(self) -> None: ...

    def abortConnection(self) -> None: ...

    def registerProducer(self, producer: object, streaming: bool) -> None: ...

    def unregisterProducer(self) -> None: ...

    def pauseProducing(self) -> None: ...

    def resumeProducing(self) -> None: ...


def set_socket_options(transport: Any) -> None:
    """
    Set the options of a TCP connection. Small writes are sent at once (no Nagle's algorithm). With keep-alive, the system
    detects within about half a minute that a client cannot be reached.

    Urgent data is read in line with other data: a telnet client may send half of a command as urgent data.
    """
    if not ITCPTransport.providedBy(transport):
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    # With TLS, the transport below this one has the socket.
    handle = getattr(getattr(transport, "transport", transport), "getHandle", lambda: None)()
    for level, name, value in (
        (socket.SOL_SOCKET, "SO_OOBINLINE", 1),
        # A silent client is probed every four seconds, and its connection ends 16 seconds after its last packet. Data
        # that is sent in the meantime has 16 seconds of its own: 32 in all, in the worst case.
        (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 8),
        (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 4),
        (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
        (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 16_000),
    ):
        option = getattr(socket, name, None)
        # Twisted's transports of Unix sockets seem to be TCP, but do not have these options.
        if option is not None and isinstance(handle, socket.socket) and handle.family != socket.AF_UNIX:
            handle.setsockopt(level, option, value)


#: How many new connections the system queues for a port. With the usual 50, some of a thousand clients that connect at once
#: would wait for more than a second.
BACKLOG = 4096

#: Examples for the error message.
EXAMPLES = (
    r"tcp:8893, tcp:8893:interface=127.0.0.1, tcp6:8893, unix:/run/onitama, systemd:domain=INET:index=0, tls:DIR:8893"
)

_COLON = re.compile(r"(?<!\\):")


@define(eq=False)
class Endpoints:
    """
    Makes the endpoints of one host.

    :param trusted: the proxies that may connect to `haproxy:` endpoints; empty: only those of this machine
    """

    _reactor: Any
    _trusted: Sequence[Network] = ()
    #: Counts the connections of proxies, and of other members of a cluster, that have not sent their header yet.
    headers: HeaderLimiter = field(factory=HeaderLimiter)
    #: Called at a SIGHUP, when files may have been replaced.
    reloads: list[Callable[[], None]] = field(factory=list)

    def make(self, description: str) -> IStreamServerEndpoint:
        """
        Make the endpoint that a text describes, such as `tcp:8893` or `tls:DIR:8893`.

        :raises BadOption: the text does not describe an endpoint; the message says why
        """
        kind, _, rest = description.partition(":")
        if kind == "haproxy":
            if rest.startswith(("tls:", "ssl:", "haproxy:")):
                raise BadOption("haproxy: is written before tcp:, tcp6:, unix: or systemd:; let the proxy do TLS")
            return ProxiedEndpoint(self.make(rest), self._trusted or LOOPBACK, self._reactor, self.headers)
        if kind == "tls":
            return self._tls(_COLON.split(rest))
        if kind in ("tcp", "tcp6") and "backlog=" not in rest:  # Twisted's own default is 50
            description = f"{description}:backlog={BACKLOG}"
        try:
            endpoint: IStreamServerEndpoint = serverFromString(self._reactor, description)
        except (ValueError, TypeError, KeyError, OSError):
            # Twisted's message is usually Python's own, which says nothing about the option.
            raise BadOption(f"expected one such as {EXAMPLES}") from None
        return endpoint

    def _tls(self, words: Sequence[str]) -> IStreamServerEndpoint:
        """Make the endpoint for `tls:FOLDER:PORT`, perhaps with `interface=` and `backlog=`, from the words after `tls:`."""
        try:
            from gamehost.net.tls import Certificates, TLSEndpoint
        except ImportError:
            raise BadOption("tls: needs pyOpenSSL: pip install 'Twisted[tls]'") from None
        plain = [word.replace("\\:", ":") for word in words]  # `\:` is a colon in a folder or an IPv6 address
        if len(plain) < 2 or "=" in plain[1]:
            raise BadOption("expected tls:FOLDER:PORT, where FOLDER contains the .pem files")
        folder, port, *more = plain
        options = {name: value for name, _, value in (one.partition("=") for one in more)}
        refuse_unknown(options, ("interface", "backlog"))
        number = from_to(0, 65_535)("the port", port)
        backlog = setting(options, "backlog", BACKLOG, from_to(1, 65_535))
        interface = options.get("interface", "::")
        make = TCP6ServerEndpoint if ":" in interface else TCP4ServerEndpoint
        certificates = Certificates(Path(folder))
        self.reloads.append(certificates.reload)
        return TLSEndpoint(make(self._reactor, number, backlog, interface), certificates, self._reactor)
