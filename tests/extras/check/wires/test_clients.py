"""The checks of clients of each wire: a sound client has no finding, and each planted fault has one."""

from collections.abc import Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.check.base import Grade
from gamehost.extras.check.wires.stratego_frames import printed
from gamehost.programs.clients import WireClient
from gamehost.wires.base import Wire
from gamehost.wires.stratego_frames.messages import Move, Setup
from tests import long
from tests.extras.check.wires.eriantys_clients import (
    CRIPPLED,
    AcknowledgesEveryThird,
    NeverAcknowledges,
    SoundClient,
    SpellsKeysItsOwnWay,
)
from tests.extras.check.wires.eriantys_java_clients import CRIPPLED as JAVA_CRIPPLED
from tests.extras.check.wires.eriantys_java_clients import NeverAcknowledges as NoJavaAcks
from tests.extras.check.wires.eriantys_java_clients import NoStream
from tests.extras.check.wires.eriantys_java_clients import SoundClient as JavaSoundClient
from tests.extras.check.wires.litama_clients import CRIPPLED as LITAMA_CRIPPLED
from tests.extras.check.wires.litama_clients import BinaryFrames, DocumentedClient
from tests.extras.check.wires.litama_clients import SoundClient as LitamaSoundClient
from tests.extras.check.wires.onitama_clients import CRIPPLED as ONITAMA_CRIPPLED
from tests.extras.check.wires.onitama_clients import (
    FINAL_CRIPPLED,
    FinalForgetsTheZeroByte,
    FinalSoundClient,
    GuessesItsCards,
    MirrorsRowsOnly,
    NeedsTheExtension,
)
from tests.extras.check.wires.onitama_clients import SoundClient as OnitamaSoundClient
from tests.extras.check.wires.open_clients import CRIPPLED as OPEN_CRIPPLED
from tests.extras.check.wires.open_clients import AsksForSteps, PlaysStratego, TurnsItsMoves, UnknownKeys
from tests.extras.check.wires.open_clients import SoundClient as OpenSoundClient
from tests.extras.check.wires.paper_soccer_clients import CRIPPLED as PAPER_SOCCER_CRIPPLED
from tests.extras.check.wires.paper_soccer_clients import SoundClient as PaperSoccerSoundClient
from tests.extras.check.wires.program_clients import ProgramClient
from tests.extras.check.wires.stratego_frames_clients import CRIPPLED as STRATEGO_FRAMES_CRIPPLED
from tests.extras.check.wires.stratego_frames_clients import SoundClient as StrategoFramesSoundClient
from tests.extras.check.wires.stratego_lines_clients import CRIPPLED as STRATEGO_LINES_CRIPPLED
from tests.extras.check.wires.stratego_lines_clients import EndsAtTheFirstWinner
from tests.extras.check.wires.stratego_lines_clients import SoundClient as StrategoLinesSoundClient
from tests.kit.checker import CheckerContract, check, titles
from tests.kit.plugin_games import GOMOKU_CLIENT, GOMOKU_JUDGES, GOMOKU_WIRE


class EriantysChecks(CheckerContract, SynchronousTestCase):
    sound = SoundClient
    crippled = CRIPPLED

    @long
    def test_a_sound_client_is_clean(self) -> None:
        super().test_a_sound_client_is_clean()

    @long
    def test_a_client_that_acknowledges_sometimes(self) -> None:
        """It is found, in short games and in long ones, whatever else the scenario is about."""
        title = "the client acknowledges some messages and not others"
        for scenario in ("creates", "loses", "three-players", "expert"):
            self.assertEqual(titles(check(AcknowledgesEveryThird, [scenario]), Grade.BREACH), [title])

    def test_a_client_that_never_acknowledges(self) -> None:
        """The host lets it play: a note."""
        report = check(NeverAcknowledges, ["creates"])
        self.assertEqual((titles(report), report.clean), ([], True))
        self.assertEqual(titles(report, Grade.NOTE), ["the client acknowledges nothing"])

    def test_a_character_that_asks_for_an_island(self) -> None:
        """It is no student of the entrance that goes there: there is no dining room to choose."""
        self.assertEqual(titles(check(SoundClient, ["expert"], seed=7)), [])

    def test_a_misspelled_key(self) -> None:
        (title,) = titles(check(SpellsKeysItsOwnWay, ["creates"]), Grade.BREACH)[:1]
        self.assertIn("SetGame was refused: the key number_of_players is unknown; expected numberOfPlayers", title)


