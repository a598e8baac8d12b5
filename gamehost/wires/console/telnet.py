"""
Telnet's commands and options (RFC 854, 1073, 1091, 2066) in a stream of bytes. Pure.

Nothing that a client tells is trusted: an option is of a few bytes and everything beyond is dropped, and what is told only
changes how text looks. A host says nothing of this before the client has shown that it is telnet.
"""

from collections.abc import Iterator
from enum import Enum

from gamehost.wires.console.messages import Agreed, Charset, Negotiation, Terminal, Window

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
ECHO, TERMINAL_TYPE, WINDOW_SIZE, CHARSET = 1, 24, 31, 42

#: So many bytes of an option are kept. The longest that is of use is the name of a terminal.
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


class TelnetFilter:
    """Takes what is telnet's out of a stream."""

    __slots__ = ("_content", "_state", "_verb")

    def __init__(self) -> None:
        self._state = _State.DATA
        self._verb = 0
        #: The option that is being told, from its number on.
        self._content = bytearray()

    @property
    def unfinished(self) -> bool:
        """Whether a command has begun that has not ended."""
        return self._state is not _State.DATA

    def feed(self, data: bytes) -> Iterator[bytes | Agreed | Window | Terminal | Charset]:
        """The rest of the data in pieces, and what is told, in order. The iterator must be exhausted before more is fed."""
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

    def _next(self, byte: int) -> bytes | Agreed | Window | Terminal | Charset | None:
        """A byte of a command."""
        match self._state:
            case _State.COMMAND:
                return self._command(byte)
            case _State.OPTION:
                self._state = _State.DATA
                return Agreed(byte) if self._verb in (WILL, DO) else None
            case _State.INSIDE if byte == IAC:
                self._state = _State.INSIDE_COMMAND
            case _State.INSIDE:
                self._keep(byte)
            case _State.INSIDE_COMMAND if byte == IAC:
                self._keep(byte)
                self._state = _State.INSIDE
            case _State.INSIDE_COMMAND:
                # Whatever the command is, the option has ended: so a lost SE costs one option and not the connection.
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
    """What an option tells; `None`: nothing of use."""
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
