"""The checks of servers of Stratego in lines."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.stratego_lines import messages as m
from tests.kit.checked_server import Faulty
from tests.kit.server_checker_contract import ServerCheckerContract


def tells_the_piece_that_moves(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, attacker="R") if isinstance(message, m.Moved) else message]


def names_another_winner(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.Winner):
        return [m.Winner("blue" if message.color == "red" else "red")]
    return [message]


def names_another_piece(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Met("B") if isinstance(message, m.Met) else message]


def asks_both_for_a_move(end: Faulty, message: Any) -> Sequence[Any]:
    return [message, m.GetMove()] if isinstance(message, m.EndSetup) else [message]


def is_silent_when_it_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    said = end.heard[-1] if end.heard else None
    refuses = isinstance(message, m.GetMove) and said == m.Text("E4-E4")
    return [] if refuses else [message]


def lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    said = end.heard[-1] if end.heard else None
    return [m.Met(None) if isinstance(message, m.GetMove) and said == m.Text("E4-E4") else message]


def lets_anybody_in(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.AuthOk() if isinstance(message, m.AuthErr) else message]


def forgets_the_next_game(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.New) and len(end.heard) > 6 else [message]


def gives_both_the_same_color(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Color("red") if isinstance(message, m.Color) else message]


class StrategoLinesServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "stratego-lines"
    sends_wrong = {
        tells_the_piece_that_moves: ("alike", "Moved tells a secret"),
        names_another_winner: ("red-wins", "Winner: wrong color"),
        names_another_piece: ("blue-wins", "Met: wrong piece"),
        asks_both_for_a_move: ("moves", "GetMove is sent, and nothing was due"),
        is_silent_when_it_refuses: ("refused-red", "GetMove is missing after a move that ends where it began"),
        lets_illegal_moves_pass: ("refused-red", "Met instead of GetMove after a move that ends where it began"),
        lets_anybody_in: ("wrong-password", "AuthOk instead of AuthErr after a wrong password"),
        forgets_the_next_game: ("red-wins", "Color instead of New"),
        gives_both_the_same_color: ("crosswise", "Color: wrong color"),
    }
