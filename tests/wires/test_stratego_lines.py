"""The ASCII-lines wire as a whole, from bytes to bytes: what all wires do, its answers in every state, strict mode."""

import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.stratego_lines.codec import WORDS
from gamehost.wires.stratego_lines.conversation import WIRE as TOKEN
from gamehost.wires.stratego_lines.states import State
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.transcript import HOME
from tests.kit.wires.stratego_lines_table import BLUE, RED, WIRE, connected, playing, seated
from tests.kit.workers import HeldWorker

PAGE = Path(__file__).parents[2] / "docs" / "wires" / "stratego-lines.rst"


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = TOKEN
    transcripts = HOME
    begun = b"annaaaaa"
    too_long = b"a" * 161 + b"\n"

    nonsense = (*WireContract.nonsense, b"\n")
    silent = {
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
        "away": "the document has no words for it; the clock of the match goes on",
        "back": "the document has no words for it; the clock of the match goes on",
    }
    unreached = {
        State.CHECKING: "a worker that takes its time: AnswersTests",
        State.MOVED: "a journal that takes its time: AnswersTests",
    }

    def log_in(self, name: str) -> bytes:
        return f"{name}\nsecret\n".encode()

    def join_again(self, client: Client, name: str) -> None:
        """A player who is there waits for the next match at once."""

    def set_up(self, first: Client, second: Client) -> None:
        first.say(*RED)
        second.say(*BLUE)

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"A4-A5\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"A4-A9\n"

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {**super().situations(), "password": self.named, "set-up": self.matched, "ready": self.ready}

    def test_a_late_move_of_an_adopted_client(self) -> None:
        """A client that waits after a match may be adopted before the move has come that crossed the end: it has no answer."""
        over = self.after_match()
        adopted = self.adopted(over)
        for situation in (over, adopted):
            self.assertEqual(situation.client.ask("B4-B5"), [])
            self.assertEqual(situation.client.ask("B4-B5"), ["err the game has not begun: wait for new"])

    def named(self) -> Situation:
        """A password is awaited."""
        situation = self.connected_only()
        situation.client.say("ann")
        return situation

    def ready(self) -> Situation:
        """One set-up stands, and the other does not."""
        situation = self.matched()
        situation.client.say(*RED)
        return situation


#: What is sent for each row of the table: all of it is legal when it is awaited, or never.
SENT = {
    "a move": [b"B4-B5", b"b4-b6"],
    "a row of a set-up": [b"VMGKKJJJPP", b"rrrobbbbbb"],
    "a word of the server": [
        *(word.encode() for word in ("auth-req", "auth-ok", "auth-err", "new", "color red", "endsetup", "get-move")),
        *(word.encode() for word in ("none", "R", "B4-B5-R", "winner red", "winner none", "resume", "board", "err no")),
    ],
    "anything else": [b"hello", b" ", b"B4-B5 ", b"\x00", b"\x1b[2J", b"a" * 160, b"\t"],
    "a line that is not ASCII": [b"\xc3\xa9", b"A4\xe2\x80\x93A5", b"\x80", b"\xff"],
    "an empty line": [b"", b"\r"],
}

STATES = tuple(state.value for state in State)

#: Words of the server that are not the document's.
EXTENSIONS = ("err", "resume", "board", "winner none")


def documented() -> Iterator[tuple[str, dict[str, str]]]:
    """The table of answers on the wire's page: line -> state -> answer."""
    text = PAGE.read_text("utf-8").split(":name: stratego-lines-answers", 1)[1].split("\n\n")[1]
    for line, *answers in csv.reader((line.strip() for line in text.splitlines()), skipinitialspace=True):
        yield line, dict(zip(STATES, answers, strict=True))


