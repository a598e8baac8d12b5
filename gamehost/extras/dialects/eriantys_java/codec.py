"""
Reads a client's messages, and writes the host's messages.

The reader compares bytes with tables. It never makes an object by the name of a class. Each of the fifteen messages of a client
begins with a fixed sequence of bytes, up to its first value. `_HEADS` contains these sequences. The values are numbers,
one text of limited length, and constants, which are fixed sequences, too. The first byte that fits no sequence ends the
connection, because the bytes after it cannot be trusted. At most one unfinished message is stored. The longest message
that can be read has 357 bytes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java import objects
from gamehost.wires.framing import LastEncoded, OtherProtocol, WireError, from_modified_utf8, java_string, may_be_mark

#: The most bytes of a text.
TEXT_LIMIT = 256

_STRING = "Ljava/lang/String;"
_RESETS = re.compile(rb"\x79*")

#: A value that was read, and the position of its end; `None`: the value is not complete yet.
_Read = tuple[Any, int] | None


_CLIENT_CLASSES: Mapping[type, objects.JavaClass] = {
    kind: objects.CLASSES[objects.full_name(f"C.{name}")] for name, kind in m.CLIENT_TYPES.items()
}

#: The bytes of each message before its values.
_HEADS: Mapping[type, bytes] = {
    kind: objects.OBJECT + objects.ObjectWriter().descriptor(java) for kind, java in _CLIENT_CLASSES.items()
}
_BY_NAME: Mapping[bytes, type] = {java.name.encode("ascii"): kind for kind, java in _CLIENT_CLASSES.items()}

#: The position of the class name in a message, after two tags and its length.
_NAME = 4
#: All possible beginnings of messages, up to the end of the class name.
_BEGINNINGS = frozenset(
    head[:length] for kind, head in _HEADS.items() for length in range(_NAME + len(_CLIENT_CLASSES[kind].name) + 1)
)


def _constants(java_name: str) -> Mapping[bytes, Any]:
    """Returns the constants of an enumeration, and `None`, by their bytes in a message."""
    head = objects.ENUM + objects.ObjectWriter().descriptor(objects.CLASSES[java_name]) + objects.STRING
    return {objects.NULL: None} | {head + java_string(one.name): one for one in objects.ENUMERATIONS[java_name]}


_CONSTANTS: Mapping[str, Mapping[bytes, Any]] = {
    one.signature: _constants(one.signature[1:-1].replace("/", "."))
    for java in _CLIENT_CLASSES.values()
    for one in java.fields
    if len(one.signature) > 1 and one.signature != _STRING
}

#: The only text to which a log-in can refer by a handle: the signature of its own field, which has the handle after that of the
#: descriptor.
_REFERENCES: Mapping[bytes, str] = {objects.REFERENCE + objects.INT.pack(objects.FIRST_HANDLE + 1): _STRING}


def _int(data: bytes | bytearray, at: int) -> _Read:
    return None if len(data) < at + 4 else (objects.INT.unpack_from(data, at)[0], at + 4)


def _boolean(data: bytes | bytearray, at: int) -> _Read:
    """Reads a boolean at a place. Returns the value and the place after it; `None`: its byte has not come yet."""
    if len(data) == at:
        return None
    if data[at] > 1:
        raise WireError("a boolean that is neither 0 nor 1")
    return bool(data[at]), at + 1


def _text(data: bytes | bytearray, at: int) -> _Read:
    """
    Reads a text, a reference to a text, or null. Returns the value and the place after it; `None`: it is not complete
    yet.
    """
    tag = bytes(data[at : at + 1])
    if tag != objects.STRING:
        return _one_of({objects.NULL: None, **_REFERENCES}, data, at)
    # A tag, and two bytes for the length.
    start = at + 3
    if len(data) < start:
        return None
    (length,) = objects.SHORT.unpack_from(data, at + 1)
    if length > TEXT_LIMIT:
        raise WireError(f"a text longer than {TEXT_LIMIT} bytes")
    if len(data) < start + length:
        return None
    return from_modified_utf8(bytes(data[start : start + length])), start + length


def _one_of(known: Mapping[bytes, Any], data: bytes | bytearray, at: int) -> _Read:
    """
    Reads one of several sequences of bytes. No sequence is the beginning of another one.

    :param known: the value of each sequence
    :param at: the position at which the sequence begins
    :returns: the value and the place after it; `None`: the sequence is not complete yet
    :raises WireError: the bytes are not the beginning of any sequence
    """
    begun = False
    for sequence, value in known.items():
        if data.startswith(sequence, at):
            return value, at + len(sequence)
        # All bytes so far fit this sequence, and some are missing.
        begun = begun or (len(data) - at < len(sequence) and sequence.startswith(bytes(data[at:])))
    if not begun:
        raise WireError("a value that is not one of the expected ones")
    return None


def _reader(signature: str) -> Callable[[bytes | bytearray, int], _Read]:
    """Returns the function that reads a value with a signature of Java."""
    plain = {"I": _int, "Z": _boolean, _STRING: _text}
    if signature in plain:
        return plain[signature]
    known = _CONSTANTS[signature]
    return lambda data, at: _one_of(known, data, at)


_READERS: Mapping[type, tuple[Callable[[bytes | bytearray, int], _Read], ...]] = {
    kind: tuple(_reader(one.signature) for one in java.fields) for kind, java in _CLIENT_CLASSES.items()
}


def read(data: bytes | bytearray, at: int) -> _Read:
    """
    Reads a message and the reset after it. A reset is the byte after which the client refers to no earlier object; it
    ends each message.

    :param at: the position at which the message begins
    :returns: the message and the place after the reset; `None`: they are not complete yet
    :raises WireError: the bytes are not the beginning of a message
    """
    kind = _kind(data, at)
    if kind is None:
        return None
    at += len(_HEADS[kind])
    found = []
    for reader in _READERS[kind]:
        value = reader(data, at)
        if value is None:
            return None
        found.append(value[0])
        at = value[1]
    # The reset has not come yet.
    if len(data) == at:
        return None
    if data[at] != objects.RESET[0]:
        raise WireError("an object behind an object without a reset")
    return kind(*found), at + 1


def _kind(data: bytes | bytearray, at: int) -> type | None:
    """Returns the class of the message that begins at a position; `None`: its descriptor is not complete yet."""
    end = at + _NAME
    if len(data) >= end:
        # The byte has the length of the name.
        end += data[at + 3]
    name = bytes(data[at:end])
    # All beginnings of the descriptors are known, those that are not complete, too.
    if name not in _BEGINNINGS:
        raise WireError("an object that is no message of a client")
    kind = _BY_NAME.get(name[_NAME:])
    if kind is None:
        return None
    head = _HEADS[kind]
    if data.startswith(head, at):
        return kind
    if len(data) - at < len(head) and head.startswith(bytes(data[at:])):
        return None
    raise WireError(f"the class {kind.__name__} has another descriptor")


#: Stores the last encoded board. All players of a table receive the same board, so the codecs of a listener share it.
BoardCache = LastEncoded[m.UpdateBoard]


#: The kinds of messages with few different values. Each such message is encoded only once.
_FEW = frozenset(
    (
        m.CommunicationMessage,
        m.ErrorMessage,
        m.Ping,
        m.PlayerStatusMessage,
        m.WhereToMove,
        m.SelectCloud,
        m.SelectColor,
        m.MotherNatureSteps,
    )
)
_serialized_once = lru_cache(256, typed=True)(objects.serialized)


class JavaCodec:
    """
    The codec of one connection.

    :param boards: the last encoded board, which is shared with the other connections
    """

    def __init__(self, boards: BoardCache) -> None:
        self._boards = boards
        self._rest = bytearray()
        self._greeted = self._header_read = self._goes_on = False

    @property
    def sequence(self) -> int:
        """
        The number of the next message (see `gamehost.wires.base.Numbered`): 0 before the stream's header, otherwise 1.
        """
        return int(self._greeted)

    @sequence.setter
    def sequence(self, number: int) -> None:
        self._greeted = self._goes_on = number > 0

    @property
    def unfinished(self) -> bool:
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """Yields the messages that are complete now. A message ends with its reset."""
        rest = self._rest
        rest += data
        at = 0
        try:
            if not self._header_read:
                # If the connection comes from another host of a cluster, that host may have read the header already.
                goes_on = self._goes_on and bytes(rest[:1]) in (objects.OBJECT, objects.RESET)
                if not (goes_on or objects.HEADER.startswith(bytes(rest[:4]))):
                    # Perhaps the mark of another protocol on this port: wait for the rest.
                    if may_be_mark(rest):
                        return
                    raise OtherProtocol(bytes(rest))
                if len(rest) < len(objects.HEADER) and not goes_on:
                    return
                self._header_read = True
                at = 0 if goes_on else len(objects.HEADER)
            while (at := _behind_resets(rest, at)) < len(rest):
                found = read(rest, at)
                if found is None:
                    return
                message, at = found
                yield message
        finally:
            del rest[:at]

    def encode(self, message: m.Message) -> bytes:
        """Returns the bytes of a host's message, with a reset before it. The stream's header comes before the first message."""
        data = objects.RESET + self._object(message)
        if self._greeted:
            return data
        self._greeted = True
        return objects.HEADER + data

    def _object(self, message: m.Message) -> bytes:
        """Returns the bytes of a message's object, from a cache if possible."""
        # There are few different messages of this class, so each is encoded once.
        if type(message) in _FEW:
            return _serialized_once(message)
        if type(message) is not m.UpdateBoard:
            return objects.serialized(message)
        # All players get the same board.
        return self._boards.bytes_of(message, objects.serialized)


def _behind_resets(data: bytearray, at: int) -> int:
    """Returns the position after all resets that follow a position."""
    resets = _RESETS.match(data, at)
    return at if resets is None else resets.end()
