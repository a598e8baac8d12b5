"""The checks of servers of each wire: a sound server has no finding, and each planted fault has one."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from msgspec import UNSET
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Chance, ScriptedChance, shuffled
from gamehost.games.eriantys.master import EriantysMaster
from gamehost.games.eriantys.rules import Colour, drawn
from gamehost.settings import Settings
from gamehost.wires.eriantys import messages as eriantys_m
from gamehost.wires.eriantys.messages import Color, Communication, Error, GameInfo, PlayerStatus
from gamehost.wires.eriantys.rendering import as_read
from gamehost.wires.eriantys.server_checks import JsonSpelling, ToldEriantys, colours, draw, shuffle
from gamehost.wires.litama import messages as litama_m
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama_final import messages as final_m
from gamehost.wires.open import messages as open_m
from gamehost.wires.paper_soccer import messages as soccer_m
from gamehost.wires.stratego_frames import messages as frames_m
from gamehost.wires.stratego_lines import messages as lines_m
from tests.kit.checker import Fault, Faulty, ServerCheckerContract, breaches, check_server


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


def litama_fields(**wrong: Any) -> Fault:
    def changes(end: Faulty, message: Any) -> Sequence[Any]:
        begun = isinstance(message, litama_m.Standing) and message.fields["gameState"] != "waiting for player"
        if not begun:
            return [message]
        changed = {name: change(message.fields) for name, change in wrong.items()}
        return [litama_m.Standing({**message.fields, **changed})]

    changes.__name__ = f"changes_{'_'.join(wrong)}"
    return changes


def tells_state_before_spectate(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, litama_m.Done) and message.command == "spectate":
        return []
    if isinstance(message, litama_m.Standing) and isinstance(end.heard[-1], litama_m.Spectate):
        return [message, litama_m.Done("spectate", message.fields["matchId"])]
    return [message]


def short_tokens(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, token=message.token[:32]) if isinstance(message, litama_m.Entered) else message]


def one_error_for_all(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, error="Invalid move") if isinstance(message, litama_m.Failed) else message]


def forgets_commands(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, command="?") if isinstance(message, litama_m.Failed) else message]


def ends_spectating_with_a_sentence(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, litama_m.Failed) and message.error == "Game ended":
        return [replace(message, error="the game has ended")]
    return [message]


def hears_one_move(end: Faulty, message: Any) -> Sequence[Any]:
    moves = sum(isinstance(one, litama_m.MakeMove) for one in end.heard)
    return [] if isinstance(message, litama_m.MakeMove) and moves == 3 else [message]


class LitamaServers(ServerCheckerContract, SynchronousTestCase):
    wire = "litama"
    sends_wrong = {
        litama_fields(winner=lambda fields: "none"): ("whole-match", "Standing: wrong fields.winner"),
        litama_fields(currentTurn=lambda fields: "blue"): ("crosswise", "Standing: wrong fields.currentTurn"),
        litama_fields(moves=lambda fields: fields["moves"][1:]): ("crosswise", "Standing: wrong fields.moves"),
        litama_fields(indices=lambda fields: {"blue": 0, "red": 1}): ("next-match", "Standing: wrong fields"),
        litama_fields(board=lambda fields: fields["board"][::-1]): ("crosswise", "Standing: wrong fields.board"),
        tells_state_before_spectate: ("crosswise", "Standing instead of Done"),
        short_tokens: ("crosswise", "Entered: wrong token"),
        one_error_for_all: ("ids", "Failed: wrong error"),
        forgets_commands: ("out-of-turn", "Failed: wrong command"),
        ends_spectating_with_a_sentence: ("ended", "Failed: wrong error"),
    }
    hears_wrong = {hears_one_move: ("any-connection", "is missing")}


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


def tells_boards_to_the_first_player_only(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, eriantys_m.UpdateBoard) and end.number else [message]


def counts_the_bag_wrong(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.UpdateBoard) and message.dashboard.round > 1:
        return [replace(message, dashboard=replace(message.dashboard, bag=message.dashboard.bag - 1))]
    return [message]


def deals_too_few_students(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.UpdateBoard):
        players = tuple(replace(one, entrance=replace(one.entrance, RED=0)) for one in as_read(message).players)
        return [replace(message, players=players)]
    return [message]


def gives_a_coin_too_many(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.UpdateBoard):
        players = tuple(replace(one, coins=(one.coins or 0) + 1) for one in as_read(message).players)
        return [replace(message, players=players)]
    return [message]


def forgets_to_confirm_assistants(end: Faulty, message: Any) -> Sequence[Any]:
    success = message == eriantys_m.CommunicationMessage(Communication.SUCCESS)
    return [] if success and isinstance(_answer(end), eriantys_m.PlayAssistant) else [message]


def does_not_ask_again(end: Faulty, message: Any) -> Sequence[Any]:
    refused = isinstance(message, eriantys_m.MotherNatureSteps) and isinstance(_answer(end), eriantys_m.ChosenSteps)
    return [] if refused else [message]


def shows_hands(end: Faulty, message: Any) -> Sequence[Any]:
    other = isinstance(message, eriantys_m.PlayedAssistant) and not isinstance(_answer(end), eriantys_m.PlayAssistant)
    return [message, eriantys_m.AvailableAssistants((1, 2), {})] if other else [message]


def says_everybody_has_won(end: Faulty, message: Any) -> Sequence[Any]:
    lost = message == eriantys_m.PlayerStatusMessage(PlayerStatus.LOSE)
    return [eriantys_m.PlayerStatusMessage(PlayerStatus.WIN) if lost else message]


def forgets_merged_islands(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == eriantys_m.CommunicationMessage(Communication.UNIFIED_ISLANDS) else [message]


def keeps_a_lost_player_secret(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, eriantys_m.PlayerDisconnected) else [message]


def forgets_the_open_request(end: Faulty, message: Any) -> Sequence[Any]:
    forgets = end.number == 2 and isinstance(
        message, eriantys_m.MovableStudents | eriantys_m.WhereToMove | eriantys_m.MotherNatureSteps
    )
    return [] if forgets else [message]


def counts_those_who_wait_wrong(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.UpdateLobby):
        return [eriantys_m.UpdateLobby(replace(message.gameInfo, waitingPlayers=3))]
    return [message]


def has_one_error_for_all(end: Faulty, message: Any) -> Sequence[Any]:
    return [eriantys_m.ErrorMessage(Error.INVALID_INPUT) if isinstance(message, eriantys_m.ErrorMessage) else message]


def lets_players_take_any_steps(end: Faulty, message: Any) -> Sequence[Any]:
    return [eriantys_m.ChosenSteps(1) if isinstance(message, eriantys_m.ChosenSteps) and message.steps > 1 else message]


def stays_silent_out_of_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == eriantys_m.ErrorMessage(Error.WRONG_TURN, getattr(message, "detail", "")) else [message]


def counts_acknowledgements(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.Acknowledgement) and end.heard[-3:] == [eriantys_m.Acknowledgement()] * 3:
        end.say(eriantys_m.ErrorMessage(Error.INVALID_ACTION))
    return [message]


def reads_one_answer_a_segment(end: Faulty, message: Any) -> Sequence[Any]:
    joined = isinstance(message, eriantys_m.ChosenStudent) and end.heard[-2:-1] == [eriantys_m.ChosenSteps(1)]
    return [] if joined else [message]


def _answer(end: Faulty) -> Any:
    return next((one for one in reversed(end.heard) if not isinstance(one, eriantys_m.Acknowledgement)), None)


@frozen
class BeginsOnTheFifthIsland(ToldEriantys):
    """A server that has Mother Nature begin elsewhere than this project's own."""

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> EriantysMaster:
        master = super().new_master(seats, settings, chance)
        self.masters[-1].mother_nature = 4
        return master


