"""
Bounded buffers that split bytes into lines and frames; messages that all wires of lines share; text in the encoding of
Java; and sentences for clients of another protocol. Nothing here uses a transport or a clock.

A buffer stores at most one unfinished line or frame, of bounded size. Above that size it raises `WireError`, and must
not be fed again. The work for a chunk of bytes depends only on the size of the chunk, however many lines or frames are
in it. `feed` returns an iterator of the complete lines or frames. The caller may pause this iterator, but must exhaust
it before it feeds the next chunk.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from attrs import define
from msgspec import Struct

M = TypeVar("M")


class WireError(Exception):
    """The bytes do not follow the wire's format, or exceed a limit. The bytes after them must be ignored."""


class OtherProtocol(WireError):
    """
    The connection begins like one of another protocol.

    :param opening: the first bytes; they are not part of the error's message
    """

    def __init__(self, opening: bytes) -> None:
        super().__init__("another protocol")
        self.opening = opening


class Blank(Struct, frozen=True):
    """
    An empty line, such as people and keep-alives send. It counts against the rate limit; apart from that, it is
    ignored.
    """


class UndecodableLine(Struct, frozen=True):
    """A complete line that could not be decoded. The lines after it can still be read."""

    #: The reason. It contains nothing of the line.
    reason: str


class WireMessage(Struct, frozen=True):
    """The base of all messages of a client or of the server."""


def command_of(name: str) -> str:
    """
    Returns the command of a message from the name of its class: `MOVE_WAS_MADE` for `MoveWasMade`. Messages use it to
    make their tags.
    """
    return re.sub("(?<!^)(?=[A-Z])", "_", name).upper()


def tags_of(base: type[Struct]) -> Mapping[type[Any], Any]:
    """Returns the tag of each message class with this base."""
    return {kind: kind.__struct_config__.tag for kind in base.__subclasses__()}


class WrongFields(WireMessage, frozen=True):
    """A client's message with a wrong number of fields, or with an impossible field."""

    command: str
    #: The expected form, in words without a pipe.
    expected: str


class NotForServer(WireMessage, frozen=True):
    """A client has sent a message that only the server may send."""

    command: str


class Unknown(WireMessage, frozen=True):
    """
    A line that does not begin with a command of the wire. Its text is not stored, because it must not be sent back.
    """

    #: The command that the client meant, if the line only needs upper case to be valid.
    meant: str = ""


class HelpAsked(WireMessage, frozen=True):
    """A person asks for help, by one of the words `help`, `?`, `quit` or `exit`."""


class Control(Struct, frozen=True):
    """
    A message of the layer below the wire, such as a ping of WebSocket. It is answered in every state, and conversations
    need no code for it.
    """

    def answer(self, peer: Any) -> None:
        """Sends the answer. The peer is a `gamehost.wires.base.Peer`."""


class TelnetAnswer(Control, frozen=True):
    """
    The answer to a telnet program that asks for an option that the host does not have. It is the same on every wire.
    """

    data: bytes

    def answer(self, peer: Any) -> None:
        """
        Sends the bytes as they are, not through the wire's codec. Only the host's own connections have `say_bytes`; it
        is not a part of `Peer`, so the peers of plug-ins need not have it.
        """
        peer.say_bytes(self.data)


BLANK = Blank()
NOT_UTF8 = UndecodableLine("a line that is not UTF-8")

#: The message about the invisible byte order mark that some editors and libraries put in front of a text.
BYTE_ORDER_MARK = UndecodableLine("a byte order mark (U+FEFF) in front of a message; send the same without it")
_MARK = b"\xef\xbb\xbf"


def may_be_mark(opening: bytes | bytearray) -> bool:
    """
    Whether the first bytes of a connection may be the beginning of a byte order mark.

    :raises WireError: the bytes are a whole byte order mark
    """
    if opening.startswith(_MARK):
        raise WireError(BYTE_ORDER_MARK.reason)
    return _MARK.startswith(opening)


# The first bytes of other protocols. Without this check, a line wire would answer each of their lines with text that
# their clients cannot read.
_FOREIGN = re.compile(rb"(GET|POST|HEAD|PUT|OPTIONS|CONNECT|PRI) \S+ HTTP/|SSH-[12]\.|\x16\x03", re.ASCII)

