"""
Records a session where the host itself reads and writes it, so that the record is what the host has understood.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import Factory, define, field

from gamehost.checker.base import Reading, Said, TranscriptLine, WireChecks
from gamehost.wires.base import Codec, WireConfig
from gamehost.wires.conversation import Conversation, Peer
from gamehost.wires.framing import BLANK, ClientLineCodec, LineCodec, WireError
from gamehost.wires.websocket import LineOrTextCodec, LinesOrSocket

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
#: The longest text of a message in a transcript, in characters.
LONGEST = 400


def printable(data: bytes) -> str:
    """Bytes as one line without control characters."""
    text = data[: 4 * LONGEST + 4].decode("utf-8", "backslashreplace").strip("\r\n")
    shown = "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."


@define(eq=False)
class Transcript:
    """The messages of one client's session, over all of its connections."""

    checks: WireChecks
    seconds: Callable[[], float]
    encode: Callable[[Any], bytes] | None
    lines: list[TranscriptLine] = field(factory=list)
    #: When the scenario began; by default now.
    began: float = field(default=Factory(lambda self: self.seconds(), takes_self=True), kw_only=True)
    #: One for each connection.
    readings: list[Reading] = field(
        init=False, default=Factory(lambda self: [self.checks.new_reading()], takes_self=True)
    )

    @property
    def reading(self) -> Reading:
        """What follows the connection that there is now."""
        return self.readings[-1]

    def connected_again(self) -> None:
        """A new connection begins. Nothing of the last one is true of it."""
        self.readings.append(self.checks.new_reading())

    def said(self, message: Any, raw: bytes) -> Said:
        """The client has sent a message. What it means is returned, too."""
        if message is BLANK:
            return Said("an empty line")
        shown = self.reading.redacted(message)
        if shown is not message and self.encode is not None:
            raw = self.encode(shown)
        said = self.reading.said(message)
        self._add("client", shown, raw, said.meaning)
        return said

    def heard(self, message: Any, raw: bytes) -> Said:
        """The host has sent a message. What it means is returned, too."""
        heard = self.reading.heard(message)
        self._add("host", message, raw, heard.meaning)
        return heard

    def note(self, meaning: str) -> None:
        """Something happened that is no message."""
        self.lines.append(TranscriptLine(self._now(), "", "", meaning))

    def last(self, most: int = 10) -> tuple[TranscriptLine, ...]:
        """The last messages, the oldest first."""
        return tuple(self.lines[-most:])

    def _add(self, sender: str, message: Any, raw: bytes, meaning: str) -> None:
        printed = self.checks.printed
        text = printable(raw) if printed is None else printed(message, raw)
        self.lines.append(TranscriptLine(self._now(), sender, text, meaning))

    def _now(self) -> float:
        return self.seconds() - self.began


class Watcher:
    """What is told about a session as it goes on. Subclasses override what they need."""

    def passes(self, data: bytes) -> bytes:
        """What the host is to read in place of these bytes of the client: a segment, or a text of WebSocket as a line."""
        return data

    def said(self, message: Any, raw: bytes) -> None:
        """The client has sent a message."""

    def heard(self, message: Any, raw: bytes) -> None:
        """The host sends a message."""

    def refused(self, message: Any, before: Any) -> None:
        """
        The host sends a refusal, which `heard` is told too.

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
        """Send a message."""
        self._said = message
        self._peer.say(message)

    def refuse(self, message: Any) -> None:
        """Send a refusal. Some wires say the reason in a message before it."""
        self._watcher.refused(message, self._said)
        self._peer.refuse(message)

    def hang_up(self, reason: str = "") -> None:
        """Close the connection."""
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
