"""
The connections of the client under test. They pass bytes to the private host, and cut or join the bytes that come back.
Also the record of a session: it is made where the host itself reads and writes, so it shows what the host has
understood.
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

#: Seconds between two segments. Most systems join bytes that come closer together.
BETWEEN = 0.001
#: Seconds between two messages that a client may find in one read.
AT_ONCE = 0.01
#: Seconds for which `Cut.JOINED` delays bytes.
HELD = 0.02
#: The bytes of one write that become segments of their own; the rest is cut at random places.
SINGLE = 160
#: The longest segment of `Cut.RANDOM`, in bytes.
LONGEST_SEGMENT = 48


class SegmentedTransport:
    """
    Writes to another transport in other segments; everything else is passed on.

    :param chance: decides where `Cut.RANDOM` cuts
    """

    def __init__(self, transport: Any, clock: IReactorTime, cut: Cut, chance: SeededChance) -> None:
        self._transport = transport
        self._clock = clock
        self._cut = cut
        self._chance = chance
        self._pending = bytearray()
        self._since = 0
        self._busy = False
        self._ends = False
        self._aborted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._aborted or self._transport.disconnected:
            return
        if self._cut is Cut.NONE:
            self._transport.write(data)
            return
        self._pending += data
        self._since = 0
        if not self._busy:
            self._busy = True
            self._clock.callLater(HELD if self._cut is Cut.JOINED else 0, self._write)

    def writeSequence(self, data: Any) -> None:
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Close, when everything is written."""
        self._ends = True
        if not self._busy:
            self._transport.loseConnection()

    def abortConnection(self) -> None:
        self._aborted = True
        self._pending.clear()
        self._transport.abortConnection()

    def _write(self) -> None:
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
        if self._cut is Cut.JOINED:
            return len(self._pending)
        self._since += 1
        if self._cut is Cut.BYTES and self._since <= SINGLE:
            return 1
        return 1 + self._chance.below(LONGEST_SEGMENT)


@define(eq=False)
class Line(Protocol):
    """
    One connection of the client under test.

    :param protocol: the host's end
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
        """Lose the connection, and all bytes that are on their way."""
        self._segments.abortConnection()

    def close(self) -> None:
        """Close the connection in good order."""
        self._protocol.hang_up()


# The record.


_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@define(eq=False)
class Transcript:
    """The messages of one client's session, over all of its connections."""

    checks: WireChecks
    seconds: Callable[[], float]
    #: Write a message of the client, and one of the host, again without its secrets.
    encode: Callable[[Any], bytes] | None
    encode_host: Callable[[Any], bytes]
    lines: list[TranscriptLine] = field(factory=list)
    #: When the scenario began; by default now.
    began: float = field(default=Factory(lambda self: self.seconds(), takes_self=True), kw_only=True)
    readings: list[Reading] = field(
        init=False, default=Factory(lambda self: [self.checks.new_reading()], takes_self=True)
    )

    @property
    def reading(self) -> Reading:
        """The reading of the current connection."""
        return self.readings[-1]

    def connected_again(self) -> None:
        """A new connection begins. Nothing of the last one is true of it."""
        self.readings.append(self.checks.new_reading())

    def said(self, message: Any, raw: bytes) -> Said:
        """The client has sent a message. Returns its meaning."""
        if message is BLANK:
            return Said("an empty line")
        shown = self.reading.redacted(message)
        said = self.reading.said(shown)
        if said.grade is Grade.BREACH and (fault := self.checks.schema_fault(raw)):
            said = evolve(said, meaning=f"{said.meaning} ({fault})")
        if shown is not message and self.encode is not None:
            raw = self.encode(shown)
        self._add("client", shown, raw, said.meaning)
        return said

    def heard(self, message: Any, raw: bytes) -> Said:
        """The host has sent a message. Returns its meaning."""
        shown = self.reading.redacted(message)
        if shown is not message:
            raw = self.encode_host(shown)
        heard = self.reading.heard(shown)
        self._add("host", shown, raw, heard.meaning)
        return heard

    def note(self, meaning: str) -> None:
        """Something happened that is no message."""
        self.lines.append(TranscriptLine(self._now(), "", "", meaning))

    def last(self, most: int = 10) -> tuple[TranscriptLine, ...]:
        """The last messages, the oldest first."""
        return tuple(self.lines[-most:])

    def at_once(self) -> int:
        """How many of the host's messages came in the segment of its last one, if the client has said nothing since."""
        count = 0
        for line in reversed(self.lines):
            if line.sender != "host" or self.lines[-1].t - line.t > AT_ONCE:
                break
            count += 1
        return count

    def _add(self, sender: str, message: Any, raw: bytes, meaning: str) -> None:
        printed = self.checks.printed
        text = printable(raw) if printed is None else printed(message, raw)
        self.lines.append(TranscriptLine(self._now(), sender, text, meaning))

    def _now(self) -> float:
        return self.seconds() - self.began


