"""Messages that are drawn: each field by its type, unless something else is said of it."""

from collections.abc import Iterable, Mapping
from enum import Enum
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields

Strategy = st.SearchStrategy[Any]

#: Any value of JSON, some nested.
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3),
    max_leaves=6,
)


def drawn(kinds: Iterable[type], given: Mapping[Any, Strategy]) -> dict[type, Strategy]:
    """What to draw of each of these types; what is given is for a type, a field, or a field of a type, `Start.cards`."""
    return {kind: _message(kind, given) for kind in kinds}


def _message(kind: Any, given: Mapping[Any, Strategy]) -> Strategy:
    if kind in given or issubclass(kind, Enum):
        return _value(kind, given)
    hints = get_type_hints(kind)
    parts = {}
    for name in (one.name for one in fields(kind)):
        own, common = given.get(f"{kind.__name__}.{name}"), given.get(name)
        parts[name] = own if own is not None else common if common is not None else _value(hints[name], given)
    return st.builds(kind, **parts)


def _value(hint: Any, given: Mapping[Any, Strategy]) -> Strategy:
    origin, args = get_origin(hint), get_args(hint)
    if hint in given:
        return given[hint]
    if hint is UnsetType:
        return st.just(UNSET)
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(*(_value(one, given) for one in args))
    if origin is tuple and args[-1] is not Ellipsis:
        return st.tuples(*(_value(one, given) for one in args))
    if origin in (list, tuple):
        several = st.lists(_value(args[0], given), max_size=3)
        return several.map(tuple) if origin is tuple else several
    if origin in (dict, Mapping):
        return st.dictionaries(*(_value(one, given) for one in args), max_size=3)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _message(hint, given)
    return st.from_type(hint)
