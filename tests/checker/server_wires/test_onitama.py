"""The checks of servers of Onitama."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.onitama import messages as m
from tests.kit.checked_server import Faulty, breaches, check_server
from tests.kit.server_checker_contract import ServerCheckerContract


def names_the_wrong_winner(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.GameOver("nobody") if isinstance(message, m.GameOver) else message]


def tells_the_mover_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = bool(end.heard) and isinstance(end.heard[-1], m.MakeMove)
    return [] if isinstance(message, m.MoveWasMade) and not mover else [message]


def never_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.InvalidMove) else [message]


def accepts_illegal_moves(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.InvalidMove):
        move = end.heard[-1]
        return [m.MoveWasMade(move.card, move.start, move.end)] if isinstance(move, m.MakeMove) else [message]
    return [message]


def sends_another_board(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.Reconnect):
        return [replace(message, board="/".join(reversed(message.board.split("/"))))]
    return [message]


def says_the_wrong_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, on_turn="nobody") if isinstance(message, m.Reconnect) else message]


def forgets_logout(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.Logout) else [message]


def tells_moves_twice(end: Faulty, message: Any) -> Sequence[Any]:
    return [message, message] if isinstance(message, m.MoveWasMade) else [message]


def exchanges_the_colours(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Start(message.black, message.white, message.cards) if isinstance(message, m.Start) else message]


def ends_before_the_move(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.GameOver("draw"), message] if isinstance(message, m.MoveWasMade) else [message]


def reads_two_messages_as_one(end: Faulty, message: Any) -> Sequence[Any]:
    moves = sum(isinstance(one, m.MakeMove) for one in end.heard)
    return [] if isinstance(message, m.MakeMove) and moves == 3 else [message]


def refuses_log_ins(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.Login) else [message]


class OnitamaServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "onitama"
    strict_settings = {"onitama.deal": "boar,ox/crab,eel/tiger"}
    sends_wrong = {
        names_the_wrong_winner: ("whole-match", "GameOver: wrong winner"),
        tells_the_mover_only: ("whole-match", "MoveWasMade is missing"),
        never_refuses: ("refusals", "InvalidMove is missing"),
        accepts_illegal_moves: ("refusals", "MoveWasMade instead of InvalidMove"),
        sends_another_board: ("returns-in-own-turn", "Reconnect: wrong board"),
        says_the_wrong_turn: ("returns-in-others-turn", "Reconnect: wrong on_turn"),
        forgets_logout: ("returns-in-own-turn", "Logout is missing"),
        tells_moves_twice: ("crosswise", "MoveWasMade is sent, and nothing was due"),
        exchanges_the_colours: ("crosswise", "Start: wrong white, black"),
        ends_before_the_move: ("whole-match", "GameOver instead of MoveWasMade"),
    }
    hears_wrong = {
        reads_two_messages_as_one: ("joined", "is missing"),
        refuses_log_ins: ("whole-match", "Start is missing"),
    }

    def test_extensions_in_strict_mode(self) -> None:
        """A strict check finds what the document does not have, and goes on."""
        report = check_server("onitama", ["whole-match"], said=_waiting, strict=True, settings=self.strict_settings)
        self.assertEqual(breaches(report), ["Waiting is not as in the document"])

    def test_an_unknown_deal(self) -> None:
        """Without the cards nothing can be judged, and nothing is said. Another setting does not help."""
        report = check_server("onitama", ["whole-match"], strict=True, settings={"onitama.max_plies": "50"})
        self.assertEqual([outcome.verdict.value for outcome in report.outcomes], ["skipped"])
        self.assertIn("--set onitama.deal", report.outcomes[0].tape.lines[-3].meaning)


def _waiting(end: Faulty, message: Any) -> Sequence[Any]:
    return [message, m.Waiting("x")] if isinstance(message, m.Start) else [message]
