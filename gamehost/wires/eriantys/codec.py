"""
Translates between bytes and messages of the Eriantys wire: lines of UTF-8 with one JSON object each.

Reading is strict: a message has exactly its own keys, each once and with a value of the right type. msgspec checks most
of this; this module checks repeated keys, unknown keys and the number -0. A line that is not a message is refused. The
second line that is not JSON ends the connection, because the client then uses another protocol.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import UNSET, DecodeError, ValidationError, convert
from msgspec.json import Decoder, Encoder
from msgspec.structs import asdict, fields

from gamehost.wires.eriantys import messages as m
from gamehost.wires.framing import (
    BLANK,
    NOT_UTF8,
    LastEncoded,
    LineCodec,
    OtherProtocol,
    UndecodableLine,
    WireError,
    asks_for_help,
    other_protocol,
)

#: The longest line, in bytes. A client's longest message has 80 bytes; the rest is room for white space and escapes.
LINE_LIMIT = 16_384

#: The most opening brackets in a line. A message has one. Thousands of nested brackets would be slow to parse.
BRACKETS = 64

NOT_JSON = UndecodableLine('a line that is not JSON; expected one such as {"type":"LoginMessage","nickname":"ann"}')

#: The description of this port, for people and programs that expect another protocol.
SPOKEN = 'Eriantys, one JSON object a line; begin with {"type":"LoginMessage","nickname":"ann"}'

HELP = m.NoMessage(
    f'this port speaks {SPOKEN}; then {{"type":"RequestGames"}} and {{"type":"JoinAvailableGame","gameId":1}}, or'
    ' {"type":"SetGame","numberOfPlayers":2,"expertMode":false}; leave with {"type":"Disconnect"}'
)

#: Finds the strings of a line, each with the colon behind it if it is a key, and the numbers -0. The search goes from
#: left to right, so a match never begins inside a string.
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
    """Returns an example of a client's message, for error messages."""
    more = _EXAMPLES.get(name)
    return f'{{"type":"{name}"}}' if more is None else f'{{"type":"{name}",{more}}}'


_MAY: Mapping[type, frozenset[str]] = {kind: frozenset(kind.__struct_fields__) for kind in m.CLIENT_TYPES.values()}
_MUST: Mapping[type, frozenset[str]] = {
    kind: frozenset(field.name for field in fields(kind) if field.required) for kind in m.CLIENT_TYPES.values()
}
_MALFORMED: Mapping[type, m.Malformed] = {
    kind: m.Malformed(kind, f"expected a message like {example(name)}") for name, kind in m.CLIENT_TYPES.items()
}
_NOT_AN_OBJECT = m.NoMessage("expected one JSON object a line")
_NO_NUMBER = m.NoMessage("a number that is too large, or text that is no Unicode")
_TWICE = m.NoMessage("the key type is repeated")
_NO_TYPE = m.NoMessage('expected "type" with the name of a message')
_UNKNOWN = m.NoMessage(f"unknown type; expected one of {', '.join(m.CLIENT_TYPES)}")
_NOT_YOURS: Mapping[str, m.NoMessage] = {name: m.NoMessage(f"only the server says {name}") for name in m.SERVER_TYPES}

#: The messages that answer a request, with the values that their only argument can have in a match. Nearly all messages
#: of a match are of these kinds.
_VALUES: Mapping[type, Iterable[Any]] = {
    m.ChosenTower: m.Tower,
    m.ChosenWizard: range(1, 5),
    m.PlayAssistant: range(1, 11),
    m.ChosenStudent: (*m.Color, None),
    m.ChosenDestination: range(13),
    m.ChosenSteps: range(1, 8),
    m.ChosenCloud: range(4),
    m.UseCharacterEffect: range(1, 13),
}


def _usual_lines() -> Iterator[tuple[bytes, m.Message]]:
    """
    Yields the lines of messages without arguments, and of messages with a usual value. Each is written in the two ways
    of most programs: without spaces and with spaces.
    """
    for name, kind in m.CLIENT_TYPES.items():
        # A message without arguments has only one form. Others have one for each usual value.
        if not kind.__struct_fields__:
            messages = [kind()]
        else:
            messages = [kind(value) for value in _VALUES.get(kind, ())]
        for message in messages:
            content = {"type": name, **asdict(message)}
            for separators in ((",", ":"), (", ", ": ")):
                yield json.dumps(content, separators=separators).encode("ascii"), message


#: Line -> message. Nearly all lines of clients are among these, so they need not be parsed.
_USUAL: Mapping[bytes, m.Message] = dict(_usual_lines())

#: The same lines with their line ends. Up to this number of Acknowledgements in one segment are one message
#: `Acknowledgements`.
_JOINED = 16
_USUAL_SEGMENTS: Mapping[bytes, m.Message] = {
    **{line + b"\n": message for line, message in _USUAL.items()},
    **{
        (line + b"\n") * count: m.Acknowledgements(count)
        for line, message in _USUAL.items()
        if type(message) is m.Acknowledgement
        for count in range(2, _JOINED + 1)
    },
}

#: Keys that an error message may quote: they are short, and have no control bytes.
_PLAIN_KEY = re.compile("[A-Za-z][A-Za-z0-9_-]{0,29}")
#: How similar, from 0 to 1, an unknown key and a missing key must be to be taken for the same key.
_ALIKE = 0.75
#: The most unknown keys that are compared with the missing keys, because the comparison takes time.
_MOST_UNKNOWN = 3

_decode = Decoder().decode
_encode = Encoder().encode


