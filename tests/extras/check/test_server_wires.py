"""The checks of servers of each wire: a sound server has no finding, and each planted fault has one."""

from collections.abc import Callable, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.onitama import messages as m
from gamehost.wires.paper_soccer import messages as soccer_m
from gamehost.wires.stratego_frames import messages as frames_m
from gamehost.wires.stratego_lines import messages as lines_m
from tests.kit.checker import (
    Faulty,
    ServerCheckerContract,
    breaches,
    changed,
    check_server,
    forgotten,
    instead,
)


def just_heard(end: Faulty, *kinds: type) -> bool:
    return bool(end.heard) and isinstance(end.heard[-1], kinds)


def third(kind: type) -> Callable[[Faulty], bool]:
    return lambda end: sum(isinstance(one, kind) for one in end.heard) == 3


def accepts(end: Faulty, refusal: Any) -> Sequence[Any]:
    move = end.heard[-1]
    return [m.MoveWasMade(move.card, move.start, move.end)] if isinstance(move, m.MakeMove) else [refusal]


names_the_wrong_winner = changed(m.GameOver, winner=lambda over: "nobody")
tells_the_mover_only = forgotten(m.MoveWasMade, lambda end: not just_heard(end, m.MakeMove))
never_refuses = forgotten(m.InvalidMove)
accepts_illegal_moves = instead(m.InvalidMove, accepts)
sends_another_board = changed(m.Reconnect, board=lambda back: "/".join(reversed(back.board.split("/"))))
says_the_wrong_turn = changed(m.Reconnect, on_turn=lambda back: "nobody")
forgets_logout = forgotten(m.Logout)
tells_moves_twice = instead(m.MoveWasMade, lambda end, move: [move, move])
exchanges_the_colours = changed(m.Start, white=lambda start: start.black, black=lambda start: start.white)
ends_before_the_move = instead(m.MoveWasMade, lambda end, move: [m.GameOver("draw"), move])
reads_two_messages_as_one = forgotten(m.MakeMove, third(m.MakeMove))
refuses_log_ins = forgotten(m.Login)
says_who_waits = instead(m.Start, lambda end, start: [start, m.Waiting("x")])


class OnitamaServers(ServerCheckerContract, SynchronousTestCase):
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
        report = check_server(
            "onitama", ["whole-match"], said=says_who_waits, strict=True, settings=self.strict_settings
        )
        self.assertEqual(breaches(report), ["Waiting is not as in the document"])

    def test_an_unknown_deal(self) -> None:
        """Without the cards nothing can be judged, and nothing is said. Another setting does not help."""
        report = check_server("onitama", ["whole-match"], strict=True, settings={"onitama.max_plies": "50"})
        self.assertEqual([outcome.verdict.value for outcome in report.outcomes], ["skipped"])
        self.assertIn("--set onitama.deal", report.outcomes[0].lines[-3].meaning)


def tells_the_other_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = just_heard(end, soccer_m.Move)
    return [] if isinstance(message, soccer_m.GameState) and mover and message.points else [message]


def lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, soccer_m.GameOver) and not message.points:
        return [soccer_m.GameState(message.game_id, message.winner, ((3, 3),))]
    return [message]


names_the_loser_as_winner = changed(soccer_m.GameOver, winner=lambda over: over.loser, loser=lambda over: over.winner)
forgets_the_last_point = changed(soccer_m.GameOver, points=lambda over: over.points[:-1])
never_answers_log_ins = forgotten(soccer_m.LoginResponse)
accepts_any_game = instead(soccer_m.LoginResponse, lambda end, answer: [soccer_m.LoginResponse()])
confuses_who_is_next = changed(
    soccer_m.GameState, next_player=lambda state: state.next_player + "x" * bool(state.points)
)
changes_the_id = changed(soccer_m.GameState, game_id=lambda state: "77" if state.points else state.game_id)
is_silent_out_of_turn = forgotten(soccer_m.Error)


class PaperSoccerServers(ServerCheckerContract, SynchronousTestCase):
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


def says_more_in_an_extension(end: Faulty, message: Any) -> Sequence[Any]:
    """An extension tells the first player of the second game more than the one of the first game."""
    if isinstance(message, frames_m.Playing) and end.number == 2:
        return [frames_m.Error("the flag is in the corner"), message]
    return [message]


