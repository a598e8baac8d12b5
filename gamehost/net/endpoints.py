"""
The endpoint strings of the options: Twisted's, and our own `tls:` and `haproxy:`, which replace Twisted's.

Ours reload certificates at a SIGHUP, and accept PROXY headers from trusted proxies only. Twisted's do neither.
"""

import re
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.interfaces import IListeningPort, IStreamServerEndpoint, ITCPTransport

from gamehost._twisted import accept_immediate_servers
from gamehost.net.haproxy import LOOPBACK, Network, ProxiedEndpoint
from gamehost.net.limiter import HeaderLimiter
from gamehost.settings import BadOption, from_to, refuse_unknown, setting

#: Bytes of the system's buffers, of each connection and direction, before Linux doubles them. By default Linux would keep
#: megabytes for a client that does not read, and take as much from one that floods. A match's messages of many seconds fit.
SYSTEM_BUFFER = 32_768


def send_at_once(port: IListeningPort) -> None:
    """Have the connections that a port accepts from now on send at once, with small system buffers, if they are TCP."""
    if accept_immediate_servers(port):
        tcp_port: Any = port
        for buffer in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            tcp_port.socket.setsockopt(socket.SOL_SOCKET, buffer, SYSTEM_BUFFER)


class Transport(Protocol):
    """What a connection uses of its transport: parts of Twisted's `ITransport`, `IConsumer` and `IPushProducer`."""

    def write(self, data: bytes) -> None: ...

    def loseConnection(self) -> None: ...

    def abortConnection(self) -> None: ...

    def registerProducer(self, producer: object, streaming: bool) -> None: ...

    def unregisterProducer(self) -> None: ...

    def pauseProducing(self) -> None: ...

    def resumeProducing(self) -> None: ...


def set_socket_options(transport: Any) -> None:
    """Turn Nagle's algorithm off, and have the system find out within about half a minute that a client is gone."""
    if not ITCPTransport.providedBy(transport):
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    # Of TLS the socket is that of the transport below.
    handle = getattr(getattr(transport, "transport", transport), "getHandle", lambda: None)()
    for name, value in (
        # A silent client is probed every four seconds, and given up 16 seconds after its last packet. Data that is sent
        # in the meantime has 16 seconds of its own: 32 in all, in the worst case.
        ("TCP_KEEPIDLE", 8),
        ("TCP_KEEPINTVL", 4),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 16_000),
    ):
        option = getattr(socket, name, None)
        # Twisted's transports of unix sockets look like those of TCP.
        if option is not None and isinstance(handle, socket.socket) and handle.family != socket.AF_UNIX:
            handle.setsockopt(socket.IPPROTO_TCP, option, value)


#: Waiting connections that the system keeps for us: with the usual 50, a thousand at once wait a second and more.
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

    :param trusted: the proxies that may connect to `haproxy:` endpoints; none: those of this machine
    """

    _reactor: Any
    _trusted: Sequence[Network] = ()
    #: Counts the connections of proxies, and of other members of a cluster, that have not said whose they are.
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
                raise BadOption("haproxy: stands before tcp:, tcp6:, unix: or systemd:; let the proxy do TLS")
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
            raise BadOption("expected tls:FOLDER:PORT, where FOLDER holds the .pem files")
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
