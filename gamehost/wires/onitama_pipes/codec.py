"""
Lines of UTF-8 with fields between pipes, and back.

Spaces around a field are for people and are trimmed; the server sends none. A line that is not UTF-8 is unreadable; after a
second one nothing on the connection can be trusted.
"""

from attrs import fields

from gamehost.wires.framing import BLANK, NOT_UTF8, LineCodec
from gamehost.wires.onitama_pipes.messages import (
    CLIENT_COMMANDS,
    SERVER_COMMANDS,
    Message,
    NotForServer,
    Unknown,
    WrongFields,
)

#: The longest line in bytes: the longest message of the document has 90, with names of four-byte letters.
LINE_LIMIT = 256

_SERVER_ONLY = frozenset(SERVER_COMMANDS.values())
_SHAPES = {command: "|".join((command, *names)) for command, (_, names) in CLIENT_COMMANDS.items()}
#: Message -> its command, and its attributes in the order of the document's arguments.
_SENT = {kind: (command, [field.name for field in fields(kind)]) for kind, command in SERVER_COMMANDS.items()}


def parse(line: str) -> Message:
    """The message in a line. Never fails: what it cannot be read as says so."""
    words = line.split("|")
    if " " in line or "\t" in line:
        words = [word.strip(" \t") for word in words]
    command = words.pop(0)
    if not command and not words:
        return BLANK
    known = CLIENT_COMMANDS.get(command)
    if known is None:
        if command in _SERVER_ONLY:
            return NotForServer(command)
        upper = command.upper()
        return Unknown(upper if upper in CLIENT_COMMANDS else "")
    message, names = known
    if len(words) != len(names):
        return WrongFields(command, _SHAPES[command])
    return message(*words)


class PipesCodec(LineCodec[Message]):
    """One connection's bytes and messages."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not UTF-8"

    def read(self, line: bytes) -> Message:
        """The message in a line."""
        try:
            return parse(line.decode("utf-8"))
        except UnicodeDecodeError:
            return NOT_UTF8

    def encode(self, message: Message) -> bytes:
        """A server's message as a line."""
        command, names = _SENT[type(message)]
        words = [command]
        for name in names:
            word = getattr(message, name)
            if word is not None:
                words.append(word)
        return ("|".join(words) + "\n").encode("utf-8")
