"""One scenario for a client, and the check of a server."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots.wires.onitama import PipesClientCodec
from gamehost.extras.check import run, server_run
from gamehost.extras.check.base import Cut, Grade, Scenario, Verdict
from gamehost.extras.check.command import as_html, as_text, check_of_server, chosen
from gamehost.extras.check.server_run import ServerUnderTest, Unreachable, address_of, differences, tag
from gamehost.extras.check.trace import MOST_UNREAD, QUIET, Fault, RelayedConnection
from gamehost.extras.check.transcript import SINGLE, RecordingCodec, SegmentedTransport, Transcript, Watcher
from gamehost.extras.check.wires.onitama import stalemate
from gamehost.games.base import Seat
from gamehost.games.onitama.player import OnitamaPlayer
from gamehost.games.onitama.rules import Position
from gamehost.ops import LONGEST, printable
from gamehost.players.base import SeededChance
from gamehost.plugins import WIRES
from gamehost.settings import BadOption
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.codec import PipesCodec
from gamehost.wires.onitama.messages import GameOver, InvalidMove, Login, MakeMove, MoveWasMade, Start
from tests.extras.check.test_trace import trace_of
from tests.extras.check.wires import eriantys_clients, onitama_clients, paper_soccer_clients, stratego_lines_clients
from tests.extras.check.wires.onitama_clients import SoundClient
from tests.kit.checker import (
    CHECKS,
    SERVER_CHECKS,
    Faulty,
    breaches,
    check,
    check_server,
    forgotten,
    instead,
    titles,
)


class Hangs(SoundClient):
    def connected(self) -> None:
        pass

    def received(self, data: bytes) -> None:
        pass


class Crashes(SoundClient):
    hears = instead(MoveWasMade, lambda client, _: client.end(1, "KeyError: 'c9'") or [])


class ClosesInTheMiddle(SoundClient):
    hears = instead(MoveWasMade, lambda client, _: client._launcher.hang_up() or [])

    def lost(self) -> None:
        pass


class Silent(SoundClient):
    says = forgotten(MakeMove)  # type: ignore[assignment]


class MovesTwice(SoundClient):
    def says(self, message: Any) -> Sequence[Any]:
        return [message, message] if isinstance(message, MakeMove) else [message]


class ReadsOnce(SoundClient):
    """Takes what one read brings for one message."""

    def reads(self, messages: Iterable[Any]) -> Iterable[Any]:
        return list(messages)[:1]


class Repeats(SoundClient):
    says = instead(MakeMove, lambda client, _: [MakeMove("tiger", "a1", "a1")])  # type: ignore[assignment]
    hears = instead(InvalidMove, lambda client, _: client.say_one(MakeMove("tiger", "a1", "a1")) or [])


class Speaks(SoundClient):
    def writes(self, data: bytes) -> bytes:
        return b"GET / HTTP/1.1\r\n\r\n"


class OneMatch(SoundClient):
    matches = 1


class FailsAtTheEnd(SoundClient):
    matches = 1

    hears = instead(GameOver, lambda client, _: client.end(3, "Goodbye") or [])


class Slow(SoundClient):
    def say_one(self, message: Any) -> None:
        say = super().say_one
        if isinstance(message, MakeMove):
            self.later(9.0, lambda: say(message))
        else:
            say(message)


class Impatient(SoundClient):
    heard = 0

    def received(self, data: bytes) -> None:
        self.heard += 1
        heard = self.heard
        self.later(20.0, lambda: self.end(1, "timed out") if heard == self.heard else None)
        super().received(data)


class Stays(SoundClient):
    def lost(self) -> None:
        pass


class NeverConnects(SoundClient):
    def starts(self) -> bool:
        return False


class DiesAtOnce(SoundClient):
    def starts(self) -> bool:
        self.end(1, "ModuleNotFoundError: No module named 'onitama'")
        return False


class ConnectsFirst(SoundClient):
    started: ClassVar[list[bool]] = []

    def starts(self) -> bool:
        self.started.append(True)
        if len(self.started) > 1:
            self.end(1, "too late")
        return len(self.started) == 1


class RunTests(SynchronousTestCase):
    def only(self, client: type[SoundClient], scenario: str = "first-mover") -> list[str]:
        return titles(check(client, [scenario]), Grade.BREACH)

    def test_a_client_that_says_nothing(self) -> None:
        self.assertIn("the client did not log in", self.only(Hangs))

    def test_a_move_out_of_turn_gets_advice_about_turns(self) -> None:
        (finding, _), *_ = check(MovesTwice, ["first-mover"]).findings
        self.assertEqual(finding.title, "MakeMove was refused: it is the other player's turn")
        self.assertIn("after the other's MOVE_WAS_MADE", finding.law.do)

    def test_a_client_that_takes_one_read_for_one_message(self) -> None:
        """It is told so, and a client that says nothing at all is not."""
        (finding, _), *_ = check(ReadsOnce, ["joined"]).findings
        self.assertEqual((finding.title, finding.law.do), ("no answer", run.READS))
        self.assertIn("The last 2 messages of the host came in one segment.", finding.happened)
        (finding, _), *_ = check(Silent, ["first-mover"]).findings
        self.assertNotIn("One read", finding.law.do)

    def test_a_client_that_crashes(self) -> None:
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
                def hears(self, message: Any, left: list[str] = left) -> Sequence[Any]:
                    if isinstance(message, Start):
                        self.end(1, left.pop(0))
                    return [message]

            report = check(Fails, scenarios)
            self.assertEqual([len(names) for _, names in report.findings], findings, words)

    def test_a_client_that_never_connects(self) -> None:
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

    def test_a_client_that_never_moves(self) -> None:
        """It learns that from the first scenarios, and not from each of them."""
        for client, title in ((Hangs, "the client did not log in"), (Silent, "no answer")):
            report = check(client)
            self.assertIn(title, titles(report))
            self.assertLessEqual(report.seconds, 4 * run.CONNECTS)  # one after the other here
            self.assertIn("has not moved in any of the first 4 scenarios", as_text(report))
            self.assertEqual({one.verdict for one in report.outcomes[4:]}, {Verdict.SKIPPED})
            self.assertIn(report.given_up, as_html(report))

    def test_a_client_that_connects_sometimes(self) -> None:
        report = check(ConnectsFirst, ["first-mover", "wins", "draw"])
        self.assertEqual([one.verdict for one in report.outcomes], [Verdict.PASS, Verdict.BREACH, Verdict.BREACH])
        self.assertEqual([names for _, names in report.findings], [["wins", "draw"]])

    def test_a_client_that_closes(self) -> None:
        self.assertEqual(self.only(ClosesInTheMiddle), ["the client closed its connection in the middle"])

    def test_a_client_that_does_not_move(self) -> None:
        self.assertEqual(self.only(Silent), ["no answer"])

    def test_a_client_that_repeats_a_refused_move(self) -> None:
        self.assertIn("the client repeats what was refused", self.only(Repeats))

    def test_a_slow_client(self) -> None:
        """A scenario ends after two minutes. It is no fault to be slow."""
        report = check(Slow, ["first-mover"], seed=2)
        self.assertEqual(titles(report, Grade.NOTE), ["the match was very long"])
        self.assertLess(report.seconds, 121)

    def test_an_impatient_client(self) -> None:
        self.assertEqual(self.only(Impatient, "half-a-minute"), ["the client ended in the middle"])
        self.assertEqual(self.only(SoundClient, "half-a-minute"), [])

    def test_another_protocol(self) -> None:
        self.assertTrue(self.only(Speaks)[0].startswith("bytes that are no message"))

    def test_one_match_a_connection_is_a_note(self) -> None:
        report = check(OneMatch, ["random-deals"])
        self.assertEqual(titles(report, Grade.NOTE), ["the client plays one match on a connection"])
        self.assertIs(report.outcomes[0].verdict, Verdict.NOTE)
        self.assertTrue(report.clean)

    def test_a_status_at_the_end_is_a_note(self) -> None:
        report = check(FailsAtTheEnd, ["wins"])
        self.assertEqual(titles(report, Grade.NOTE), ["the client ends with an error after its match"])

    def test_a_match_that_ends_while_the_client_is_away(self) -> None:
        """The client has not heard the end, so what it does then is no fault."""
        cut = run.ClientRun._client_cut

        def cut_and_end(scenario: run.ClientRun) -> None:
            cut(scenario)
            scenario._opponents[0].resign()

        def cut_and_end_later(scenario: run.ClientRun) -> None:
            cut(scenario)
            scenario._later(0.3, scenario._opponents[0].resign)

        self.assertEqual(self.only(Stays, "own-drop"), ["the client does not come back"])
        self.patch(run.ClientRun, "_client_cut", cut_and_end)
        self.assertEqual(self.only(Stays, "own-drop"), [])
        self.patch(run.ClientRun, "_client_cut", cut_and_end_later)
        self.assertEqual(self.only(Stays, "own-drop"), [])
        self.assertEqual(self.only(SoundClient, "own-drop"), [])

    def test_the_steps_happen(self) -> None:
        report = check(SoundClient, ["drop-in-clients-turn", "invalid-move", "wins"])
        notes = [[line.meaning for line in outcome.lines if not line.sender] for outcome in report.outcomes]
        self.assertIn("the opponent gives up", notes[0] + notes[1] + notes[2])
        self.assertIn("the opponent's connection is lost, and comes back", notes[0] + notes[1] + notes[2])
        self.assertEqual(titles(report), [])


NO_FAULT = Fault()


class Server:
    def __init__(self, clock: Clock, refuses: bool = False) -> None:
        self._refuses = refuses
        self.transport = StrictTransport(clock, "192.0.2.9")

    def connect(self, factory: Any) -> Deferred[Any]:
        if self._refuses:
            return fail(ConnectionRefusedError())
        protocol = factory.buildProtocol(None)
        self.transport.protocol = protocol
        protocol.makeConnection(self.transport)
        return succeed(protocol)


class RelayTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def connected(self, fault: Fault = NO_FAULT, refuses: bool = False) -> Server:
        self.trace, self.lines = trace_of("onitama")
        relayed = RelayedConnection(self.clock, self.trace, fault, SeededChance(1))
        self.client = StrictTransport(self.clock)
        self.client.protocol = relayed.client
        relayed.client.makeConnection(self.client)
        server = Server(self.clock, refuses)
        relayed.connect(server)
        return server

    def test_bytes_that_are_no_message_pass_in_both_directions(self) -> None:
        server = self.connected()
        self.client.receive(b"LOGIN|ann\n\xff\xfe")
        server.transport.receive(b"WAITING|ann\nwhatever\n")
        self.assertEqual(server.transport.read(), b"LOGIN|ann\n\xff\xfe")
        self.assertEqual(self.client.read(), b"WAITING|ann\nwhatever\n")
        self.clock.pump([QUIET, 0, 0])
        self.assertEqual([line.text for line in self.lines][:2], ["LOGIN|ann", "WAITING|ann"])

    def test_bytes_pass_before_they_are_read(self) -> None:
        """The trace costs a message nothing, and no answer waits for it either."""
        server = self.connected()
        self.client.receive(b"LOGIN|ann\n")
        self.assertEqual((server.transport.read(), self.lines), (b"LOGIN|ann\n", []))
        self.clock.advance(QUIET / 2)
        server.transport.receive(b"WAITING|ann\n")
        self.assertEqual((self.client.read(), self.lines), (b"WAITING|ann\n", []))
        self.clock.advance(QUIET / 2)
        self.assertEqual(self.lines, [])
        self.clock.pump([QUIET / 2, 0])
        self.assertEqual([line.text for line in self.lines], ["LOGIN|ann", "WAITING|ann"])

    def test_a_busy_line_is_read_in_time(self) -> None:
        server = self.connected()
        for number in range(100):
            server.transport.receive(b"WAITING|ann%d\n" % number)
            self.clock.advance(QUIET / 2)
        self.assertGreater(len(self.lines), 0)
        self.assertLess(len(self.lines), 100)
        for _ in range(10 * MOST_UNREAD):
            server.transport.receive(b"WAITING|ann\n")
        self.assertGreater(len(self.lines), 9 * MOST_UNREAD)

    def test_the_end_of_the_server_closes_the_client_s_connection(self) -> None:
        server = self.connected()
        server.transport.receive(b"GAME_OVER|ann\n")
        server.transport.hang_up()
        self.clock.pump([0, 0, 0, 0])
        self.assertEqual(self.client.read(), b"GAME_OVER|ann\n")
        self.assertTrue(self.client.disconnected)
        self.assertEqual(self.lines[-1].meaning, "the server has closed the connection")

    def test_the_end_of_the_client_closes_the_server_s_connection(self) -> None:
        server = self.connected()
        self.client.hang_up()
        self.clock.pump([0, 0, 0, 0])
        self.assertTrue(server.transport.disconnected)

    def test_no_server(self) -> None:
        self.connected(refuses=True)
        self.clock.pump([0, 0])
        self.assertTrue(self.client.disconnected)
        self.assertIn("cannot be reached", self.lines[-1].meaning)

    def test_faults(self) -> None:
        server = self.connected(Fault(delay=0.5))
        self.client.receive(b"LOGIN|ann\n")
        self.assertEqual(server.transport.read(), b"")
        self.clock.advance(0.5)
        self.assertEqual(server.transport.read(), b"LOGIN|ann\n")
        server = self.connected(Fault(Cut.RANDOM))
        self.client.receive(b"x" * 1000)
        self.clock.pump([0.001] * 500)
        self.assertEqual(server.transport.read(), b"x" * 1000)
        server = self.connected(Fault(drop=1.0))
        self.client.receive(b"LOGIN|ann\n")
        self.clock.pump([0, 0])
        self.assertTrue(server.transport.aborted and self.client.aborted)

    def test_faults_as_they_are_typed(self) -> None:
        self.assertEqual(Fault.read("cut"), Fault(Cut.RANDOM))
        self.assertEqual(Fault.read("join"), Fault(Cut.JOINED))
        self.assertEqual(Fault.read("delay=20"), Fault(delay=0.02))
        self.assertEqual(Fault.read("drop=0.1"), Fault(drop=0.1))
        for text in ("", "cut=1", "delay", "delay=x", "delay=-1", "drop=2", "drop=nan"):
            self.assertRaises(BadOption, Fault.read, text)


class Pieces:
    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.disconnected = self.closed = self.aborted = False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def loseConnection(self) -> None:
        self.closed = True

    def abortConnection(self) -> None:
        self.aborted = True


class SegmentTests(SynchronousTestCase):
    def pieces(self, cut: Cut, *writes: bytes) -> Pieces:
        pieces, clock = Pieces(), Clock()
        segmented = SegmentedTransport(pieces, clock, cut, SeededChance(1))
        for data in writes:
            segmented.write(data)
        segmented.loseConnection()
        clock.pump([0.001] * 1000)
        self.assertEqual(b"".join(pieces.written), b"".join(writes))
        self.assertTrue(pieces.closed)
        return pieces

    def test_each_way(self) -> None:
        long = bytes(range(256)) * 2
        self.assertEqual(self.pieces(Cut.BYTES, b"abc", b"de").written, [b"a", b"b", b"c", b"d", b"e"])
        self.assertGreater(len(self.pieces(Cut.BYTES, long).written), SINGLE)
        self.assertEqual(self.pieces(Cut.JOINED, b"abc", b"de").written, [b"abcde"])
        self.assertGreater(len(self.pieces(Cut.RANDOM, long).written), 10)
        self.assertEqual(self.pieces(Cut.NONE, b"abc", b"de").written, [b"abc", b"de"])

    def test_an_abort_drops_what_is_pending(self) -> None:
        pieces, clock = Pieces(), Clock()
        segmented = SegmentedTransport(pieces, clock, Cut.BYTES, SeededChance(1))
        segmented.write(b"abc")
        segmented.abortConnection()
        segmented.write(b"def")
        clock.pump([0.01] * 10)
        self.assertEqual((pieces.written, pieces.aborted), ([], True))


class Master:
    position: Position


def told(client: Any, scenario: str, words: str) -> int:
    (outcome,) = check(client, [scenario]).outcomes
    return sum(words in f"{line.text} {line.meaning}" for line in outcome.lines)


class Stubborn(OnitamaPlayer):
    def answer(self) -> bytes | None:
        return super().answer() and b"ox a1 a1"


class RarePositionTests(SynchronousTestCase):
    def test_stalemate_is_laid(self) -> None:
        """For each seat: it is to move, has all its pieces, and has no move. Nobody has won."""
        for client in (True, False):
            for seat in (Seat(0), Seat(1)):
                master = Master()
                stalemate(client)(master, seat)
                position = master.position
                self.assertEqual(position.turn, seat if client else 1 - seat)
                self.assertEqual(list(position.moves()), [])
                self.assertIsNone(position.won)

    def test_onitama(self) -> None:
        self.assertEqual(told(onitama_clients.SoundClient, "stalemate", "STALEMATE|"), 1)
        self.assertEqual(told(onitama_clients.SoundClient, "opponents-stalemate", "STALEMATE|"), 0)
        self.assertEqual(told(onitama_clients.SoundClient, "opponents-stalemate", "STALEMATE_CARD|"), 1)

    def test_paper_soccer(self) -> None:
        self.assertGreaterEqual(told(paper_soccer_clients.SoundClient, "own-goal", 'nick="tester" result="winner"'), 1)

    def test_stratego(self) -> None:
        """Scouts attack over more than one square."""
        self.assertGreater(told(stratego_lines_clients.SoundClient, "scouts", "the enemy's scout attacks"), 3)

    def test_eriantys(self) -> None:
        self.assertGreaterEqual(told(eriantys_clients.SoundClient, "empty-clouds", "last round"), 1)
        self.assertGreater(told(eriantys_clients.FillsTheDiningRoom, "full-table", "FULL_DINING_ROOM"), 0)
        self.assertGreater(told(eriantys_clients.SoundClient, "expert", "has used character"), 3)

    def test_a_fault_of_an_opponent(self) -> None:
        scenario = Scenario("stubborn", "", "turn", opponent=Stubborn)
        (outcome,) = check(onitama_clients.SoundClient, [scenario]).outcomes
        self.assertEqual(outcome.verdict.value, "pass")
        self.assertIn("GAME_OVER|tester", [line.text for line in outcome.lines])


class Heard(Watcher):
    def __init__(self) -> None:
        self.messages: list[tuple[Any, bytes]] = []
        self.errors: list[str] = []

    def said(self, message: Any, raw: bytes) -> None:
        self.messages.append((message, raw))

    def unreadable(self, error: WireError) -> None:
        self.errors.append(str(error))


class TranscriptTests(SynchronousTestCase):
    def test_a_transcript_line_is_printable_whatever_the_bytes_are(self) -> None:
        self.assertEqual(printable("LOGIN|žofie\r\n".encode()), "LOGIN|žofie")
        self.assertEqual(printable(b"a\x1b[2Jb\xff"), "a\\x1b[2Jb\\xff")
        self.assertEqual(len(printable(b"x" * 1000)), LONGEST + 3)

    def test_the_bytes_of_each_message(self) -> None:
        heard = Heard()
        codec = RecordingCodec(PipesCodec(), heard)
        self.assertEqual(len(list(codec.feed(b"LOGIN|ann\r\nLOGIN|bob\nLOG"))), 2)
        self.assertTrue(codec.unfinished)
        self.assertEqual(heard.messages, [(Login("ann"), b"LOGIN|ann\r\n"), (Login("bob"), b"LOGIN|bob\n")])

    def test_bytes_that_are_no_message(self) -> None:
        heard = Heard()
        with self.assertRaises(WireError):
            list(RecordingCodec(PipesCodec(), heard).feed(b"x" * 1000))
        self.assertEqual(len(heard.errors), 1)

    def test_secrets_are_hidden(self) -> None:
        transcript = Transcript(CHECKS["onitama"], lambda: 0.0, PipesClientCodec().encode, PipesCodec().encode)
        transcript.said(Login("ann:secret"), b"LOGIN|ann:secret\n")
        self.assertEqual([line.text for line in transcript.lines], ["LOGIN|ann:***"])

    def test_the_last_messages(self) -> None:
        transcript = Transcript(CHECKS["onitama"], lambda: 1.5, None, PipesCodec().encode)
        transcript.heard(Start("ann", "bob"), b"START|ann|bob\n")
        transcript.note("something happens")
        (last,) = transcript.last(1)
        self.assertEqual((last.sender, last.meaning), ("", "something happens"))
        self.assertIn("ann is White", transcript.last()[0].meaning)


def hangs_up(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.Login):
        raise WireError("tired")
    return [message]


class ServerRunTests(SynchronousTestCase):
    def test_a_closed_connection(self) -> None:
        report = check_server("onitama", ["crosswise"], heard=hangs_up)
        self.assertEqual(breaches(report), ["the server closes the connection"])

    def test_findings_have_a_section_and_a_transcript(self) -> None:
        report = check_server("onitama", ["refusals"], said=lambda end, one: [] if _is_refusal(one) else [one])
        (finding,) = report.outcomes[0].findings
        self.assertEqual(finding.law.section, "Server, Invalid Move")
        self.assertIn("after a move that ends where it began", finding.title)
        self.assertEqual(finding.transcript[-1].sender, "client")
        self.assertIn("ann", finding.transcript[-1].meaning)

    def test_the_same_seed_gives_the_same_report(self) -> None:
        first, second = (check_server("onitama", ["whole-match"], seed=5) for _ in range(2))
        self.assertEqual(first.outcomes[0].lines, second.outcomes[0].lines)

    def test_a_slow_server(self) -> None:
        """A scenario has an end. It is no fault to be slow."""
        self.patch(server_run, "WHOLE", 0.5)
        report = check_server("onitama", ["out-of-turn"])
        self.assertEqual([finding.title for finding, _ in report.findings], ["the scenario was very long"])
        self.assertTrue(report.clean)

    def test_a_server_that_says_nothing(self) -> None:
        report = check_server("stratego-lines", ["crosswise"], said=lambda end, one: [])
        self.assertEqual(breaches(report), ["AuthReq is missing"])
        self.assertLess(report.seconds, 10)

    def test_log_ins_that_are_never_answered(self) -> None:
        """It is one fault, found once, and not in each scenario. A server of Onitama answers the second log-in."""
        for wire in SERVER_CHECKS:
            with self.subTest(wire):
                report = check_server(wire, said=lambda end, one: [])
                ((finding, names),) = report.findings
                self.assertEqual(len(names), 1)
                self.assertIn("No other log-in was answered either, for 30 s.", finding.happened)
                self.assertEqual({one.verdict for one in report.outcomes[1:]}, {Verdict.SKIPPED})
                # The scenario that has begun is ended.
                self.assertGreaterEqual(report.seconds, 30.0)
                self.assertLess(report.seconds, 36.0)

    def test_a_server_that_has_answered_once(self) -> None:
        """It breaks down later, and each scenario may show something else."""
        heard: list[Any] = []

        def breaks_down(end: Faulty, message: Any) -> Sequence[Any]:
            heard.append(message)
            return [message] if len(heard) == 1 else []

        report = check_server("stratego-lines", said=breaks_down)
        self.assertEqual({one.verdict for one in report.outcomes}, {Verdict.BREACH})


def _is_refusal(message: Any) -> bool:
    return isinstance(message, m.InvalidMove)


def refused(line: Any) -> Deferred[Any]:
    return fail(OSError("connection refused"))


class ServerCheckTests(SynchronousTestCase):
    def test_addresses(self) -> None:
        self.assertEqual(address_of("localhost:80"), ("localhost", 80))
        self.assertEqual(address_of("[::1]:8893"), ("::1", 8893))
        for text in ("", "localhost", ":80", "localhost:", "localhost:0", "localhost:70000", "localhost:x"):
            self.assertRaises(ValueError, address_of, text)

    def test_names(self) -> None:
        checks = SERVER_CHECKS["onitama"]
        self.assertEqual([one.name for one in chosen(checks, ["bytes"])], ["bytes"])
        self.assertEqual(len(chosen(checks, [])), len(checks.scenarios))
        self.assertRaises(KeyError, chosen, checks, ["nonsense"])

    def test_names_of_players(self) -> None:
        """They differ in all scenarios of a check, however many there are."""
        self.assertEqual(len({tag(5, number) for number in range(500)}), 500)
        self.assertRegex(tag(2**32 - 1, 3), "^[a-z]{4}$")

    def test_no_server(self) -> None:
        (wire,) = (one for one in WIRES if one.name == "onitama")
        checks = SERVER_CHECKS["onitama"]
        server = ServerUnderTest(Clock(), wire, CHECKS["onitama"], checks, refused, False, {})
        failure = self.failureResultOf(check_of_server(server, checks.scenarios, 1).run(), Unreachable)
        self.assertEqual(failure.getErrorMessage(), "connection refused")


class DifferencesTests(SynchronousTestCase):
    def test_equal(self) -> None:
        self.assertEqual(list(differences(m.GameOver("ann"), m.GameOver("ann"))), [])

    def test_fields(self) -> None:
        got, expected = m.MoveWasMade("ox", "a1", "a2"), m.MoveWasMade("boar", "a1", "b2")
        self.assertEqual(
            list(differences(got, expected)),
            [("card", "card is 'ox', expected 'boar'"), ("end", "end is 'a2', expected 'b2'")],
        )
