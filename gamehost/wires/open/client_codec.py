"""
The client's side of the lines: reads what the host says, and writes what a client says.

Views and events are read as plain dictionaries and lists; `gamehost.client` turns them into the structs of the game. Keys and
messages that this version does not know are ignored, so that a later host can say more.
"""

from typing import Any

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder, Encoder

from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost.wires.open.codec import LINE_LIMIT, parse
from gamehost.wires.open.messages import FromClient, FromHost, Message, ServerMessage

#: The longest line of the host in bytes: a list of tables, or the history of a long match.
SERVER_LINE_LIMIT = 16_777_216

#: The messages of the host, by the value of `is`.
TAGS = frozenset(str(kind.__struct_config__.tag) for kind in FromHost.__subclasses__())

_NOT_JSON = "a line that is not JSON"

_decode = Decoder(ServerMessage).decode
_decode_any = Decoder().decode
_encode = Encoder().encode


class OpenClientCodec(ClientLineCodec[Message]):
    """The codec of one connection, on the client's side."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> Message | None:
        """
        The host's message in a line; `None`: the line is empty, or a message that this version does not know.

        :raises WireError: no JSON object, a missing key, or a value of another type
        """
        try:
            message: Message = _decode(line)
        except ValidationError:
            return self._unknown(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            if not line.strip():
                return None
            raise WireError(_NOT_JSON) from None
        return message

    @staticmethod
    def _unknown(line: bytes) -> None:
        """Ignore a message that is not known. The decoder stops at the first fault, so the rest may be no JSON."""
        try:
            content: Any = _decode_any(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            raise WireError(_NOT_JSON) from None
        name = content.get("is") if isinstance(content, dict) else None
        if not isinstance(name, str):
            raise WireError('expected a JSON object with "is" and the name of a message of the host')
        if name in TAGS:
            raise WireError(f"{name} has a missing key or a wrong value")

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
