"""
The connections of the client under test, and the record of its session.

The connections pass the client's bytes to the private host, and divide the host's bytes into other segments. The record is made
by codecs and peers that wrap the host's own. So it shows the messages exactly as the host has read them.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import Factory, define, evolve, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from gamehost.extras.check.base import Cut, Grade, Reading, Said, TranscriptLine, WireChecks
from gamehost.ops import printable
from gamehost.players.base import SeededChance
from gamehost.wires.base import Codec, Conversation, Peer, WireConfig
from gamehost.wires.framing import BLANK, ClientLineCodec, LineCodec, WireError
from gamehost.wires.websocket import LineOrTextCodec, LinesOrSocket

#: The seconds between two segments. Most systems join segments that come closer together.
BETWEEN = 0.001
#: Messages that come within so many seconds may be in one read of the client.
AT_ONCE = 0.01
#: For how many seconds `Cut.JOINED` delays bytes.
HELD = 0.02
#: With `Cut.BYTES`, so many bytes of each write are segments of their own. The rest is cut at random places.
SINGLE = 160
#: The longest segment of `Cut.RANDOM`, in bytes.
LONGEST_SEGMENT = 48


class SegmentedTransport:
    """
    Wraps a transport, and writes bytes in other segments, as a `Cut` says. All other calls are passed on.

    :param chance: decides the places of random cuts
    """

    def __init__(self, transport: Any, clock: IReactorTime, cut: Cut, chance: SeededChance) -> None:
        """
        Wraps a transport.

        :param cut: where segments end
        :param chance: decides this for random cuts
        """
        self._transport = transport
        self._clock = clock
        self._cut = cut
        self._chance = chance
        #: The bytes that are not written yet.
        self._pending = bytearray()
        #: How many segments were written since the last call of `write`.
        self._since = 0
        #: Whether a timer runs for the next segment.
        self._busy = False
        #: Whether the connection is closed after the last byte.
        self._ends = False
        self._aborted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Writes bytes: at once, or in segments that are cut as the scenario wants."""
        if self._aborted or self._transport.disconnected:
            return
        if self._cut is Cut.NONE:
            self._transport.write(data)
            return
        self._pending += data
        self._since = 0
        if not self._busy:
            self._busy = True
            # Several messages that come within this time are joined.
            self._clock.callLater(HELD if self._cut is Cut.JOINED else 0, self._write)

    def writeSequence(self, data: Any) -> None:
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Closes the connection when all bytes are written."""
        self._ends = True
        # Otherwise `_write` closes the connection after the last byte.
        if not self._busy:
            self._transport.loseConnection()

    def abortConnection(self) -> None:
        """Drops the connection, and all bytes that are not written yet."""
        self._aborted = True
        self._pending.clear()
        self._transport.abortConnection()

    def _write(self) -> None:
        """Writes the next segment, and sets the timer for the one after it."""
        piece = bytes(self._pending[: self._size()])
        del self._pending[: len(piece)]
        if piece and not self._aborted and not self._transport.disconnected:
            self._transport.write(piece)
        if self._pending:
            self._clock.callLater(BETWEEN, self._write)
            return
        self._busy = False
        if self._ends and not self._aborted:
            self._transport.loseConnection()

    def _size(self) -> int:
        """Returns the length of the next segment."""
        if self._cut is Cut.JOINED:
            return len(self._pending)
        self._since += 1
        # Only the first bytes of a message come one by one. The rest comes in larger segments, since single bytes take
        # long.
        if self._cut is Cut.BYTES and self._since <= SINGLE:
            return 1
        return 1 + self._chance.below(LONGEST_SEGMENT)


@define(eq=False)
class Line(Protocol):
    """
    One connection of the client under test. Everything is passed on to the host's own protocol.

    :param protocol: the host's protocol for the connection
    :param lost: called when the connection is lost
    """

    _protocol: Any
    _clock: IReactorTime
    _cut: Cut
    _chance: SeededChance
    _lost: Callable[["Line"], None]
    _segments: SegmentedTransport = field(init=False)

    def connectionMade(self) -> None:
        self._segments = SegmentedTransport(self.transport, self._clock, self._cut, self._chance)
        self._protocol.makeConnection(self._segments)

    def dataReceived(self, data: bytes) -> None:
        self._protocol.dataReceived(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._protocol.connectionLost(reason)
        self._lost(self)

    def cut(self) -> None:
        """Drops the connection, and all bytes that are not sent yet."""
        self._segments.abortConnection()

    def close(self) -> None:
        """Closes the connection after all bytes are sent."""
        self._protocol.hang_up()


# The record.


_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@define(eq=False)
class Transcript:
    """The record of a client's session: all messages of all its connections, with their meanings."""

    checks: WireChecks
    #: Returns the time.
    seconds: Callable[[], float]
    #: Encode a message of the client, and one of the host, after its secrets were removed.
    encode: Callable[[Any], bytes] | None
    encode_host: Callable[[Any], bytes]
    lines: list[TranscriptLine] = field(factory=list)
    #: The time at which the scenario began; by default now.
    began: float = field(default=Factory(lambda self: self.seconds(), takes_self=True), kw_only=True)
    #: A reading for each connection, the last one for the current connection.
    readings: list[Reading] = field(
        init=False, default=Factory(lambda self: [self.checks.new_reading()], takes_self=True)
    )

    @property
    def reading(self) -> Reading:
        """The reading of the current connection."""
        return self.readings[-1]

    def connected_again(self) -> None:
        """
        Called when the client has connected again. The new connection gets a new reading, because the old reading
        remembers the log-in and the match of the old connection.
        """
        self.readings.append(self.checks.new_reading())

    def said(self, message: Any, raw: bytes) -> Said:
        """Records a message of the client, and returns its meaning."""
        if message is BLANK:
            return Said("an empty line")
        shown = self.reading.redacted(message)
        said = self.reading.said(shown)
        # The schema of the wire may say more exactly what is wrong.
        if said.grade is Grade.BREACH and (fault := self.checks.schema_fault(raw)):
            said = evolve(said, meaning=f"{said.meaning} ({fault})")
        # The message had secrets, so its bytes are made again without them.
        if shown is not message and self.encode is not None:
            raw = self.encode(shown)
        self._add("client", shown, raw, said.meaning)
        return said

    def heard(self, message: Any, raw: bytes) -> Said:
        """Records a message of the host, and returns its meaning."""
        shown = self.reading.redacted(message)
        # The message has a secret, so the transcript has the bytes of a copy without it.
        if shown is not message:
            raw = self.encode_host(shown)
        heard = self.reading.heard(shown)
        self._add("host", shown, raw, heard.meaning)
        return heard

    def note(self, meaning: str) -> None:
        """Records an event that is not a message."""
        self.lines.append(TranscriptLine(self._now(), "", "", meaning))

    def last(self, most: int = 10) -> tuple[TranscriptLine, ...]:
        """Returns the last lines of the record, the oldest first."""
        return tuple(self.lines[-most:])

    def at_once(self) -> int:
        """
        Returns how many of the host's last messages came at the same moment, probably in one segment. Messages before the
        client's last message do not count.
        """
        count = 0
        for line in reversed(self.lines):
            # A message of the client, or one that came earlier.
            if line.sender != "host" or self.lines[-1].t - line.t > AT_ONCE:
                break
            count += 1
        return count

    def _add(self, sender: str, message: Any, raw: bytes, meaning: str) -> None:
        """Adds a line for a message, with its bytes as printable text."""
        printed = self.checks.printed
        text = printable(raw) if printed is None else printed(message, raw)
        self.lines.append(TranscriptLine(self._now(), sender, text, meaning))

    def _now(self) -> float:
        return self.seconds() - self.began


