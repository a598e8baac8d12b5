"""
Reads lines of UTF-8 as people type them, and writes text.

A line may end as netcat's and as telnet's do. Backspaces that a client sends are carried out. A line that is not UTF-8 is
refused; a second one ends the connection.
"""

import re
from collections.abc import Iterator

from gamehost.wires.console.messages import CONTROL, NOT_UTF8, Line, Message, Negotiation, Prompt, Telnet, Text
from gamehost.wires.console.telnet import TelnetFilter
from gamehost.wires.framing import LineBuffer, WireError

#: The longest line in bytes: a long turn of Paper Soccer, point by point.
LINE_LIMIT = 1024

_TELNET = Telnet()
_BACKSPACES = frozenset("\x08\x7f")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_CR, _LF = b"\r"[0], b"\n"[0]


class ConsoleCodec:
    """Reads and writes the text of one connection."""

    def __init__(self) -> None:
        self._lines = LineBuffer(LINE_LIMIT)
        self._filter = TelnetFilter()
        #: Whether the client is telnet.
        self._telnet = False
        #: The last byte of text.
        self._last = 0
        self._unreadable = 0

    @property
    def unfinished(self) -> bool:
        """Whether a line, or a command of telnet, has begun that has not ended."""
        return self._lines.unfinished or self._filter.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        The messages that are complete now.

        :raises WireError: a line over the limit, another protocol, or a second line that is not UTF-8
        """
        for piece in self._filter.feed(data):
            if isinstance(piece, bytes):
                yield from self._text(piece)
                continue
            if not self._telnet:
                self._telnet = True
                yield _TELNET
            yield piece

    def _text(self, data: bytes) -> Iterator[Message]:
        # Telnet sends Enter as CR LF, or as CR NUL. A CR may be the last byte of the piece before.
        if self._last == _CR and data[0] == 0:
            data = b"\n" + data[1:]
        data = data.replace(b"\r\0", b"\r\n")
        end = 0
        if not self._telnet:
            end = 1 if self._last == _CR and data[0] == _LF else data.find(b"\r\n") + 2 if b"\r\n" in data else 0
        self._last = data[-1]
        if end:
            yield from self._as_telnet(data[:end])
            data = data[end:]
        for line in self._lines.feed(data):
            yield self._read(line)

    def _as_telnet(self, data: bytes) -> Iterator[Message]:
        """The lines up to the first one that ends as telnet's do."""
        last: bytes | None = None
        for line in self._lines.feed(data):
            if last is not None:
                yield self._read(last)
            last = line
        self._telnet = True
        yield _TELNET
        if last is not None:
            yield self._read(last)

    def _read(self, line: bytes) -> Message:
        """
        :raises WireError: a second line that is not UTF-8
        """
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            self._unreadable += 1
            if self._unreadable > 1:
                raise WireError("lines that are not UTF-8") from None
            return NOT_UTF8
        text = _erased(text).replace("\t", " ")
        return CONTROL if _CONTROLS.search(text) else Line(text)

    def encode(self, message: Message) -> bytes:
        """What the host says, as bytes."""
        match message:
            case Text(lines):
                end = "\r\n" if self._telnet else "\n"
                return "".join(line + end for line in lines).encode("utf-8")
            case Prompt(words):
                return words.encode("utf-8")
            case Negotiation(data):
                return data
        raise TypeError(f"the host does not say {type(message).__name__}")


def _erased(text: str) -> str:
    """A text after its backspaces have been carried out, as a terminal in character mode sends them."""
    if _BACKSPACES.isdisjoint(text):
        return text
    left: list[str] = []
    for character in text:
        if character not in _BACKSPACES:
            left.append(character)
        elif left:
            left.pop()
    return "".join(left)
