"""
Java's object serialization, as far as this wire needs it: bytes of a graph of objects.

Sections of Java's "Object Serialization Stream Protocol": an object, its class descriptor and strings are written once in a
message, and take a handle each; further on they are references. A reset forgets all handles, so every message stands alone.
"""

from enum import StrEnum
from struct import Struct
from typing import Any

from gamehost.wires.eriantys_java.classes import (
    ARRAY_LIST,
    ENUM_CLASSES,
    ENUM_MAP,
    HASH_MAP,
    INTEGER,
    JavaClass,
)
from gamehost.wires.eriantys_java.graph import Boxed, JavaArray, JavaList, JavaMap, JavaObject, object_of
from gamehost.wires.eriantys_java.messages import Message
from gamehost.wires.framing import WireError

#: What each side sends first: a magic number and the version.
HEADER = b"\xac\xed\x00\x05"

NULL = b"\x70"
REFERENCE = b"\x71"
CLASSDESC = b"\x72"
OBJECT = b"\x73"
STRING = b"\x74"
ARRAY = b"\x75"
CLASS = b"\x76"
BLOCKDATA = b"\x77"
END = b"\x78"
RESET = b"\x79"
ENUM = b"\x7e"

#: The number of the first handle of a message.
FIRST_HANDLE = 0x7E0000

#: What a HashMap writes about itself: the load factor, its threshold unless it is empty, and the number of its buckets.
LOAD_FACTOR = b"\x3f\x40\x00\x00"
THRESHOLD = 12
BUCKETS = 16

INT = Struct(">i")
SHORT = Struct(">H")


def to_modified_utf8(text: str) -> bytes:
    """
    Modified UTF-8: NUL has two bytes, and a letter beyond the BMP is two surrogates of three bytes each.

    :raises WireError: half a surrogate pair
    """
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    try:
        pairs = text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise WireError("half a surrogate pair") from None
    units = (chr(unit) for (unit,) in SHORT.iter_unpack(pairs))
    return "".join(units).encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def from_modified_utf8(data: bytes) -> str:
    """
    The inverse of `to_modified_utf8`.

    :raises WireError: not modified UTF-8, or half a surrogate pair
    """
    if b"\0" in data or any(byte >= 0xF0 for byte in data):
        raise WireError("text that is not modified UTF-8")
    try:
        text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
    except UnicodeDecodeError:
        raise WireError("text that is not modified UTF-8") from None


def utf(text: str) -> bytes:
    """A text with its length in bytes in front."""
    data = to_modified_utf8(text)
    return SHORT.pack(len(data)) + data


class ObjectWriter:
    """Writes one message."""

    def __init__(self) -> None:
        self._out = bytearray()
        #: What was written -> its handle. Objects are the same only if they are identical; texts and numbers by value.
        self._handles: dict[Any, int] = {}

    def written(self, value: Any) -> bytes:
        """The bytes of an object and all that it refers to."""
        self._value(value)
        return bytes(self._out)

    def descriptor(self, java: JavaClass) -> bytes:
        """The bytes of a class's descriptor and those of its superclasses."""
        self._descriptor(java)
        return bytes(self._out)

    def _new_handle(self, key: Any) -> None:
        self._handles[key] = len(self._handles)

    def _referred(self, key: Any) -> bool:
        """Write a reference, if this was written before."""
        handle = self._handles.get(key)
        if handle is None:
            return False
        self._out += REFERENCE + INT.pack(FIRST_HANDLE + handle)
        return True

    def _value(self, value: Any) -> None:
        if value is None:
            self._out += NULL
        elif isinstance(value, StrEnum):
            self._constant(value)
        elif isinstance(value, str):
            self._text(value)
        elif not self._referred(value):
            if isinstance(value, JavaObject):
                self._begin(value, value.java)
                self._fields(value)
            elif isinstance(value, JavaList):
                self._list(value)
            elif isinstance(value, JavaMap):
                self._map(value)
            elif isinstance(value, JavaArray):
                self._begin(value, value.java, ARRAY)
                self._out += INT.pack(len(value.items))
                self._all(value.items)
            else:
                self._boxed(value)

    def _all(self, items: list[Any]) -> None:
        for item in items:
            self._value(item)

    def _text(self, text: str) -> None:
        if not self._referred(text):
            self._out += STRING
            self._new_handle(text)
            self._out += utf(text)

    def _constant(self, constant: StrEnum) -> None:
        key = (type(constant), constant.name)
        if not self._referred(key):
            self._begin(key, ENUM_CLASSES[type(constant)], ENUM)
            self._text(constant.name)

    def _boxed(self, number: Boxed) -> None:
        self._begin(number, INTEGER)
        self._out += INT.pack(number.value)

    def _begin(self, key: Any, java: JavaClass, tag: bytes = OBJECT) -> None:
        self._out += tag
        self._descriptor(java)
        self._new_handle(key)

    def _descriptor(self, java: JavaClass | None) -> None:
        if java is None:
            self._out += NULL
            return
        if self._referred(java):
            return
        self._out += CLASSDESC + utf(java.name) + java.uid
        self._new_handle(java)
        self._out += bytes([java.flags]) + SHORT.pack(len(java.fields))
        for one in java.fields:
            self._out += one.signature[:1].encode("ascii") + utf(one.name)
            if len(one.signature) > 1:
                self._text(one.signature)
        self._out += END
        self._descriptor(java.parent)

    def _fields(self, value: JavaObject) -> None:
        for one, content in zip(value.java.all_fields, value.values, strict=True):
            if one.signature == "I":
                self._out += INT.pack(content)
            elif one.signature == "Z":
                self._out.append(content)
            else:
                self._value(content)

    def _list(self, value: JavaList) -> None:
        size = INT.pack(len(value.items))
        self._begin(value, ARRAY_LIST)
        self._out += size + BLOCKDATA + b"\x04" + size
        self._all(value.items)
        self._out += END

    def _map(self, value: JavaMap) -> None:
        size = INT.pack(len(value.pairs))
        if value.keys is None:
            self._begin(value, HASH_MAP)
            self._out += LOAD_FACTOR + INT.pack(THRESHOLD if value.pairs else 0)
            self._out += BLOCKDATA + b"\x08" + INT.pack(BUCKETS) + size
        else:
            self._begin(value, ENUM_MAP)
            self._class_object(value.keys)
            self._out += BLOCKDATA + b"\x04" + size
        for pair in value.pairs:
            self._all(list(pair))
        self._out += END

    def _class_object(self, kind: type[StrEnum]) -> None:
        if not self._referred(kind):
            self._out += CLASS
            self._descriptor(ENUM_CLASSES[kind])
            self._new_handle(kind)


def serialized(message: Message) -> bytes:
    """The bytes of a message, without a reset."""
    return ObjectWriter().written(object_of(message))
