"""
The endpoint strings of the options: Twisted's, and our own `tls:` and `haproxy:`, which replace Twisted's. Ours reload
certificates at a SIGHUP, and accept PROXY headers from trusted proxies only. Twisted's do neither.

Behind a proxy that sends the PROXY protocol a connection gets the address of its client, not the proxy's. Only trusted proxies
may connect, or anybody could claim any address; a setting says which they are. Until the header is complete, a connection has
only a buffer and a deadline. Then its own protocol replaces this one, so that a proxied connection costs no more than a direct
one.
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

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"

#: Bytes of a version 1 line with its end; section 2.1.
LONGEST_LINE = 107

#: Bytes behind a version 2 header: the addresses, and what proxies like to add.
LONGEST_BLOCK = 4_096

_ADDRESSES = {0x1: (4, ipaddress.IPv4Address), 0x2: (16, ipaddress.IPv6Address)}


class ProxyInfo(Struct, frozen=True):
    """The content of a PROXY header: what a proxy says about a connection."""

    #: The client's address and port; `None` if the proxy itself connects (a health check), or if the client has none.
    source: tuple[str, int] | None
    #: The bytes behind the header.
    rest: bytes


def read_header(data: bytes) -> ProxyInfo | None:
    """
    Read the PROXY header at the beginning of a connection; `None`: the header is not complete yet.

    :param data: all bytes that were received so far
    :raises WireError: the bytes are no PROXY header
    """
    if data[: len(SIGNATURE)] == SIGNATURE[: len(data)]:
        return _block(data)
    if data[:6] == b"PROXY "[: len(data)]:
        return _line(data)
    raise WireError("no PROXY header")


def _line(data: bytes) -> ProxyInfo | None:
    end = data.find(b"\r\n", 0, LONGEST_LINE)
    if end < 0:
        if len(data) >= LONGEST_LINE:
            raise WireError("a PROXY line that is too long")
        return None
    rest = data[end + 2 :]
    match data[:end].split(b" "):
        case [b"PROXY", b"UNKNOWN", *_]:
            return ProxyInfo(None, rest)
        case [b"PROXY", b"TCP4" | b"TCP6" as family, source, target, port, target_port]:
            kind = ipaddress.IPv4Address if family == b"TCP4" else ipaddress.IPv6Address
            _address(kind, target)
            _port(target_port)
            return ProxyInfo((_address(kind, source), _port(port)), rest)
    raise WireError("a PROXY line that cannot be read")


def _address(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], text: bytes) -> str:
    try:
        if b"%" in text:
            raise ValueError("a scope means something on the proxy's machine alone")
        return str(kind(text.decode("ascii")))
    except ValueError:
        raise WireError("a PROXY line with an address that cannot be read") from None


def _port(text: bytes) -> int:
    if not (text.isdigit() and len(text) <= 5 and int(text) < 65_536):
        raise WireError("a PROXY line with a port that cannot be read")
    return int(text)


def _block(data: bytes) -> ProxyInfo | None:
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
    if command == 0 or family not in _ADDRESSES:
        return ProxyInfo(None, rest)
    size, kind = _ADDRESSES[family]
    if length < 2 * size + 4:
        raise WireError("a PROXY header that is too short")
    return ProxyInfo((str(kind(block[:size])), int.from_bytes(block[2 * size : 2 * size + 2], "big")), rest)


#: How many seconds a proxy has to send its header.
HEADER_SECONDS = 5.0

#: This machine.
LOOPBACK: Sequence[Network] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


def proxy_network(name: str, text: str) -> Network:
    """
    A proxy's address, or a network of them: `192.0.2.7`, `2001:db8::/32`.

    :raises BadOption: it is neither
    """
    try:
        return ip_network(text)
    except ValueError:
        raise BadOption(f"{name}: expected an address, or a network such as 192.0.2.0/24, got {text!r}") from None


def is_among(host: str, networks: Sequence[Network]) -> bool:
    address = address_of(host)
    return any(address in network for network in networks) if address is not None else False


@implementer(IStreamServerEndpoint)
@define(eq=False)
class ProxiedEndpoint:
    """
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
    """Makes protocols that read the PROXY header, and then hand the connection over to another factory's protocol."""

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
        """A protocol for a trusted proxy; `None` for others, and if there are too many: Twisted then closes the connection."""
        host = getattr(addr, "host", None)
        if host is not None and not is_among(host, self._trusted):
            self.log.warn("{address!r} is no trusted proxy: closed", address=host)
            return None
        if not self.headers.admit(host or ""):
            self.log.warn("too many connections of proxies without a PROXY header: closed")
            return None
        return ProxyHeaderProtocol(self, addr)


