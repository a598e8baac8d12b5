"""One scenario: every end that a client can come to is judged, and none of them hangs the checker."""

from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker import run
from gamehost.checker.base import Act, Grade, Verdict
from gamehost.games.onitama.position import Move
from tests.checker.wires.onitama_clients import SoundClient
from tests.kit.checked_client import check, titles


class Hangs(SoundClient):
    """Connects and says nothing."""

    def connected(self) -> None:
        pass


class Crashes(SoundClient):
    """Ends at the second move."""

    def hear_move_was_made(self, card: str, start: str, end: str) -> None:
        self.end(1, "KeyError: 'c9'")


class ClosesInTheMiddle(SoundClient):
    """Closes its connection and goes on running."""

    def hear_move_was_made(self, card: str, start: str, end: str) -> None:
        self._launcher.hang_up()

    def lost(self) -> None:
        pass


class Silent(SoundClient):
    """Does not move."""

    def move(self) -> None:
        pass


class Repeats(SoundClient):
    """Sends a refused move again and again."""

    def move(self) -> None:
        self.say("MAKE_MOVE", "tiger", "a1", "a1")


class Speaks(SoundClient):
    """Another protocol."""

    def log_in(self) -> None:
        self.send(b"GET / HTTP/1.1\r\n\r\n")


class OneMatch(SoundClient):
    """Plays one match on a connection."""

    matches = 1


class FailsAtTheEnd(SoundClient):
    """Ends with a status that is not 0."""

    matches = 1

    def hear_game_over(self, winner: str) -> None:
        self.end(3, "Goodbye")


class Slow(SoundClient):
    """Needs nine seconds for each move."""

    def say_move(self, move: Move) -> None:
        self.later(9.0, lambda: SoundClient.say_move(self, move))


class Impatient(SoundClient):
    """Ends when nothing has come for twenty seconds."""

    heard = 0

    def received(self, data: bytes) -> None:
        self.heard += 1
        heard = self.heard
        self.later(20.0, lambda: self.end(1, "timed out") if heard == self.heard else None)
        super().received(data)


class Stays(SoundClient):
    """Goes on running when its connection is lost."""

    def lost(self) -> None:
        pass


class NeverConnects(SoundClient):
    """Waits for ever before it connects."""

    def starts(self) -> bool:
        return False


class DiesAtOnce(SoundClient):
    """Cannot be imported."""

    def starts(self) -> bool:
        self.end(1, "ModuleNotFoundError: No module named 'onitama'")
        return False


class ConnectsFirst(SoundClient):
    """Connects in the first scenario only."""

    started: ClassVar[list[bool]] = []

    def starts(self) -> bool:
        self.started.append(True)
        if len(self.started) > 1:
            self.end(1, "too late")
        return len(self.started) == 1


