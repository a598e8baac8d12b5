"""
Reads and writes the messages of the wire. A message is UTF-8, with pipes between its fields, and a zero byte at its end.

White space in a field of a client is dropped, except in a name. The server sends no white space. The first message that is not
UTF-8 is refused. A second one ends the connection.
"""

import re
from collections.abc import Iterator

from msgspec.structs import astuple

from gamehost.extras.dialects.onitama_final import MESSAGE_LIMIT
from gamehost.extras.dialects.onitama_final import messages as m
from gamehost.wires.framing import BLANK, LineCodec, OtherProtocol, WireError, asks_for_help, is_foreign

#: A line with which a person asks for help. It is accepted at the beginning of a connection, because people cannot type a zero
#: byte.
_TYPED = re.compile(rb"[ \t]*(?:help|\?|quit|exit)[ \t]*\r?\n", re.IGNORECASE)

_TOO_LONG = f"a message longer than {MESSAGE_LIMIT} bytes"
_SERVER_ONLY = frozenset(m.SERVER_COMMANDS.values()) - {m.PING}


class MessageBuffer:
    """Divides bytes into messages that end in a zero byte. It stores at most one unfinished message, of limited size."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._first = True

    @property
    def unfinished(self) -> bool:
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """
        Yields the messages that are complete now, without their zero bytes. A connection may begin with lines that ask
        for help.

        :raises WireError: a message is longer than `MESSAGE_LIMIT`
        :raises OtherProtocol: the first message is of another protocol
        """
        rest = self._rest
        rest += data
        start = 0
        try:
            # Before the first message, a person may type lines by hand.
            while self._first and (typed := _TYPED.match(rest, start)):
                start = typed.end()
                yield typed.group()
            while (end := rest.find(b"\0", start)) >= 0:
                self._refuse_foreign(rest[start:end])
                if end - start > MESSAGE_LIMIT:
                    raise WireError(_TOO_LONG)
                message = bytes(rest[start:end])
                start = end + 1
                self._first = False
                yield message
        finally:
            # Also if a message raises, so that nothing is read twice.
            del rest[:start]
        self._refuse_foreign(rest)
        if len(rest) > MESSAGE_LIMIT:
            raise WireError(_TOO_LONG)

    def whole(self, data: bytes) -> bytes | None:
        """Returns the message, if the bytes are exactly one whole message; otherwise `None`. It is a fast path of `feed`."""
        one = not self._rest and not self._first and 0 <= data.find(b"\0") == len(data) - 1 <= MESSAGE_LIMIT
        return data[:-1] if one else None

    def _refuse_foreign(self, message: bytearray) -> None:
        if self._first and is_foreign(message):
            raise OtherProtocol(bytes(message))


def parse(text: str) -> m.Message:
    """Reads the message in a text. It never fails: a text that is not a client's message also becomes a message."""
    command, *rest = text.split("|")
    # White space inside of words is ignored, but not in a name.
    command = "".join(command.split())
    if not command and not rest:
        return BLANK
    if command == "LOGIN" and len(rest) == 1:
        return m.Login(rest[0])
    words = ["".join(word.split()) for word in rest]
    if command == m.PING:
        return m.Ping() if words == [m.PING] else m.WrongFields(m.PING, m.PING_EXPECTED)
    known = m.CLIENT_COMMANDS.get(command)
    if known is not None:
        message, count, shape = known
        return message(*words) if len(words) == count else m.WrongFields(command, shape)
    if command in _SERVER_ONLY:
        return m.NotForServer(command)
    if asks_for_help(text):
        return m.HelpAsked()
    # If only capital letters are missing, the answer can say so.
    upper = command.upper()
    return m.Unknown(upper if upper in m.CLIENT_COMMANDS or upper == m.PING else "")


def _fields(message: m.Message) -> Iterator[str]:
    """Yields the fields of a message as texts."""
    for value in astuple(message):
        match value:
            case tuple():
                yield from value
            case bool():
                yield "1" if value else "0"
            case _:
                yield value


class FinalCodec(LineCodec[m.Message]):
    """The codec of one connection on the host's side: reads the client's lines, and writes the host's messages."""

    UNREADABLE = "messages that are not UTF-8"
    parse = staticmethod(parse)

    def __init__(self) -> None:
        super().__init__(MessageBuffer())

    def encode(self, message: m.Message) -> bytes:
        """Returns the bytes of a host's message."""
        words = (
            [m.PING, m.PING] if isinstance(message, m.Ping) else [m.SERVER_COMMANDS[type(message)], *_fields(message)]
        )
        return "|".join(words).encode("utf-8") + b"\0"