class AnswersTests(SynchronousTestCase):
    """The page's table of answers, over the whole product of states and lines."""

    def in_state(self, state: str, strict: bool = False) -> Client:
        worker = HeldWorker()
        world = MemoryHost(strict=strict, worker=worker if state == "checking" else lambda work, done: done(work()))
        match State(state):
            case State.NAME | State.PASSWORD | State.CHECKING | State.WAITING as early:
                client = world.connect(WIRE)
                lines = {State.NAME: (), State.PASSWORD: ("ann",)}.get(early, ("ann", "secret"))
                client.say(*lines)
            case State.SETUP:
                client, _ = seated(world)
            case State.READY:
                client, _ = seated(world)
                client.say(*RED)
            case State.ASKED:
                client, _ = playing(world)
            case State.MOVED:
                client, _ = playing(world)
                world.journal.late = True
                client.say("A4-A5")
            case State.PLAYING:
                _, client = playing(world)
        self.assertEqual(client.state, State(state))
        client.heard()
        return client

    def test_every_line_in_every_state(self) -> None:
        """Each is answered as the page says, and a refusal leaves the state as it was."""
        rows = dict(documented())
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same lines")
        for kind, answers in rows.items():
            for state, answer in answers.items():
                for line in SENT[kind]:
                    client = self.in_state(state)
                    client.send(line + b"\n")
                    self.assert_answer(answer, client, state, (line, state))
                    self.assertFalse(client.transport.disconnecting, (line, state))

    def assert_answer(self, answer: str, client: Client, state: str, where: object) -> None:
        heard = client.heard()
        words = [line.split()[0] for line in heard]
        match answer:
            case "kept" | "nothing":
                self.assertEqual(words, [], where)
            case "judged":
                self.assertIn(words, (["auth-ok"], ["auth-err", "err", "auth-req"]), where)
            case "auth-err":
                self.assertEqual(words, ["auth-err", "err", "auth-req"], where)
            case "act":
                self.assertEqual(words, ["none"], where)
            case "err later":
                self.assertEqual(words, [], where)
                client.world.journal.release()
                self.assertEqual([line.split()[0] for line in client.heard()], ["none", "err"], where)
            case _:
                self.assertEqual(words, answer.split(), where)
        if answer in ("nothing", "err get-move") or (answer == "err" and state != "name"):
            self.assertEqual(client.state, State(state), where)
        for line in heard:
            self.assertTrue(line.isascii() and line.isprintable(), where)

    def test_strict_says_documented_words_only(self) -> None:
        """Where a refusal has none it hangs up: that is, everywhere but at a log-in and when a move is asked for."""
        for kind, answers in documented():
            for state, answer in answers.items():
                for line in SENT[kind]:
                    client = self.in_state(state, strict=True)
                    client.send(line + b"\n")
                    heard = client.heard()
                    self.assertFalse([word for word in heard if word.startswith(EXTENSIONS)], (line, state))
                    self.assertEqual(client.closed, answer == "err" and state != "name", (line, state))
                    if answer == "err get-move":
                        self.assertEqual(heard, ["get-move"])
                    if answer == "err later":
                        client.world.journal.release()
                        client.world.settle()
                        self.assertEqual((client.heard(), client.closed), (["none"], True))

    def test_no_answer_holds_what_was_sent(self) -> None:
        """Row 26: nothing of a bad line comes back, from whatever state."""
        for state in STATES:
            for line in (b"\x1b[2Jevil", b"ev\x07il", b"evil\x00", b"evil\xff"):
                client = self.in_state(state)
                client.send(line + b"\n")
                client.world.journal.release()
                self.assertNotIn("evil", "".join(client.heard()))

    def test_every_word_of_the_server_is_on_the_page(self) -> None:
        """Documented and extended."""
        page = PAGE.read_text("utf-8")
        self.assertEqual(len(WORDS), 13)
        for word in SENT["a word of the server"]:
            self.assertIn(word.decode().split()[0].removesuffix("-R"), page)


class StrictTests(SynchronousTestCase):
    """`--strict`: the document and nothing else."""

    def test_log_in_is_refused_with_auth_err_alone(self) -> None:
        """And asked for again, twice."""
        world = MemoryHost(strict=True)
        connected(world, "ann")
        client = world.connect(WIRE)
        self.assertEqual(client.ask("ann", "wrong"), ["auth-err", "auth-req"])
        self.assertEqual(client.ask("a b", "wrong"), ["auth-err", "auth-req"])
        self.assertEqual((client.ask("ann", ""), client.closed), (["auth-err"], True))

    def test_refused_set_up_is_answered_with_the_colour(self) -> None:
        """Four lines are awaited again; the third bad one ends the connection."""
        ann, bob = seated(MemoryHost(strict=True))
        self.assertEqual(ann.ask(*BLUE[:3], "x"), ["color red"])
        self.assertEqual(bob.ask(*BLUE[:3], "x"), ["color blue"])
        self.assertEqual(ann.ask(*BLUE[:3], "x"), ["color red"])
        self.assertEqual((ann.ask(*BLUE[:3], "x"), ann.closed), (["color red"], True))

    def test_refused_move_is_asked_for_again(self) -> None:
        """Whether it cannot be read or cannot be played."""
        ann, _ = playing(MemoryHost(strict=True))
        for move in ("A4-A4", "hello", "A4-A9", "B4-B5-R", "VMGKKJJJPP"):
            self.assertEqual(ann.ask(move), ["get-move"])

    def test_draw_is_the_last_mover_s(self) -> None:
        """The document knows no draw."""
        ann, bob = playing(MemoryHost({"stratego.max_plies": "2"}, strict=True))
        ann.say("A4-A5")
        self.assertEqual(bob.ask("B7-B6")[:2], ["none", "winner blue"])
        self.assertEqual(ann.heard()[:3], ["none", "B7-B6", "winner blue"])

    def test_draw_before_any_move_has_no_words(self) -> None:
        """The set-up time ran out for both: both are hung up on, and neither is seated again."""
        world = MemoryHost({"stratego.setup_time": "9"}, strict=True)
        ann, bob = seated(world)
        world.wait(9.1)
        self.assertEqual((ann.heard(), ann.closed, bob.heard(), bob.closed), ([], True, [], True))
        self.assertEqual((len(world.lobby.registry), world.lobby.tables), (0, {}))

    def test_coming_back_in_play_has_no_words(self) -> None:
        """In the set-up it has."""
        world = MemoryHost(strict=True)
        ann, bob = seated(world)
        bob.drop()
        bob = connected(world, "bob")
        self.assertEqual(bob.heard(), ["auth-req", "auth-ok", "new", "color blue"])
        ann.say(*RED)
        bob.say(*BLUE)
        bob.drop()
        bob = connected(world, "bob")
        self.assertEqual((bob.heard(), bob.closed), (["auth-req", "auth-ok"], True))
        world.wait(60)
        self.assertEqual(ann.heard()[-1], "winner red")

    def test_host_that_stops_hangs_up_without_a_word(self) -> None:
        """The document has none."""
        world = MemoryHost(strict=True, journal=RecordingJournal())
        ann, _ = playing(world)
        world.factories[WIRE].close("the host is stopping")
        world.wait(0)
        self.assertEqual((ann.heard(), ann.closed), ([], True))
