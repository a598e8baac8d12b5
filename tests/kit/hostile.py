"""
A host that lies to its clients: each key of each message of the open wire with values of wrong types, or without it.

The client libraries are run against these cases. Each case ends in a result, or in the one error of the library.
"""

import json
from collections.abc import Iterator
from typing import Any

from attrs import frozen
from twisted.internet.protocol import Factory, Protocol

ENTERED = {"is": "entered", "name": "ann", "key": "0" * 26}
SEATED = {
    "is": "seated",
    "table": 1,
    "game": "onitama",
    "seat": 0,
    "names": ["ann", "bob"],
    "wires": ["open", "open"],
    "n": 0,
}
OVER = {"is": "over", "table": 1, "n": 9, "winners": [0], "cause": "rules", "why": "master taken"}
_MOVE = {"action": "ox c1 c2", "parts": {"kind": "move", "card": "ox", "from": "c1", "to": "c2"}}

#: Messages of the host as they are right. Those before `seated` come without a match.
BEFORE: tuple[dict[str, Any], ...] = (
    ENTERED,
    {"is": "seeking", "game": "onitama", "seats": 2, "names": ["ann"]},
    {"is": "sorry", "why": "no such game"},
    {"is": "stopped", "why": "nobody came for a day"},
    SEATED,
)
WITHIN: tuple[dict[str, Any], ...] = (
    {"is": "event", "table": 1, "n": 1, "event": {"kind": "moved", "seat": 1, "card": "ox", "from": "c1", "to": "c2"}},
    {"is": "moves", "table": 1, "n": 1, "moves": [_MOVE], "id": 1, "view": {"turn": 0}},
    {"is": "back", "table": 1, "n": 1, "seat": 1},
    {"is": "away", "table": 1, "n": 1, "seat": 1},
    {"is": "left", "table": 1, "n": 1, "seat": 1},
    {"is": "replaced", "table": 1, "n": 1, "seat": 1, "name": "easy.1"},
    {"is": "refused", "why": "no", "id": 1},
    {"is": "suspended", "table": 1},
    {"is": "bye", "why": "the host stops", "again": 0},
    OVER,
)
#: What stands in the place of a right value.
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        99,
        2**62,
        1.5,
        "",
        "\x1b[2J",
        [],
        [None],
        [99],
        ["\x1b[2J"],
        [[]],
        [{}],
        [{"action": 1}],
        {},
        {"": 0},
    ),
)
_GONE = object()
#: Lines that are no message.
LINES = (
    b"",
    b"null",
    b"[]",
    b"7",
    b'"is"',
    b"{}",
    b'{"is":7}',
    b"\xff",
    b"[" * 60_000,
    b'{"is":"entered"',
    b"x" * 70_000,
)


@frozen
class Case:
    name: str
    #: What comes once the client has logged in.
    lines: tuple[bytes, ...]


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def spoiled(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A message with each key left out, and with each wrong value of it."""
    for key in message:
        if key == "is":
            continue
        for value in (_GONE, *VALUES):
            changed = {**message, key: value}
            if value is _GONE:
                del changed[key]
            yield f"{message['is']}.{key}={'-' if value is _GONE else json.dumps(value)}", changed


def cases() -> list[Case]:
    """All of them. Each ends with the end of the match, for clients that took what came."""
    end = (line(SEATED), line(OVER))
    found = [Case(f"line {number}", (one + b"\n", *end)) for number, one in enumerate(LINES)]
    for message in BEFORE:
        found += [Case(name, (line(wrong), *end)) for name, wrong in spoiled(message)]
    for message in WITHIN:
        # The event makes the client ask, and `moves` answers.
        within = (line(SEATED), line(WITHIN[0]))
        found += [Case(name, (*within, line(wrong), *end)) for name, wrong in spoiled(message)]
    return found


class HostileHost(Protocol):
    """Tells a client that logs in as `c7` the lines of case 7; at its second log-in a match that ends at once."""

    def __init__(self, told: list[Case], seen: set[str]) -> None:
        self._told = told
        self._seen = seen
        self._begun = False

    def dataReceived(self, data: bytes) -> None:
        if self._begun:
            return
        self._begun = True
        assert self.transport is not None
        name = json.loads(data.splitlines()[0])["name"]
        lines = (line(SEATED), line(OVER)) if name in self._seen else self._told[int(name[1:])].lines
        self._seen.add(name)
        self.transport.write(b"".join((line(ENTERED), *lines)))


def hostile_factory(told: list[Case]) -> Factory:
    seen: set[str] = set()
    return Factory.forProtocol(lambda: HostileHost(told, seen))
