"""
Lines of UTF-8 with one JSON object each, and back.

Reading is strict: a message has its keys, each once and with a value of its own type, and no others. msgspec does most of it;
what it lets pass (repeated keys, unknown keys, -0) is looked for here. A line that is JSON and no message is refused; one that
is not JSON is too, and after a second one nothing on the connection can be trusted.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from attrs import NOTHING, define, fields
from msgspec import DecodeError, ValidationError, convert
from msgspec.json import Decoder, Encoder

from gamehost.wires.eriantys_json.messages import (
    CLIENT_TYPES,
    SERVER_TYPES,
    Malformed,
    Message,
    NoMessage,
    UpdateBoard,
)
from gamehost.wires.framing import BLANK, NOT_UTF8, LineCodec, UndecodableLine, WireError

#: The longest line in bytes: the longest message of a client's has 80, and room for JSON that is written with care.
LINE_LIMIT = 16_384

#: The most brackets in a line. A message has one; parsers have trouble with thousands.
BRACKETS = 64

NOT_JSON = UndecodableLine("a line that is not JSON")

#: Strings, each with the colon that makes it a key, and the number -0. Found from left to right, so never inside a string.
_KEYS_AND_MINUS_ZEROS = re.compile(r'"(?:[^"\\]|\\.)*"\s*(:)?|(-0)(?![0-9.eE])')

_EXAMPLES: Mapping[str, str] = {
    "LoginMessage": '"nickname":"ann"',
    "SetGame": '"numberOfPlayers":2,"expertMode":false',
    "JoinAvailableGame": '"gameId":1',
    "ChosenTower": '"tower":"BLACK"',
    "ChosenWizard": '"wizardId":1',
    "PlayAssistant": '"assistant":1',
    "ChosenStudent": '"color":"RED"',
    "ChosenDestination": '"destination":0',
    "ChosenSteps": '"steps":1',
    "ChosenCloud": '"cloud":0',
    "UseCharacterEffect": '"character":1',
}


def example(name: str) -> str:
    """A client's message of this type as it may stand on a line."""
    more = _EXAMPLES.get(name)
    return f'{{"type":"{name}"}}' if more is None else f'{{"type":"{name}",{more}}}'


_MAY: Mapping[type, frozenset[str]] = {
    kind: frozenset(field.name for field in fields(kind)) for kind in CLIENT_TYPES.values()
}
_MUST: Mapping[type, frozenset[str]] = {
    kind: frozenset(field.name for field in fields(kind) if field.default is NOTHING) for kind in CLIENT_TYPES.values()
}
_MALFORMED: Mapping[type, Malformed] = {
    kind: Malformed(kind, f"expected a message like {example(name)}") for name, kind in CLIENT_TYPES.items()
}
_NOT_AN_OBJECT = NoMessage("expected one JSON object a line")
_NO_NUMBER = NoMessage("a number that is too large, or text that is no Unicode")
_TWICE = NoMessage("the key type is repeated")
_NO_TYPE = NoMessage('expected "type" with the name of a message')
_UNKNOWN = NoMessage(f"unknown type; expected one of {', '.join(CLIENT_TYPES)}")
_NOT_YOURS: Mapping[str, NoMessage] = {name: NoMessage(f"only the server says {name}") for name in SERVER_TYPES}

#: Messages without arguments, as most clients write them: more than half of all that is heard.
_PLAIN: Mapping[bytes, Message] = {
    b'{"type":"%s"}' % name.encode(): kind() for name, kind in CLIENT_TYPES.items() if not fields(kind)
}

_decode = Decoder().decode
_encode = Encoder().encode


def parse(line: bytes) -> Message:
    """
    The message in a line; what it cannot be read as says so.

    :raises NotThisWire: more brackets than any message has
    """
    plain = _PLAIN.get(line)
    if plain is not None:
        return plain
    if line.count(b"{") + line.count(b"[") > BRACKETS:
        raise WireError("too many brackets")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    try:
        content = _decode(line)
    except ValidationError:
        return _NO_NUMBER
    except DecodeError:
        if not line.strip():
            return BLANK
        return _NO_NUMBER if _is_json(text) else NOT_JSON
    if not isinstance(content, dict):
        return _NOT_AN_OBJECT
    return _message(content, text)


def _message(content: dict[str, Any], text: str) -> Message:
    """The message that an object is, if it is one; `text` is what it was read from."""
    found = _KEYS_AND_MINUS_ZEROS.findall(text)
    if sum(1 for key, _ in found if key) > len(content):
        return _with_repeated_keys(text)
    name = content.pop("type", None)
    if not isinstance(name, str):
        return _NO_TYPE
    kind = CLIENT_TYPES.get(name)
    if kind is None:
        return _NOT_YOURS.get(name, _UNKNOWN)
    keys = content.keys()
    if any(zero for _, zero in found) or not _MUST[kind] <= keys <= _MAY[kind]:
        return _MALFORMED[kind]
    try:
        message: Message = convert(content, kind)
    except ValidationError:
        return _MALFORMED[kind]
    return message


def _with_repeated_keys(text: str) -> Message:
    """What an object is in which a key, or a key of a value, stands too often: its type says whether it is an answer."""
    pairs = json.loads(text, object_pairs_hook=list, parse_int=float)
    names = [value for key, value in pairs if key == "type"]
    if len(names) > 1:
        return _TWICE
    if not names or not isinstance(names[0], str):
        return _NO_TYPE
    kind = CLIENT_TYPES.get(names[0])
    return _NOT_YOURS.get(names[0], _UNKNOWN) if kind is None else _MALFORMED[kind]


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _is_json(text: str) -> bool:
    """Whether text that msgspec does not take is JSON all the same: halves of surrogate pairs are."""
    try:
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


@define(eq=False)
class Press:
    """
    The last board that was encoded, and its bytes: all players of a table are told of the same one, one after another.

    Shared by the codecs of a listener.
    """

    message: UpdateBoard | None = None
    data: bytes = b""


_HEADS: Mapping[type, bytes] = {kind: b'{"type":"%s"' % name.encode() for name, kind in SERVER_TYPES.items()}


def encode(message: Message) -> bytes:
    """A server's message as a line."""
    body = _encode(message)
    head = _HEADS[type(message)]
    return head + b"}\n" if body == b"{}" else b"%s,%s\n" % (head, body[1:])


class JsonCodec(LineCodec[Message]):
    """
    One connection's bytes and messages.

    :param press: shared with the other connections, so that a board for all is encoded once
    """

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not JSON"

    def __init__(self, press: Press) -> None:
        super().__init__()
        self._press = press

    def read(self, line: bytes) -> Message:
        """
        The message in a line.

        :raises NotThisWire: no message has so many brackets
        """
        return parse(line)

    def encode(self, message: Message) -> bytes:
        """A server's message as a line."""
        if type(message) is not UpdateBoard:
            return encode(message)
        press = self._press
        if press.message is not message:
            press.message, press.data = message, encode(message)
        return press.data
