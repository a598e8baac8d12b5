"""The checks of servers of Eriantys."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.chance import Chance, ScriptedChance, shuffled
from gamehost.games.eriantys.master import EriantysMaster
from gamehost.games.eriantys.rules import Colour, drawn
from gamehost.settings import Settings
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.messages import Color, Communication, Error, GameInfo, PlayerStatus
from gamehost.wires.eriantys.server_checks import JsonSpelling
from gamehost.wires.eriantys.server_draws import Bag, ToldEriantys, colours, shuffle
from tests.kit.checker import Faulty, ServerCheckerContract, breaches, check_server


def tells_boards_to_the_first_player_only(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.UpdateBoard) and end.number else [message]


def counts_the_bag_wrong(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.UpdateBoard) and message.dashboard.round > 1:
        return [replace(message, dashboard=replace(message.dashboard, bag=message.dashboard.bag - 1))]
    return [message]


def deals_too_few_students(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.UpdateBoard):
        players = tuple(replace(one, entrance=replace(one.entrance, RED=0)) for one in message.players)
        return [replace(message, players=players)]
    return [message]


def gives_a_coin_too_many(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.UpdateBoard):
        players = tuple(replace(one, coins=(one.coins or 0) + 1) for one in message.players)
        return [replace(message, players=players)]
    return [message]


def forgets_to_confirm_assistants(end: Faulty, message: Any) -> Sequence[Any]:
    success = message == m.CommunicationMessage(Communication.SUCCESS)
    return [] if success and isinstance(_answer(end), m.PlayAssistant) else [message]


def does_not_ask_again(end: Faulty, message: Any) -> Sequence[Any]:
    refused = isinstance(message, m.MotherNatureSteps) and isinstance(_answer(end), m.ChosenSteps)
    return [] if refused else [message]


def shows_hands(end: Faulty, message: Any) -> Sequence[Any]:
    other = isinstance(message, m.PlayedAssistant) and not isinstance(_answer(end), m.PlayAssistant)
    return [message, m.AvailableAssistants((1, 2), {})] if other else [message]


def says_everybody_has_won(end: Faulty, message: Any) -> Sequence[Any]:
    lost = message == m.PlayerStatusMessage(PlayerStatus.LOSE)
    return [m.PlayerStatusMessage(PlayerStatus.WIN) if lost else message]


def forgets_merged_islands(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == m.CommunicationMessage(Communication.UNIFIED_ISLANDS) else [message]


def keeps_a_lost_player_secret(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.PlayerDisconnected) else [message]


def forgets_the_open_request(end: Faulty, message: Any) -> Sequence[Any]:
    forgets = end.number == 2 and isinstance(message, m.MovableStudents | m.WhereToMove | m.MotherNatureSteps)
    return [] if forgets else [message]


def counts_those_who_wait_wrong(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.UpdateLobby):
        return [m.UpdateLobby(replace(message.gameInfo, waitingPlayers=3))]
    return [message]


def has_one_error_for_all(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.ErrorMessage(Error.INVALID_INPUT) if isinstance(message, m.ErrorMessage) else message]


def lets_players_take_any_steps(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.ChosenSteps(1) if isinstance(message, m.ChosenSteps) and message.steps > 1 else message]


def is_silent_out_of_turn(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if message == m.ErrorMessage(Error.WRONG_TURN, getattr(message, "detail", "")) else [message]


def counts_acknowledgements(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.Acknowledgement) and end.heard[-3:] == [m.Acknowledgement()] * 3:
        end.say(m.ErrorMessage(Error.INVALID_ACTION))
    return [message]


def reads_one_answer_a_segment(end: Faulty, message: Any) -> Sequence[Any]:
    joined = isinstance(message, m.ChosenStudent) and end.heard[-2:-1] == [m.ChosenSteps(1)]
    return [] if joined else [message]


def _answer(end: Faulty) -> Any:
    """The last message that is no acknowledgement."""
    return next((one for one in reversed(end.heard) if not isinstance(one, m.Acknowledgement)), None)


@frozen
class BeginsOnTheFifthIsland(ToldEriantys):
    """A server that has Mother Nature begin elsewhere than this project's own."""

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> EriantysMaster:
        master = super().new_master(seats, settings, chance)
        self.masters[-1].mother_nature = 4
        return master


class EriantysServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

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
        is_silent_out_of_turn: (
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
        """By their way into the message, with what was due."""
        report = check_server(self.wire, ["expert"], said=gives_a_coin_too_many)
        self.assertIn("players[0].coins is 2, expected 1; players[1].coins is", report.findings[0][0].happened)

    def test_a_ping_is_no_extension(self) -> None:
        """It may come at any time."""
        pings = {"eriantys.ping": "1"}
        self.assertEqual(breaches(check_server(self.wire, ["crosswise"], strict=True, settings=pings)), [])

    def test_mother_nature_begins_anywhere(self) -> None:
        """The document does not say where, and the numbers of islands follow the server's."""
        report = check_server(self.wire, ["three-players"], game=BeginsOnTheFifthIsland())
        self.assertEqual(breaches(report), [])


FULL = (2, 0, 3, 1, 4)


class DrawsTests(SynchronousTestCase):
    """The rules draw the same again."""

    def test_students(self) -> None:
        """In any order, and the bag is emptied with them."""
        wanted = [Colour.PINK, Colour.YELLOW, Colour.PINK, Colour.GREEN, Colour.RED]
        bag = Bag(list(FULL))
        taken, left = drawn(FULL, 5, ScriptedChance(bag.draw(wanted, 5)))
        self.assertEqual(taken, (1, 0, 1, 1, 2))
        self.assertEqual(list(left), bag.counts)

    def test_what_the_rules_cannot_draw(self) -> None:
        """Other students are drawn, as many as must be; so the difference is found."""
        bag = Bag(list(FULL))
        taken, _ = drawn(FULL, 3, ScriptedChance(bag.draw([Colour.BLUE] * 7, 3)))
        self.assertEqual(sum(taken), 3)
        self.assertEqual(taken[Colour.BLUE], 0)
        self.assertEqual(len(list(Bag([1, 0, 0, 0, 0]).draw([], 4))), 1)

    def test_orders(self) -> None:
        """Every order of four can be reached."""
        for wanted in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
            self.assertEqual(shuffled(range(4), ScriptedChance(shuffle(range(4), wanted))), list(wanted))

    def test_colours(self) -> None:
        """One by one."""
        self.assertEqual(colours((1, 0, 0, 2, 0)), [Colour.YELLOW, Colour.RED, Colour.RED])


def messages(scenario: str, name: str) -> list[str]:
    """The messages of one name in a scenario with the host, as they are printed."""
    (outcome,) = check_server("eriantys", [scenario]).outcomes
    return [line.text for line in outcome.lines if f'"{name}"' in line.text]


class ScriptsTests(SynchronousTestCase):
    """The scenarios come to what they should try."""

    def test_errors(self) -> None:
        """Nearly all errors of the document are met."""
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
        """They have an end, merged islands and characters."""
        self.assertEqual(len(messages("whole-game", "CommunicateWinner")), 2)
        self.assertNotEqual(messages("whole-game", "UNIFIED_ISLANDS"), [])
        self.assertGreaterEqual(len(messages("expert", "PlayedCharacter")), 8)


class SpellingTests(SynchronousTestCase):
    """Messages without what another server may do differently."""

    def test_extensions(self) -> None:
        """Keys are left out, and so are values that the document does not have."""
        spelling = JsonSpelling()
        error = m.ErrorMessage(Error.WRONG_TURN, "another player is asked now")
        self.assertEqual(spelling.documented(error), m.ErrorMessage(Error.WRONG_TURN))
        self.assertEqual(spelling.documented(m.WhereToMove(12)), m.WhereToMove())
        self.assertIsNone(spelling.documented(m.CommunicationMessage(Communication.LAST_ROUND)))
        self.assertTrue(spelling.comes_at_any_time(m.Ping()))

    def test_order_and_words(self) -> None:
        """A list of students has no order, and a reason any words."""
        spelling = JsonSpelling()
        one, other = (
            m.MovableStudents((Color.RED, *more)) for more in ((Color.BLUE, Color.RED), (Color.RED, Color.BLUE))
        )
        self.assertEqual(spelling.canonical(one), spelling.canonical(other))
        self.assertEqual(spelling.canonical(m.CommunicateWinner(None, "", "A tie.")), m.CommunicateWinner(None, "", ""))

    def test_replies(self) -> None:
        """A client confirms what it must, and answers Ping."""
        spelling = JsonSpelling()
        self.assertEqual(spelling.replies(m.Ping()), (m.Pong(),))
        self.assertEqual(spelling.replies(m.EndOfRound(1)), (m.Acknowledgement(),))
        self.assertEqual(spelling.replies(m.CommunicationMessage(Communication.CLOSING_GAME)), (m.Acknowledgement(),))
        self.assertEqual(spelling.replies(m.CommunicationMessage(Communication.SUCCESS)), ())

    def test_ids(self) -> None:
        """The replica's id becomes the server's, and back; games of others are not looked at."""
        spelling = JsonSpelling()
        self.assertEqual(spelling.with_id(m.WaitingForPlayers(1), "77"), m.WaitingForPlayers(77))
        self.assertEqual(spelling.with_id(m.JoinAvailableGame(77), "77"), m.JoinAvailableGame(1))
        own, others = GameInfo(1, 1, 2, False), GameInfo(5, 1, 2, False)
        games = spelling.with_id(m.AvailableGames((own, others)), "77")
        self.assertEqual(spelling.canonical(games), m.AvailableGames((GameInfo(77, 1, 2, False),)))
