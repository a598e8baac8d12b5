"""The checks of servers of the other wires."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama_final import messages as final_m
from gamehost.wires.open import messages as open_m
from gamehost.wires.paper_soccer import messages as soccer_m
from gamehost.wires.stratego_frames import messages as frames_m
from gamehost.wires.stratego_lines import messages as lines_m
from tests.kit.checker import Faulty, ServerCheckerContract, breaches, check_server


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
        self.assertIn("--set onitama.deal", report.outcomes[0].lines[-3].meaning)


def _waiting(end: Faulty, message: Any) -> Sequence[Any]:
    return [message, m.Waiting("x")] if isinstance(message, m.Start) else [message]


def final_names_the_wrong_winner(end: Faulty, message: Any) -> Sequence[Any]:
    return [final_m.GameOver("nobody") if isinstance(message, final_m.GameOver) else message]


def final_tells_the_mover_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = bool(end.heard) and isinstance(end.heard[-1], final_m.MakeMove)
    return [] if isinstance(message, final_m.MoveWasMade) and not mover else [message]


def final_never_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, final_m.InvalidMove) else [message]


def refuses_moves_as_other_messages(end: Faulty, message: Any) -> Sequence[Any]:
    return [final_m.Failed(message.text) if isinstance(message, final_m.InvalidMove) else message]


def final_sends_another_board(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, board=message.board[::-1]) if isinstance(message, final_m.Restore) else message]


def final_says_the_wrong_turn(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, final_m.Restore):
        return [replace(message, white_to_move=not message.white_to_move)]
    return [message]


def forgets_who_is_back(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, final_m.Reconnect) else [message]


def forgets_waiting(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, final_m.Waiting) else [message]


def final_exchanges_the_colours(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, final_m.Start):
        return [replace(message, black=message.white, white=message.black)]
    return [message]


class OnitamaFinalServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "onitama-final"
    sends_wrong = {
        final_names_the_wrong_winner: ("whole-match", "GameOver: wrong winner"),
        final_tells_the_mover_only: ("whole-match", "MoveWasMade is missing"),
        final_never_refuses: ("refusals", "InvalidMove is missing"),
        refuses_moves_as_other_messages: ("refusals", "Failed instead of InvalidMove"),
        final_sends_another_board: ("returns-in-own-turn", "Restore: wrong board"),
        final_says_the_wrong_turn: ("returns-in-others-turn", "Restore: wrong white_to_move"),
        forgets_who_is_back: ("returns-in-own-turn", "Reconnect is missing"),
        forgets_waiting: ("crosswise", "Waiting is missing"),
        final_exchanges_the_colours: ("crosswise", "Start: wrong black, white"),
    }


def open_names_the_wrong_winner(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, open_m.Over):
        return [replace(message, winners=[1 - seat for seat in message.winners])]
    return [message]


def open_tells_the_mover_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = bool(end.heard) and isinstance(end.heard[-1], open_m.Act)
    return [] if isinstance(message, open_m.Event) and message.n and not mover else [message]


def open_never_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, open_m.Refused) else [message]


def forgets_an_action(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, moves=message.moves[1:]) if isinstance(message, open_m.Moves) else message]


def counts_entries_twice(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, n=2 * message.n) if isinstance(message, open_m.Event) else message]


def comes_back_without_a_view(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, view=UNSET) if isinstance(message, open_m.Back) else message]


def forgets_away(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, open_m.Away) else [message]


def gives_everybody_the_first_seat(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, seat=0) if isinstance(message, open_m.Seated) else message]


class OpenServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "open"
    sends_wrong = {
        open_names_the_wrong_winner: ("whole-match", "Over: wrong winners"),
        open_tells_the_mover_only: ("whole-match", "Event is missing"),
        open_never_refuses: ("refusals", "Refused is missing"),
        forgets_an_action: ("moves", "Moves: wrong moves"),
        counts_entries_twice: ("crosswise", "Event: wrong n"),
        comes_back_without_a_view: ("returns-in-own-turn", "Back: wrong view"),
        forgets_away: ("returns-in-others-turn", "Away is missing"),
        gives_everybody_the_first_seat: ("crosswise", "Seated: wrong seat"),
    }


def names_the_loser_as_winner(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, soccer_m.GameOver):
        return [replace(message, winner=message.loser, loser=message.winner)]
    return [message]


def tells_the_other_only(end: Faulty, message: Any) -> Sequence[Any]:
    mover = bool(end.heard) and isinstance(end.heard[-1], soccer_m.Move)
    return [] if isinstance(message, soccer_m.GameState) and mover and message.points else [message]


def forgets_the_last_point(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, points=message.points[:-1]) if isinstance(message, soccer_m.GameOver) else message]


def never_answers_log_ins(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, soccer_m.LoginResponse) else [message]


def accepts_any_game(end: Faulty, message: Any) -> Sequence[Any]:
    return [soccer_m.LoginResponse() if isinstance(message, soccer_m.LoginResponse) else message]


def confuses_who_is_next(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, soccer_m.GameState) and message.points:
        return [replace(message, next_player=message.next_player + "x")]
    return [message]


def changes_the_id(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, game_id="77") if isinstance(message, soccer_m.GameState) and message.points else message]


def lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, soccer_m.GameOver) and not message.points:
        return [soccer_m.GameState(message.game_id, message.winner, ((3, 3),))]
    return [message]


def is_silent_out_of_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, soccer_m.Error) else [message]


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


def shows_the_enemy(end: Faulty, message: Any) -> Sequence[Any]:
    return [frames_m.Board(message.squares.replace("#", "9")) if isinstance(message, frames_m.Board) else message]


def shows_an_empty_board(end: Faulty, message: Any) -> Sequence[Any]:
    return [frames_m.Board("." * 100) if isinstance(message, frames_m.Board) else message]


def names_another_winner(end: Faulty, message: Any) -> Sequence[Any]:
    return [frames_m.GameOver("tie") if isinstance(message, frames_m.GameOver) else message]


def names_another_piece(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, attacker="B") if isinstance(message, frames_m.Battle) else message]


def sends_the_board_first(end: Faulty, message: Any) -> Sequence[Any]:
    """The board and the move are exchanged."""
    if isinstance(message, frames_m.Move):
        return [frames_m.Board("." * 100), message]
    return [message]


def is_silent_when_it_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, frames_m.MoveInvalid) else [message]


def frames_lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    return [end.heard[-1] if isinstance(message, frames_m.MoveInvalid) else message]


def accepts_any_placement(end: Faulty, message: Any) -> Sequence[Any]:
    return [frames_m.PlacementValid() if isinstance(message, frames_m.PlacementInvalid) else message]


def names_the_wrong_player(end: Faulty, message: Any) -> Sequence[Any]:
    return [frames_m.Playing("nobody") if isinstance(message, frames_m.Playing) else message]


def says_more_in_an_extension(end: Faulty, message: Any) -> Sequence[Any]:
    """An extension tells the first player of the second game more than the one of the first game."""
    if isinstance(message, frames_m.Playing) and end.number == 2:
        return [frames_m.Error("the flag is in the corner"), message]
    return [message]


class StrategoFramesServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

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


def tells_the_piece_that_moves(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, attacker="R") if isinstance(message, lines_m.Moved) else message]


def lines_names_another_winner(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, lines_m.Winner):
        return [lines_m.Winner("blue" if message.color == "red" else "red")]
    return [message]


def lines_names_another_piece(end: Faulty, message: Any) -> Sequence[Any]:
    return [lines_m.Met("B") if isinstance(message, lines_m.Met) else message]


def asks_both_for_a_move(end: Faulty, message: Any) -> Sequence[Any]:
    return [message, lines_m.GetMove()] if isinstance(message, lines_m.EndSetup) else [message]


def lines_is_silent_when_it_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    said = end.heard[-1] if end.heard else None
    refuses = isinstance(message, lines_m.GetMove) and said == lines_m.Text("E4-E4")
    return [] if refuses else [message]


def lines_lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    said = end.heard[-1] if end.heard else None
    return [lines_m.Met(None) if isinstance(message, lines_m.GetMove) and said == lines_m.Text("E4-E4") else message]


def lets_anybody_in(end: Faulty, message: Any) -> Sequence[Any]:
    return [lines_m.AuthOk() if isinstance(message, lines_m.AuthErr) else message]


def forgets_the_next_game(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, lines_m.New) and len(end.heard) > 6 else [message]


def gives_both_the_same_color(end: Faulty, message: Any) -> Sequence[Any]:
    return [lines_m.Color("red") if isinstance(message, lines_m.Color) else message]


class StrategoLinesServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

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