class FailsInTheMiddle(OnitamaSoundClient):
    count = 0

    def says(self, message: Any) -> Sequence[Any]:
        self.count += 1
        if self.count > 5:
            raise ValueError("no such card: 'tiger'")
        return [message]


class OnitamaChecks(CheckerContract, SynchronousTestCase):
    sound = OnitamaSoundClient
    crippled = ONITAMA_CRIPPLED

    def test_a_client_that_cannot_know_its_cards(self) -> None:
        """It is told so once, as White and as Black, and is not accused."""
        for client in (NeedsTheExtension, GuessesItsCards):
            report = check(client, ["first-mover", "strict", "strict-drop"])
            self.assertEqual((titles(report), report.clean), ([], True), client)
            ((finding, names),) = report.findings
            self.assertEqual((finding.grade, names), (Grade.NOTE, ["strict", "strict-drop"]))
            self.assertIn("this client needs the extension of START", finding.title)

    def test_a_client_that_knows_its_cards_and_fails(self) -> None:
        self.assertIn("the client ended in the middle: ValueError", titles(check(FailsInTheMiddle, ["strict"])))

    def test_columns_that_are_not_turned(self) -> None:
        finding, _ = check(MirrorsRowsOnly, ["second-mover"]).findings[0]
        self.assertIn("that card does not lead there", finding.title)
        self.assertIn("For Black both are turned", finding.law.do)
        self.assertNotIn("card", finding.law.do)


class FinalChecks(CheckerContract, SynchronousTestCase):
    sound = FinalSoundClient
    crippled = FINAL_CRIPPLED

    def test_sections_are_named(self) -> None:
        for client, scenario, section in (
            (FinalForgetsTheZeroByte, "first-mover", "Spelling"),
            *(
                (client, scenario, "States")
                for client, scenario in FINAL_CRIPPLED.items()
                if scenario == "invalid-move"
            ),
        ):
            self.assertEqual(check(client, [scenario]).findings[0][0].law.section, section, client)


class GomokuClient(ProgramClient):
    @classmethod
    def token(cls) -> Wire[Any]:
        return GOMOKU_WIRE

    @classmethod
    def client(cls) -> WireClient:
        return GOMOKU_CLIENT


class PlaysTwice(GomokuClient):
    def says(self, message: Any) -> Sequence[Any]:
        return [message] * 2


class PluginChecks(SynchronousTestCase):
    def test_a_plug_in_with_websocket(self) -> None:
        """Its clients are read through its own input, and its own checks judge them."""
        names = [one.name for one in GOMOKU_JUDGES.clients.scenarios]
        self.assertEqual(titles(check(GomokuClient, names, wire=(GOMOKU_WIRE, GOMOKU_JUDGES.clients))), [])
        self.assertNotEqual(titles(check(PlaysTwice, names[:1], wire=(GOMOKU_WIRE, GOMOKU_JUDGES.clients))), [])


class LitamaChecks(CheckerContract, SynchronousTestCase):
    sound = LitamaSoundClient
    crippled = LITAMA_CRIPPLED

    def test_a_client_without_the_extension(self) -> None:
        names = ["own-drop", "own-drop-in-turn", "strict"]
        report = check(DocumentedClient, names)
        self.assertEqual((titles(report), report.clean), ([], True))

    def test_frames_that_cannot_be_read(self) -> None:
        self.assertIn(
            "bytes that are no message: a binary message; expected text", titles(check(BinaryFrames, ["blue-begins"]))
        )

    def test_tokens_are_hidden(self) -> None:
        texts = [line.text for outcome in check(LitamaSoundClient, ["own-drop"]).outcomes for line in outcome.lines]
        self.assertTrue(any('"token":"***"' in text for text in texts))
        self.assertNotRegex("\n".join(texts), "[0-9a-f]{64}")


class JavaChecks(CheckerContract, SynchronousTestCase):
    sound = JavaSoundClient
    crippled = JAVA_CRIPPLED

    def test_sections_are_named(self) -> None:
        self.assertEqual(check(NoStream, ["creates"]).findings[0][0].law.section, "The stream")
        self.assertIn("Pace", [one.law.section for one, _ in check(NoJavaAcks, ["creates"]).findings])