# Telnet's commands, RFC 854: IAC (255) and another byte (240..249), such as the interruption that Ctrl-C sends; or the
# negotiation of an option: IAC, WILL/WONT/DO/DONT (251..254), the option. No text of ASCII or UTF-8 has a byte 255.
IAC, DONT, DO, WONT, WILL = 255, 254, 253, 252, 251
TIMING_MARK = 6
_TELNET = re.compile(rb"(\xff(?:[\xf0-\xf9]|[\xfb-\xfe].))", re.DOTALL)
_TELNET_BEGUN = re.compile(rb"\xff[\xfb-\xfe]?\Z")
_REFUSALS = {DO: WONT, WILL: DONT}


class TelnetRefusals:
    """
    Makes the answers to a client's telnet program, which asks for options that the host does not have.

    Each option is refused only once, so there are never more than a few hundred refusals. A timing mark (RFC 860) is a
    question, and is answered each time: after Ctrl-C, a telnet program shows nothing until this answer has come.
    """

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: set[bytes] = set()

    def answer_to(self, verb: int, option: int) -> TelnetAnswer | None:
        """
        Returns the answer to a request for an option; `None`: no answer is needed.

        :param verb: `WILL`, `WONT`, `DO` or `DONT`
        """
        refusal = _REFUSALS.get(verb)
        # WONT and DONT ask for nothing.
        if refusal is None:
            return None
        data = bytes((IAC, refusal, option))
        # An option is refused only once; a timing mark is answered each time.
        if (verb, option) != (DO, TIMING_MARK):
            if data in self._refused:
                return None
            self._refused.add(data)
        return TelnetAnswer(data)


def is_foreign(opening: bytes | bytearray) -> bool:
    """
    Whether a connection that begins with these bytes uses another protocol. A `LineBuffer` refuses such a connection.
    """
    return _FOREIGN.match(opening) is not None