class Watcher:
    """Receives the events of a running session. Subclasses override what they need."""

    def passes(self, data: bytes) -> bytes:
        """
        Called before the host reads bytes of the client. Returns the bytes that the host reads instead.

        :param data: a segment; from a client that speaks WebSocket, a text as a line
        """
        return data

    def said(self, message: Any, raw: bytes) -> None:
        """Called with each message of the client, and its bytes."""

    def heard(self, message: Any, raw: bytes) -> None:
        """Called with each message that the host sends, and its bytes."""

    def refused(self, message: Any, before: Any) -> None:
        """
        Called when the host sends a refusal. `heard` is called for the refusal, too.

        :param before: the last message that the host has sent to the same client before the refusal
        """

    def unreadable(self, error: WireError) -> None:
        """Called when the client has sent bytes that are not a message."""

    def hung_up(self, reason: str) -> None:
        """Called when the host closes the connection."""


def pieces_of(codec: Any, data: bytes) -> Iterable[bytes]:
    """
    Divides bytes into pieces that contain one message at most. For a codec that reads lines, these are the lines, otherwise the
    single bytes.
    """
    if isinstance(codec, LineCodec | ClientLineCodec) and hasattr(codec, "LIMIT"):
        return _LINE.findall(data)
    return (data[number : number + 1] for number in range(len(data)))