class Watcher:
    """Receives the events of a running session. Subclasses override what they need."""

    def passes(self, data: bytes) -> bytes:
        """
        The bytes that the host reads instead of these bytes of the client: a segment, or a text of WebSocket as a line.
        """
        return data

    def said(self, message: Any, raw: bytes) -> None:
        """The client has sent a message."""

    def heard(self, message: Any, raw: bytes) -> None:
        """The host sends a message."""

    def refused(self, message: Any, before: Any) -> None:
        """
        The host sends a refusal; `heard` is called for it too.

        :param before: the message that was sent before it, to the same client
        """

    def unreadable(self, error: WireError) -> None:
        """The client has sent bytes that are no message."""

    def hung_up(self, reason: str) -> None:
        """The host closes the connection."""


def pieces_of(codec: Any, data: bytes) -> Iterable[bytes]:
    """Bytes in pieces with one message of this codec at most: lines, or single bytes if another codec reads them."""
    if isinstance(codec, LineCodec | ClientLineCodec) and hasattr(codec, "LIMIT"):
        return _LINE.findall(data)
    return (data[number : number + 1] for number in range(len(data)))


class RecordingCodec:
    """
    The host's codec of one connection, with a record of what goes through it.

    It feeds pieces with one message at most, so that the bytes of each message are known.
    """

    def __init__(self, codec: Codec[Any], watcher: Watcher) -> None:
        self._codec = codec
        self._watcher = watcher
        self._raw = bytearray()

    def __getattr__(self, name: str) -> Any:
        if name != "LIMIT":  # there is no short way for a segment that is a message
            raise AttributeError(name)
        return getattr(self._codec, name)

    @property
    def unfinished(self) -> bool:
        return self._codec.unfinished

    def feed(self, data: bytes) -> Iterator[Any]:
        for piece in pieces_of(self._codec, self._watcher.passes(data)):
            self._raw += piece
            try:
                for message in self._codec.feed(piece):
                    raw = bytes(self._raw)
                    self._raw.clear()
                    self._watcher.said(message, raw)
                    yield message
            except WireError as error:
                self._watcher.unreadable(error)
                raise

    def encode(self, message: Any) -> bytes:
        data = self._codec.encode(message)
        self._watcher.heard(message, data)
        return data


class RecordingInput(LineOrTextCodec):
    """The same for a client that may speak WebSocket. Each text of it is recorded as a line."""

    def __init__(self, codec: Codec[Any], watcher: Watcher) -> None:
        super().__init__(RecordingCodec(codec, watcher))
        self._watcher = watcher

    def feed(self, data: bytes) -> Iterator[Any]:
        try:
            yield from super().feed(data)
        except WireError as error:
            self._watcher.unreadable(error)
            raise


class RecordingPeer:
    """The peer of one conversation, with a record of what the conversation refuses."""

    def __init__(self, peer: Peer[Any], watcher: Watcher) -> None:
        self._peer = peer
        self._watcher = watcher
        self._said: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    def say(self, message: Any) -> None:
        self._said = message
        self._peer.say(message)

    def refuse(self, message: Any) -> None:
        """Send a refusal. Some wires say the reason in a message before it."""
        self._watcher.refused(message, self._said)
        self._peer.refuse(message)

    def hang_up(self, reason: str = "") -> None:
        self._watcher.hung_up(reason)
        self._peer.hang_up(reason)


class RecordingConfig:
    """A wire's configuration, with a record of every connection."""

    def __init__(self, config: WireConfig[Any], watcher: Watcher) -> None:
        self._config = config
        self._watcher = watcher

    def new_codec(self) -> Codec[Any]:
        if isinstance(self._config, LinesOrSocket):
            return RecordingInput(self._config.lines.new_codec(), self._watcher)
        return RecordingCodec(self._config.new_codec(), self._watcher)

    def new_conversation(self, peer: Peer[Any], lobby: Any) -> Conversation[Any]:
        return self._config.new_conversation(RecordingPeer(peer, self._watcher), lobby)
