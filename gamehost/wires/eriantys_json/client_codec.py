"""
The client's side of the JSON lines: reads what the server says, and writes what a client says.

A client ignores keys that it does not know, so that a later server can say more. The server does not: what is written here is
read back as the server reads it before it is sent.
"""

from collections.abc import Mapping

from msgspec import DecodeError, ValidationError, convert
from msgspec.json import Decoder, Encoder

from gamehost.wires.eriantys_json.codec import LINE_LIMIT, parse
from gamehost.wires.eriantys_json.messages import CLIENT_TYPES, SERVER_TYPES, Message
from gamehost.wires.framing import ClientLineCodec, WireError

#: The longest line of the server in bytes. A board has a few thousand; a list of many open games can be longer.
SERVER_LINE_LIMIT = 1_048_576

_decode = Decoder().decode
_encode = Encoder().encode

_HEADS: Mapping[type, bytes] = {kind: b'{"type":"%s"' % name.encode() for name, kind in CLIENT_TYPES.items()}


class JsonClientCodec(ClientLineCodec[Message]):
    """The codec of one connection, on the client's side."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> Message | None:
        """
        The server's message in a line; `None`: the line is empty.

        :raises WireError: no JSON object, an unknown type, a missing key, or a value of another type
        """
        if not line.strip():
            return None
        try:
            content = _decode(line)
        except (DecodeError, ValidationError, UnicodeDecodeError, RecursionError):
            raise WireError("a line that is not JSON") from None
        name = content.get("type") if isinstance(content, dict) else None
        kind = SERVER_TYPES.get(name) if isinstance(name, str) else None
        if kind is None:
            raise WireError('expected a JSON object with "type" and the name of a message of the server')
        try:
            message: Message = convert(content, kind)
        except ValidationError:
            raise WireError(f"{kind.__name__} has a missing key or a wrong value") from None
        return message

    def line(self, message: Message) -> bytes:
        """
        A client's message without its line end.

        :raises WireError: not a client's message, or with a value that the server would refuse
        """
        head = _HEADS.get(type(message))
        if head is None:
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            body = _encode(message)
        except (UnicodeEncodeError, OverflowError, ValueError, TypeError):
            body = b""
        line = head + b"}" if body == b"{}" else b"%s,%s" % (head, body[1:])
        if parse(line) != message:
            raise WireError(f"{type(message).__name__} has a value that the server would refuse")
        return line