class RunTests(SynchronousTestCase):
    """What a client does, and what is said of it."""

    def only(self, client: type[SoundClient], scenario: str = "first-mover") -> list[str]:
        """The titles of the breaches."""
        return titles(check(client, [scenario]), Grade.BREACH)

    def test_a_client_that_says_nothing(self) -> None:
        """It has twenty seconds to log in."""
        self.assertIn("the client did not log in", self.only(Hangs))

    def test_a_client_that_crashes(self) -> None:
        """Its last words are told."""
        report = check(Crashes, ["first-mover"])
        finding, _ = report.findings[0]
        self.assertEqual(finding.title, "the client ended in the middle: KeyError")
        self.assertIn("status 1", finding.happened)
        self.assertIn("KeyError: 'c9'", finding.happened)
        self.assertIn("Look at what the program printed last", finding.law.do)

    def test_equal_crashes_are_one_finding(self) -> None:
        """Numbers and quoted texts may differ. Other crashes are other findings, also with the same exception."""
        scenarios = ["first-mover", "second-mover", "wins"]
        for words, findings in (
            (["UnicodeDecodeError: byte 0xc5 at 41", "UnicodeDecodeError: byte 0xce at 7", "IndexError: pop"], [2, 1]),
            (["KeyError: 'c9', in bot.py, line 7", "KeyError: 'c1', in bot.py, line 7", "KeyError: 'c1'"], [2, 1]),
            (
                ["KeyError: 1, in bot.py, line 7", "KeyError: 1, in bot.py, line 9", "KeyError: 1, in bot.py, line 7"],
                [2, 1],
            ),
            (["killed", "killed", "killed"], [3]),
            (["no such move", "killed", "no such move"], [2, 1]),
        ):
            left = list(words)

            class Fails(SoundClient):
                def hear_start(self, *fields: str, left: list[str] = left) -> None:
                    self.end(1, left.pop(0))

            report = check(Fails, scenarios)
            self.assertEqual([len(names) for _, names in report.findings], findings, words)

    def test_a_client_that_never_connects(self) -> None:
        """One finding in one scenario; the others are not played. Its advice is about the connection."""
        for client, title in (
            (NeverConnects, "the client did not connect"),
            (DiesAtOnce, "the client ended before it connected: ModuleNotFoundError"),
        ):
            report = check(client)
            ((finding, names),) = report.findings
            self.assertEqual((finding.grade, finding.title, len(names)), (Grade.BREACH, title, 1))
            self.assertNotIn("START", finding.law.do)
            verdicts = {outcome.verdict for outcome in report.outcomes[1:]}
            self.assertEqual(verdicts, {Verdict.SKIPPED})
            self.assertTrue(report.breached)
            self.assertLess(report.seconds, 21)

    def test_a_client_that_connects_sometimes(self) -> None:
        """All scenarios are played then."""
        report = check(ConnectsFirst, ["first-mover", "wins", "draw"])
        self.assertEqual([one.verdict for one in report.outcomes], [Verdict.PASS, Verdict.BREACH, Verdict.BREACH])
        self.assertEqual([names for _, names in report.findings], [["wins", "draw"]])

    def test_a_client_that_closes(self) -> None:
        """In the middle of a match."""
        self.assertEqual(self.only(ClosesInTheMiddle), ["the client closed its connection in the middle"])

    def test_a_client_that_does_not_move(self) -> None:
        """It owed a move."""
        self.assertEqual(self.only(Silent), ["no answer"])

    def test_a_client_that_repeats_a_refused_move(self) -> None:
        """The scenario has an end."""
        self.assertIn("the client repeats what was refused", self.only(Repeats))

    def test_a_slow_client(self) -> None:
        """A scenario ends after two minutes. It is no fault to be slow."""
        report = check(Slow, ["first-mover"])
        self.assertEqual(titles(report, Grade.NOTE), ["the match was very long"])
        self.assertLess(report.seconds, 121)

    def test_an_impatient_client(self) -> None:
        """It is found by a slow scenario."""
        self.assertEqual(self.only(Impatient, "half-a-minute"), ["the client ended in the middle"])
        self.assertEqual(self.only(SoundClient, "half-a-minute"), [])

    def test_another_protocol(self) -> None:
        """The host cannot read it."""
        self.assertTrue(self.only(Speaks)[0].startswith("bytes that are no message"))

    def test_one_match_a_connection(self) -> None:
        """A note, and no breach."""
        report = check(OneMatch, ["random-deals"])
        self.assertEqual(titles(report, Grade.NOTE), ["the client plays one match on a connection"])
        self.assertIs(report.outcomes[0].verdict, Verdict.NOTE)
        self.assertTrue(report.clean)

    def test_a_status_at_the_end(self) -> None:
        """A note, too."""
        report = check(FailsAtTheEnd, ["wins"])
        self.assertEqual(titles(report, Grade.NOTE), ["the client ends with an error after its match"])

    def test_a_match_that_ends_while_the_client_is_away(self) -> None:
        """The client has not heard the end, so what it does then is no fault."""
        cut = run.ScenarioRun._client_cut

        def cut_and_end(scenario: run.ScenarioRun) -> None:
            cut(scenario)
            scenario._opponents[0].resign()

        def cut_and_end_later(scenario: run.ScenarioRun) -> None:
            cut(scenario)
            scenario._later(0.3, scenario._opponents[0].resign)

        self.assertEqual(self.only(Stays, "own-drop"), ["the client does not come back"])
        self.patch(run, "_ACTS", {**run._ACTS, Act.CLIENT_CUT: cut_and_end})
        self.assertEqual(self.only(Stays, "own-drop"), [])
        self.patch(run, "_ACTS", {**run._ACTS, Act.CLIENT_CUT: cut_and_end_later})
        self.assertEqual(self.only(Stays, "own-drop"), [])
        self.assertEqual(self.only(SoundClient, "own-drop"), [])

    def test_the_steps_happen(self) -> None:
        """They stand in the transcript."""
        report = check(SoundClient, ["drop-in-clients-turn", "invalid-move", "wins"])
        notes = [[line.meaning for line in outcome.tape.lines if not line.sender] for outcome in report.outcomes]
        self.assertIn("the opponent gives up", notes[0] + notes[1] + notes[2])
        self.assertIn("the opponent's connection is lost, and comes back", notes[0] + notes[1] + notes[2])
        self.assertEqual(titles(report), [])