class LineBuffer:
    """
    Splits bytes into lines that end in `\\n` or `\\r\\n`, and skips telnet's option negotiation.

    :param limit: the longest line, in bytes, without its ending
    """

    __slots__ = ("_begun", "_first", "_rest", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        # An incomplete line, an incomplete command of telnet, and whether no line has ended yet.
        self._rest = bytearray()
        self._begun = b""
        self._first = True

    @property
    def unfinished(self) -> bool:
        """Whether the last line, or the last command of telnet, is incomplete so far."""
        return bool(self._rest or self._begun)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        Returns the lines that are complete now, without their endings.

        :raises WireError: (from the iterator) a line is longer than the limit, or the first line belongs to another
            protocol
        """
        # Every second part is text. The telnet commands between the texts are dropped.
        return self.lines_of(b"".join(self.parts(data)[::2]) if self.has_telnet(data) else data)

    def has_telnet(self, data: bytes) -> bool:
        """Whether these bytes may contain a telnet command, or the rest of one."""
        return b"\xff" in data or bool(self._begun)

    def parts(self, data: bytes) -> list[bytes]:
        """
        Splits bytes into text, telnet command, text, and so on. The last part is text. An unfinished command is stored
        until the next bytes.
        """
        # A command that is cut off can only be at the end of the last text.
        parts = _TELNET.split(self._begun + data)
        begun = _TELNET_BEGUN.search(parts[-1])
        self._begun = begun.group() if begun else b""
        parts[-1] = parts[-1].removesuffix(self._begun)
        return parts

    def lines_of(self, data: bytes | bytearray) -> Iterator[bytes]:
        """
        Returns the lines that are complete now, from bytes without telnet commands.

        :raises WireError: (from the iterator) see `feed`
        """
        rest = self._rest
        rest += data
        start = 0
        try:
            while (end := rest.find(b"\n", start)) >= 0:
                if self._first:
                    self._refuse_foreign(rest)
                    self._first = False
                # A line may end in \r\n: then the byte 13 (\r) is not part of the line.
                stop = end - 1 if end > start and rest[end - 1] == 13 else end
                if stop - start > self.limit:
                    raise WireError(f"a line longer than {self.limit} bytes")
                line = bytes(rest[start:stop])
                start = end + 1
                yield line
        finally:
            # The lines that were taken are removed even if the caller stops early, or a line is refused.
            del rest[:start]
        if self._first:
            self._refuse_foreign(rest)
        # An unfinished line may be one byte longer than the limit if this byte may begin its ending \r\n.
        if len(rest) > self.limit and not (len(rest) == self.limit + 1 and rest.endswith(b"\r")):
            raise WireError(f"a line longer than {self.limit} bytes")

    def whole(self, data: bytes) -> bytes | None:
        """
        Returns the line in the bytes, if they are exactly one line and no earlier bytes wait. Otherwise returns `None`,
        and nothing has changed.
        """
        # `feed` must read the bytes: earlier bytes wait, or this is the first line and may be one of another protocol,
        # or there may be telnet commands.
        if self._rest or self._begun or self._first or b"\xff" in data:
            return None
        end = data.find(b"\n")
        # Not exactly one line, or a line so long that `feed` must compare it with the limit.
        if end < 0 or end + 1 != len(data) or end >= self.limit:
            return None
        return data[:-2] if data.endswith(b"\r\n") else data[:end]

    @staticmethod
    def _refuse_foreign(opening: bytearray) -> None:
        if is_foreign(opening):
            raise OtherProtocol(bytes(opening))


class Buffer(Protocol):
    """Splits bytes into lines or frames, like the classes of this module. A wire may have a buffer of its own."""

    @property
    def unfinished(self) -> bool: ...

    def whole(self, data: bytes) -> bytes | None: ...

    def feed(self, data: bytes) -> Iterator[bytes]: ...


class LineCodec(Generic[M]):
    """
    The shared part of the codecs of line wires. The first line that cannot be decoded becomes a message
    `UndecodableLine`. The second one raises an error.

    Subclasses set `LIMIT` and `UNREADABLE`, and write `encode`. They also write `parse` for lines of UTF-8, or `read`
    for other lines.

    :param lines: splits the bytes; by default a `LineBuffer` with the class's limit
    """

    #: The longest line, in bytes. Not needed if `lines` are given.
    LIMIT: ClassVar[int]
    #: The text of the error for the second line that cannot be decoded.
    UNREADABLE: ClassVar[str]

    _refusals: TelnetRefusals | None = None

    def __init__(self, lines: Buffer | None = None) -> None:
        self._lines = LineBuffer(self.LIMIT) if lines is None else lines
        self._unreadable = 0

    @property
    def unfinished(self) -> bool:
        return self._lines.unfinished

    def feed(self, data: bytes) -> Iterator[M]:
        """
        Returns the messages that are complete now, and between them the answers to telnet commands.

        :raises WireError: (from the iterator) a line longer than the limit, another protocol, or the second line that
            cannot be decoded
        """
        buffer = self._lines
        # Only a `LineBuffer` knows telnet.
        if isinstance(buffer, LineBuffer) and buffer.has_telnet(data):
            return self._around_telnet(buffer, buffer.parts(data))
        return self._messages(buffer.feed(data))

    def _around_telnet(self, buffer: LineBuffer, parts: list[bytes]) -> Iterator[Any]:
        """
        Returns the messages in the text parts, and the answers to the telnet commands between them, in their order.

        :param parts: the result of `LineBuffer.parts`
        """
        refusals = self._refusals = self._refusals or TelnetRefusals()
        text = bytearray()
        # The parts are text, command, text, and so on; after the last text there is no command.
        for before, command in zip_longest(parts[::2], parts[1::2], fillvalue=b""):
            text += before
            # Only commands of three bytes are about an option: IAC, the verb, the option.
            answer = refusals.answer_to(command[1], command[2]) if len(command) == 3 else None
            # The messages before the command come first, then the answer.
            if answer is not None:
                yield from self._messages(buffer.lines_of(text))
                yield answer
                text.clear()
        yield from self._messages(buffer.lines_of(text))

    def _messages(self, lines: Iterator[bytes]) -> Iterator[M]:
        """
        Yields the message of each line.

        :raises WireError: this is the second line that cannot be decoded
        """
        for line in lines:
            message: Any = BYTE_ORDER_MARK if line.startswith(_MARK) else self.read(line)
            if type(message) is UndecodableLine:
                self._unreadable += 1
                if self._unreadable > 1:
                    raise WireError(self.UNREADABLE)
            yield message

    def whole(self, data: bytes) -> M | None:
        """
        Returns the message in the bytes, as `gamehost.wires.base.ReadsWhole` says; `None`: the caller must `feed` the
        bytes.

        :raises WireError: as `read` does
        """
        line = self._lines.whole(data)
        if line is None:
            return None
        message = self.read(line)
        # An undecodable line is read again by `feed`, which counts it.
        return None if type(message) is UndecodableLine else message

    def read(self, line: bytes) -> M:
        """
        Returns the message in a line; `UndecodableLine`, if the line cannot be decoded.

        :raises WireError: the line and everything after it must be ignored
        """
        try:
            message: M = self.parse(line.decode("utf-8"))
        except UnicodeDecodeError:
            message = NOT_UTF8  # type: ignore[assignment]
        return message

    @staticmethod
    def parse(text: str, /) -> Any:
        """Returns the message in a line that is UTF-8."""
        raise NotImplementedError


@define(eq=False)
class LastEncoded(Generic[M]):
    """
    Stores the last encoded message and its bytes. If the same message is sent to many connections in turn, it is
    encoded only once.

    All codecs of a wire share one instance.
    """

    _message: M | None = None
    _data: bytes = b""

    def bytes_of(self, message: M, encode: Callable[[M], bytes]) -> bytes:
        """Returns the bytes of a message. Encodes the message, unless it is the last one."""
        if self._message is not message:
            self._message, self._data = message, encode(message)
        return self._data


class ClientLineCodec(Generic[M]):
    """
    The shared part of the client's codecs of line wires. Such a codec reads the server's lines and writes a client's
    lines.

    Subclasses set the two limits, and write `read` and `line`. A client expects correct lines from its server: a line
    that cannot be read raises an error at once.
    """

    #: The longest line of the server, in bytes.
    LIMIT: ClassVar[int]
    #: The longest line of a client, in bytes. The server refuses a longer line.
    CLIENT_LIMIT: ClassVar[int]

    def __init__(self) -> None:
        self._lines = LineBuffer(self.LIMIT)

    def allow(self, longest: int) -> None:
        """
        Lowers the limit for lines of the server, from now on.

        :param longest: the longest line, in bytes; not more than `LIMIT`
        """
        self._lines.limit = min(longest, self.LIMIT)

    @property
    def unfinished(self) -> bool:
        return self._lines.unfinished

    def feed(self, data: bytes) -> Iterator[M]:
        """
        Returns the messages of the server that are complete now.

        :raises WireError: a line is longer than the limit, or is not a message of the server
        """
        for line in self._lines.feed(data):
            message = self.read(line)
            if message is not None:
                yield message

    def encode(self, message: M) -> bytes:
        """
        Returns a message of a client as a line.

        :raises WireError: the server could not read the line, or would read another message; the codec can still be
            used
        """
        line = self.line(message)
        if len(line) > self.CLIENT_LIMIT:
            raise WireError(f"a line longer than {self.CLIENT_LIMIT} bytes")
        if b"\n" in line or line.endswith(b"\r"):
            raise WireError("expected text without line ends")
        return line + b"\n"

    def read(self, line: bytes) -> M | None:
        """
        Returns the server's message in a line; `None`: the message continues in the next line, or the line contains no
        message.

        :raises WireError: the line is not a message of the server
        """
        raise NotImplementedError

    def line(self, message: M) -> bytes:
        """
        Returns a client's message as a line without its line end.

        :raises WireError: the message cannot be written
        """
        raise NotImplementedError


class FrameBuffer:
    """
    Splits bytes into frames. A frame is a header of fixed size, and a payload; the header contains the size of the
    payload.

    :param header: the header's size in bytes
    :param payload: returns the payload's size from the header. It raises `WireError` for an impossible header or a
        payload that is too long, before the buffer waits for any byte of the payload
    :param mark: the first byte of every frame, if all frames begin with the same byte. Another first byte is refused at
        once, so that a person who has connected to the wrong port does not wait for an answer
    """

    __slots__ = ("_header", "_mark", "_payload", "_rest")

    def __init__(self, header: int, payload: Callable[[bytes], int], mark: int | None = None) -> None:
        self._header = header
        self._payload = payload
        self._mark = mark
        self._rest = bytearray()

    @property
    def unfinished(self) -> bool:
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        Returns the frames that are complete now, each with its header.

        :raises WireError: the function `payload`, which reads the length in a header, refuses a header; or a frame does
            not begin with the mark
        """
        rest, mark, header = self._rest, self._mark, self._header
        rest += data
        start = 0
        try:
            while len(rest) > start:
                if mark is not None and rest[start] != mark:
                    # Part of a byte order mark: wait for the rest, to refuse it with a better sentence.
                    if may_be_mark(rest[start:]):
                        break
                    raise WireError(f"a frame begins with 0x{mark:02X}")
                if len(rest) - start < header:
                    break
                end = start + header
                end += self._payload(bytes(rest[start:end]))
                if len(rest) < end:
                    break
                frame = bytes(rest[start:end])
                start = end
                yield frame
        finally:
            # The frames that were taken are removed even if the caller stops early, or a frame is refused.
            del rest[:start]

    def whole(self, data: bytes) -> bytes | None:
        """
        Returns `data` if it is exactly one frame and no earlier bytes wait. Otherwise returns `None` and changes
        nothing; the caller then passes the same bytes to `feed`.

        :raises WireError: the function `payload`, which reads the length in a header, refuses the header
        """
        header = self._header
        # Earlier bytes wait, the header is not complete, or the first byte is wrong: `feed` handles this.
        if self._rest or len(data) < header or self._mark not in (None, data[0]):
            return None
        return data if len(data) == header + self._payload(data[:header]) else None


# Text in the encoding of Java.

_SIZE = struct.Struct(">H")


def modified_utf8(text: str) -> bytes:
    """
    Encodes text as Java's "modified UTF-8": NUL becomes two bytes, and a character beyond U+FFFF becomes two surrogates
    of three bytes each.

    :raises WireError: the text contains half a surrogate pair
    """
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    try:
        pairs = text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise WireError("half a surrogate pair") from None
    # UTF-16 splits a character beyond U+FFFF into two surrogates. Each one is then written as a character of its own.
    units = "".join(chr(unit) for (unit,) in _SIZE.iter_unpack(pairs))
    return units.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def from_modified_utf8(data: bytes) -> str:
    """
    Decodes "modified UTF-8", the inverse of `modified_utf8`. All other bytes are refused.

    :raises WireError: a bare NUL, four bytes for one character, an overlong form, a lone surrogate, or no UTF-8 at all
    """
    # A NUL has two bytes here. A byte of F0 or above begins a character of four bytes, which Java never writes.
    if b"\0" in data or max(data, default=0) >= 0xF0:
        raise WireError("text that is not modified UTF-8")
    try:
        # The byte C0 occurs in no other character, so these two bytes are always a NUL.
        units = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        raise WireError("text that is not modified UTF-8") from None


def java_string(text: str) -> bytes:
    """Encodes text as Java's `writeUTF` does: the size in two bytes, then modified UTF-8."""
    data = modified_utf8(text)
    return _SIZE.pack(len(data)) + data


# Sentences for clients at the wrong port: people that type `help`, and programs that use another protocol. A wire
# passes the text that it could not understand, and a description of how its own conversation begins.

#: Words that people type if they do not know the protocol. None of these is a name either: see
#: `gamehost.accounts.names.RESERVED`.
HELP_WORDS = frozenset({"help", "?", "quit", "exit"})

_HTTP_METHODS = (b"GET ", b"POST ", b"HEAD ", b"PUT ", b"OPTIONS ", b"DELETE ", b"CONNECT ", b"PRI * HTTP/2")
_TLS = b"\x16\x03"
_SSH = b"SSH-"
_JSON = (b'{"', b"{ ", b"{}", b"[")


def asks_for_help(text: str) -> bool:
    """Whether a line asks for help, in upper or lower case and with or without spaces around it."""
    return text.strip().casefold() in HELP_WORDS


def for_people(by_hand: str) -> str:
    """
    Returns the end of a sentence that says how a person can play in a terminal, without a protocol.

    :param by_hand: the command to run in a terminal; empty: there is none
    """
    return f"; to play by hand, run {by_hand} in a terminal" if by_hand else ""


def other_protocol(data: bytes) -> str | None:
    """
    Returns the name of the protocol that a connection begins with, for a sentence: `an HTTP request`; `None`: the
    protocol is unknown.

    :param data: the first bytes of the connection, which the wire could not understand; a few are enough
    """
    if data.startswith(_HTTP_METHODS):
        return "an HTTP request"
    if data.startswith(_TLS):
        return "a TLS handshake"
    if data.startswith(_SSH):
        return "an SSH client"
    # White space may stand in front of XML and JSON.
    text = data.lstrip()
    if text.startswith((b"<message", b"<?xml", b"<authenticated", b"<!")):
        return "XML"
    if text.startswith(_JSON):
        return "JSON"
    return None


def may_become_other_protocol(data: bytes) -> bool:
    """Whether these bytes can be the beginning of a protocol that `other_protocol` recognizes, except XML."""
    return any(opening.startswith(data) for opening in (*_HTTP_METHODS, _TLS, _SSH, *_JSON))


def wrong_port(data: bytes, spoken: str, other: str = "") -> str | None:
    """
    Returns a sentence for a client of another protocol; `None`: the bytes do not look like another protocol.

    :param data: the first bytes of the connection, which the wire could not understand
    :param spoken: a description of this port: `pipe-separated lines; begin with LOGIN and one field, the username`
    :param other: a result of `other_protocol` that is normal on this wire, such as `JSON`
    """
    found = other_protocol(data)
    return None if found is None or found == other else f"this looks like {found}; this port speaks {spoken}"