def parse(line: bytes) -> m.Message:
    """
    Returns the message in a line. For a line that is not a message, returns a value with the reason.

    :raises WireError: the line has more brackets than any message has
    """
    usual = _USUAL.get(line)
    if usual is not None:
        return usual
    if line.count(b"{") + line.count(b"[") > BRACKETS:
        raise WireError("too many brackets")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_UTF8
    try:
        content = _decode(line)
    # It is JSON with a number or a text that msgspec does not accept.
    except ValidationError:
        return _NO_NUMBER
    except DecodeError:
        # A line of white space.
        if not line.strip():
            return BLANK
        return _NO_NUMBER if _is_json(text) else NOT_JSON
    if not isinstance(content, dict):
        return _NOT_AN_OBJECT
    return _message(content, text)


def _message(content: dict[str, Any], text: str) -> m.Message:
    """
    Returns the message in a JSON object.

    :param content: the keys and values of the object
    :param text: the line that the object was read from
    """
    found = _KEYS_AND_MINUS_ZEROS.findall(text)
    # The text has more keys than the dictionary: a key is repeated.
    if sum(1 for key, _ in found if key) > len(content):
        return _with_repeated_keys(text)
    name = content.pop("type", None)
    if not isinstance(name, str):
        return _NO_TYPE
    kind = m.CLIENT_TYPES.get(name)
    if kind is None:
        return _NOT_YOURS.get(name, _UNKNOWN)
    keys = content.keys()
    if not _MUST[kind] <= keys <= _MAY[kind]:
        return _with_wrong_keys(kind, keys)
    # -0 is not a whole number of this wire, though JSON would read it as 0.
    if any(zero for _, zero in found):
        return _MALFORMED[kind]
    try:
        message: m.Message = convert(content, kind)
    except ValidationError:
        return _MALFORMED[kind]
    return message


def _with_wrong_keys(kind: type, keys: Iterable[str]) -> m.Malformed:
    """
    Returns the value for a message with unknown or missing keys.

    If a key is only spelled in another way, such as `number_of_players`, the reason names this key and the expected
    one.
    """
    unknown = set(keys) - _MAY[kind]
    if len(unknown) > _MOST_UNKNOWN:
        return _MALFORMED[kind]
    for expected in sorted(_MAY[kind] - set(keys)):
        # Only keys that may be quoted are named, by their spelling without differences.
        bare = {_bare(key): key for key in sorted(unknown) if _PLAIN_KEY.fullmatch(key)}
        for meant in get_close_matches(_bare(expected), bare, n=1, cutoff=_ALIKE):
            reason = f"the key {bare[meant]} is unknown; expected {expected}"
            return m.Malformed(kind, f"{reason}, in a message like {example(kind.__name__)}")
    return _MALFORMED[kind]


def _bare(key: str) -> str:
    """Returns a key without the differences of spellings: without capital letters, underscores and hyphens."""
    return key.replace("_", "").replace("-", "").lower()


def _with_repeated_keys(text: str) -> m.Message:
    """Returns the value for an object with a repeated key. Its type, if there is one, says which message was meant."""
    # As pairs, because a dictionary keeps only the last of the repeated keys. Numbers are read as floats, because
    # reading a very long whole number takes long.
    pairs = json.loads(text, object_pairs_hook=list, parse_int=float)
    names = [value for key, value in pairs if key == "type"]
    if len(names) > 1:
        return _TWICE
    if not names or not isinstance(names[0], str):
        return _NO_TYPE
    kind = m.CLIENT_TYPES.get(names[0])
    return _NOT_YOURS.get(names[0], _UNKNOWN) if kind is None else _MALFORMED[kind]


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _is_json(text: str) -> bool:
    """
    Whether a text that msgspec refuses is JSON all the same. Half a surrogate pair, for example, is JSON, but not
    Unicode.
    """
    try:
        # NaN and Infinity are not JSON. Numbers remain texts, because their size does not matter here.
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


#: The last board and its bytes. The players of a table receive the same board in turn. All codecs of a port share one
#: cache.
BoardCache = LastEncoded[m.UpdateBoard]


def encode(message: m.Message) -> bytes:
    return _encode(message) + b"\n"


class JsonCodec(LineCodec[m.Message]):
    """
    The codec of one connection.

    :param boards: the cache of encoded boards, which other connections share
    :param strict: whether the host sends nothing that is not in the document; then a line such as `help` is not
        answered with help
    """

    LIMIT = LINE_LIMIT
    UNREADABLE = "lines that are not JSON"

    def __init__(self, boards: BoardCache, strict: bool = False) -> None:
        super().__init__()
        self._boards = boards
        self._strict = strict

    def whole(self, data: bytes) -> m.Message | None:
        usual = _USUAL_SEGMENTS.get(data)
        return super().whole(data) if usual is None or self._lines.unfinished else usual

    def read(self, line: bytes) -> m.Message:
        """
        Returns the message in a line that is not one of the usual lines.

        :raises OtherProtocol: the client uses another protocol
        """
        message = parse(line)
        # `giveUp` is an extension, so a strict host refuses it like any unknown key.
        if self._strict and isinstance(message, m.LoginMessage) and message.giveUp is not UNSET:
            return _MALFORMED[m.LoginMessage]
        # The rest is for lines that are not JSON: calls for help, and other protocols. A strict host does not look for
        # them.
        if message is not NOT_JSON or self._strict:
            return message
        if asks_for_help(line.decode("utf-8")):
            return HELP
        if other_protocol(line) not in (None, "JSON"):
            raise OtherProtocol(line)
        return message

    def encode(self, message: m.Message) -> bytes:
        return self._boards.bytes_of(message, encode) if type(message) is m.UpdateBoard else _encode(message) + b"\n"
