"""
The two streams of one connection. Its input: decoding, the rate limit, and fairness between connections. Its output: messages
are encoded at once, and written in one piece at the end of the reactor's turn. This is the only module that writes to a
transport.

Bytes become messages, and messages go to the conversation one after the other. A segment that is one whole message, of
a connection within its rates, takes the short way (`Input.receive`). Everything else takes the general way: a
connection that sends more than fits into one turn waits for its next turn, and its transport is not read meanwhile.

If a client stops reading, its output stalls: input pauses, further messages are stored up to a limit, and a deadline
runs. A conversation can hold messages for a time, because some clients lose messages that come too soon.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

from twisted.internet.interfaces import IPushProducer
from twisted.logger import Logger
from zope.interface import implementer

from gamehost.fairness import MESSAGE, SHARE
from gamehost.net.context import LOGIN_PATIENCE_SECONDS, Connection, Deadline
from gamehost.rates import TokenBucket, messages_bucket, moves_bucket
from gamehost.wires.base import Codec, Conversation
from gamehost.wires.framing import WireError

#: Bytes of pending output above which input waits for its next turn.
OUTPUT_BEFORE_INPUT = 16_384

#: A segment costs at least this many bytes of the rate, because handling a call costs as much. A client that sends each
#: field of a message in its own segment uses hardly more than `MESSAGE_BYTES`.
SEGMENT = 256

#: A connection is busy when it is this many bytes above its rate. The segments of busy connections wait for a turn.
BUSY_BYTES = 32_768

#: How many seconds nothing is read from a busy connection after a short segment.
JOIN_SECONDS = 0.05

#: The most bytes of the rate that a message gives back. It counts against the rate of messages already. Nearly all
#: messages are shorter.
MESSAGE_BYTES = 1_024

#: How many messages of one connection are handled before other connections have a turn: at most 1 ms of work.
MESSAGES_PER_TURN = 64

#: Seconds from a message's first byte to its last, after the log-in: a message fits one segment.
MESSAGE_SECONDS = 10.0

M = TypeVar("M")


class PauseReason(StrEnum):
    """Why nothing is read from a client for a while."""

    #: The disk is behind, so the host reads from no client.
    HOST = "host"
    #: The client does not read what was sent to it.
    STALLED = "stalled"
    #: The client, or others at its address, play faster than the rate of moves allows.
    MOVES = "moves"
    #: The client, or others at its address, add more bytes to the journal than the rate allows.
    JOURNAL = "journal"
    #: The client sends many short segments. During the pause, the system joins the next ones.
    SEGMENTS = "segments"
    #: The host asks the other hosts of its cluster which one has the name of this log-in.
    CLAIM = "claim"


_STALLED, _MOVES, _SEGMENTS = PauseReason.STALLED, PauseReason.MOVES, PauseReason.SEGMENTS
_JOURNAL, _HOST = PauseReason.JOURNAL, PauseReason.HOST
#: For these reasons, bytes that come during the pause are stored.
_KEPT = {_HOST, _STALLED, _MOVES, _JOURNAL, PauseReason.CLAIM}


_NOT_PAUSED: frozenset[PauseReason] = frozenset()


def _never(data: bytes) -> Any:
    """The default `whole`, for codecs that cannot tell whether some bytes are exactly one message."""
    return None


class Input(Generic[M]):
    """The received bytes of one connection, and its rates, as a `Peer` gives them to the conversation."""

    __slots__ = (
        *("_buffer", "_codec", "_connection", "_context", "_conversation", "_limits", "_lookahead", "_messages"),
        *("_counts", "_decode_whole", "_plenty", "_seconds"),
        *(
            "_address_journal",
            "_address_moves",
            "_bytes",
            "_charged",
            "_journal",
            "_moves",
            "_rate",
            "bytes_received",
            "last_at",
            "paused",
        ),
    )
    log = Logger()

    def __init__(self, connection: Connection, codec: Codec[M], conversation: Conversation[M]) -> None:
        self._connection = connection
        self._codec = codec
        #: Reads bytes that are exactly one message. Only some codecs have this.
        self._decode_whole: Callable[[bytes], M | None] = getattr(codec, "whole", _never)
        self._conversation: Conversation[M] = conversation
        self._context = connection.context
        self._limits = limits = connection.context.limits
        self.bytes_received = 0
        #: When the last bytes were handled, or the connection was made; in the clock's seconds.
        self._seconds = connection.context.clock.seconds
        self.last_at = now = self._seconds()
        self._rate = messages_bucket(limits.messages_per_second, now)
        bounds = connection.context.bounds
        #: All bytes count, also those that make no message, such as telnet's option negotiation. Messages give some back.
        self._bytes = TokenBucket(bounds.bytes_per_second, bounds.bytes_at_once, now)
        #: With at least so many tokens left, every message is within the rate, and the connection is not busy.
        self._plenty = max(MESSAGE_BYTES, bounds.bytes_at_once - BUSY_BYTES + MESSAGE_BYTES)
        #: Bytes of the rate that were charged for input that is not handled yet. Messages give back no more than this.
        self._charged = 0
        #: Accepted moves, of this connection and of its address. `None`: there was none yet.
        self._moves: TokenBucket | None = None
        self._address_moves = connection.context.limiter.moves_of(connection.address)
        #: Bytes that are added to the journal, by this connection and by its address, besides the few of each move.
        #: Input pauses long before its bytes are too many. So a player's moves cannot end the connection of a remote
        #: master.
        self._journal: TokenBucket | None = None
        self._address_journal = connection.context.limiter.journal_of(connection.address)
        #: Whether the current message counts against the rate limit. The conversation may still change this.
        self._counts = False
        #: The messages that are being handled; `None`: all received messages were handled.
        self._messages: Iterator[M] | None = None
        #: A message that was decoded in the last turn, and is to be handled first in the next one.
        self._lookahead: tuple[M, ...] = ()
        #: Bytes that came while earlier bytes were waiting; `None`: there are none.
        self._buffer: bytearray | None = None
        #: The reasons of the current pause. With any reason, nothing is read from the transport, and waiting input is
        #: not handled.
        self.paused: frozenset[PauseReason] = _NOT_PAUSED

    def receive(self, data: bytes) -> None:
        """
        Handle the messages that are complete with these bytes, now or in a later turn.

        One whole message is handled at once, if no other message waits and there are tokens for it. It gives back the
        tokens for its bytes, as each message does, so they need not be taken.
        """
        size = len(data)
        self.bytes_received += size
        now = self._seconds()
        if (
            self._messages is None
            and not self._buffer
            and not self.paused
            and self._context.behind is None
            and self._rate.left >= 1.0
            and size <= MESSAGE_BYTES
            and self._bytes.left >= self._plenty
            and (self._limits.unlimited or self._conversation.at_table)
        ):
            with self._context.cork:
                try:
                    message = self._decode_whole(data)
                    if message is not None:
                        self.last_at = now
                        self._hear(message, now)
                        return
                except Exception as error:
                    self._failed(error)
                    return
        self._receive_all(data, size, now)

    def _receive_all(self, data: bytes, size: int, now: float) -> None:
        """Handle bytes in the general way."""
        context, limits = self._context, self._limits
        if not limits.unlimited:
            charge = size if size > SEGMENT else SEGMENT
            if not self._bytes.take(now, charge):
                with context.cork:
                    self._refuse(WireError("too many bytes"))
                return
            self._charged += charge
        if context.behind is not None:
            self._wait_for_disk(context.behind)
        # TLS delivers what it has decrypted even if it is paused.
        if self._messages is not None or self._buffer or (self.paused and not _KEPT.isdisjoint(self.paused)):
            if self._buffer is None:
                self._buffer = bytearray()
            self._buffer += data
            return
        self._messages = self._codec.feed(data)
        if not self._rate.has_one(now) if limits.unlimited else self._bytes.missing - size > BUSY_BYTES:
            if size < SEGMENT and not limits.unlimited and not self.paused:
                self._pause_for(JOIN_SECONDS, _SEGMENTS, Deadline.SEGMENTS)
            self._wait_for_turn()  # above the rate, a connection gets only the time that other connections do not use
            return
        with context.cork:
            # While others wait, all but the first message of a segment wait behind them.
            strange = not (limits.unlimited or self._conversation.at_table)
            self._handle(now, 1 if context.scheduler.lines.waiting else MESSAGES_PER_TURN, strange)

    def pause(self, reason: PauseReason) -> None:
        """Pause: read nothing, and handle no waiting input, until `resume` is called for the same reason."""
        self.paused |= {reason}
        self._connection.transport.pauseProducing()

    def resume(self, reason: PauseReason) -> None:
        """End a pause. Input resumes if there is no other reason to pause."""
        self.lift(reason)
        self.read_on()

    def lift(self, reason: PauseReason) -> None:
        """Remove a reason to pause, without reading anything."""
        self.paused = self.paused - {reason} or _NOT_PAUSED

    def read_on(self) -> None:
        """Unless input is paused: handle waiting input in the next turn, or read more if none waits."""
        if self.paused or self._connection.closing:
            return
        if self._messages is not None or self._buffer:
            self._context.scheduler.wait(self)
        else:
            self._connection.transport.resumeProducing()

    def go_on(self) -> None:
        """Use the turn that the scheduler gives to this connection."""
        if self._context.behind is not None:
            self._wait_for_disk(self._context.behind)
        if self.paused:
            return  # `resume` waits for a new turn
        if self._messages is None:
            data, self._buffer = bytes(self._buffer or b""), None
            self._messages = self._codec.feed(data)
        with self._context.cork:
            self._handle(self._context.clock.seconds(), MESSAGES_PER_TURN)
            self.read_on()

    def _wait_for_disk(self, waiting: dict[Any, None]) -> None:
        """Read nothing until the disk has caught up."""
        waiting[self] = None
        self.pause(_HOST)

    def stop(self) -> None:
        """Drop what has not been handled."""
        if self._context.behind is not None:
            self._context.behind.pop(self, None)
        self._messages = None
        self._lookahead = ()
        self._buffer = None
        self._context.scheduler.leave(self)

    @property
    def address(self) -> str:
        """The client's address, as limits count it."""
        return self._connection.address

    @property
    def moves_missing(self) -> float:
        """How many accepted moves the connection is ahead of its rate."""
        return 0.0 if self._moves is None else self._moves.missing

    def exempt_from_rate(self) -> None:
        if self._counts:
            self._counts = False
        else:
            self._rate.give_back()

    def move_accepted(self) -> None:
        if self._counts:
            self._counts = False
        else:
            self._rate.give_back()
        if self._limits.unlimited or self._connection.closing:
            return
        now = self.last_at
        if self._moves is None:
            self._moves = moves_bucket(self._limits.moves_per_second, now)
        # Both tokens are taken first, even if there is none, and the input waits afterwards. So all moves of an address
        # wait in one queue.
        wait = max(self._moves.take_ahead(now), self._address_moves.take_ahead(now))
        if wait > 0.0 and _MOVES not in self.paused:
            self._pause_for(wait, _MOVES, Deadline.MOVES)

    def journaled(self, size: int) -> None:
        if self._limits.unlimited or self._connection.closing:
            return
        now, bounds = self.last_at, self._context.bounds
        if self._journal is None:
            self._journal = TokenBucket(bounds.bytes_per_second, bounds.bytes_at_once // 2, now)
        wait = max(self._journal.take_ahead(now, size), self._address_journal.take_ahead(now, size))
        if wait > 0.0 and _JOURNAL not in self.paused:
            self._pause_for(wait, _JOURNAL, Deadline.JOURNAL)

    def _pause_for(self, seconds: float, reason: PauseReason, deadline: Deadline) -> None:
        self.pause(reason)
        self._connection.deadlines.set(deadline, seconds, partial(self.resume, reason))

    def _handle(self, now: float, most: int, strange: bool = False) -> None:
        """
        Handle at most so many messages: fewer if time is up, or if there is much output to be read first.

        :param strange: whether players at tables go first, so that each message waits for a turn if there were many of others
        """
        self.last_at = now
        handled = 0
        connection = self._connection
        assert self._messages is not None
        # A message of the last turn comes first.
        messages = chain(self._lookahead, self._messages) if self._lookahead else self._messages
        self._lookahead = ()
        try:
            for message in messages:
                if (
                    handled
                    and (
                        handled >= most
                        or connection.pending_bytes > OUTPUT_BEFORE_INPUT
                        or self.paused
                        or self._context.clock.seconds() - now > SHARE
                    )
                ) or (strange and not self._context.scheduler.has_time(MESSAGE)):
                    self._lookahead = (message,)
                    self._give_bytes_back(handled)
                    connection.deadlines.cancel(Deadline.MESSAGE)
                    self._wait_for_turn()
                    return
                # Handle the message.
                if not self._rate.has_one(now) and not self._limits.unlimited:
                    raise WireError("too many messages")
                self._hear(message, now)
                if self._messages is None:
                    return  # `stop` was called
                handled += 1
        except Exception as error:
            self._failed(error)
            return
        self._messages = None
        self._give_bytes_back(handled)
        self._all_handled(handled)

    def _hear(self, message: M, now: float) -> None:
        """
        Pass a message to the conversation, and count it unless it was a move. There is a token for it, or there are no
        limits.
        """
        self._counts = True
        self._conversation.hear(message)
        if self._counts:
            self._counts = False
            self._rate.take(now)

    def _give_bytes_back(self, handled: int) -> None:
        """
        Give back the tokens for the bytes of handled messages. The bound prevents that short messages pay for the bytes
        of incomplete ones.
        """
        size = min(handled * MESSAGE_BYTES, self._charged)
        self._charged -= size
        self._bytes.give_back(size)

    def _all_handled(self, handled: int) -> None:
        unfinished, deadlines = self._codec.unfinished, self._connection.deadlines
        if not unfinished and not self._buffer:
            self._charged = 0  # the other bytes were more than messages may give back, or made no message
        if deadlines and (handled or not unfinished):
            deadlines.cancel(Deadline.MESSAGE)  # a message that began after a complete one has its own deadline
        if self._buffer:
            self._wait_for_turn()
        elif unfinished and Deadline.MESSAGE not in deadlines:
            seconds = MESSAGE_SECONDS
            if Deadline.LOGIN in deadlines or self._connection.wire.for_people:
                seconds = LOGIN_PATIENCE_SECONDS  # a person may be typing
            deadlines.set(Deadline.MESSAGE, seconds, partial(self._not_finished, seconds))

    def _failed(self, error: Exception) -> None:
        """End the connection: a message could not be decoded or handled."""
        if isinstance(error, WireError):
            self._refuse(error)
        else:
            self.log.failure("hearing {wire} failed", wire=self._connection.wire.name)
            self._connection.hang_up("a fault of the host")

    def _refuse(self, error: WireError) -> None:
        self._conversation.wire_error(error)
        self._connection.hang_up(str(error), "protocol")

    def _wait_for_turn(self) -> None:
        self._connection.transport.pauseProducing()
        self._context.scheduler.wait(self)

    def _not_finished(self, seconds: float) -> None:
        self._connection.close_with(f"a message not finished within {seconds:g} s")


# The output.


#: The empty pending output, shared by all connections that send nothing now, which are nearly all.
_NOTHING: Any = ()

#: After so many seconds in which a client reads nothing, its connection ends. A phone that changes cells needs less.
STALLED_SECONDS = 10.0

#: The most messages that are held for one connection. A player of a match of four receives fewer in a whole round.
MOST_HELD = 1_000


@implementer(IPushProducer)
class Output(Generic[M]):
    """
    The output of one connection, with the holds of a `Peer`. It is registered with the transport as its producer, so
    the transport reports a full buffer to it.
    """

    __slots__ = (
        *("_codec", "_connection", "_cork", "_held", "_hold_ends", "_limit", "_newest", "_pending", "_stalled"),
        *("_unread", "_write_limit", "closed"),
    )

    def __init__(self, connection: Connection, codec: Codec[M]) -> None:
        self._connection = connection
        self._codec = codec
        self._cork = connection.context.cork
        self._limit = connection.context.bounds.unread_bytes
        self._write_limit = connection.wire.write_bytes
        #: Whether the connection is closing or closed. Nothing more is sent.
        self.closed = False
        #: Whether the client does not read.
        self._stalled = False
        self._pending: list[bytes] = _NOTHING
        #: While the client does not read: the bytes that wait for it here.
        self._unread = 0
        #: While the client does not read: the newest message of each key, which a later one replaces. `None`: there is
        #: none.
        self._newest: dict[str, M] | None = None
        #: Held messages, each with the seconds of the hold behind it; `None`: there is no hold.
        self._held: deque[tuple[M, float]] | None = None
        #: When the hold ends, in the clock's seconds.
        self._hold_ends = 0.0

    def send(self, message: M, past: bool = False) -> None:
        """
        Send a message at the end of this turn, or once the client reads again and no hold is left. A closed connection
        sends nothing.

        :param past: whether to send it even during a hold
        """
        if self.closed:
            return
        if self._held is not None and not past:
            self._hold_back(message, 0.0)
            return
        data = self._codec.encode(message)
        if self._pending:
            self._pending.append(data)
        else:
            self._pending = [data]
            if not self._stalled:
                self._cork.add(self)
        if self._stalled:
            self._unread += len(data)
            if self._unread > self._limit:
                self._connection.abort("the client reads too slowly")

    def send_newest(self, message: M, key: str) -> None:
        """
        Send a message. While the client does not read, it waits behind all others, and replaces the one that waits under its
        key. It does not count against the limit of bytes: there is one for each key, and it is encoded when it is sent.
        """
        if not self._stalled:
            self.send(message)
        elif not self.closed:
            self._newest = self._newest or {}
            self._newest.pop(key, None)  # the latest is the last
            self._newest[key] = message

    def send_bytes(self, data: bytes) -> None:
        """Send bytes that no codec writes: a few for each message of the client at most, so that they need not be counted."""
        if not self.closed:
            self._pending = [*self._pending, data]
            if not self._stalled:
                self._cork.add(self)

    @property
    def pending_bytes(self) -> int:
        return sum(map(len, self._pending))

    def flush(self) -> None:
        pending, limit = self._pending, self._write_limit
        if not pending:
            return
        self._pending = _NOTHING
        write = self._connection.transport.write
        if limit:
            for piece in _in_pieces(pending, limit):
                write(piece)
        else:
            write(b"".join(pending))

    def clear(self) -> None:
        """Drop everything that is pending. Held messages are not dropped."""
        self._pending = _NOTHING
        self._newest = None
        self._unread = 0

    # -- holds

    def send_and_hold(self, message: M, seconds: float) -> None:
        """Send a message, and begin a hold when it is sent."""
        if self._held is None:
            self.send(message)
            self.hold(seconds)
        elif not self.closed:
            self._hold_back(message, seconds)

    def hold(self, seconds: float) -> None:
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
        return 0.0 if self._held is None else max(0.0, self._hold_ends - self._connection.context.clock.seconds())

    def drop_held(self, unwanted: Callable[[M], bool]) -> bool:
        if not self._held:
            return False
        before = len(self._held)
        # A hold behind a message goes with it: there is nothing that it would have followed.
        self._held = deque(item for item in self._held if not unwanted(item[0]))
        return len(self._held) < before

    def end_holds(self) -> None:
        """Send the held messages at once, because the connection closes."""
        held, self._held = self._held, None
        self._connection.deadlines.cancel(Deadline.HOLD)
        for message, _ in held or ():
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
        """
        The transport's buffer is full, because the client does not read. Handle no more input, which would need
        answers.
        """
        if self._connection.closing:
            return
        self._stalled = True
        self._unread = self.pending_bytes
        self._connection.input.pause(_STALLED)
        self._connection.deadlines.set(Deadline.STALLED, STALLED_SECONDS, self._not_read)

    def resumeProducing(self) -> None:
        """The client has read all that was written."""
        self._stalled = False
        self._connection.input.lift(_STALLED)
        self._connection.deadlines.cancel(Deadline.STALLED)
        self.flush()  # may fill the buffer again
        while self._newest and not self._stalled:
            self.send(self._newest.pop(next(iter(self._newest))))
            self.flush()
        self._connection.input.read_on()

    def stopProducing(self) -> None:
        """The connection is lost; the transport calls `connectionLost` too."""

    def _not_read(self) -> None:
        self._connection.abort("the client does not read")


def _in_pieces(messages: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Join whole messages to pieces of at most so many bytes each."""
    piece = b""
    for message in messages:
        if piece and len(piece) + len(message) > limit:
            yield piece
            piece = b""
        piece += message
    yield piece
