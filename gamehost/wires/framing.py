"""
Bounded buffers that cut bytes into lines and frames. Pure: bytes in, pieces out, no transport and no clock.

A buffer keeps at most one unfinished piece of bounded size; past the bound it raises `WireError`, and its owner feeds
it no more. The work for a chunk grows with the chunk's size alone, however many pieces are in it. Pieces come out of an
iterator that may be left standing and gone on with later; the next chunk is fed only when it is exhausted.
"""

import re
from collections.abc import Callable, Iterator
from typing import ClassVar, Generic, TypeVar

from attrs import frozen

M = TypeVar("M")


class WireError(Exception):
    """What came cannot be this wire's, or is past a limit: nothing after it can be trusted. The message says why."""


class OtherProtocol(WireError):
    """
    The connection begins as another protocol does.

    :param opening: the first bytes; they are not part of the message
    """

    def __init__(self, opening: bytes) -> None:
        super().__init__("another protocol")
        self.opening = opening


@frozen
class Blank:
    """An empty line, as people and keep-alives send them: counted, and otherwise nothing."""


@frozen
class UndecodableLine:
    """A whole line that could not be read; the next one can. Says why, in words that hold nothing of the line."""

    reason: str


BLANK = Blank()
NOT_UTF8 = UndecodableLine("a line that is not UTF-8")

# What other protocols open a connection with. A line wire would answer line after line; they cannot read that.
_FOREIGN = re.compile(rb"(GET|POST|HEAD|PUT|OPTIONS|CONNECT|PRI) \S+ HTTP/|SSH-[12]\.|\x16\x03", re.ASCII)

# Telnet's option negotiation: IAC (255), WILL/WONT/DO/DONT (251..254), the option. RFC 854.
_TELNET = re.compile(rb"\xff[\xfb-\xfe].", re.DOTALL)
_TELNET_BEGUN = re.compile(rb"\xff[\xfb-\xfe]?\Z")


class LineBuffer:
    """
    Cuts bytes into lines that end in `\\n` or `\\r\\n`, and skips telnet's option negotiation.

    :param limit: the longest line, in bytes, without its ending
    """

    __slots__ = ("_begun", "_first", "_limit", "_rest")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._begun = b""
        self._first = True

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun that has not ended."""
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        The lines that are whole now, without their endings.

        :raises NotThisWire: a line is longer than the limit, or the first one is another protocol's
        """
        if self._begun or b"\xff" in data:
            data = self._without_negotiation(data)
        rest = self._rest
        rest += data
        start = 0
        try:
            while (end := rest.find(b"\n", start)) >= 0:
                if self._first:
                    self._refuse_foreign(rest)
                    self._first = False
                stop = end - 1 if end > start and rest[end - 1] == 13 else end
                if stop - start > self._limit:
                    raise WireError(f"a line longer than {self._limit} bytes")
                line = bytes(rest[start:stop])
                start = end + 1
                yield line
        finally:
            del rest[:start]
        if self._first:
            self._refuse_foreign(rest)
        if len(rest) > self._limit and not (len(rest) == self._limit + 1 and rest.endswith(b"\r")):
            raise WireError(f"a line longer than {self._limit} bytes")

    def _without_negotiation(self, data: bytes) -> bytes:
        # Only what follows the last negotiation can begin another: what its removal joins is no beginning.
        *before, tail = _TELNET.split(self._begun + data)
        begun = _TELNET_BEGUN.search(tail)
        self._begun = begun.group() if begun else b""
        return b"".join(before) + tail[: len(tail) - len(self._begun)]

    @staticmethod
    def _refuse_foreign(opening: bytearray) -> None:
        if _FOREIGN.match(opening):
            raise OtherProtocol(bytes(opening))


class LineCodec(Generic[M]):
    """
    One connection's lines as messages: what the codecs of line wires share. A line that cannot be read is a message like
    others; after a second one nothing on the connection can be trusted.

    Subclasses set the class's two values, and write `read` and `encode`.
    """

    #: The longest line, in bytes.
    LIMIT: ClassVar[int]
    #: What lines are that cannot be read.
    UNREADABLE: ClassVar[str]

    def __init__(self) -> None:
        self._lines = LineBuffer(self.LIMIT)
        self._unreadable = 0

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun that has not ended."""
        return self._lines.unfinished

    def feed(self, data: bytes) -> Iterator[M]:
        """
        The messages that are whole now.

        :raises NotThisWire: a line past the limit, another protocol, or a second line that cannot be read
        """
        for line in self._lines.feed(data):
            message = self.read(line)
            if type(message) is UndecodableLine:
                self._unreadable += 1
                if self._unreadable > 1:
                    raise WireError(self.UNREADABLE)
            yield message

    def read(self, line: bytes) -> M:
        """
        The message in a line; `UndecodableLine`, if it cannot be read.

        :raises NotThisWire: nothing after this line can be trusted
        """
        raise NotImplementedError


class FrameBuffer:
    """
    Cuts bytes into frames: a header of fixed size that tells how long the payload behind it is.

    :param header: the header's size in bytes
    :param payload: tells the payload's size from the header; it raises `WireError` for a header that cannot be, or
        whose payload would be too long: before anything of it is waited for
    :param mark: the byte that every frame begins with, if there is one; another in its place is refused at once, so that
        somebody who types at the wrong port is not left waiting for an answer
    """

    __slots__ = ("_header", "_mark", "_payload", "_rest")

    def __init__(self, header: int, payload: Callable[[bytes], int], mark: int | None = None) -> None:
        self._header = header
        self._payload = payload
        self._mark = mark
        self._rest = bytearray()

    @property
    def unfinished(self) -> bool:
        """Whether a frame has begun that has not ended."""
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        The frames that are whole now, header and payload.

        :raises NotThisWire: as `payload` does, or a frame does not begin with the mark
        """
        rest = self._rest
        rest += data
        start = 0
        mark = self._mark
        try:
            while len(rest) > start:
                if mark is not None and rest[start] != mark:
                    raise WireError(f"a frame begins with 0x{mark:02X}")
                if len(rest) - start < self._header:
                    break
                end = start + self._header
                end += self._payload(bytes(rest[start:end]))
                if len(rest) < end:
                    break
                frame = bytes(rest[start:end])
                start = end
                yield frame
        finally:
            del rest[:start]
