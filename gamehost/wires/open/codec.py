"""
Translates between bytes and messages of the open wire, for the host and for clients: lines of UTF-8 with one JSON
object each.

msgspec checks keys and types while it reads. The host refuses a line of JSON that is not a message, and the refusal
repeats nothing of the line. The second line that is not JSON at all ends the connection, because the client then uses
another protocol.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder, Encoder

from gamehost.wires.framing import (
    BLANK,
    BYTE_ORDER_MARK,
    NOT_UTF8,
    ClientLineCodec,
    LastEncoded,
    LineCodec,
    OtherProtocol,
    UndecodableLine,
    WireError,
    asks_for_help,
    other_protocol,
    tags_of,
)
from gamehost.wires.open import messages as m

#: The longest line in bytes.
LINE_LIMIT = 4096

#: The description of this port, for people and programs that expect another protocol.
SPOKEN = 'the open wire of gamehost, one JSON object a line; begin with {"do":"enter","name":"ann"}'

#: An example of each message of a client, by the value of its key `do`. Error messages quote these examples.
EXAMPLES: Mapping[str, str] = {
    "enter": '{"do":"enter","name":"ann"}',
    "log-in": '{"do":"log-in","name":"ann","password":"..."}',
    "log-ins": '{"do":"log-ins"}',
    "log-out": '{"do":"log-out"}',
    "password": '{"do":"password","old":"...","new":"..."}',
    "notices": '{"do":"notices"}',
    "lobby": '{"do":"lobby","on":true}',
    "seek": '{"do":"seek","game":"onitama"}',
    "stop": '{"do":"stop"}',
    "house": '{"do":"house","level":"easy"}',
    "claim": '{"do":"claim","table":3,"as":"win"}',
    "rematch": '{"do":"rematch"}',
    "join": '{"do":"join","table":3}',
    "invitation": '{"do":"invitation","table":3}',
    "watch": '{"do":"watch","table":3,"on":true}',
    "history": '{"do":"history","table":3}',
    "ladder": '{"do":"ladder","game":"onitama"}',
    "study": '{"do":"study","table":3}',
    "mine": '{"do":"mine","on":true}',
    "seen": '{"do":"seen"}',
    "holiday": '{"do":"holiday","days":7}',
    "keep": '{"do":"keep","game":"stratego"}',
    "act": '{"do":"act","table":3,"action":"tiger c1 c3"}',
    "moves": '{"do":"moves","table":3}',
    "draw": '{"do":"draw","table":3,"step":"offer"}',
    "takeback": '{"do":"takeback","table":3,"step":"offer"}',
    "say": '{"do":"say","phrase":"hello"}',
    "leave": '{"do":"leave"}',
    "sit": '{"do":"sit","table":3}',
    "rise": '{"do":"rise","table":3}',
    "ping": '{"do":"ping"}',
}

HELP = m.Malformed(f"this port speaks {SPOKEN}; then {EXAMPLES['seek']} finds an opponent")
NOT_JSON = UndecodableLine(f"a line that is not JSON; expected one such as {EXAMPLES['enter']}")
_NOT_AN_OBJECT = m.Malformed(f"expected one JSON object a line, such as {EXAMPLES['enter']}")
_UNKNOWN = m.Malformed(f'expected the key "do" with one of {", ".join(EXAMPLES)}')
_MALFORMED: Mapping[str, m.Malformed] = {
    name: m.Malformed(f"wrong keys or values; expected a message like {example}") for name, example in EXAMPLES.items()
}

_decode = Decoder(m.CLIENT_UNION).decode
_decode_any = Decoder().decode
#: Encodes a message of the host, or any part of a message, as JSON.
to_json = Encoder().encode


def parse(line: bytes) -> m.Message:
    """Returns the message in a line. For a line that is not a message, returns a value with the reason."""
    try:
        message: m.Message = _decode(line)
    except ValidationError:
        return _malformed(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return _not_json(line)
    return message


def _malformed(line: bytes) -> m.Message:
    """
    Returns the fault of a line that the decoder has refused. The decoder stops at the first fault, so the rest of the
    line may not be JSON.
    """
    try:
        content: Any = _decode_any(line)
    # JSON with a number or a text that msgspec does not accept.
    except ValidationError:
        return _UNKNOWN
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return _not_json(line)
    if not isinstance(content, dict):
        return _NOT_AN_OBJECT
    # The error quotes an example of the message that the client meant, if its name is known.
    name = content.get("do")
    return _MALFORMED.get(name, _UNKNOWN) if isinstance(name, str) else _UNKNOWN


def _not_json(line: bytes) -> m.Message:
    """Returns the fault of a line that is not JSON."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    if not text.strip():
        return BLANK
    if text.startswith("\ufeff"):
        return BYTE_ORDER_MARK  # a browser sends texts instead of lines, so no buffer has refused this mark before
    return HELP if asks_for_help(text) else NOT_JSON


