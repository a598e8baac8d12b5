"""The checks of servers of each wire: a sound server has no finding, and each planted fault has one."""

from collections.abc import Callable, Sequence
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
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama_final import messages as final_m
from gamehost.wires.open import messages as open_m
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


final_names_the_wrong_winner = changed(final_m.GameOver, winner=lambda over: "nobody")
final_tells_the_mover_only = forgotten(final_m.MoveWasMade, lambda end: not just_heard(end, final_m.MakeMove))
final_never_refuses = forgotten(final_m.InvalidMove)
refuses_moves_as_other_messages = instead(final_m.InvalidMove, lambda end, refusal: [final_m.Failed(refusal.text)])
final_sends_another_board = changed(final_m.Restore, board=lambda back: back.board[::-1])
final_says_the_wrong_turn = changed(final_m.Restore, white_to_move=lambda back: not back.white_to_move)
forgets_who_is_back = forgotten(final_m.Reconnect)
forgets_waiting = forgotten(final_m.Waiting)
final_exchanges_the_colours = changed(final_m.Start, black=lambda start: start.white, white=lambda start: start.black)


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


def open_tells_the_mover_only(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, open_m.Event) and message.n and not just_heard(end, open_m.Act) else [message]


open_names_the_wrong_winner = changed(open_m.Over, winners=lambda over: [1 - seat for seat in over.winners])
open_never_refuses = forgotten(open_m.Refused)
forgets_an_action = changed(open_m.Moves, moves=lambda listed: listed.moves[1:])
counts_entries_twice = changed(open_m.Event, n=lambda event: 2 * event.n)
comes_back_without_a_view = changed(open_m.Back, view=lambda back: UNSET)
forgets_away = forgotten(open_m.Away)
gives_everybody_the_first_seat = changed(open_m.Seated, seat=lambda seated: 0)


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


def answer_of(end: Faulty) -> Any:
    """The last message that is no acknowledgement."""
    return next((one for one in reversed(end.heard) if not isinstance(one, eriantys_m.Acknowledgement)), None)


def answered(*kinds: type) -> Callable[[Faulty], bool]:
    return lambda end: isinstance(answer_of(end), kinds)


def short_bag(board: eriantys_m.UpdateBoard) -> Any:
    return replace(board.dashboard, bag=board.dashboard.bag - (board.dashboard.round > 1))


def without_red(board: eriantys_m.UpdateBoard) -> Any:
    return tuple(replace(one, entrance=replace(one.entrance, RED=0)) for one in as_read(board).players)


def richer(board: eriantys_m.UpdateBoard) -> Any:
    return tuple(replace(one, coins=(one.coins or 0) + 1) for one in as_read(board).players)


def forgets_to_confirm_assistants(end: Faulty, message: Any) -> Sequence[Any]:
    success = message == eriantys_m.CommunicationMessage(Communication.SUCCESS)
    return [] if success and answered(eriantys_m.PlayAssistant)(end) else [message]


def hands_too(end: Faulty, played: Any) -> Sequence[Any]:
    other = not answered(eriantys_m.PlayAssistant)(end)
    return [played, eriantys_m.AvailableAssistants((1, 2), {})] if other else [played]


def forgets_merged_islands(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == eriantys_m.CommunicationMessage(Communication.UNIFIED_ISLANDS) else [message]


def stays_silent_out_of_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == eriantys_m.ErrorMessage(Error.WRONG_TURN, getattr(message, "detail", "")) else [message]


def counts_acknowledgements(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, eriantys_m.Acknowledgement) and end.heard[-3:] == [eriantys_m.Acknowledgement()] * 3:
        end.say(eriantys_m.ErrorMessage(Error.INVALID_ACTION))
    return [message]


def behind_one_step(end: Faulty) -> bool:
    return end.heard[-2:-1] == [eriantys_m.ChosenSteps(1)]


def won(lost: eriantys_m.PlayerStatusMessage) -> PlayerStatus:
    return PlayerStatus.WIN if lost.playerStatus is PlayerStatus.LOSE else lost.playerStatus


OPEN_REQUESTS = eriantys_m.MovableStudents | eriantys_m.WhereToMove | eriantys_m.MotherNatureSteps
tells_boards_to_the_first_player_only = forgotten(eriantys_m.UpdateBoard, lambda end: bool(end.number))
counts_the_bag_wrong = changed(eriantys_m.UpdateBoard, dashboard=short_bag)
deals_too_few_students = changed(eriantys_m.UpdateBoard, players=without_red)
gives_a_coin_too_many = changed(eriantys_m.UpdateBoard, players=richer)
does_not_ask_again = forgotten(eriantys_m.MotherNatureSteps, answered(eriantys_m.ChosenSteps))
shows_hands = instead(eriantys_m.PlayedAssistant, hands_too)
says_everybody_has_won = changed(eriantys_m.PlayerStatusMessage, playerStatus=won)
keeps_a_lost_player_secret = forgotten(eriantys_m.PlayerDisconnected)
forgets_the_open_request = forgotten(OPEN_REQUESTS, lambda end: end.number == 2)
counts_those_who_wait_wrong = changed(
    eriantys_m.UpdateLobby, gameInfo=lambda lobby: replace(lobby.gameInfo, waitingPlayers=3)
)
has_one_error_for_all = instead(
    eriantys_m.ErrorMessage, lambda end, error: [eriantys_m.ErrorMessage(Error.INVALID_INPUT)]
)
lets_players_take_any_steps = changed(eriantys_m.ChosenSteps, steps=lambda chosen: min(chosen.steps, 1))
reads_one_answer_a_segment = forgotten(eriantys_m.ChosenStudent, behind_one_step)


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
