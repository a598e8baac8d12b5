"""
Checks: eight bytes that are the same whenever, and wherever, a match stands as it did.

A replay that comes to another check than the one written down has followed other rules than those the match was played by.
A check is made of a text, and equal states give equal texts: in every process, whatever the seed of its hashes, the order
in which it walks a set, or the addresses of its objects. Fractions have no such text, and are refused.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from hashlib import sha256
from operator import attrgetter
from typing import Any

import attrs

from gamehost.games.base import GameMaster

#: Every so many entries of a table one carries a check. More often costs moves; less often lets a wrong replay run longer.
INTERVAL = 50

_Writer = Callable[[Any], str]


def fingerprint(master: GameMaster[Any, Any]) -> bytes:
    """
    Eight bytes for where a match stands: what its master knows, the time by which it waits, and how it ended. Not why it
    ended: those are words for people, and may be said better one day.

    :raises TypeError: the master's state is not made of what `canonical_text` takes
    """
    result = master.result
    end = None if result is None else (result.winners, result.cause)
    return sha256(canonical_text((master.state(), master.deadline, end)).encode("utf-8", "surrogatepass")).digest()[:8]


def canonical_text(value: object) -> str:
    """
    A text for a value made of whole numbers, strings, bytes, enumerations, sequences, sets, mappings, and attrs classes
    that are compared by their fields.

    A value that is equal to another has its text, and a list has that of a tuple.

    :raises TypeError: it is made of something else
    """
    kind = type(value)
    return (_WRITERS.get(kind) or _writer(kind))(value)


def _writer(kind: type[Any]) -> _Writer:
    """How values of a type are written that is none of those in the table. Found once for each."""
    writer: _Writer
    if issubclass(kind, int):
        writer = _number
    elif issubclass(kind, str):
        writer = _string
    elif issubclass(kind, Enum):
        writer = _member
    elif attrs.has(kind) and kind.__eq__ is not object.__eq__:
        writer = _fields_of(kind)
    else:
        raise TypeError(f"a {kind.__qualname__} has no text that is the same in every process")
    _WRITERS[kind] = writer
    return writer


def _fields_of(kind: type[Any]) -> _Writer:
    names = [each.name for each in attrs.fields(kind)]
    if not names:
        return lambda value: f"{kind.__name__}()"
    get = attrgetter(*names)
    if len(names) == 1:
        return lambda value: f"{kind.__name__}({canonical_text(get(value))})"
    return lambda value: f"{kind.__name__}{_sequence(get(value))}"


def _number(value: int) -> str:
    return int.__repr__(value)


def _string(value: str) -> str:
    # Its length first, so that no string can look like what stands beside it.
    return f"{len(value)}:{str.__str__(value)}"


def _member(value: Enum) -> str:
    return f"{type(value).__name__}.{value.name}"


def _bytes(value: bytes | bytearray) -> str:
    return f"x{value.hex()}"


def _sequence(values: Iterable[object]) -> str:
    return f"({','.join([canonical_text(value) for value in values])})"


def _set(values: Iterable[object]) -> str:
    return f"{{{','.join(sorted(canonical_text(value) for value in values))}}}"


def _mapping(values: dict[Any, Any]) -> str:
    return _set(values.items())


_WRITERS: dict[type[Any], _Writer] = {
    type(None): lambda value: "-",
    bool: _number,
    int: _number,
    str: _string,
    bytes: _bytes,
    bytearray: _bytes,
    tuple: _sequence,
    list: _sequence,
    set: _set,
    frozenset: _set,
    dict: _mapping,
}
