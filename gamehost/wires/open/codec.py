"""
Lines of UTF-8 with one JSON object each, and back.

msgspec checks keys and types while it reads. A line of JSON that is not a message is refused, and the refusal repeats nothing
of the line. The second line that is not JSON at all ends the connection, because the client then speaks something else.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder, Encoder

from gamehost.wires.framing import BLANK, NOT_UTF8, LineCodec, OtherProtocol, UndecodableLine
from gamehost.wires.guidance import asks_for_help, other_protocol
from gamehost.wires.open.messages import ClientMessage, Encoded, Malformed, Message

#: The longest line in bytes.
LINE_LIMIT = 4096

#: What this port speaks, for people and programs that expect something else.
SPOKEN = 'the open wire of gamehost, one JSON object a line; begin with {"do":"enter","name":"ann"}'

#: An example of each message of a client, by the value of `do`: for error messages.
EXAMPLES: Mapping[str, str] = {
    "enter": '{"do":"enter","name":"ann"}',
    "log-in": '{"do":"log-in","name":"ann","password":"..."}',
    "lobby": '{"do":"lobby","on":true}',
    "seek": '{"do":"seek","game":"onitama"}',
    "stop": '{"do":"stop"}',
    "house": '{"do":"house","level":"easy"}',
    "join": '{"do":"join","table":3}',
    "watch": '{"do":"watch","table":3,"on":true}',
    "history": '{"do":"history","table":3}',
    "act": '{"do":"act","table":3,"action":"tiger c1 c3"}',
    "moves": '{"do":"moves","table":3}',
    "leave": '{"do":"leave"}',
    "ping": '{"do":"ping"}',
}

HELP = Malformed(f"this port speaks {SPOKEN}; then {EXAMPLES['seek']} finds an opponent")
NOT_JSON = UndecodableLine(f"a line that is not JSON; expected one such as {EXAMPLES['enter']}")
_NOT_AN_OBJECT = Malformed(f"expected one JSON object a line, such as {EXAMPLES['enter']}")
_UNKNOWN = Malformed(f'expected the key "do" with one of {", ".join(EXAMPLES)}')
_MALFORMED: Mapping[str, Malformed] = {
    name: Malformed(f"wrong keys or values; expected a message like {example}") for name, example in EXAMPLES.items()
}

_decode = Decoder(ClientMessage).decode
_decode_any = Decoder().decode
#: The JSON of a message of the host, or of any part of one.
to_json = Encoder().encode


def parse(line: bytes) -> Message:
    """The message in a line. A line that is not a message gives a value that says why."""
    try:
        message: Message = _decode(line)
    except ValidationError:
        return _malformed(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return _not_json(line)
    return message


def _malformed(line: bytes) -> Message:
    """What is wrong with a line that the decoder refuses. The decoder stops at the first fault, so the rest may be no JSON."""
    try:
        content: Any = _decode_any(line)
    except ValidationError:
        return _UNKNOWN
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return _not_json(line)
    if not isinstance(content, dict):
        return _NOT_AN_OBJECT
    name = content.get("do")
    return _MALFORMED.get(name, _UNKNOWN) if isinstance(name, str) else _UNKNOWN


def _not_json(line: bytes) -> Message:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    if not text.strip():
        return BLANK
    return HELP if asks_for_help(text) else NOT_JSON


class OpenCodec(LineCodec[Message]):
    """The codec of one connection."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not JSON"

    def read(self, line: bytes) -> Message:
        """
        The message in a line.

        :raises WireError: the line belongs to another protocol
        """
        message = parse(line)
        if message is NOT_JSON and other_protocol(line) not in (None, "JSON"):
            raise OtherProtocol(line)
        return message

    def encode(self, message: Message) -> bytes:
        if type(message) is Encoded:
            return message.data
        return to_json(message) + b"\n"
