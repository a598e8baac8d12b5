"""
Lines of ASCII, and back.

A line with a byte over 127 is unreadable; after a second one nothing on the connection can be trusted.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gamehost.wires.framing import BLANK, LineCodec
from gamehost.wires.stratego_lines.messages import (
    NOT_ASCII,
    AuthErr,
    AuthOk,
    AuthReq,
    Board,
    Color,
    EndSetup,
    Err,
    GetMove,
    Message,
    Met,
    Moved,
    New,
    Resume,
    Text,
    Winner,
)

#: The longest line in bytes: the longest password has 128.
LINE_LIMIT = 160

#: How each message of the server is written.
WORDS: Mapping[type, Callable[[Any], str]] = {
    AuthReq: lambda _: "auth-req",
    AuthOk: lambda _: "auth-ok",
    AuthErr: lambda _: "auth-err",
    New: lambda _: "new",
    Color: lambda message: f"color {message.color}",
    EndSetup: lambda _: "endsetup",
    GetMove: lambda _: "get-move",
    Met: lambda message: message.piece or "none",
    Moved: lambda message: "-".join(filter(None, (message.start, message.end, message.attacker))),
    Winner: lambda message: f"winner {message.color}",
    Err: lambda message: f"err {message.reason}",
    Resume: lambda _: "resume",
    Board: lambda message: "\n".join(("board", *message.rows)),
}


class LinesCodec(LineCodec[Message]):
    """One connection's bytes and messages."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not ASCII"

    def read(self, line: bytes) -> Message:
        """The message in a line."""
        if not line:
            return BLANK
        return Text(line.decode("ascii")) if line.isascii() else NOT_ASCII

    def encode(self, message: Message) -> bytes:
        """A server's message as a line, or lines."""
        return (WORDS[type(message)](message) + "\n").encode("ascii")