def _line(message: m.Message) -> bytes:
    return to_json(message) + b"\n"


#: The last event and its bytes. The same event is sent to all players of a table in turn, but is encoded only once.
_EVENTS: LastEncoded[m.Message] = LastEncoded()


class OpenCodec(LineCodec[m.Message]):
    """The codec of one connection on the host's side: reads the client's messages, and writes those of the host."""

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not JSON"

    def read(self, line: bytes) -> m.Message:
        """
        Returns the message in a line. For a line that is not a message, returns a value with the reason.

        :raises OtherProtocol: the client uses another protocol
        """
        message = parse(line)
        if message is NOT_JSON and other_protocol(line) not in (None, "JSON"):
            raise OtherProtocol(line)
        return message

    def encode(self, message: m.Message) -> bytes:
        """Returns the bytes of a message. An event is encoded only once for all players of its table."""
        # Its bytes were made once for all watchers.
        if type(message) is m.Encoded:
            return message.data
        return _EVENTS.bytes_of(message, _line) if type(message) is m.Event else _line(message)


#: The longest line of the host, in bytes. A list of tables or the history of a long match can be this long.
SERVER_LINE_LIMIT = 16_777_216

#: The messages of the host, by the value of `is`.
TAGS = frozenset(tags_of(m.ServerMessage).values())

_NO_JSON = "a line that is not JSON"

_decode_host = Decoder(m.SERVER_UNION).decode


class OpenClientCodec(ClientLineCodec[m.Message]):
    """
    The codec of one connection, on the client's side.

    Views and events are read as plain dictionaries and lists; `gamehost.client` turns them into the structs of the
    game. The codec ignores keys and messages that this version does not know, so that a later version of the host can
    add some.
    """

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> m.Message | None:
        """
        Returns the host's message in a line; `None`: the line is empty, or has a message that this version does not
        know.
        """
        try:
            message: m.Message = _decode_host(line)
        except ValidationError:
            return self._unknown(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            if not line.strip():
                return None
            raise WireError(_NO_JSON) from None
        return message

    @staticmethod
    def _unknown(line: bytes) -> None:
        """
        Ignores a message that this version does not know, and refuses any other line. The decoder stops at the first
        fault, so the rest of the line may not be JSON.
        """
        try:
            content: Any = _decode_any(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            raise WireError(_NO_JSON) from None
        name = content.get("is") if isinstance(content, dict) else None
        if not isinstance(name, str):
            raise WireError('expected a JSON object with "is" and the name of a message of the host')
        if name in TAGS:
            raise WireError(f"{name} has a missing key or a wrong value")

    def line(self, message: m.Message) -> bytes:
        """
        Returns the line for a message of the client.

        :raises WireError: it is not a client's message, or the host would refuse its values
        """
        if not isinstance(message, m.ClientMessage):
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            line = to_json(message)
        except (UnicodeEncodeError, OverflowError):
            raise WireError("a value that cannot be written in JSON") from None
        # The host would read another message, or none: a number is too large, for example.
        if parse(line) != message:
            raise WireError(f"a value of {type(message).__name__} that the host refuses")
        return line
