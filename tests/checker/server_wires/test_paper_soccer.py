"""The checks of servers of Paper Soccer."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.paper_soccer import messages as m
from tests.kit.checked_server import Faulty
from tests.kit.server_checker_contract import ServerCheckerContract


def names_the_loser_as_winner(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.GameOver):
        return [replace(message, winner=message.loser, loser=message.winner)]
    return [message]


def tells_the_other_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = bool(end.heard) and isinstance(end.heard[-1], m.Move)
    return [] if isinstance(message, m.GameState) and mover and message.points else [message]


def forgets_the_last_point(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, points=message.points[:-1]) if isinstance(message, m.GameOver) else message]


def never_answers_log_ins(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.LoginResponse) else [message]


def accepts_any_game(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.LoginResponse() if isinstance(message, m.LoginResponse) else message]


def confuses_who_is_next(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.GameState) and message.points:
        return [replace(message, next_player=message.next_player + "x")]
    return [message]


def changes_the_id(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, game_id="77") if isinstance(message, m.GameState) and message.points else message]


def lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.GameOver) and not message.points:
        return [m.GameState(message.game_id, message.winner, ((3, 3),))]
    return [message]


def is_silent_out_of_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.Error) else [message]


class PaperSoccerServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "paper-soccer"
    sends_wrong = {
        names_the_loser_as_winner: ("whole-match", "GameOver: wrong winner, loser"),
        tells_the_other_only: ("whole-match", "is missing"),
        forgets_the_last_point: ("whole-match", "GameOver: wrong points"),
        never_answers_log_ins: ("crosswise", "LoginResponse is missing"),
        accepts_any_game: ("wrong-log-in", "LoginResponse: wrong error after a log-in for another game"),
        confuses_who_is_next: ("crosswise", "GameState: wrong next_player"),
        changes_the_id: ("crosswise", "GameState: wrong game_id"),
        lets_illegal_moves_pass: ("far-away", "GameState instead of GameOver after a move to a point far away"),
        is_silent_out_of_turn: ("out-of-turn", "Error is missing after a move out of turn"),
    }
