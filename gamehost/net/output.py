"""
The output of one connection: messages are encoded at once, and written in one piece at the end of the reactor's turn.

If a client stops reading, its output stalls: input pauses, further messages are kept up to a limit, and a deadline runs.
This is the only module that writes to a transport.
"""

from typing import TYPE_CHECKING, Generic, TypeVar

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from gamehost.net.deadlines import Deadline
from gamehost.net.input import PauseReason
from gamehost.wires.base import Codec

if TYPE_CHECKING:
    from gamehost.net.connection import WireProtocol

M = TypeVar("M")

_STALLED = PauseReason.STALLED


@implementer(IPushProducer)
class Output(Generic[M]):
    """
    What one connection sends. Registered with the transport as its producer, which is how it learns of a full buffer.

    :param connection: whose output it is
    :param codec: encodes the messages
    """

    __slots__ = ("_codec", "_connection", "_cork", "_limit", "_paused", "_pending", "pending_bytes")

    def __init__(self, connection: "WireProtocol[M]", codec: Codec[M]) -> None:
        self._connection = connection
        self._codec = codec
        self._cork = connection.context.cork
        self._limit = connection.context.limits.queue_bytes
        self._paused = connection.input.paused
        self._pending: list[bytes] = []
        #: Bytes that were not given to the transport yet.
        self.pending_bytes = 0

    def send(self, message: M) -> None:
        """Send a message at the end of this turn, or once the client reads again."""
        data = self._codec.encode(message)
        self._pending.append(data)
        self.pending_bytes += len(data)
        if _STALLED in self._paused:
            if self.pending_bytes > self._limit:
                self._connection.abort("the client reads too slowly")
        elif len(self._pending) == 1:
            self._cork.add(self)

    def flush(self) -> None:
        """Write everything that is pending."""
        if not self._pending:
            return
        data = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
        self.clear()
        self._connection.transport.write(data)

    def clear(self) -> None:
        """Drop everything that is pending."""
        self._pending.clear()
        self.pending_bytes = 0

    # -- flow control: the transport calls these

    def pauseProducing(self) -> None:
        """The transport's buffer is full: the client does not read. Handle no more input that would want answers."""
        if self._connection.closing:
            return
        self._connection.input.pause(_STALLED)
        limits = self._connection.context.limits
        self._connection.deadlines.set(Deadline.STALLED, limits.stalled_seconds, self._not_read)

    def resumeProducing(self) -> None:
        """The client has read all that was written."""
        self._paused.discard(_STALLED)
        self._connection.deadlines.cancel(Deadline.STALLED)
        self.flush()  # may fill the buffer again
        self._connection.input.read_on()

    def stopProducing(self) -> None:
        """The connection is lost; the transport calls `connectionLost` too."""

    def _not_read(self) -> None:
        self._connection.abort("the client does not read")
