"""
What there is to a transport beside bytes: how its socket is tuned, and whether the other side reads.
"""

import socket
from typing import Any, Protocol

from twisted.internet.interfaces import IPushProducer, ITCPTransport
from zope.interface import implementer


class Told(Protocol):
    """Who is told how the other side reads."""

    def reader_stalls(self) -> None: ...

    def reader_catches_up(self) -> None: ...


@implementer(IPushProducer)
class Reader:
    """
    What a transport tells when its other side does not read, and when it does again.

    :param connection: who is told
    """

    __slots__ = ("_connection",)

    def __init__(self, connection: Told) -> None:
        self._connection = connection

    def pauseProducing(self) -> None:
        self._connection.reader_stalls()

    def resumeProducing(self) -> None:
        self._connection.reader_catches_up()

    def stopProducing(self) -> None:
        """The connection is lost; `connectionLost` comes too."""


def tune(transport: Any) -> None:
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
