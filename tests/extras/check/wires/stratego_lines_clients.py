"""Clients for Stratego in lines of ASCII, with one fault each."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import Move
from gamehost.players.base import Level, Player
from gamehost.wires.stratego_lines import messages as m
from tests.extras.check.wires.program_clients import ProgramClient, WholeSegments, common, fault
from tests.kit.checker import changed, forgotten, instead, with_fault


class SoundClient(ProgramClient):
    wire = "stratego-lines"
    matches = 2
    level = Level.EASY


class EndsAtTheFirstWinner(SoundClient):
    """Closes its connection after a game, and does not wait for `new`. The document lets it."""

    matches = 1


def rows(change: Any) -> Any:
    """Rows of a set-up are said in another way."""
    return changed(m.Text, text=lambda one: change(one.text) if re.fullmatch("[A-Z]{10}", one.text) else one.text)


def moves(say: Any) -> Any:
    """Other lines are said in the place of a move."""

    def put(client: Any, one: m.Text) -> Sequence[m.Text]:
        return [*map(m.Text, say(client, *one.text.split("-")))] if m.read_move(one.text) else [one]

    return instead(m.Text, put)


class ToAndFro:
    """Moves one piece to and fro, and does not know that this may be refused."""

    last: Move | None = None

    def __init__(self, player: Player) -> None:
        self.player, self.hear = player, player.hear

    def answer(self) -> bytes | None:
        notation = self.player.answer()
        action = None if notation is None else STRATEGO.read(notation)
        if not isinstance(action, Move):
            return notation
        move = self.last or action
        self.last = back(move)
        return STRATEGO.write(move)

    def refused(self, notation: bytes) -> None:
        assert self.last is not None
        self.last = back(self.last)


def back(move: Move) -> Move:
    return Move(move.to_x, move.to_y, move.x, move.y)


def to_and_fro(client: ProgramClient, game: str, seat: Seat) -> ToAndFro:
    return ToAndFro(ProgramClient.new_player(client, game, seat))


def asked_anew(after_reason: bool) -> Any:
    """Does not move again when `get-move` comes a second time, or only after `err`, which is an extension."""

    def put(client: Any, message: Any) -> Sequence[Any]:
        match message:
            case m.GetMove() if getattr(client, "asked", False):
                return []
            case m.GetMove():
                client.asked = True
            case m.Met() | m.Winner():
                client.asked = False
            case m.Err() if after_reason:
                client.asked = False
        return [message]

    return put


def across(moved: m.Moved) -> int:
    x, y, to_x, to_y = m.read_move(f"{moved.start}-{moved.end}") or (0, 0, 0, 0)
    return abs(x - to_x) + abs(y - to_y)


def set_up_from_the_front(client: ProgramClient, messages: Sequence[Any]) -> None:
    ProgramClient.say(client, messages[::-1] if len(messages) == 4 else messages)


def hello_at_once(client: ProgramClient) -> None:
    ProgramClient.connected(client)
    client.send(b"hello\n")


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[Any], str] = {
    **common(SoundClient, "red", joined="red", wins="wins-at-once"),
    with_fault(WholeSegments, SoundClient): "bytes",
    **dict(
        fault(SoundClient, name, scenario, says=says)
        for name, scenario, says in (
            ("SmallLetters", "red", moves(lambda client, start, end: [f"{start}-{end}".lower()])),
            ("NinePieces", "red", rows(lambda row: row[:9])),
            ("TooManyBombs", "red", rows(lambda row: row.replace("R", "B"))),
            ("DoesNotWait", "red", moves(lambda client, start, end: [f"{start}-{end}"] * 2)),
            ("TellsThePiece", "red", moves(lambda client, start, end: [f"{start}-{end}-M"])),
            ("NoPassword", "red", instead(m.Text, lambda client, one: [] if " " in one.text else [one])),
        )
    ),
    **dict(
        fault(SoundClient, name, scenario, hears=hears)
        for name, scenario, hears in (
            ("BlueAsRed", "blue", changed(m.Color, color=lambda one: "red")),
            ("IgnoresARefusal", "refused-move", asked_anew(False)),
            ("NeedsTheReason", "strict-refused", asked_anew(True)),
            ("ForgetsItsLosses", "loses", changed(m.Met, piece=lambda one: None)),
            ("ForgetsTheBoard", "own-drop", forgotten(m.Board)),
            ("IgnoresScouts", "scouts", instead(m.Moved, lambda client, one: [one] if across(one) == 1 else [])),
        )
    ),
    **dict(
        (
            fault(SoundClient, "CarriageReturn", "red", writes=lambda client, data: data.replace(b"\n", b"\r\n")),
            fault(SoundClient, "GoesToAndFro", "two-squares", new_player=to_and_fro),
            fault(SoundClient, "FrontRowFirst", "red", say=set_up_from_the_front),
            fault(SoundClient, "SpeaksFirst", "red", connected=hello_at_once),
        )
    ),
}
