"""Clients for the open wire, which play any game, with one fault each."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from gamehost.wires.open import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.kit.checker import changed, forgotten, instead, with_fault


class SoundClient(ProgramClient):
    wire = "open"
    matches = 3
    game = "onitama"


class AsksFirst(SoundClient):
    """Asks what it may do before it acts. In the set-up of Stratego that is refused, because there are too many ways."""

    part: Any = UNSET

    def says(self, message: Any) -> Sequence[Any]:
        return [m.AskMoves(message.table, self.part), message] if isinstance(message, m.Act) else [message]


class PlaysStratego(AsksFirst):
    game = "stratego"


class AsksForSteps(AsksFirst):
    part = "ox"


class ReadsAscii(SoundClient):
    """Cannot read a letter of two bytes."""

    def hears(self, message: Any) -> Sequence[Any]:
        str(message).encode("ascii")
        return [message]


def turned(action: str) -> str:
    card, *squares = action.split(" ")
    return " ".join((card, *squares[::-1]))


def seeks(client: Any, message: Any) -> Sequence[Any]:
    client.say_one(m.Seek(client.game))
    return [message]


def ends(client: Any, message: Any) -> Sequence[Any]:
    client.end()
    return []


def acts_again(client: Any, message: m.Act) -> Sequence[m.Act]:
    """The action of before comes first."""
    before, client.before = getattr(client, "before", message), message
    return [message] if before is message else [replace(before, table=message.table), message]


TurnsItsMoves, _ = fault(SoundClient, "TurnsItsMoves", "", says=changed(m.Act, action=lambda one: turned(one.action)))
UnknownKeys, _ = fault(
    SoundClient,
    "UnknownKeys",
    "",
    writes=lambda client, data: re.sub(rb'("do":"act".*)}', rb'\1,"comment":"a good move"}', data),
)

#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "first-seat", joined="joined", wins="wins"),
    with_fault(WholeSegments, SoundClient): "bytes",
    ReadsAscii: "random-cuts",
    TurnsItsMoves: "second-seat",
    UnknownKeys: "first-seat",
    **dict(
        fault(SoundClient, name, "first-seat", says=says)
        for name, says in (
            ("ActsOutOfTurn", instead(m.Act, acts_again)),
            ("ActsTwice", instead(m.Act, lambda client, act: [act, act])),
            ("NamesAnotherTable", changed(m.Act, table=lambda one: one.table - 1 if one.table else 7)),
            ("OtherNotation", changed(m.Act, action=lambda one: one.action.replace(" ", "|"))),
        )
    ),
    **dict(
        fault(SoundClient, name, "first-seat", writes=writes)
        for name, writes in (
            # Writes Python instead of JSON.
            ("NoJson", lambda client, data: repr(json.loads(data)).encode() + b"\n"),
            ("ForgetsTheLineEnd", lambda client, data: data.rstrip(b"\n")),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            ("IgnoresRefused", "refused", forgotten(m.Refused)),
            ("SeeksDuringAMatch", "drop-in-clients-turn", instead(m.Away, seeks)),
            ("EndsAtAway", "drop-in-clients-turn", instead(m.Away, ends)),
            ("ForgetsBack", "own-drop-in-turn", forgotten(m.Back)),
        )
    ),
}