class EriantysServers(ServerCheckerContract, SynchronousTestCase):
    wire = "eriantys"
    sends_wrong = {
        tells_boards_to_the_first_player_only: ("crosswise", "StartOfPlayerRound instead of UpdateBoard"),
        counts_the_bag_wrong: ("expert", "UpdateBoard: wrong dashboard.bag"),
        deals_too_few_students: ("three-players", "UpdateBoard: wrong players.entrance"),
        gives_a_coin_too_many: ("expert", "UpdateBoard: wrong players.coins"),
        forgets_to_confirm_assistants: ("crosswise", "PlayedAssistant instead of CommunicationMessage"),
        does_not_ask_again: ("refusals", "MotherNatureSteps is missing after no step"),
        shows_hands: ("four-players", "AvailableAssistants"),
        says_everybody_has_won: ("whole-game", "PlayerStatusMessage: wrong playerStatus"),
        forgets_merged_islands: ("whole-game", "UpdateBoard instead of CommunicationMessage"),
        keeps_a_lost_player_secret: ("returns-in-own-turn", "PlayerDisconnected is missing"),
        forgets_the_open_request: ("returns-in-own-turn", "is missing"),
        counts_those_who_wait_wrong: ("lobby", "UpdateLobby: wrong gameInfo.waitingPlayers"),
        has_one_error_for_all: ("lobby", "ErrorMessage: wrong error after a game of five"),
        stays_silent_out_of_turn: (
            "out-of-turn",
            "ErrorMessage is missing after ChosenTower of a player who is not asked",
        ),
    }
    hears_wrong = {
        lets_players_take_any_steps: ("refusals", "after one step too many"),
        counts_acknowledgements: ("acknowledgements", "ErrorMessage is sent, and nothing was due"),
        reads_one_answer_a_segment: ("joined", "after a refused answer and two good ones"),
    }

    def test_differences_are_named(self) -> None:
        report = check_server(self.wire, ["expert"], said=gives_a_coin_too_many)
        self.assertIn("players[0].coins is 2, expected 1; players[1].coins is", report.findings[0][0].happened)

    def test_a_ping_is_no_extension(self) -> None:
        pings = {"eriantys.ping": "1"}
        self.assertEqual(breaches(check_server(self.wire, ["crosswise"], strict=True, settings=pings)), [])

    def test_mother_nature_begins_anywhere(self) -> None:
        """The document does not say where, and the numbers of islands follow the server's."""
        report = check_server(self.wire, ["three-players"], game=BeginsOnTheFifthIsland())
        self.assertEqual(breaches(report), [])


