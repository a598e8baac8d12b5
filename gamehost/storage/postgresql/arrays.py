"""
Values in PostgreSQL's binary format. psycopg's own conversion takes five times as long for a group of one row.

An array begins with its number of dimensions, whether it has NULL, the type of its elements, their number, and the first
index. Each element follows with its length in bytes; -1 is NULL.
"""

from collections.abc import Sequence
from functools import cache
from struct import Struct

#: The numbers of the types in PostgreSQL.
_INT8, _INT2, _INT4, _BYTEA = 20, 21, 23, 17

_HEADER = Struct(">5i")
_LENGTH = Struct(">i")
_NUMBER = Struct(">q")
_NULL = _LENGTH.pack(-1)
#: No dimension, and so no element.
_EMPTY = Struct(">3i")


def int8(value: int) -> bytes:
    """One number of 8 bytes."""
    return _NUMBER.pack(value)


def int8_array(values: Sequence[int]) -> bytes:
    """Numbers of 8 bytes."""
    return _numbers(_INT8, 8, "iq", values)


def int4_array(values: Sequence[int]) -> bytes:
    """Numbers of 4 bytes."""
    return _numbers(_INT4, 4, "ii", values)


def int2_array(values: Sequence[int | None]) -> bytes:
    """Numbers of 2 bytes, or NULL. There are few different ones."""
    return _HEADER.pack(1, 1, _INT2, len(values), 1) + b"".join(map(_int2, values)) if values else _empty(_INT2)


def bytea_array(values: Sequence[bytes]) -> bytes:
    """Byte strings."""
    if not values:
        return _empty(_BYTEA)
    pieces = [_HEADER.pack(1, 0, _BYTEA, len(values), 1)]
    for value in values:
        pieces += (_LENGTH.pack(len(value)), value)
    return b"".join(pieces)


def _numbers(kind: int, size: int, element: str, values: Sequence[int]) -> bytes:
    if not values:
        return _empty(kind)
    pairs = [part for value in values for part in (size, value)]
    return _struct(element, len(values)).pack(1, 0, kind, len(values), 1, *pairs)


@cache
def _struct(element: str, count: int) -> Struct:
    return Struct(">5i" + element * count)


@cache
def _int2(value: int | None) -> bytes:
    return _NULL if value is None else Struct(">ih").pack(2, value)


def _empty(kind: int) -> bytes:
    return _EMPTY.pack(0, 0, kind)
