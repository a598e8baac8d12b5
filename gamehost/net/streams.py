"""
The input and the output of one connection. `Input` decodes bytes into messages and passes them to the conversation, within
the limits on rates, and in turns with other connections. `Output` encodes messages at once, and writes them in one piece at the
end of the reactor's turn. This is the only module that writes to a transport.

If a segment is exactly one message, and the connection is within its rates, `Input.receive` passes it on directly. All other
input is processed by `_receive_all`. If a connection sends more than may be processed in one turn, the rest waits for its next
turn, and nothing is read from it meanwhile.

If a client stops reading, its output *stalls*: input pauses, further messages are stored up to a limit, and a deadline runs.
A conversation can *hold* messages for some time, because some clients lose messages that come too soon after another one.
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

#: With more bytes of pending output than this, the connection's input waits for its next turn.
OUTPUT_BEFORE_INPUT = 16_384

#: Each segment counts at least this many bytes for the rate, because processing a segment costs as much work as so many
#: bytes. A client that sends each field of a message in a segment of its own uses hardly more than `MESSAGE_BYTES`.
SEGMENT = 256

#: A connection is busy when it is this many bytes above its rate. The segments of busy connections wait for a turn.
BUSY_BYTES = 32_768

#: After a short segment of a busy connection, nothing is read from it for so many seconds: the system joins its next ones.
JOIN_SECONDS = 0.05

#: After a message was handled, its bytes are given back to the rate of bytes, because the message counts for the rate of
#: messages. At most so many bytes are given back for a message. Nearly all messages are shorter.
MESSAGE_BYTES = 1_024

#: The most messages of one connection that are handled in one turn, before other connections' turns: at most 1 ms of work.
MESSAGES_PER_TURN = 64

#: After the log-in, a message must be complete so many seconds after its first byte. Usually it comes in one segment.
MESSAGE_SECONDS = 10.0

M = TypeVar("M")


class PauseReason(StrEnum):
    """The reasons why nothing is read from a client for some time."""

    #: The disk is too slow, so the host reads from no client.
    HOST = "host"
    #: The client does not read what was sent to it.
    STALLED = "stalled"
    #: The client, or others at its address, play faster than the rate of moves allows.
    MOVES = "moves"
    #: The client, or others at its address, add more bytes to the journal than the rate allows.
    JOURNAL = "journal"
    #: The client sends many short segments. During the pause, the system joins the next ones.
    SEGMENTS = "segments"
    #: The host asks the other hosts of its cluster which of them is the home of the name of this log-in.
    CLAIM = "claim"


_STALLED, _MOVES, _SEGMENTS = PauseReason.STALLED, PauseReason.MOVES, PauseReason.SEGMENTS
_JOURNAL, _HOST = PauseReason.JOURNAL, PauseReason.HOST
#: For these reasons, bytes that come during the pause are stored.
_KEPT = {_HOST, _STALLED, _MOVES, _JOURNAL, PauseReason.CLAIM}


_NOT_PAUSED: frozenset[PauseReason] = frozenset()


def _never(data: bytes) -> Any:
    """Return `None`: the default `whole`, for codecs that do not know whether some bytes are exactly one message."""
    return None


class Input(Generic[M]):
    """Processes the received bytes of one connection, within its rates. It has some methods of the conversation's `Peer`."""

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
        """Begin without input, and with full buckets for all rates: a bucket has tokens, which each use takes."""
        self._connection = connection
        self._codec = codec
        #: Reads bytes that are exactly one message. Only some codecs have this.
        self._decode_whole: Callable[[bytes], M | None] = getattr(codec, "whole", _never)
        self._conversation: Conversation[M] = conversation
        self._context = connection.context
        self._limits = limits = connection.context.limits
        self.bytes_received = 0
        # A function that returns the clock's seconds.
        self._seconds = connection.context.clock.seconds
        #: When the last bytes were handled, or the connection was made; in the clock's seconds.
        self.last_at = now = self._seconds()
        self._rate = messages_bucket(limits.messages_per_second, now)
        bounds = connection.context.bounds
        #: The rate of bytes. All bytes count, also those that belong to no message, such as option negotiation of telnet.
        self._bytes = TokenBucket(bounds.bytes_per_second, bounds.bytes_at_once, now)
        #: If the rate of bytes has at least this number of tokens left, `receive` may handle a message at once. The tokens
        #: suffice for a message of `MESSAGE_BYTES`, and after it the connection is not more than `BUSY_BYTES` above its
        #: rate; otherwise its input would have to wait for a turn.
        self._plenty = max(MESSAGE_BYTES, bounds.bytes_at_once - BUSY_BYTES + MESSAGE_BYTES)
        #: How many bytes were taken from the rate for input that is not handled yet. A handled message gives its bytes back
        #: to the rate, but all messages together never more than this number.
        self._charged = 0
        #: The rates of accepted moves of this connection and of its address. `None`: no move was accepted yet.
        self._moves: TokenBucket | None = None
        self._address_moves = connection.context.limiter.moves_of(connection.address)
        #: The rates of bytes that this connection and its address add to the journal, besides the few of each move. Above
        #: the rate, input pauses, so that the moves of a player cannot end the connection of a remote master.
        self._journal: TokenBucket | None = None
        self._address_journal = connection.context.limiter.journal_of(connection.address)
        #: Whether the current message counts for the rate of messages. The conversation may change this.
        self._counts = False
        #: The messages that are being handled; `None`: all received messages were handled.
        self._messages: Iterator[M] | None = None
        #: A message that was decoded in the last turn, but is handled in the next one; empty: there is none.
        self._lookahead: tuple[M, ...] = ()
        #: Bytes that came while earlier input was waiting; `None`: there are none.
        self._buffer: bytearray | None = None
        #: The reasons of the current pause; empty: there is no pause. During a pause, nothing is read from the transport,
        #: and waiting input is not handled.
        self.paused: frozenset[PauseReason] = _NOT_PAUSED

    def receive(self, data: bytes) -> None:
        """
        Process received bytes: handle the messages that are complete with them, now or in a later turn.

        If the bytes are exactly one message, no other input waits, and the rates allow it, the message is handled at once.
        Its bytes are not taken from the rate of bytes, because a handled message gives them back. All other input is
        processed by `_receive_all`.
        """
        size = len(data)
        self.bytes_received += size
        now = self._seconds()
        # No earlier input waits and nothing is paused; the disk is not behind (`behind`); both rates have room (`_plenty`);
        # and the client plays at a table, because other clients handle their messages only while there is time.
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
        """Process received bytes of any kind: count them for the rate, and handle them now, or let them wait."""
        context, limits = self._context, self._limits
        if not limits.unlimited:
            charge = size if size > SEGMENT else SEGMENT  # a short segment costs as much work as a longer one
            if not self._bytes.take(now, charge):
                with context.cork:
                    self._refuse(WireError("too many bytes"))
                return
            self._charged += charge
        if context.behind is not None:
            self._wait_for_disk(context.behind)
        # If earlier input waits, or input is paused, these bytes wait, too. Even a paused transport may deliver bytes: TLS
        # delivers all that it has decrypted.
        if self._messages is not None or self._buffer or (self.paused and not _KEPT.isdisjoint(self.paused)):
            if self._buffer is None:
                self._buffer = bytearray()
            self._buffer += data
            return
        self._messages = self._codec.feed(data)
        # Is the connection busy? Without limits, the rate of messages decides this; otherwise the bytes above the rate.
        if not self._rate.has_one(now) if limits.unlimited else self._bytes.missing - size > BUSY_BYTES:
            # After a short segment, read nothing for a moment, so that the system joins the next ones.
            if size < SEGMENT and not limits.unlimited and not self.paused:
                self._pause_for(JOIN_SECONDS, _SEGMENTS, Deadline.SEGMENTS)
            # The connection is busy: it gets only the time that other connections do not use.
            self._wait_for_turn()
            return
        with context.cork:
            # While other connections wait for a turn, only the first message of a segment is handled before them. A client
            # without a seat at a table (`strange`) waits for those with one.
            strange = not (limits.unlimited or self._conversation.at_table)
            self._handle(now, 1 if context.scheduler.lines.waiting else MESSAGES_PER_TURN, strange)

    def pause(self, reason: PauseReason) -> None:
        """Stop reading and handling input until `resume` is called for the same reason."""
        self.paused |= {reason}
        self._connection.transport.pauseProducing()

    def resume(self, reason: PauseReason) -> None:
        """End a pause. Input resumes if there is no other reason to pause."""
        self.lift(reason)
        self.read_on()

    def lift(self, reason: PauseReason) -> None:
        """Remove a reason to pause, but do not begin to read."""
        self.paused = self.paused - {reason} or _NOT_PAUSED

    def read_on(self) -> None:
        """Continue if no reason to pause is left: handle waiting input in the next turn, or read more if no input waits."""
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
            return  # `resume` will ask for a new turn
        # All decoded messages are handled: decode the bytes that have come meanwhile.
        if self._messages is None:
            data, self._buffer = bytes(self._buffer or b""), None
            self._messages = self._codec.feed(data)
        with self._context.cork:
            self._handle(self._context.clock.seconds(), MESSAGES_PER_TURN)
            self.read_on()

    def _wait_for_disk(self, waiting: dict[Any, None]) -> None:
        """Read nothing until the disk has caught up."""
        waiting[self] = None  # `WireFactory.pause_input` resumes these inputs
        self.pause(_HOST)

    def stop(self) -> None:
        """Drop all input that was not handled yet, because the connection ends."""
        if self._context.behind is not None:
            self._context.behind.pop(self, None)
        self._messages = None
        self._lookahead = ()
        self._buffer = None
        self._context.scheduler.leave(self)

    @property
    def address(self) -> str:
        """The client's address, for the scheduler."""
        return self._connection.address

    @property
    def moves_missing(self) -> float:
        """By how many accepted moves the connection is above its rate; 0: it is within the rate."""
        return 0.0 if self._moves is None else self._moves.missing

    def exempt_from_rate(self) -> None:
        """Do not count the current message for the rate of messages; if it was counted already, give its token back."""
        if self._counts:
            self._counts = False
        else:  # the message was handled earlier, and has only now turned out not to count
            self._rate.give_back()

    def move_accepted(self) -> None:
        """Count the current message for the rate of moves, instead of the rate of messages. Above the rate, pause input."""
        if self._counts:
            self._counts = False
        else:  # the message was handled earlier, and its move is accepted only now
            self._rate.give_back()
        if self._limits.unlimited or self._connection.closing:
            return
        now = self.last_at
        if self._moves is None:
            self._moves = moves_bucket(self._limits.moves_per_second, now)
        # Take both tokens, even if none is left, and wait afterwards: the returned time. So all moves of an address wait
        # one after the other.
        wait = max(self._moves.take_ahead(now), self._address_moves.take_ahead(now))
        if wait > 0.0 and _MOVES not in self.paused:
            self._pause_for(wait, _MOVES, Deadline.MOVES)

    def journaled(self, size: int) -> None:
        """Count bytes that this connection has added to the journal. Above the rate, pause input."""
        if self._limits.unlimited or self._connection.closing:
            return
        now, bounds = self.last_at, self._context.bounds
        # With half of the bytes at once, input pauses long before the rate of bytes would end the connection.
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
        Handle waiting messages, as many as one turn allows. The others wait for the next turn.

        :param now: the time at the beginning of the turn
        :param most: the most messages to handle
        :param strange: whether the client has no seat at a table. Its messages are handled only while this turn of the
            reactor has time left, so that players at tables do not wait for them
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
                # Is the turn over, because of the number of messages, much unread output, a pause, or the time?
                if (
                    handled
                    and (
                        handled >= most
                        or connection.pending_bytes > OUTPUT_BEFORE_INPUT
                        or self.paused
                        or self._context.clock.seconds() - now > SHARE
                    )
                ) or (strange and not self._context.scheduler.has_time(MESSAGE)):
                    # This message is decoded already, so it is stored for the next turn. No deadline for an incomplete
                    # message runs meanwhile: the host, and not the client, is the reason for the wait.
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
        Pass a message to the conversation. Afterwards count it for the rate of messages, unless the conversation has
        exempted it. The caller has checked that the rate allows it.
        """
        self._counts = True
        self._conversation.hear(message)
        if self._counts:
            self._counts = False
            self._rate.take(now)

    def _give_bytes_back(self, handled: int) -> None:
        """
        Give back the bytes of handled messages to the rate of bytes. For each message at most `MESSAGE_BYTES` are given back,
        and in all not more than were taken.
        """
        size = min(handled * MESSAGE_BYTES, self._charged)
        self._charged -= size
        self._bytes.give_back(size)

    def _all_handled(self, handled: int) -> None:
        """
        All complete messages are handled: set or cancel the deadline for an incomplete one.

        :param handled: how many messages were handled in this turn
        """
        # `unfinished`: whether the beginning of a message has come, and not its end.
        unfinished, deadlines = self._codec.unfinished, self._connection.deadlines
        if not unfinished and not self._buffer:
            self._charged = 0  # the rest was more than messages may give back, or belonged to no message
        if deadlines and (handled or not unfinished):
            deadlines.cancel(Deadline.MESSAGE)  # an incomplete message that began later gets a new deadline below
        if self._buffer:
            self._wait_for_turn()  # the rest of the message may be there already
        elif unfinished and Deadline.MESSAGE not in deadlines:
            seconds = MESSAGE_SECONDS
            if Deadline.LOGIN in deadlines or self._connection.wire.for_people:
                seconds = LOGIN_PATIENCE_SECONDS  # a person may be typing
            deadlines.set(Deadline.MESSAGE, seconds, partial(self._not_finished, seconds))

    def _failed(self, error: Exception) -> None:
        """End the connection, because a message could not be decoded or handled."""
        if isinstance(error, WireError):
            self._refuse(error)  # the fault of the client, which receives the reason
        else:
            self.log.failure("hearing {wire} failed", wire=self._connection.wire.name)
            self._connection.hang_up("a fault of the host")

    def _refuse(self, error: WireError) -> None:
        self._conversation.wire_error(error)
        self._connection.hang_up(str(error), "protocol")

    def _wait_for_turn(self) -> None:
        """Read nothing, and wait for a turn: the scheduler calls `go_on`."""
        self._connection.transport.pauseProducing()
        self._context.scheduler.wait(self)

    def _not_finished(self, seconds: float) -> None:
        self._connection.close_with(f"a message not finished within {seconds:g} s")


# The output.


#: The empty output of all connections that send nothing now, to save memory: these are nearly all connections.
_NOTHING: Any = ()

#: If a client reads nothing for so many seconds, its connection ends. A phone that changes from one network cell to another
#: reads again sooner.
STALLED_SECONDS = 10.0

#: The most messages that are held for one connection. A player of a match of four receives fewer in a whole round.
MOST_HELD = 1_000


@implementer(IPushProducer)
class Output(Generic[M]):
    """
    Writes the messages of one connection. It has the methods of the conversation's `Peer` for sending and holding. It is the
    producer of the transport, so the transport calls `pauseProducing` when its buffer is full.
    """

    __slots__ = (
        *("_codec", "_connection", "_cork", "_held", "_hold_ends", "_limit", "_newest", "_pending", "_stalled"),
        *("_unread", "_write_limit", "closed"),
    )

    def __init__(self, connection: Connection, codec: Codec[M]) -> None:
        """Begin without pending messages, and without a hold."""
        self._connection = connection
        self._codec = codec
        self._cork = connection.context.cork
        self._limit = connection.context.bounds.unread_bytes
        self._write_limit = connection.wire.write_bytes
        #: Whether the connection is closing or closed. Nothing more is sent.
        self.closed = False
        #: Whether the client does not read, so that nothing can be written.
        self._stalled = False
        #: The encoded messages that are not written yet.
        self._pending: list[bytes] = _NOTHING
        #: While the client does not read: the bytes that wait for it here.
        self._unread = 0
        #: While the client does not read: for each key of `send_newest` its newest message. `None`: there is none.
        self._newest: dict[str, M] | None = None
        #: The messages that are held back, each with the seconds of the hold that begins after it. `None`: there is no hold.
        self._held: deque[tuple[M, float]] | None = None
        #: When the hold ends, in the clock's seconds.
        self._hold_ends = 0.0

    def send(self, message: M, past: bool = False) -> None:
        """
        Send a message at the end of this turn of the reactor. It waits longer if there is a hold, or if the client does not
        read. On a closed connection, nothing is sent.

        :param past: whether to send the message at once even during a hold
        """
        if self.closed:
            return
        if self._held is not None and not past:
            self._hold_back(message, 0.0)  # 0: no further hold begins after it
            return
        data = self._codec.encode(message)
        # With pending messages, the cork has this output already, or it is stalled.
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
        Send a message that replaces earlier ones with the same key. While the client does not read, it waits after all other
        messages, and only the newest one of each key is stored. These messages do not count for the limit of unread bytes.
        """
        if not self._stalled:
            self.send(message)
        elif not self.closed:
            self._newest = self._newest or {}
            self._newest.pop(key, None)  # so that the new one stands last
            self._newest[key] = message

    def send_bytes(self, data: bytes) -> None:
        """
        Send bytes that the codec does not write, such as telnet's answer about an unknown option. They are at most a few for
        each message of the client, so they do not count for the limit of unread bytes.
        """
        if not self.closed:
            self._pending = [*self._pending, data]
            if not self._stalled:
                self._cork.add(self)

    @property
    def pending_bytes(self) -> int:
        return sum(map(len, self._pending))

    def flush(self) -> None:
        """Write all pending bytes in one piece, or in pieces if the wire limits their size."""
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
        """Hold back all further messages for so many seconds. This replaces a hold that has begun; 0 ends it."""
        deadlines = self._connection.deadlines
        deadlines.cancel(Deadline.HOLD)
        if seconds <= 0.0:
            self._hold_over()  # sends the messages that were held back
        elif not self._connection.closing:
            if self._held is None:
                self._held = deque()
            self._hold_ends = self._connection.context.clock.seconds() + seconds
            deadlines.set(Deadline.HOLD, seconds, self._hold_over)

    @property
    def hold_seconds(self) -> float:
        return 0.0 if self._held is None else max(0.0, self._hold_ends - self._connection.context.clock.seconds())

    def drop_held(self, unwanted: Callable[[M], bool]) -> bool:
        """Drop those of the held messages that `unwanted` selects. Returns whether there was one."""
        if not self._held:
            return False
        before = len(self._held)
        # The hold that was to begin after a dropped message is dropped with it.
        self._held = deque(item for item in self._held if not unwanted(item[0]))
        return len(self._held) < before

    def end_holds(self) -> None:
        """Send the held messages at once, because the connection closes."""
        held, self._held = self._held, None
        self._connection.deadlines.cancel(Deadline.HOLD)
        for message, _ in held or ():
            self.send(message)

    def _hold_back(self, message: M, seconds: float) -> None:
        """Store a message until the hold ends; when it is sent, begin another hold of so many seconds."""
        assert self._held is not None
        self._held.append((message, seconds))
        if len(self._held) > MOST_HELD:
            self._connection.abort("too many messages are held back")

    def _hold_over(self) -> None:
        """The hold is over: send the held messages, up to the first one after which another hold begins."""
        held, self._held = self._held, None  # `None`: `send` does not hold back any more
        while held and not self._connection.closing:
            message, seconds = held.popleft()
            self.send(message)
            # Another hold begins after this message: the rest is held back again.
            if seconds and not self._connection.closing:
                self._held = held
                self.hold(seconds)
                return

    # -- flow control: the transport calls these

    def pauseProducing(self) -> None:
        """
        The transport's buffer is full, because the client does not read: stop writing, and pause input, because messages of
        the client would need answers.
        """
        if self._connection.closing:
            return  # nothing more is sent, and another deadline runs
        self._stalled = True
        self._unread = self.pending_bytes
        self._connection.input.pause(_STALLED)
        self._connection.deadlines.set(Deadline.STALLED, STALLED_SECONDS, self._not_read)

    def resumeProducing(self) -> None:
        """The client has read everything: write what waits, and continue with its input."""
        self._stalled = False
        self._connection.input.lift(_STALLED)
        self._connection.deadlines.cancel(Deadline.STALLED)
        self.flush()  # may fill the buffer again, which sets `_stalled`
        # Then the newest messages, the oldest key first.
        while self._newest and not self._stalled:
            self.send(self._newest.pop(next(iter(self._newest))))
            self.flush()
        self._connection.input.read_on()

    def stopProducing(self) -> None:
        """Do nothing: the connection is lost, and the transport calls `connectionLost`, too."""

    def _not_read(self) -> None:
        self._connection.abort("the client does not read")


def _in_pieces(messages: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Join whole messages into pieces of at most `limit` bytes. A longer message is a piece of its own."""
    piece = b""
    for message in messages:
        if piece and len(piece) + len(message) > limit:
            yield piece
            piece = b""
        piece += message
    yield piece
