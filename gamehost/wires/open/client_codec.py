"""
The client's side of the lines: reads what the host says, and writes what a client says.

Views and events are read as plain dictionaries and lists. Keys that this version does not know are ignored.
"""

from msgspec import DecodeError
from msgspec.json import Decoder, Encoder

from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost.wires.open.codec import LINE_LIMIT, parse
from gamehost.wires.open.messages import FromClient, Message, ServerMessage

#: The longest line of the host in bytes: a list of tables, or the history of a long match.
SERVER_LINE_LIMIT = 16_777_216

_decode = Decoder(ServerMessage).decode
_encode = Encoder().encode


class OpenClientCodec(ClientLineCodec[Message]):
    """The codec of one connection, on the client's side."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> Message | None:
        """
        The host's message in a line; `None`: the line is empty.

        :raises WireError: no message of the host
        """
        if not line:
            return None
        try:
            message: Message = _decode(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            raise WireError("a line that is no message of the host") from None
        return message

    def line(self, message: Message) -> bytes:
        """
        A client's message without its line end.

        :raises WireError: not a client's message, or one that the host would not read as it is meant
        """
        if not isinstance(message, FromClient):
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            line = _encode(message)
        except (UnicodeEncodeError, OverflowError):
            raise WireError("a value that cannot be written in JSON") from None
        if parse(line) != message:
            raise WireError(f"a value of {type(message).__name__} that the host refuses")
        return line
