"""
Reads and writes the lines of ASCII of a Stratego wire.

The first line with a byte above 127 is refused. The second one ends the connection.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gamehost.wires.framing import BLANK, LineCodec, WireError
from gamehost.wires.stratego_lines import messages as m

#: The longest line, in bytes. The longest password has 128 bytes.
LINE_LIMIT = 160

#: The first two bytes of a client's frame on the other Stratego wire: the mark and the frame type.
FRAME_OPENINGS = tuple(bytes((0x2A, kind)) for kind in range(1, 5))

WORDS: Mapping[Any, Callable[[Any], str]] = {
    m.AuthReq: lambda _: "auth-req",
    m.AuthOk: lambda _: "auth-ok",
    m.AuthErr: lambda _: "auth-err",
    m.New: lambda _: "new",
    m.Color: lambda message: f"color {message.color}",
    m.EndSetup: lambda _: "endsetup",
    m.GetMove: lambda _: "get-move",
    m.Met: lambda message: message.piece or "none",
    m.Moved: lambda message: "-".join(filter(None, (message.start, message.end, message.attacker))),
    m.Winner: lambda message: f"winner {message.color}",
    m.Err: lambda message: f"err {message.reason}",
    m.Resume: lambda _: "resume",
    m.Board: lambda message: "\n".join(("board", *message.rows)),
}
#: The lines of the messages without fields, which are always the same.
_LINES = {kind: (word(kind()) + "\n").encode("ascii") for kind, word in WORDS.items() if not kind.__struct_fields__}


class LinesCodec(LineCodec[m.Message]):
    """The codec of one connection on the host's side: reads the client's lines, and writes the host's messages."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not ASCII"

    _opening = b""

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """
        Yields the messages that are complete now.

        :raises WireError: the connection begins with a frame of the other Stratego wire, or see `LineCodec.feed`
        """
        # The first two bytes of the connection, which may come one by one.
        if len(self._opening) < 2:
            self._opening += data[: 2 - len(self._opening)]
            if self._opening in FRAME_OPENINGS:
                # A frame has no line end. Without this check, its sender would wait until the deadline for logging in.
                raise WireError(f"this looks like the binary frames of Stratego; this port speaks {m.SPOKEN}")
        yield from super().feed(data)

    def read(self, line: bytes) -> m.Message:
        if not line:
            return BLANK
        return m.Text(line.decode("ascii")) if line.isascii() else m.NOT_ASCII

    def encode(self, message: m.Message) -> bytes:
        line = _LINES.get(type(message))
        return (WORDS[type(message)](message) + "\n").encode("ascii") if line is None else line
