"""
The messages of the console. A client says lines, and what its telnet tells; the host says text and prompts.

What a line means depends on the state: it may be a command, a move or a password. So a line is never shown in a log.
"""

from attrs import field, frozen
from msgspec import Struct

from gamehost.wires.framing import UndecodableLine

#: What this port speaks, for programs that speak something else.
SPOKEN = "with people, in plain text; type help and Enter"


@frozen
class Line:
    """Client: a line, without its end."""

    text: str = field(repr=False)


class Telnet(Struct, frozen=True):
    """Client: it is telnet. Said once, before the first thing that shows it."""


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
Message = Line | Told | UndecodableLine | Text | Prompt | Negotiation

#: A line that cannot be read, and why.
NOT_UTF8 = UndecodableLine("This line is not UTF-8. Type letters and digits.")
CONTROL = UndecodableLine("This line holds control characters. Type letters and digits.")