class HeaderProtocol(Protocol):
    """
    A connection that begins with a header. The header says to which client the connection belongs. Until it is
    complete, the connection has a buffer and a deadline.

    :param headers: the limiter that has admitted the address
    """

    transport: Any
    log = Logger()
    #: For the log: what the host does with a connection with a wrong header, and the fault of a connection without a
    #: header.
    refusal, late = "", ""

    def __init__(self, clock: IReactorTime, headers: HeaderLimiter, address: str) -> None:
        self._clock = clock
        self._headers = headers
        self._address = address
        self._come = b""
        self._deadline: IDelayedCall | None = None

    def read(self, come: bytes) -> None:
        """
        Read all that has come. If the header is complete, `end_wait`, and hand the connection over.

        :raises WireError: this is no header
        """
        raise NotImplementedError

    def connectionMade(self) -> None:
        self._deadline = self._clock.callLater(HEADER_SECONDS, self.refuse, self.late)

    def dataReceived(self, data: bytes) -> None:
        if self._deadline is not None:
            self._come += data
            try:
                self.read(self._come)
            except WireError as error:
                self.refuse(str(error))

    def connectionLost(self, reason: Failure | None = None) -> None:
        """The connection was lost before it was handed over."""
        self.end_wait()

    def end_wait(self) -> None:
        """Stop waiting for the header: it is complete, or the connection has ended."""
        deadline, self._deadline = self._deadline, None
        if deadline is not None:
            if deadline.active():
                deadline.cancel()
            self._headers.leave(self._address)

    def refuse(self, why: str) -> None:
        self.end_wait()
        self.log.warn("{refusal}: {why}", refusal=self.refusal, why=why)
        self.transport.abortConnection()


class ProxyHeaderProtocol(HeaderProtocol):
    refusal, late = "a proxy's connection is closed", f"no PROXY header within {HEADER_SECONDS:g} s"

    def __init__(self, factory: ProxiedFactory, proxy: IAddress | None) -> None:
        super().__init__(factory.clock, factory.headers, getattr(proxy, "host", ""))
        self._made_by = factory
        self._proxy = proxy

    def read(self, come: bytes) -> None:
        """Hand the connection over to the protocol of its client."""
        if (info := read_header(come)) is None:
            return
        self.end_wait()
        address: Any = self._proxy
        if info.source is not None:
            host, port = info.source
            address = IPv6Address("TCP", host, port) if ":" in host else IPv4Address("TCP", host, port)
        protocol = self._made_by.factory.buildProtocol(address)
        if protocol is None:
            self.transport.abortConnection()
        else:
            replace_protocol(self.transport, protocol, info.rest)


# Endpoints.


#: Bytes of the system's buffers, of each connection and direction, before Linux doubles them. By default Linux would keep
#: megabytes for a client that does not read, and take as much from one that floods. A match's messages of many seconds fit.
SYSTEM_BUFFER = 32_768


def send_at_once(port: IListeningPort) -> None:
    """
    For connections that a port accepts from now on: send each write at once, and use small system buffers, if they are
    TCP.
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
    Turn Nagle's algorithm off, and keep-alive on: the system detects within about half a minute that a client is
    unreachable.

    Urgent data is read in its place: a telnet client may send half of a command as urgent data.
    """
    if not ITCPTransport.providedBy(transport):
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    # Of TLS the socket is that of the transport below.
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
        # Twisted's transports of unix sockets look like those of TCP.
        if option is not None and isinstance(handle, socket.socket) and handle.family != socket.AF_UNIX:
            handle.setsockopt(level, option, value)


#: How many new connections the system queues. With the usual 50, a thousand clients that connect at once wait for more
#: than a second.
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

    :param trusted: the proxies that may connect to `haproxy:` endpoints; without any: those of this machine
    """

    _reactor: Any
    _trusted: Sequence[Network] = ()
    #: Counts the connections of proxies, and of other members of a cluster, that have not sent their header yet.
    headers: HeaderLimiter = field(factory=HeaderLimiter)
    #: Called at a SIGHUP, when files may have been replaced.
    reloads: list[Callable[[], None]] = field(factory=list)

    def make(self, description: str) -> IStreamServerEndpoint:
        """
        :raises BadOption: this is no endpoint; the message says why
        """
        kind, _, rest = description.partition(":")
        if kind == "haproxy":
            if rest.startswith(("tls:", "ssl:", "haproxy:")):
                raise BadOption("haproxy: is written before tcp:, tcp6:, unix: or systemd:; let the proxy do TLS")
            return ProxiedEndpoint(self.make(rest), self._trusted or LOOPBACK, self._reactor, self.headers)
        if kind == "tls":
            return self._tls(_COLON.split(rest))
        if kind in ("tcp", "tcp6") and "backlog=" not in rest:
            description = f"{description}:backlog={BACKLOG}"
        try:
            endpoint: IStreamServerEndpoint = serverFromString(self._reactor, description)
        except (ValueError, TypeError, KeyError, OSError):
            # Twisted's message is usually Python's own, which says nothing about the option.
            raise BadOption(f"expected one such as {EXAMPLES}") from None
        return endpoint

    def _tls(self, words: Sequence[str]) -> IStreamServerEndpoint:
        """`tls:FOLDER:PORT`, with `interface=` and `backlog=`."""
        try:
            from gamehost.net.tls import Certificates, TLSEndpoint
        except ImportError:
            raise BadOption("tls: needs pyOpenSSL: pip install 'Twisted[tls]'") from None
        plain = [word.replace("\\:", ":") for word in words]
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
