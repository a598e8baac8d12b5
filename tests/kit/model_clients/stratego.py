"""Speakers of both wires of Stratego: the frames, and the lines with an account."""

import random
from collections.abc import Sequence
from typing import Any

from attrs import evolve

from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.games.stratego.master import STRATEGO
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.messages import LETTERS, board_rows, square
from tests.kit.memory_host import server_frame
from tests.kit.model_clients.base import ProgramClient

INVALID = 'Placement Invalid "invalid"'


def board(squares: str) -> str:
    return "Board " + "/".join(squares[start : start + 10] for start in range(0, 100, 10))


class FramesClient(ProgramClient):
    wire = "stratego-frames"
    inside_after = ("Wait", "Connected", "Side", "Playing")
    senseless = ("Setup F (4,4)", "Setup X (0,0)", 'Ready "no"', "Move (0,0) (9,9)", 'Sign On "b o b"')

    def in_words(self, data: bytes) -> str:
        return f"bytes {data.hex(' ')}"

    def in_bytes(self, line: str) -> bytes:
        return server_frame(line, 0)

    def in_turn(self, player: Any) -> Sequence[Any]:
        view = player.view
        if view is None or view.phase is not rules.Phase.PLAY:
            return ()
        return list(STRATEGO.legal(evolve(view, turn=player.seat), player.seat) or ())

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case rules.Opened():
                return ['Connected "connected"', _side(seat)]
            case rules.Placed():
                return ['Placement Valid "valid"']
            case rules.Playing(first):
                return [f'Playing "{names[first]}"']
            case rules.Board(squares):
                return [board(squares)]
            case rules.Moved(_, move):
                return [f"Move ({move.x},{move.y}) ({move.to_x},{move.to_y})"]
            case rules.Fought(mover, _, attacker, defender, winner):
                left = {"attacker": mover, "defender": Seat(1 - mover)}.get(winner)
                return [f'Battle "{"tie" if left is None else names[left]}" {attacker} {defender}']
            case Back(back, rules.Situation(_, phase, squares, _, turn)):
                return _resumed(back == seat, seat, phase, squares, None if turn is None else names[turn])
            case Over(result):
                return [f'Game Over "{names[result.winners[0]] if result.winners else "tie"}"']
            case rules.PlacedAll() | rules.ReadySet() | rules.Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return line.startswith((INVALID, "Move Invalid ", "Wait ", "Error "))

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith("Wait ")


def _side(seat: Seat) -> str:
    return f"Side {seat + 1}"


def _resumed(own: bool, seat: Seat, phase: rules.Phase, squares: str, on_turn: str | None) -> Sequence[str]:
    """What is told when somebody is back: to that player, or to the other."""
    connected = ['Connected "connected"', _side(seat)] if phase is rules.Phase.SETUP else []
    if not own:
        return connected
    return [*(connected or [_side(seat)]), *([f'Playing "{on_turn}"'] if on_turn else []), board(squares)]


COLORS = ("red", "blue")


class LinesClient(ProgramClient):
    """Says its name and its password at once, before it is asked for them."""

    wire = "stratego-lines"
    inside_after = ("AuthOk",)
    senseless = ("A0-A1", "K1-K2", "winner red", "A4 -A5", "hello there")
    password = "secret"

    def log_in(self) -> Sequence[str]:
        return [self.name, self.password]

    def take(self, message: Any) -> None:
        if isinstance(message, m.AuthReq):
            return
        super().take(message)
        if self.program.result is not None:
            # The next match begins by itself.
            self.program.again()
            self.inside = True

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        # Any line is a name or a password outside, and may well be a good one; a row of pieces in the set-up.
        program: Any = self.program
        if not self.inside or program._asked or program._sent is not None:
            return ()
        return super().nonsense(rng)

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case rules.Opened():
                return ["new", f"color {COLORS[seat]}"]
            case rules.Playing():
                return ["endsetup"]
            case rules.Moved(mover, move):
                return ["none"] if mover == seat else [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}"]
            case rules.Fought(mover, move, attacker, defender):
                if mover == seat:
                    return [LETTERS[defender]]
                return [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}-{LETTERS[attacker]}"]
            case Back(back, rules.Situation(_, phase, squares)):
                if back != seat:
                    return ()
                if phase is rules.Phase.SETUP:
                    return ["new", f"color {COLORS[seat]}"]
                return ["resume", f"color {COLORS[seat]}", "board", *board_rows(squares), "endsetup"]
            case Over(result):
                return [f"winner {COLORS[result.winners[0]] if result.winners else 'none'}"]
            case rules.Placed() | rules.Board() | rules.PlacedAll() | rules.ReadySet() | rules.Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        # A move is asked for after every refusal, too.
        return line in ("auth-req", "auth-ok", "auth-err", "get-move") or line.startswith("err ")

    @staticmethod
    def waits(line: str) -> bool:
        return False
