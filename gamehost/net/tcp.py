"""
TCP connections: what the system is told about their sockets, and what a connection uses of its transport.
"""

import socket
from typing import Any, Protocol

from twisted.internet.interfaces import IListeningPort, ITCPTransport

from gamehost._twisted import accept_immediate_servers

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
