"""
A fake transport that is as strict as a real one, and fails on misuse that other fakes let pass.

- A write after the close fails, and so does a write of nothing.
- An abort does not set `disconnecting`, as with TCP.
- It has a send buffer of 64 KiB, and pauses its producer when the buffer is full.
- It does not close while a producer is registered.
- While reading is paused, it keeps what the other side sends.
- It calls `connectionLost` once, in a later turn.
"""

from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionAborted, ConnectionDone, ConnectionLost
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from zope.interface import implementer

BUFFER = 65_536


@implementer(ITCPTransport)
class StrictTransport:
    """
    One end of a connection in memory.

    :ivar reads: whether the other side reads; while it does not, written bytes stay in the buffer
    """

    def __init__(self, clock: Clock, address: str = "192.0.2.1") -> None:
        self._clock = clock
        self._address = address
        self.protocol: Any = None
        self.disconnecting = False
        self.disconnected = False
        self.aborted = False
        self.reads = True
        self.no_delay = False
        self.keep_alive = False
        self._read = bytearray()
        self._buffer = bytearray()
        self._producer: Any = None
        self._producer_paused = False
        self._reading = True
        self._incoming: list[bytes] = []

    # -- the protocol's side

    def write(self, data: bytes) -> None:
        assert isinstance(data, bytes) and data, "a write of nothing"
        assert not self.disconnecting, "a write after loseConnection"
        assert not self.disconnected and not self.aborted, "a write after the end"
        self._buffer += data
        self._drain()
        if len(self._buffer) > BUFFER and self._producer is not None and not self._producer_paused:
            self._producer_paused = True
            self._producer.pauseProducing()

    def writeSequence(self, data: Any) -> None:
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        if not self.disconnecting and not self.disconnected:
            self.disconnecting = True
            self._close_if_done()

    def abortConnection(self) -> None:
        if not self.disconnected and not self.aborted:
            self.aborted = True
            self._clock.callLater(0, self._lost, ConnectionAborted())

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        assert self._producer is None, "a second producer"
        assert streaming
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None
        self._close_if_done()

    def pauseProducing(self) -> None:
        self._reading = False

    def resumeProducing(self) -> None:
        self._reading = True
        if self._incoming:
            self._clock.callLater(0, self._deliver)

    def stopProducing(self) -> None:
        self.loseConnection()

    def getPeer(self) -> IPv4Address:
        return IPv4Address("TCP", self._address, 40_000)

    def getHost(self) -> IPv4Address:
        return IPv4Address("TCP", "192.0.2.254", 8893)

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled

    def getTcpNoDelay(self) -> bool:
        return self.no_delay

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.keep_alive = enabled

    def getTcpKeepAlive(self) -> bool:
        return self.keep_alive

    def loseWriteConnection(self) -> None:
        raise NotImplementedError

    # -- the other side

    @property
    def queued(self) -> int:
        """Bytes that were written and not read."""
        return len(self._buffer)

    def receive(self, data: bytes) -> None:
        """The other side sends."""
        self._incoming.append(data)
        self._deliver()

    def _deliver(self) -> None:
        while self._incoming and self._reading and not self.disconnected and not self.disconnecting:
            self.protocol.dataReceived(self._incoming.pop(0))

    def read(self) -> bytes:
        """The other side reads all there is."""
        reads, self.reads = self.reads, True
        self._drain()
        self.reads = reads
        data = bytes(self._read)
        self._read.clear()
        return data

    def hang_up(self) -> None:
        """The other side is gone."""
        self._lost(ConnectionLost())

    def _drain(self) -> None:
        if not self.reads:
            return
        self._read += self._buffer
        self._buffer.clear()
        if self._producer_paused and self._producer is not None:
            self._producer_paused = False
            self._producer.resumeProducing()
        self._close_if_done()

    def _close_if_done(self) -> None:
        if self.disconnecting and not self._buffer and self._producer is None:
            self._clock.callLater(0, self._lost, ConnectionDone())

    def _lost(self, reason: Exception) -> None:
        if not self.disconnected:
            self.disconnected = True
            if self._producer is not None:
                self._producer.stopProducing()
            self.protocol.connectionLost(Failure(reason))
