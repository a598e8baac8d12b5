"""Clients for Onitama in pipe-separated lines and in its final dialect, with one fault each."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.extras.dialects.onitama_final import messages as final_m
from gamehost.games.onitama.rules import BLACK, SIDE
from gamehost.wires.onitama import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.kit.checker import changed, forgotten, instead, with_fault

#: The deal of the scenarios that are played without extensions.
DEAL = "white=boar,ox;black=crab,eel;spare=tiger"


class SoundClient(ProgramClient):
    wire = "onitama"
    matches = 3
    hears = changed(m.Start, cards=lambda start: start.cards or DEAL)  # type: ignore[assignment]


class NeedsTheExtension(SoundClient):
    """Cannot play without the cards in START."""

    hears = ProgramClient.hears


class GuessesItsCards(SoundClient):
    """Takes other cards for its own where START does not tell them."""

    guess = changed(m.Start, cards=lambda start: start.cards or "white=rabbit,rooster;black=horse,cobra;spare=frog")

    def hears(self, message: Any) -> Sequence[Any]:
        if isinstance(message, m.InvalidMove):
            self.end(1, "no other move")
        return type(self).guess(self, message)  # type: ignore[arg-type]


def first_card(client: Any, move: Any) -> Sequence[Any]:
    """Keeps its cards."""
    client.card = getattr(client, "card", move.card)
    return [replace(move, card=client.card)]


def from_the_top(square: str) -> str:
    return f"{square[0]}{SIDE + 1 - int(square[1])}"


def rows_only(client: Any, move: m.MakeMove) -> Sequence[m.MakeMove]:
    """Turns the rows of its steps as Black, and not the columns."""
    columns = "abcde"
    column = 2 * columns.index(move.start[0]) - columns.index(move.end[0])
    if client.program._turn != BLACK or not 0 <= column < SIDE:
        return [move]
    return [replace(move, end=f"{columns[column]}{move.end[1]}")]


def fails(client: Any, message: Any) -> Sequence[Any]:
    raise IndexError("there is always a move")


def ends(client: Any, message: Any) -> Sequence[Any]:
    client.end()
    return []


def twice(client: Any, message: Any) -> Sequence[Any]:
    return [message, message]


MirrorsRowsOnly, _ = fault(SoundClient, "MirrorsRowsOnly", "", says=instead(m.MakeMove, rows_only))
CountsFromTheTop, _ = fault(
    SoundClient,
    "CountsFromTheTop",
    "",
    says=changed(m.MakeMove, start=lambda one: from_the_top(one.start), end=lambda one: from_the_top(one.end)),
)
TrailingSpace, _ = fault(SoundClient, "TrailingSpace", "", writes=lambda client, data: data.replace(b"\n", b" \n"))

#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "first-mover", joined="joined", wins="wins"),
    with_fault(WholeSegments, SoundClient): "bytes",
    MirrorsRowsOnly: "second-mover",
    CountsFromTheTop: "first-mover",
    TrailingSpace: "first-mover",
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("MovesOutOfTurn", "second-mover", instead(m.MakeMove, twice)),
            ("KeepsItsCards", "first-mover", instead(m.MakeMove, first_card)),
            (
                "CapitalLetters",
                "first-mover",
                changed(m.MakeMove, start=lambda one: one.start.upper(), end=lambda one: one.end.upper()),
            ),
            # Does not know that there may be no move.
            ("HasAlwaysAMove", "stalemate", instead(m.Stalemate, fails)),
        )
    ),
    **dict(
        fault(SoundClient, name, "first-mover", writes=lambda client, data, at=at, put=put: re.sub(at, put, data))
        for name, at, put in (
            ("CarriageReturn", rb"\n", rb"\r\n"),
            ("WrongCommand", rb"MAKE_MOVE", rb"make_move"),
            ("ForgetsTheLineEnd", rb"(LOGIN.*)\n", rb"\1"),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            ("IgnoresInvalidMove", "invalid-move", forgotten(m.InvalidMove)),
            ("ForgetsReconnect", "own-drop-in-turn", forgotten(m.Reconnect)),
            ("EndsAtLogout", "drop-in-clients-turn", instead(m.Logout, ends)),
            # Does not know that the other may have no move.
            ("IgnoresStalemateCard", "opponents-stalemate", forgotten(m.StalemateCard)),
        )
    ),
}


class FinalSoundClient(ProgramClient):
    wire = "onitama-final"
    matches = 3


def final_rows_only(client: Any, move: final_m.MakeMove) -> Sequence[final_m.MakeMove]:
    column = 2 * int(move.start_column) - int(move.end_column)
    if client.program._position.turn != BLACK or not 0 <= column < SIDE:
        return [move]
    return [replace(move, end_column=str(column))]


def upside_down(row: str) -> str:
    return str(SIDE - 1 - int(row))


FinalForgetsTheZeroByte, _ = fault(
    FinalSoundClient,
    "FinalForgetsTheZeroByte",
    "",
    # Its pings would end the message.
    writes=lambda client, data: b"" if data.startswith(b"PING") else data.removesuffix(b"\0"),
)

#: Each client with a fault, and a scenario that must find it.
FINAL_CRIPPLED: Mapping[type[Any], str] = {
    **common(FinalSoundClient, "first-mover", joined="joined", wins="wins"),
    with_fault(WholeSegments, FinalSoundClient): "bytes",
    FinalForgetsTheZeroByte: "first-mover",
    fault(FinalSoundClient, "FinalLineEnds", "", writes=lambda client, data: data.replace(b"\0", b"\n\0"))[0]: (
        "first-mover"
    ),
    **dict(
        fault(FinalSoundClient, f"Final{name}", scenario, says=says)
        for name, scenario, says in (
            ("MovesOutOfTurn", "second-mover", instead(final_m.MakeMove, twice)),
            ("KeepsItsCards", "first-mover", instead(final_m.MakeMove, first_card)),
            ("MirrorsRowsOnly", "second-mover", instead(final_m.MakeMove, final_rows_only)),
            (
                "CountsFromTheBottom",
                "first-mover",
                changed(
                    final_m.MakeMove,
                    start_row=lambda one: upside_down(one.start_row),
                    end_row=lambda one: upside_down(one.end_row),
                ),
            ),
            (
                "ColumnsFirst",
                "first-mover",
                changed(
                    final_m.MakeMove,
                    start_row=lambda one: one.start_column,
                    start_column=lambda one: one.start_row,
                    end_row=lambda one: one.end_column,
                    end_column=lambda one: one.end_row,
                ),
            ),
            ("HasAlwaysAMove", "stalemate", instead(final_m.MakePass, fails)),
        )
    ),
    **dict(
        fault(FinalSoundClient, f"Final{name}", scenario, hears=hears)
        for name, scenario, hears in (
            ("IgnoresInvalidMove", "invalid-move", forgotten(final_m.InvalidMove)),
            ("ForgetsReconnect", "own-drop-in-turn", forgotten(final_m.Restore)),
            ("EndsAtDisconnect", "opponent-gone", instead(final_m.Disconnect, ends)),
            ("IgnoresPasses", "opponents-stalemate", forgotten(final_m.PassWasMade)),
        )
    ),
}
