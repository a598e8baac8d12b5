"""
The messages of the console, and their bytes. A client sends lines of UTF-8 and commands of its telnet program. The host
sends text and prompts.

The meaning of a line depends on the state of the conversation: it may be a command, a move or a password. So lines are
never shown in a log.

A line may end like those of netcat or like those of telnet. A backspace removes the character before it. A line that is
not UTF-8 is refused; the second such line ends the connection.
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
    """Sent by the client: a line of text, without its end."""

    text: str = field(repr=False)


class Telnet(Blank, frozen=True):
    """
    The client is a telnet program. No bytes of telnet mean exactly this: the codec makes this message once, before the
    message of the first command of telnet. If a connection moves to another host of a cluster, the codec there
    makes the message again.
    """


class Agreed(Struct, frozen=True):
    """Sent by the client: telnet agrees to an option."""

    option: int


class Window(Struct, frozen=True):
    """Sent by the client: telnet reports the number of columns of its window; 0: it does not report it."""

    columns: int


class Terminal(Struct, frozen=True):
    """Sent by the client: telnet reports the name of its terminal, in lower case, such as `xterm`."""

    name: str


class Charset(Struct, frozen=True):
    """Sent by the client: telnet has chosen this character set, in upper case, such as `UTF-8`."""

    name: str


class Text(Struct, frozen=True):
    """Sent by the host: lines of text for the person. Each is sent with a line end."""

    lines: tuple[str, ...]


class Prompt(Struct, frozen=True):
    """Sent by the host: shows that the client may type now. No line end follows."""

    words: str = "> "


class Negotiation(Struct, frozen=True):
    """Sent by the host: negotiates options of telnet. It is sent only to a client that is a telnet program."""

    data: bytes


Told = Telnet | Agreed | Window | Terminal | Charset
Message = Line | Told | TelnetAnswer | UndecodableLine | Text | Prompt | Negotiation

#: Lines that the host cannot read, with the reason.
NOT_UTF8 = UndecodableLine("This line is not UTF-8. Type letters and digits.")
BYTE_ORDER_MARK = UndecodableLine(
    "This line begins with a byte order mark (U+FEFF), which nobody sees. Send it without that."
)
CONTROL = UndecodableLine("This line holds control characters. Type letters and digits.")


# Telnet's commands and options: RFC 854, 1073, 1091, 2066. The host does not trust them: only the first bytes of an
# option are used, and its value changes only the look of text. The host sends no telnet commands before the client has
# sent one.

SB, SE = 250, 240
ECHO, TERMINAL_TYPE, WINDOW_SIZE, CHARSET = 1, 24, 31, 42

#: The options that a client may agree to, because the host asks for them or offers them. All others are refused.
_KNOWN = frozenset(((WILL, WINDOW_SIZE), (WILL, TERMINAL_TYPE), (DO, CHARSET), (DO, ECHO)))

#: The most bytes of an option that are stored. The longest useful option is the name of a terminal.
LONGEST = 64

#: Asks telnet for the size of its window and the name of its terminal, and offers to negotiate a character set.
PROBE = Negotiation(bytes((IAC, DO, WINDOW_SIZE, IAC, DO, TERMINAL_TYPE, IAC, WILL, CHARSET)))
ASK_TERMINAL = Negotiation(bytes((IAC, SB, TERMINAL_TYPE, 1, IAC, SE)))
ASK_CHARSET = Negotiation(bytes((IAC, SB, CHARSET, 1)) + b";UTF-8;US-ASCII" + bytes((IAC, SE)))
#: `HIDE` says that the host echoes typed text, but the host does not: so the client shows no password. After `SHOW` the
#: client shows typed text again.
HIDE, SHOW = Negotiation(bytes((IAC, WILL, ECHO))), Negotiation(bytes((IAC, WONT, ECHO)))

#: Two bytes IAC mean one byte 255 of data, which no UTF-8 text contains. It is replaced by this byte, which is also
#: invalid in UTF-8, but is not a telnet command.
_DOUBLED = b"\xfe"


class _State(Enum):
    """The position of the next byte in the stream: in text, or at a certain place in a telnet command."""

    DATA = "data"
    COMMAND = "command"
    OPTION = "option"
    INSIDE = "inside"
    INSIDE_COMMAND = "inside command"


_Told = Agreed | TelnetAnswer | Window | Terminal | Charset


class TelnetFilter:
    """Separates the commands of telnet from the text of a client."""

    __slots__ = ("_content", "_refusals", "_state", "_verb")

    def __init__(self) -> None:
        #: What the next byte belongs to: text, or a part of a command of telnet.
        self._state = _State.DATA
        #: WILL, WONT, DO or DONT, if the next byte is the number of an option.
        self._verb = 0
        self._refusals = TelnetRefusals()
        #: The bytes of the current option, beginning with its number.
        self._content = bytearray()

    @property
    def unfinished(self) -> bool:
        return self._state is not _State.DATA

    def feed(self, data: bytes) -> Iterator[bytes | _Told]:
        """
        Yields the text in pieces, and messages for telnet's commands between them, in order. The caller must exhaust
        the iterator before it feeds more bytes.
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
            # Inside a command: handle one byte.
            told = self._next(data[start])
            start += 1
            if told is not None:
                yield told

    def _next(self, byte: int) -> bytes | _Told | None:
        """Handles one byte of a telnet command. Returns a message if the command is complete."""
        match self._state:
            case _State.COMMAND:
                return self._command(byte)
            case _State.OPTION:
                self._state = _State.DATA
                # The byte is the number of the option. An option that the host does not know is refused.
                known = (self._verb, byte) in _KNOWN
                return Agreed(byte) if known else self._refusals.answer_to(self._verb, byte)
            case _State.INSIDE if byte == IAC:
                self._state = _State.INSIDE_COMMAND
            case _State.INSIDE:
                self._keep(byte)
            # Inside an option, IAC IAC means one byte 255 of its content.
            case _State.INSIDE_COMMAND if byte == IAC:
                self._keep(byte)
                self._state = _State.INSIDE
            case _State.INSIDE_COMMAND:
                # Any command ends the option, not only SE. So a missing SE makes one option useless, but not the rest
                # of the connection.
                self._state = _State.DATA
                return _told(bytes(self._content))
        return None

    def _command(self, byte: int) -> bytes | None:
        """
        Handles the byte after IAC, the byte that begins a command of telnet. Returns the text that the two bytes stand for;
        `None`: they stand for no text.
        """
        self._state = _State.DATA
        # IAC twice is one byte of data: see `_DOUBLED`.
        if byte == IAC:
            return _DOUBLED
        # The content of an option follows, until IAC and SE.
        if byte == SB:
            self._state = _State.INSIDE
            self._content.clear()
        # WILL, WONT, DO or DONT: an option follows. Other commands, such as an interruption, are ignored.
        elif byte >= WILL:
            self._state = _State.OPTION
            self._verb = byte
        return None

    def _keep(self, byte: int) -> None:
        """Stores a byte of an option. Bytes beyond `LONGEST` are dropped."""
        if len(self._content) < LONGEST:
            self._content.append(byte)