FULL = (2, 0, 3, 1, 4)


class DrawsTests(SynchronousTestCase):
    def test_students(self) -> None:
        wanted = [Colour.PINK, Colour.YELLOW, Colour.PINK, Colour.GREEN, Colour.RED]
        bag = list(FULL)
        taken, left = drawn(FULL, 5, ScriptedChance(draw(bag, wanted, 5)))
        self.assertEqual(taken, (1, 0, 1, 1, 2))
        self.assertEqual(list(left), bag)

    def test_what_the_rules_cannot_draw(self) -> None:
        """Other students are drawn, as many as must be; so the difference is found."""
        taken, _ = drawn(FULL, 3, ScriptedChance(draw(list(FULL), [Colour.BLUE] * 7, 3)))
        self.assertEqual(sum(taken), 3)
        self.assertEqual(taken[Colour.BLUE], 0)
        self.assertEqual(len(list(draw([1, 0, 0, 0, 0], [], 4))), 1)

    def test_orders(self) -> None:
        for wanted in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
            self.assertEqual(shuffled(range(4), ScriptedChance(shuffle(range(4), wanted))), list(wanted))

    def test_colours(self) -> None:
        self.assertEqual(colours((1, 0, 0, 2, 0)), [Colour.YELLOW, Colour.RED, Colour.RED])


def messages(scenario: str, name: str) -> list[str]:
    (outcome,) = check_server("eriantys", [scenario]).outcomes
    return [line.text for line in outcome.lines if f'"{name}"' in line.text]


