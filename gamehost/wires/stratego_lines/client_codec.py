"""
The client's side of the lines: reads what the server says, and writes what a client says.

The server's lines have different forms, so each line says by itself which message it is. A board is eleven lines.
"""

import re
from collections.abc import Mapping

from gamehost.wires.framing import ClientLineCodec, WireError, is_foreign
from gamehost.wires.stratego_lines.codec import FRAME_OPENINGS, LINE_LIMIT
from gamehost.wires.stratego_lines.messages import (
    COLUMNS,
    LETTERS,
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

#: The longest line of the server in bytes: a sentence for people has at most a few hundred.
SERVER_LINE_LIMIT = 4096

ROWS = len(COLUMNS)

_PLAIN: Mapping[str, Message] = {
    "auth-req": AuthReq(),
    "auth-ok": AuthOk(),
    "auth-err": AuthErr(),
    "new": New(),
    "endsetup": EndSetup(),
    "get-move": GetMove(),
    "none": Met(None),
    "resume": Resume(),
    **{letter: Met(letter) for letter in LETTERS.values()},
}
_SQUARE = "([A-J](?:[1-9]|10))"
_MOVED = re.compile(f"{_SQUARE}-{_SQUARE}(?:-([{''.join(LETTERS.values())}]))?", re.ASCII)
_COLOR = re.compile("color (red|blue)")
_WINNER = re.compile("winner (red|blue|none)")
_ROW = re.compile(f"[#.~{''.join(LETTERS.values())}]{{{ROWS}}}")


class LinesClientCodec(ClientLineCodec[Message]):
    """The codec of one connection, on the client's side."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def __init__(self) -> None:
        super().__init__()
        #: The rows of a board that has begun.
        self._rows: list[str] | None = None
        self._said = False

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""
        return self._rows is not None or super().unfinished

    def read(self, line: bytes) -> Message | None:
        """
        The server's message in a line; `None`: a board is not complete, or the line is empty.

        :raises WireError: not ASCII, or no message of the server
        """
        if not line.isascii():
            raise WireError("a line that is not ASCII")
        text = line.decode("ascii")
        if self._rows is not None:
            return self._row(text)
        if not text:
            return None
        if text == "board":
            self._rows = []
            return None
        plain = _PLAIN.get(text)
        if plain is not None:
            return plain
        if text.startswith("err "):
            return Err(text.removeprefix("err "))
        if moved := _MOVED.fullmatch(text):
            return Moved(*moved.groups())
        if color := _COLOR.fullmatch(text):
            return Color(color[1])
        if winner := _WINNER.fullmatch(text):
            return Winner(winner[1])
        raise WireError("not a line that the server sends")

    def _row(self, text: str) -> Board | None:
        rows = self._rows
        assert rows is not None
        if not _ROW.fullmatch(text):
            raise WireError(f"expected a row of a board: {ROWS} letters, #, . or ~")
        rows.append(text)
        if len(rows) < ROWS:
            return None
        self._rows = None
        return Board(tuple(rows))

    def encode(self, message: Message) -> bytes:
        """
        A client's line: its name, its password, a row of its set-up, or a move.

        :raises WireError: not ASCII, longer than the server accepts, or the beginning of another protocol
        """
        data = super().encode(message)
        self._said = True
        return data

    def line(self, message: Message) -> bytes:
        """
        A client's line without its end.

        :raises WireError: as `encode` does
        """
        if not isinstance(message, Text):
            raise WireError(f"a client does not say {type(message).__name__}")
        if not message.text or not message.text.isascii():
            raise WireError("expected a line of ASCII that is not empty")
        line = message.text.encode("ascii")
        if not self._said and (line.startswith(FRAME_OPENINGS) or is_foreign(line)):
            raise WireError("the first line begins as another protocol does")
        return line