def _told(content: bytes) -> Window | Terminal | Charset | None:
    """
    Returns the message for the content of an option; `None`: the host does not use it.

    :param content: the number of the option (31: window size, 24: terminal type, 42: character set), and its value
    """
    match content[:1], content[1:]:
        case b"\x1f", size if len(size) == 4:
            return Window(size[0] << 8 | size[1])
        # The value begins with 0 (IS) if it answers the host's question.
        case b"\x18", answer if answer[:1] == b"\x00":
            return Terminal(_name(answer[1:]).lower())
        # The value begins with 2 (ACCEPTED) if telnet has chosen a character set.
        case b"\x2a", answer if answer[:1] == b"\x02":
            return Charset(_name(answer[1:]).upper())
    return None


def _name(data: bytes) -> str:
    """Returns a name without all characters that are not letters, digits or hyphens."""
    return "".join(letter for letter in data.decode("ascii", "ignore") if letter.isalnum() or letter == "-")


#: The longest line, in bytes. A long turn of Paper Soccer, typed point by point, needs this length.
LINE_LIMIT = 1024

_TELNET = Telnet()
_BACKSPACES = frozenset("\x08\x7f")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_CR, _LF = b"\r"[0], b"\n"[0]


class ConsoleCodec:
    """
    The codec of one connection of the console: reads the lines that a person types and the commands of telnet, and writes
    the host's text.
    """

    def __init__(self) -> None:
        self._lines = LineBuffer(LINE_LIMIT)
        self._filter = TelnetFilter()
        #: Whether the client is a telnet program, and whether lines to it must end in CR LF.
        self._telnet = self._ends_as_telnet = False
        #: The last byte of text that was received.
        self._last = 0
        #: How many lines were not UTF-8. The first one gets a refusal, the second one ends the connection.
        self._unreadable = 0

    @property
    def sequence(self) -> int:
        """
        See `gamehost.wires.base.Numbered`. The number of this codec says whether lines to the client must end in CR LF:
        1 yes, 0 no.
        """
        return int(self._ends_as_telnet)

    @sequence.setter
    def sequence(self, number: int) -> None:
        self._ends_as_telnet = number > 0

    @property
    def unfinished(self) -> bool:
        return self._lines.unfinished or self._filter.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        Yields the messages that are complete now. In front of the first command of telnet, it also yields `Telnet`.

        :raises WireError: a line is too long, or this is the second line that is not UTF-8
        """
        for piece in self._filter.feed(data):
            if isinstance(piece, bytes):
                yield from self._text(piece)
                continue
            if not self._telnet:
                self._telnet = self._ends_as_telnet = True
                yield _TELNET
            yield piece

    def _text(self, data: bytes) -> Iterator[Message]:
        """Yields the messages in a piece of text."""
        # Telnet sends Enter as CR LF, or as CR NUL. The CR may be the last byte of the piece before.
        if self._last == _CR and data[0] == 0:
            data = b"\n" + data[1:]
        data = data.replace(b"\r\0", b"\r\n")
        # The first line that ends in CR LF shows that the client is a telnet program.
        # `end`: the position behind it; 0: there is none in this piece.
        end = 0
        if not self._telnet:
            if self._last == _CR and data[0] == _LF:
                end = 1
            elif b"\r\n" in data:
                end = data.find(b"\r\n") + 2
        self._last = data[-1]
        if end:
            yield from self._as_telnet(data[:end])
            data = data[end:]
        for line in self._lines.feed(data):
            yield self._read(line)

    def _as_telnet(self, data: bytes) -> Iterator[Message]:
        """Yields the lines up to the first line that ends in CR LF, and `Telnet` in front of this line."""
        last: bytes | None = None
        for line in self._lines.feed(data):
            # Each line is read one step later, so that `Telnet` comes in front of the last one.
            if last is not None:
                yield self._read(last)
            last = line
        self._telnet = self._ends_as_telnet = True
        yield _TELNET
        if last is not None:
            yield self._read(last)

    def _read(self, line: bytes) -> Message:
        """
        Returns the message for a line.

        :raises WireError: this is the second line that is not UTF-8
        """
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            self._unreadable += 1
            if self._unreadable > 1:
                raise WireError("lines that are not UTF-8") from None
            return NOT_UTF8
        # A byte order mark is not visible, so the refusal says what it is.
        if text.startswith("\ufeff"):
            return BYTE_ORDER_MARK
        text = _erased(text).replace("\t", " ")
        return CONTROL if _CONTROLS.search(text) else Line(text)

    def encode(self, message: Message) -> bytes:
        """Returns the bytes of a message of the host."""
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
    """
    Returns a text without the characters that backspaces in it remove. Terminals in character mode send such
    backspaces.
    """
    if _BACKSPACES.isdisjoint(text):
        return text
    left: list[str] = []
    for character in text:
        if character not in _BACKSPACES:
            left.append(character)
        elif left:
            left.pop()
    return "".join(left)