class ScriptsTests(SynchronousTestCase):
    def test_errors(self) -> None:
        met = {
            text.split('"error":"')[1].split('"')[0]
            for scenario in ("lobby", "refusals", "refusals-expert", "out-of-turn")
            for text in messages(scenario, "ErrorMessage")
        }
        self.assertLessEqual(
            {
                "TAKEN_NICKNAME",
                "INVALID_SETTINGS",
                "GAME_NOT_FOUND",
                "TOWER_NOT_AVAILABLE",
                "WIZARD_NOT_AVAILABLE",
                "INVALID_ASSISTANT",
                "UNAVAILABLE_ASSISTANT",
                "STUDENT_NOT_AVAILABLE",
                "EMPTY_CLOUD",
                "WRONG_TURN",
                "INVALID_ACTION",
                "INVALID_INPUT",
                "NOT_ENOUGH_COINS",
                "ALREADY_PLAYED_CHARACTER",
                "CHARACTER_NOT_IN_GAME",
                "NOT_EXPERT_MODE",
            },
            met,
        )

    def test_whole_games(self) -> None:
        self.assertEqual(len(messages("whole-game", "CommunicateWinner")), 2)
        self.assertNotEqual(messages("whole-game", "UNIFIED_ISLANDS"), [])
        self.assertGreaterEqual(len(messages("expert", "PlayedCharacter")), 8)


class SpellingTests(SynchronousTestCase):
    def test_extensions(self) -> None:
        spelling = JsonSpelling()
        error = eriantys_m.ErrorMessage(Error.WRONG_TURN, "another player is asked now")
        self.assertEqual(spelling.documented(error), eriantys_m.ErrorMessage(Error.WRONG_TURN))
        self.assertEqual(spelling.documented(eriantys_m.WhereToMove(12)), eriantys_m.WhereToMove())
        self.assertIsNone(spelling.documented(eriantys_m.CommunicationMessage(Communication.LAST_ROUND)))
        self.assertTrue(spelling.comes_at_any_time(eriantys_m.Ping()))

    def test_order_and_words(self) -> None:
        spelling = JsonSpelling()
        one, other = (
            eriantys_m.MovableStudents((Color.RED, *more))
            for more in ((Color.BLUE, Color.RED), (Color.RED, Color.BLUE))
        )
        self.assertEqual(spelling.canonical(one), spelling.canonical(other))
        self.assertEqual(
            spelling.canonical(eriantys_m.CommunicateWinner(None, "", "A tie.")),
            eriantys_m.CommunicateWinner(None, "", ""),
        )

    def test_replies(self) -> None:
        spelling = JsonSpelling()
        self.assertEqual(spelling.replies(eriantys_m.Ping()), (eriantys_m.Pong(),))
        self.assertEqual(spelling.replies(eriantys_m.EndOfRound(1)), (eriantys_m.Acknowledgement(),))
        self.assertEqual(
            spelling.replies(eriantys_m.CommunicationMessage(Communication.CLOSING_GAME)),
            (eriantys_m.Acknowledgement(),),
        )
        self.assertEqual(spelling.replies(eriantys_m.CommunicationMessage(Communication.SUCCESS)), ())

    def test_ids(self) -> None:
        """The replica's id becomes the server's, and back; games of others are not looked at."""
        spelling = JsonSpelling()
        self.assertEqual(spelling.with_id(eriantys_m.WaitingForPlayers(1), "77"), eriantys_m.WaitingForPlayers(77))
        self.assertEqual(spelling.with_id(eriantys_m.JoinAvailableGame(77), "77"), eriantys_m.JoinAvailableGame(1))
        own, others = GameInfo(1, 1, 2, False), GameInfo(5, 1, 2, False)
        games = spelling.with_id(eriantys_m.AvailableGames((own, others)), "77")
        self.assertEqual(spelling.canonical(games), eriantys_m.AvailableGames((GameInfo(77, 1, 2, False),)))
