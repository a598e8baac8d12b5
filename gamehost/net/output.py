"""
The output of one connection: messages are encoded at once, and written in one piece at the end of the reactor's turn.

If a client stops reading, its output stalls: input pauses, further messages are kept up to a limit, and a deadline runs.
A conversation can hold messages back for a time, because some clients lose what comes too soon. This is the only module
that writes to a transport.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from gamehost.net.context import Connection
from gamehost.net.deadlines import Deadline
from gamehost.net.input import Input, PauseReason
from gamehost.wires.base import Codec

M = TypeVar("M")

_STALLED = PauseReason.STALLED

#: The most messages that are held back for one connection. A player of a match of four is told fewer in a whole round.
MOST_HELD = 1_000


@implementer(IPushProducer)
class Output(Generic[M]):
    """
    What one connection sends. Registered with the transport as its producer, which is how it learns of a full buffer.

    :param connection: whose output it is
    :param codec: encodes the messages
    :param reader: pauses while the client does not read
    """

    __slots__ = (
        *("_codec", "_connection", "_cork", "_held", "_hold_ends", "_input", "_limit", "_pending", "_stalled"),
        *("_write_limit", "pending_bytes"),
    )

    def __init__(self, connection: Connection, codec: Codec[M], reader: Input[M]) -> None:
        self._connection = connection
        self._codec = codec
        self._input = reader
        self._cork = connection.context.cork
        self._limit = connection.context.limits.queue_bytes
        self._write_limit = connection.wire.write_bytes
        #: Whether the client does not read.
        self._stalled = False
        self._pending: list[bytes] = []
        #: Bytes that were not given to the transport yet.
        self.pending_bytes = 0
        #: Messages that are held back, each with the seconds of the hold behind it; `None`: there is no hold.
        self._held: deque[tuple[M, float]] | None = None
        #: When the hold ends, in the clock's seconds.
        self._hold_ends = 0.0

    def send(self, message: M, past: bool = False) -> None:
        """
        Send a message at the end of this turn, or once the client reads again and no hold is left.

        :param past: even during a hold
        """
        if self._held is not None and not past:
            self._hold_back(message, 0.0)
            return
        data, pending = self._codec.encode(message), self._pending
        pending.append(data)
        self.pending_bytes += len(data)
        if self._stalled:
            if self.pending_bytes > self._limit:
                self._connection.abort("the client reads too slowly")
        elif len(pending) == 1:
            self._cork.add(self)

    def flush(self) -> None:
        """Write everything that is pending."""
        pending, limit = self._pending, self._write_limit
        if not pending:
            return
        self._pending, self.pending_bytes = [], 0
        for piece in _in_pieces(pending, limit) if limit else (b"".join(pending),):
            self._connection.transport.write(piece)

    def clear(self) -> None:
        """Drop everything that is pending. What is held back stays."""
        self._pending.clear()
        self.pending_bytes = 0

    # -- holds

    def send_and_hold(self, message: M, seconds: float) -> None:
        """Send a message, and begin a hold when it is sent."""
        if self._held is None:
            self.send(message)
            self.hold(seconds)
        else:
            self._hold_back(message, seconds)

    def hold(self, seconds: float) -> None:
        """Send nothing for so many seconds from now on. This replaces the hold that runs; 0: that one ends."""
        deadlines = self._connection.deadlines
        deadlines.cancel(Deadline.HOLD)
        if seconds <= 0.0:
            self._hold_over()
        elif not self._connection.closing:
            if self._held is None:
                self._held = deque()
            self._hold_ends = self._connection.context.clock.seconds() + seconds
            deadlines.set(Deadline.HOLD, seconds, self._hold_over)

    @property
    def hold_seconds(self) -> float:
        """How long the hold that runs still lasts; 0: there is none."""
        return 0.0 if self._held is None else max(0.0, self._hold_ends - self._connection.context.clock.seconds())

    def drop_held(self, unwanted: Callable[[M], bool]) -> bool:
        """Drop those of the messages held back that are unwanted. Whether there was one."""
        if not self._held:
            return False
        before = len(self._held)
        # A hold behind a message goes with it: there is nothing that it would have followed.
        self._held = deque(item for item in self._held if not unwanted(item[0]))
        return len(self._held) < before

    def end_holds(self) -> None:
        """Send at once what is held back, because the connection closes."""
        held, self._held = self._held, None
        self._connection.deadlines.cancel(Deadline.HOLD)
        for message, _ in held or ():
            if self._connection.closing:
                return
            self.send(message)

    def _hold_back(self, message: M, seconds: float) -> None:
        assert self._held is not None
        self._held.append((message, seconds))
        if len(self._held) > MOST_HELD:
            self._connection.abort("too many messages are held back")

    def _hold_over(self) -> None:
        held, self._held = self._held, None
        while held and not self._connection.closing:
            message, seconds = held.popleft()
            self.send(message)
            if seconds and not self._connection.closing:
                self._held = held
                self.hold(seconds)
                return

    # -- flow control: the transport calls these

    def pauseProducing(self) -> None:
        """The transport's buffer is full: the client does not read. Handle no more input that would want answers."""
        if self._connection.closing:
            return
        self._stalled = True
        self._input.pause(_STALLED)
        limits = self._connection.context.limits
        self._connection.deadlines.set(Deadline.STALLED, limits.stalled_seconds, self._not_read)

    def resumeProducing(self) -> None:
        """The client has read all that was written."""
        self._stalled = False
        self._input.paused.discard(_STALLED)
        self._connection.deadlines.cancel(Deadline.STALLED)
        self.flush()  # may fill the buffer again
        self._input.read_on()

    def stopProducing(self) -> None:
        """The connection is lost; the transport calls `connectionLost` too."""

    def _not_read(self) -> None:
        self._connection.abort("the client does not read")


def _in_pieces(messages: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Whole messages, joined as far as a piece has at most so many bytes."""
    piece = b""
    for message in messages:
        if piece and len(piece) + len(message) > limit:
            yield piece
            piece = b""
        piece += message
    yield piece
