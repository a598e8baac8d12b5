"""
The messages of the console, and their bytes. A client sends lines of UTF-8 and the commands of its telnet; the host
sends text and prompts.

The meaning of a line depends on the state: it may be a command, a move or a password. So a line is never shown in a
log.

A line may end as netcat's and as telnet's do. Backspaces that a client sends are carried out. A line that is not UTF-8 is
refused; a second one ends the connection.
"""

import re
from collections.abc import Iterator
from enum import Enum

from attrs import field, frozen
from msgspec import Struct

from gamehost.wires.framing import (
    DO,
    IAC,
    WILL,
    WONT,
    Blank,
    LineBuffer,
    TelnetAnswer,
    TelnetRefusals,
    UndecodableLine,
    WireError,
)

#: The description of this port, for programs of other protocols.
SPOKEN = "with people, in plain text; type help and Enter"


@frozen
class Line:
    """Client: a line, without its end."""

    text: str = field(repr=False)


class Telnet(Blank, frozen=True):
    """
    Client: it is telnet. The codec makes this message once, before the first command of telnet. Telnet has no such
    message itself: if another host of a cluster continues, its codec makes it again.
    """


class Agreed(Struct, frozen=True):
    """Client: it agrees to an option of telnet."""

    option: int


class Window(Struct, frozen=True):
    """Client: how many columns its window has. 0: it does not say."""

    columns: int


class Terminal(Struct, frozen=True):
    """Client: the name of its terminal, in lower case, such as `xterm`."""

    name: str


class Charset(Struct, frozen=True):
    """Client: the character set that it has chosen, in upper case, such as `UTF-8`."""

    name: str


class Text(Struct, frozen=True):
    """Host: whole lines."""

    lines: tuple[str, ...]


class Prompt(Struct, frozen=True):
    """Host: the client may type now. No line end follows."""

    words: str = "> "


class Negotiation(Struct, frozen=True):
    """Host: telnet's options. Only said to a client that is telnet."""

    data: bytes


Told = Telnet | Agreed | Window | Terminal | Charset
Message = Line | Told | TelnetAnswer | UndecodableLine | Text | Prompt | Negotiation

#: A line that cannot be read, and why.
NOT_UTF8 = UndecodableLine("This line is not UTF-8. Type letters and digits.")
BYTE_ORDER_MARK = UndecodableLine(
    "This line begins with a byte order mark (U+FEFF), which nobody sees. Send it without that."
)
CONTROL = UndecodableLine("This line holds control characters. Type letters and digits.")


# Telnet's commands and options: RFC 854, 1073, 1091, 2066. The host trusts none of it: an option has a few bytes and
# the rest is dropped, and the values only change the look of text. A host sends no such commands before the client has
# shown that it is telnet.

SB, SE = 250, 240
ECHO, TERMINAL_TYPE, WINDOW_SIZE, CHARSET = 1, 24, 31, 42

#: The options that a client may agree to, because the host asks for them or offers them. All others are refused.
_KNOWN = frozenset(((WILL, WINDOW_SIZE), (WILL, TERMINAL_TYPE), (DO, CHARSET), (DO, ECHO)))

#: The most bytes of an option that are stored. The longest useful option is the name of a terminal.
LONGEST = 64

#: Asks for the size of the window and the name of the terminal, and offers to agree on a character set.
PROBE = Negotiation(bytes((IAC, DO, WINDOW_SIZE, IAC, DO, TERMINAL_TYPE, IAC, WILL, CHARSET)))
ASK_TERMINAL = Negotiation(bytes((IAC, SB, TERMINAL_TYPE, 1, IAC, SE)))
ASK_CHARSET = Negotiation(bytes((IAC, SB, CHARSET, 1)) + b";UTF-8;US-ASCII" + bytes((IAC, SE)))
#: The host says that it echoes, and does not: so a password is not shown. Then the client echoes again.
HIDE, SHOW = Negotiation(bytes((IAC, WILL, ECHO))), Negotiation(bytes((IAC, WONT, ECHO)))

#: Two bytes IAC are one byte of data. No text of UTF-8 has it; this one is wrong in UTF-8 as well, and no command.
_DOUBLED = b"\xfe"


class _State(Enum):
    DATA = "data"
    COMMAND = "command"
    OPTION = "option"
    INSIDE = "inside"
    INSIDE_COMMAND = "inside command"


_Told = Agreed | TelnetAnswer | Window | Terminal | Charset


