"""
The client's side of the lines: reads what the server says, and writes what a client says.

Unlike the server, it trims no spaces. A text may hold pipes if it is a message's last field.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import astuple

from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost.wires.onitama_pipes.codec import LINE_LIMIT, parse
from gamehost.wires.onitama_pipes.messages import (
    CLIENT_COMMANDS,
    SERVER_COMMANDS,
    Login,
    MakeMove,
    Message,
    Resign,
    Stalemate,
)

#: The longest line of the server in bytes: a sentence for people has at most a few hundred.
SERVER_LINE_LIMIT = 4096

#: Command -> the server's message, the most fields that it has, and the fewest.
_READ: Mapping[str, tuple[type[Any], int, int]] = {
    command: (kind, len(kind.__struct_fields__), len(kind.__struct_fields__) - len(kind.__struct_defaults__))
    for kind, command in SERVER_COMMANDS.items()
}
_SAID: Mapping[type, str] = {kind: command for command, (kind, _, _) in CLIENT_COMMANDS.items()}


class PipesClientCodec(ClientLineCodec[Message]):
    """The codec of one connection, on the client's side."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> Message | None:
        """
        The server's message in a line; `None`: the line is empty.

        :raises WireError: not UTF-8, an unknown command, or too few or too many fields
        """
        if not line:
            return None
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise WireError("a line that is not UTF-8") from None
        command, *rest = text.split("|", 1)
        known = _READ.get(command)
        if known is None:
            raise WireError(f"unknown command; expected one of {', '.join(_READ)}")
        kind, most, least = known
        words = rest[0].split("|", most - 1) if rest else []
        if len(words) < least:
            raise WireError(f"too few fields in {command}; expected {least}")
        message: Message = kind(*words)
        return message

    def line(self, message: Message) -> bytes:
        """
        A client's message without its line end.

        :raises WireError: not a client's message, or a field that a server would read otherwise
        """
        match message:
            case Login() | MakeMove() | Stalemate() | Resign():
                command = _SAID[type(message)]
                text = "|".join((command, *astuple(message)))
            case _:
                raise WireError(f"a client does not say {type(message).__name__}")
        if parse(text) != message:
            raise WireError(f"a field of {command} has a pipe, or begins or ends with a space")
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise WireError(f"a field of {command} cannot be written in UTF-8") from None
