"""
Lines of ASCII, and back.

A line with a byte over 127 is unreadable; after a second one nothing on the connection can be trusted.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gamehost.framing import BLANK, LineBuffer, NotThisWire
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


class LinesCodec:
    """One connection's bytes and messages."""

    def __init__(self) -> None:
        self._lines = LineBuffer(LINE_LIMIT)
        self._unreadable = 0

    @property
    def unfinished(self) -> bool:
        """Whether a line has begun that has not ended."""
        return self._lines.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        The messages that are whole now.

        :raises NotThisWire: a line past the limit, another protocol, or a second line that is not ASCII
        """
        for line in self._lines.feed(data):
            if not line:
                yield BLANK
            elif line.isascii():
                yield Text(line.decode("ascii"))
            else:
                self._unreadable += 1
                if self._unreadable > 1:
                    raise NotThisWire("lines that are not ASCII")
                yield NOT_ASCII

    def encode(self, message: Message) -> bytes:
        """A server's message as a line, or lines."""
        return (WORDS[type(message)](message) + "\n").encode("ascii")