class RecordingCodec:
    """
    Wraps the host's codec of one connection, and reports each message in both directions with its bytes.

    It feeds the codec pieces with one message at most, so that the bytes of each message are known.
    """

    def __init__(self, codec: Codec[Any], watcher: Watcher) -> None:
        """
        Wraps a host's codec.

        :param watcher: called with each message
        """
        self._codec = codec
        self._watcher = watcher
        #: The bytes of the message that is being read.
        self._raw = bytearray()

    def __getattr__(self, name: str) -> Any:
        if name != "LIMIT":  # so the host does not use its faster method for a segment that is a whole message
            raise AttributeError(name)
        return getattr(self._codec, name)

    @property
    def unfinished(self) -> bool:
        return self._codec.unfinished

    def feed(self, data: bytes) -> Iterator[Any]:
        """
        Yields the messages in bytes of the client, and calls the watcher with each of them and its own bytes first.

        :raises WireError: the bytes cannot be read; the watcher is called before
        """
        for piece in pieces_of(self._codec, self._watcher.passes(data)):
            self._raw += piece
            try:
                for message in self._codec.feed(piece):
                    raw = bytes(self._raw)
                    self._raw.clear()
                    # Before the message is handled, so that it stands in front of its answers.
                    self._watcher.said(message, raw)
                    yield message
            except WireError as error:
                self._watcher.unreadable(error)
                raise

    def encode(self, message: Any) -> bytes:
        """Returns the bytes of a message to the client, and records the message."""
        data = self._codec.encode(message)
        self._watcher.heard(message, data)
        return data


class RecordingInput(LineOrTextCodec):
    """A recording codec for a client that may speak WebSocket. Each text of such a client is recorded as a line."""

    def __init__(self, codec: Codec[Any], watcher: Watcher) -> None:
        super().__init__(RecordingCodec(codec, watcher))
        self._watcher = watcher

    def feed(self, data: bytes) -> Iterator[Any]:
        """
        Yields the messages in bytes of the client.

        :raises WireError: the bytes cannot be read; the watcher is called before
        """
        try:
            yield from super().feed(data)
        except WireError as error:
            self._watcher.unreadable(error)
            raise


class RecordingPeer:
    """Wraps the peer of a conversation, and reports refusals and the end of the connection."""

    def __init__(self, peer: Peer[Any], watcher: Watcher) -> None:
        """
        Wraps the host's side of a connection.

        :param watcher: called with what the host does
        """
        self._peer = peer
        self._watcher = watcher
        #: The last message that the host has sent.
        self._said: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    def say(self, message: Any) -> None:
        self._said = message
        self._peer.say(message)

    def refuse(self, message: Any) -> None:
        """Sends a refusal, and reports it with the message before it. On some wires that message has the reason."""
        self._watcher.refused(message, self._said)
        self._peer.refuse(message)

    def hang_up(self, reason: str = "") -> None:
        self._watcher.hung_up(reason)
        self._peer.hang_up(reason)


class RecordingConfig:
    """Wraps a wire's configuration, so that all its connections are recorded."""

    def __init__(self, config: WireConfig[Any], watcher: Watcher) -> None:
        self._config = config
        self._watcher = watcher

    def new_codec(self) -> Codec[Any]:
        if isinstance(self._config, LinesOrSocket):
            return RecordingInput(self._config.lines.new_codec(), self._watcher)
        return RecordingCodec(self._config.new_codec(), self._watcher)

    def new_conversation(self, peer: Peer[Any], lobby: Any) -> Conversation[Any]:
        return self._config.new_conversation(RecordingPeer(peer, self._watcher), lobby)
