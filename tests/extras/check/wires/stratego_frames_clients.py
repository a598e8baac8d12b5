"""Clients for Stratego in binary frames, with one fault each."""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.players.base import Level
from gamehost.wires.stratego_frames import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.extras.check.wires.stratego_lines_clients import to_and_fro
from tests.kit.checker import changed, forgotten, instead, with_fault


class SoundClient(ProgramClient):
    wire = "stratego-frames"
    matches = 2
    level = Level.EASY


def payloads(kind: int, change: Callable[[bytes], bytes]) -> Callable[[Any, bytes], bytes]:
    """Frames of a type have other payloads."""

    def written(client: Any, data: bytes) -> bytes:
        if data[1] != kind:
            return data
        payload = change(data[6:])
        return data[:4] + struct.pack(">H", len(payload)) + payload

    return written


def little_endian(payload: bytes) -> bytes:
    return struct.pack("<iiii", *struct.unpack(">iiii", payload))


def into_a_lake(client: Any, move: m.Move) -> Sequence[m.Move]:
    """From below or above of it, as soon as a piece stands there."""
    return [replace(move, to_y=5) if (move.to_x, move.to_y) in LAKE_SIDES else move]


LAKE_SIDES = [(x, y) for x in (2, 3, 6, 7) for y in (3, 6)]


def only_one_step(client: Any, move: m.Move) -> Sequence[m.Move]:
    assert abs(move.x - move.to_x) + abs(move.y - move.to_y) == 1
    return [move]


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "first-player", joined="joined", wins="wins-at-once"),
    with_fault(WholeSegments, SoundClient): "random-cuts",
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("RowsAsColumns", "second-player", changed(m.Setup, x=lambda one: one.y, y=lambda one: one.x)),
            ("NotReady", "first-player", forgotten(m.Ready)),
            ("AlwaysBelow", "second-player", changed(m.Setup, y=lambda one: one.y % 6)),
            ("OnePieceTooMany", "first-player", changed(m.Setup, piece=lambda one: one.piece.replace("S", "F"))),
            ("MovesOutOfTurn", "first-player", instead(m.Move, lambda client, move: [move, move])),
            ("MovesIntoLakes", "whole-game", instead(m.Move, into_a_lake)),
            ("ReadyTooEarly", "first-player", instead(m.Setup, lambda client, piece: [m.Ready(), piece])),
        )
    ),
    **dict(
        fault(SoundClient, name, "first-player", writes=writes)
        for name, writes in (
            ("LittleEndian", payloads(4, little_endian)),
            ("OneByteChars", payloads(2, lambda payload: payload[1:])),
            ("BareName", payloads(1, lambda payload: payload[2:])),
            ("NoMark", lambda client, data: b"\x2b" + data[1:]),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            ("IgnoresMoveInvalid", "refused-move", forgotten(m.MoveInvalid)),
            ("KnowsNoScouts", "scouts", instead(m.Move, only_one_step)),
            # Waits for Side, which is an extension.
            ("NeedsTheSide", "strict", forgotten(m.Connected)),
            ("PlacesAnew", "own-drop-in-set-up", forgotten(m.Board)),
        )
    ),
    **dict((fault(SoundClient, "GoesToAndFro", "two-squares", new_player=to_and_fro),)),
}
