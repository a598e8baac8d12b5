"""
TCP connections that send at once.

Twisted queues what is written, asks the system whether it may be sent, and sends it in the next turn of the reactor. A
player's connection can nearly always take a message there and then, and the asking costs more than the sending. What
the system does not take at once is queued as ever.
"""

from typing import Any

from twisted.internet import tcp
from twisted.internet.interfaces import IListeningPort


class EagerServer(tcp.Server):
    """A connection that sends what is written at once, unless something before it still waits."""

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


def send_at_once(port: IListeningPort) -> None:
    """Have the connections that a port accepts from now on send at once, if they are TCP."""
    tcp_port: Any = port
    if getattr(port, "transport", None) is tcp.Server:
        tcp_port.transport = EagerServer