class OpenChecks(CheckerContract, SynchronousTestCase):
    sound = OpenSoundClient
    crippled = OPEN_CRIPPLED

    def test_every_game(self) -> None:
        for game in ("paper-soccer", "eriantys"):
            client = type(f"Plays{game}", (OpenSoundClient,), {"game": game})
            report = check(client, ["second-seat", "own-drop"])
            self.assertEqual(titles(report), [], game)
            self.assertNotIn("skipped", [outcome.verdict.value for outcome in report.outcomes])

    @long
    def test_a_question_that_nobody_can_answer(self) -> None:
        """A client may ask what it can do in the set-up of Stratego, which is refused. It may not ask for steps."""
        report = check(PlaysStratego, ["first-seat", "wins"])
        self.assertEqual((titles(report), report.clean), ([], True))
        self.assertIn("AskMoves was refused: in this game actions", "\n".join(titles(check(AsksForSteps, ["wins"]))))

    def test_sections_are_named(self) -> None:
        for client, section in ((TurnsItsMoves, "The games"), (UnknownKeys, "Lines")):
            self.assertEqual(check(client, ["first-seat"]).findings[0][0].law.section, section)


class PaperSoccerChecks(CheckerContract, SynchronousTestCase):
    sound = PaperSoccerSoundClient
    crippled = PAPER_SOCCER_CRIPPLED


class Thoughtful(StrategoFramesSoundClient):
    """Thinks for a second before each frame, and reads nothing before it has sent all."""

    matches = 1

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.unsent: list[bytes] = []
        self.unread = b""

    def send(self, data: bytes) -> None:
        self.unsent.append(data)
        if len(self.unsent) == 1:
            self.later(1.0, self.send_next)

    def send_next(self) -> None:
        if self.unsent:
            super().send(self.unsent.pop(0))
        if self.unsent:
            self.later(1.0, self.send_next)
        else:
            self.received(b"")

    def received(self, data: bytes) -> None:
        self.unread += data
        if self.unread and not self.unsent:
            unread, self.unread = self.unread, b""
            super().received(unread)

    def lost(self) -> None:
        self.unsent.clear()
        self.unread = b""
        super().lost()


class FramesChecks(CheckerContract, SynchronousTestCase):
    sound = StrategoFramesSoundClient
    crippled = STRATEGO_FRAMES_CRIPPLED

    @long
    def test_a_sound_client_is_clean(self) -> None:
        super().test_a_sound_client_is_clean()

    def test_a_match_that_ends_while_the_host_stops(self) -> None:
        """The client cannot know of the end, so it may try to reach the host for as long as in any other match."""
        self.assertEqual(titles(check(StrategoFramesSoundClient, ["host-stops"], seed=7)), [])

    def test_a_client_that_thinks_before_each_frame(self) -> None:
        """It places its pieces for half a minute after the end of the match, before it reads of the end."""
        scenarios = ["wins-in-set-up", "drop-in-set-up", "own-drop-in-set-up"]
        self.assertEqual(titles(check(Thoughtful, scenarios)), [])

    def test_the_only_move_would_break_the_rule_of_two_squares_elsewhere(self) -> None:
        self.assertEqual(titles(check(StrategoFramesSoundClient, ["loses"], seed=24)), [])

    def test_frames_are_printed_by_their_fields(self) -> None:
        self.assertEqual(printed(Move(0, 3, 0, 4), b"\x2a\x04"), "Move(x=0, y=3, to_x=0, to_y=4)  [2A 04]")
        self.assertNotIn("\x1b", printed(Setup("\x1b", 0, 0), b"\x2a"))


class LinesChecks(CheckerContract, SynchronousTestCase):
    sound = StrategoLinesSoundClient
    crippled = STRATEGO_LINES_CRIPPLED

    def test_a_client_of_one_game_has_no_breach(self) -> None:
        self.assertEqual(titles(check(EndsAtTheFirstWinner, ["two-games", "red"])), [])

    def test_passwords_are_hidden(self) -> None:
        report = check(StrategoLinesSoundClient, ["red", "own-drop"])
        texts = [line.text for outcome in report.outcomes for line in outcome.lines]
        self.assertIn("***", texts)
        self.assertNotIn("correct horse", texts)
