"""
TCP connections that send at once.

Twisted queues what is written, asks the system whether it may be sent, and sends it in the next turn of the reactor. A
player's connection can nearly always take a message there and then, and the asking costs more than the sending. What
the system does not take at once is queued as ever, and the producer hears of it at once: by then the system's own
buffer, which is no larger than a game needs, is full of what the client has not read.
"""

import socket
from typing import Any, Protocol

from twisted.internet import tcp
from twisted.internet.interfaces import IListeningPort, ITCPTransport

#: Bytes of the system's own buffers, of each connection and way, before Linux doubles them: by itself it would keep
#: megabytes for who does not read, and take as much from who floods. A match's words of many seconds fit in.
SYSTEM_BUFFER = 32_768


class ImmediateServer(tcp.Server):
    """A connection that sends what is written at once, unless something before it still waits."""

    #: Bytes read at a time.
    bufferSize = 16_384

    #: Whether something waits to be sent, or the connection to be closed.
    _waits = False

    def startWriting(self) -> None:
        self._waits = True
        super().startWriting()

    def stopWriting(self) -> None:
        self._waits = False
        super().stopWriting()

    def write(self, data: bytes) -> None:
        if not self._waits and self.connected and not self.disconnecting and not self.TLS:
            try:
                sent = self.socket.send(data)
            except OSError:
                sent = 0  # it is full, or lost: the queue finds out which
            if sent == len(data):
                return
            data = data[sent:]
        super().write(data)
        producer: Any = self.producer
        if producer is not None and not self.producerPaused and self._waits:
            self.producerPaused = True
            producer.pauseProducing()


def send_at_once(port: IListeningPort) -> None:
    """Have the connections that a port accepts from now on send at once, and keep little, if they are TCP."""
    tcp_port: Any = port
    if getattr(port, "transport", None) is tcp.Server:
        tcp_port.transport = ImmediateServer
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
    """Send at once, and find out within about half a minute that the other side is not there any more."""
    if not ITCPTransport.providedBy(transport):
        return
    transport.setTcpNoDelay(True)
    transport.setTcpKeepAlive(True)
    # Of TLS the socket is that of the transport below.
    handle = getattr(getattr(transport, "transport", transport), "getHandle", lambda: None)()
    for name, value in (
        # Whoever says nothing is probed every four seconds, and given up sixteen after the last sign of life. Something said
        # in the meantime has sixteen seconds of its own: 32 in all, at the worst.
        ("TCP_KEEPIDLE", 8),
        ("TCP_KEEPINTVL", 4),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 16_000),
    ):
        option = getattr(socket, name, None)
        if option is not None and isinstance(handle, socket.socket):
            handle.setsockopt(socket.IPPROTO_TCP, option, value)