shows_the_enemy = changed(frames_m.Board, squares=lambda board: board.squares.replace("#", "9"))
shows_an_empty_board = changed(frames_m.Board, squares=lambda board: "." * 100)
names_another_winner = changed(frames_m.GameOver, winner=lambda over: "tie")
names_another_piece = changed(frames_m.Battle, attacker=lambda battle: "B")
sends_the_board_first = instead(frames_m.Move, lambda end, move: [frames_m.Board("." * 100), move])
is_silent_when_it_refuses = forgotten(frames_m.MoveInvalid)
frames_lets_illegal_moves_pass = instead(frames_m.MoveInvalid, lambda end, refusal: [end.heard[-1]])
accepts_any_placement = instead(frames_m.PlacementInvalid, lambda end, refusal: [frames_m.PlacementValid()])
names_the_wrong_player = changed(frames_m.Playing, username=lambda playing: "nobody")


class StrategoFramesServers(ServerCheckerContract, SynchronousTestCase):
    wire = "stratego-frames"
    sends_wrong = {
        shows_the_enemy: ("moves", "Board tells a secret"),
        shows_an_empty_board: ("moves", "Board: wrong squares"),
        names_another_winner: ("first-wins", "GameOver: wrong winner"),
        names_another_piece: ("second-wins", "Battle: wrong attacker"),
        sends_the_board_first: ("alike", "Board instead of Move"),
        is_silent_when_it_refuses: ("refused-first", "MoveInvalid is missing after a move that ends where it began"),
        frames_lets_illegal_moves_pass: ("refused-second", "Move instead of MoveInvalid"),
        accepts_any_placement: ("wrong-set-up", "PlacementValid instead of PlacementInvalid"),
        says_more_in_an_extension: ("alike", "the first player can tell two hidden set-ups apart"),
        names_the_wrong_player: ("crosswise", "Playing: wrong username"),
    }


def after_a_move_to_nowhere(end: Faulty) -> bool:
    return end.heard[-1:] == [lines_m.Text("E4-E4")]


def met_instead(end: Faulty, question: Any) -> Sequence[Any]:
    return [lines_m.Met(None) if after_a_move_to_nowhere(end) else question]


tells_the_piece_that_moves = changed(lines_m.Moved, attacker=lambda moved: "R")
lines_names_another_winner = changed(lines_m.Winner, color=lambda end: "blue" if end.color == "red" else "red")
lines_names_another_piece = instead(lines_m.Met, lambda end, met: [lines_m.Met("B")])
asks_both_for_a_move = instead(lines_m.EndSetup, lambda end, set_up: [set_up, lines_m.GetMove()])
lines_is_silent_when_it_refuses = forgotten(lines_m.GetMove, after_a_move_to_nowhere)
lines_lets_illegal_moves_pass = instead(lines_m.GetMove, met_instead)
lets_anybody_in = instead(lines_m.AuthErr, lambda end, refusal: [lines_m.AuthOk()])
forgets_the_next_game = forgotten(lines_m.New, lambda end: len(end.heard) > 6)
gives_both_the_same_color = changed(lines_m.Color, color=lambda told: "red")


class StrategoLinesServers(ServerCheckerContract, SynchronousTestCase):
    wire = "stratego-lines"
    sends_wrong = {
        tells_the_piece_that_moves: ("alike", "Moved tells a secret"),
        lines_names_another_winner: ("red-wins", "Winner: wrong color"),
        lines_names_another_piece: ("blue-wins", "Met: wrong piece"),
        asks_both_for_a_move: ("moves", "GetMove is sent, and nothing was due"),
        lines_is_silent_when_it_refuses: (
            "refused-red",
            "GetMove is missing after a move that ends where it began",
        ),
        lines_lets_illegal_moves_pass: (
            "refused-red",
            "Met instead of GetMove after a move that ends where it began",
        ),
        lets_anybody_in: ("wrong-password", "AuthOk instead of AuthErr after a wrong password"),
        forgets_the_next_game: ("red-wins", "Color instead of New"),
        gives_both_the_same_color: ("crosswise", "Color: wrong color"),
    }