class TelnetFilter:
    """Takes what is telnet's out of a stream."""

    __slots__ = ("_content", "_refusals", "_state", "_verb")

    def __init__(self) -> None:
        self._state = _State.DATA
        self._verb = 0
        self._refusals = TelnetRefusals()
        #: The bytes of the current option, from its number on.
        self._content = bytearray()

    @property
    def unfinished(self) -> bool:
        return self._state is not _State.DATA

    def feed(self, data: bytes) -> Iterator[bytes | _Told]:
        """
        The rest of the data in pieces, and the options, in order. The iterator must be exhausted before more is fed.
        """
        start = 0
        while start < len(data):
            if self._state is _State.DATA:
                end = data.find(IAC, start)
                if end != start:
                    yield data[start : end if end >= 0 else len(data)]
                if end < 0:
                    return
                self._state = _State.COMMAND
                start = end + 1
                continue
            told = self._next(data[start])
            start += 1
            if told is not None:
                yield told

    def _next(self, byte: int) -> bytes | _Told | None:
        match self._state:
            case _State.COMMAND:
                return self._command(byte)
            case _State.OPTION:
                self._state = _State.DATA
                known = (self._verb, byte) in _KNOWN
                return Agreed(byte) if known else self._refusals.answer_to(self._verb, byte)
            case _State.INSIDE if byte == IAC:
                self._state = _State.INSIDE_COMMAND
            case _State.INSIDE:
                self._keep(byte)
            case _State.INSIDE_COMMAND if byte == IAC:
                self._keep(byte)
                self._state = _State.INSIDE
            case _State.INSIDE_COMMAND:
                # Every command ends the option. So a lost SE costs one option and not the connection.
                self._state = _State.DATA
                return _told(bytes(self._content))
        return None

    def _command(self, byte: int) -> bytes | None:
        self._state = _State.DATA
        if byte == IAC:
            return _DOUBLED
        if byte == SB:
            self._state = _State.INSIDE
            self._content.clear()
        elif byte >= WILL:
            self._state = _State.OPTION
            self._verb = byte
        return None

    def _keep(self, byte: int) -> None:
        if len(self._content) < LONGEST:
            self._content.append(byte)


def _told(content: bytes) -> Window | Terminal | Charset | None:
    """The message of an option; `None`: none of use."""
    match content[:1], content[1:]:
        case b"\x1f", size if len(size) == 4:
            return Window(size[0] << 8 | size[1])
        case b"\x18", answer if answer[:1] == b"\x00":
            return Terminal(_name(answer[1:]).lower())
        case b"\x2a", answer if answer[:1] == b"\x02":
            return Charset(_name(answer[1:]).upper())
    return None


def _name(data: bytes) -> str:
    """A name, without everything that is no letter, digit or hyphen."""
    return "".join(letter for letter in data.decode("ascii", "ignore") if letter.isalnum() or letter == "-")


#: The longest line in bytes: a long turn of Paper Soccer, point by point.
LINE_LIMIT = 1024

_TELNET = Telnet()
_BACKSPACES = frozenset("\x08\x7f")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_CR, _LF = b"\r"[0], b"\n"[0]


class ConsoleCodec:
    def __init__(self) -> None:
        self._lines = LineBuffer(LINE_LIMIT)
        self._filter = TelnetFilter()
        #: Whether the client is telnet.
        self._telnet = self._ends_as_telnet = False
        #: The last byte of text.
        self._last = 0
        self._unreadable = 0

    @property
    def sequence(self) -> int:
        """As of `gamehost.wires.base.Numbered`. One number is enough: whether lines end as telnet's do."""
        return int(self._ends_as_telnet)

    @sequence.setter
    def sequence(self, number: int) -> None:
        self._ends_as_telnet = number > 0

    @property
    def unfinished(self) -> bool:
        return self._lines.unfinished or self._filter.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        for piece in self._filter.feed(data):
            if isinstance(piece, bytes):
                yield from self._text(piece)
                continue
            if not self._telnet:
                self._telnet = self._ends_as_telnet = True
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
        self._telnet = self._ends_as_telnet = True
        yield _TELNET
        if last is not None:
            yield self._read(last)

    def _read(self, line: bytes) -> Message:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            self._unreadable += 1
            if self._unreadable > 1:
                raise WireError("lines that are not UTF-8") from None
            return NOT_UTF8
        if text.startswith("\ufeff"):
            return BYTE_ORDER_MARK
        text = _erased(text).replace("\t", " ")
        return CONTROL if _CONTROLS.search(text) else Line(text)

    def encode(self, message: Message) -> bytes:
        match message:
            case Text(lines):
                end = "\r\n" if self._ends_as_telnet else "\n"
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
