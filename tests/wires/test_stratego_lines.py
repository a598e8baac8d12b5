"""Stratego in ASCII lines."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.lobby import Lobby
from gamehost.testing.cases import PropertyCase
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.stratego_lines import WIRE as TOKEN
from gamehost.wires.stratego_lines.codec import WORDS
from gamehost.wires.stratego_lines.conversation import HELP, SETUP_HELP, LinesConversation, LinesState
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import HOME, Client, MemoryHost, client_frames
from tests.kit.pages import answers
from tests.kit.reactors import HeldWorker
from tests.kit.wires.stratego_frames import CONNECTED, VALID, PairsContract
from tests.kit.wires.stratego_frames import connected as connected_frames
from tests.kit.wires.stratego_lines import (
    BLUE,
    ON_WIRE,
    RED,
    WIRE,
    connected,
    playing,
    quiet,
    seated,
)

PAGE = Path(__file__).parents[2] / "docs" / "wires" / "stratego-lines.rst"


class WireTests(WireContract, PropertyCase):
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
        LinesState.CHECKING: "a worker that takes its time: AnswersTests",
        LinesState.MOVED: "a journal that takes its time: AnswersTests",
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
        situation = self.connected_only()
        situation.client.say("ann")
        return situation

    def ready(self) -> Situation:
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

STATES = tuple(state.value for state in LinesState)

#: Words of the server that are not the document's.
EXTENSIONS = ("err", "resume", "board", "winner none")


class AnswersTests(SynchronousTestCase):
    def in_state(self, state: str, strict: bool = False) -> Client:
        worker = HeldWorker()
        world = MemoryHost(strict=strict, worker=worker if state == "checking" else lambda work, done: done(work()))
        match LinesState(state):
            case LinesState.NAME | LinesState.PASSWORD | LinesState.CHECKING | LinesState.WAITING as early:
                client = world.connect(WIRE)
                lines = {LinesState.NAME: (), LinesState.PASSWORD: ("ann",)}.get(early, ("ann", "secret"))
                client.say(*lines)
            case LinesState.SETUP:
                client, _ = seated(world)
            case LinesState.READY:
                client, _ = seated(world)
                client.say(*RED)
            case LinesState.ASKED:
                client, _ = playing(world)
            case LinesState.MOVED:
                client, _ = playing(world)
                world.journal.late = True
                client.say("A4-A5")
            case LinesState.PLAYING:
                _, client = playing(world)
        self.assertEqual(client.state, LinesState(state))
        client.heard()
        return client

    def test_every_line_in_every_state(self) -> None:
        rows = answers(PAGE, "stratego-lines-answers", STATES)
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same lines")
        for kind, row in rows.items():
            for state, answer in row.items():
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
            self.assertEqual(client.state, LinesState(state), where)
        for line in heard:
            self.assertTrue(line.isascii() and line.isprintable(), where)

    def test_strict_says_documented_words_only(self) -> None:
        """Where a refusal has none it hangs up: that is, everywhere but at a log-in and when a move is asked for."""
        for kind, row in answers(PAGE, "stratego-lines-answers", STATES).items():
            for state, answer in row.items():
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
                        client.world.until_idle()
                        self.assertEqual((client.heard(), client.closed), (["none"], True))

    def test_every_word_of_the_server_is_on_the_page(self) -> None:
        page = PAGE.read_text("utf-8")
        self.assertEqual(len(WORDS), 13)
        for word in SENT["a word of the server"]:
            self.assertIn(word.decode().split()[0].removesuffix("-R"), page)


class StrictTests(SynchronousTestCase):
    def test_log_in_is_refused_with_auth_err_alone(self) -> None:
        world = MemoryHost(strict=True)
        connected(world, "ann")
        client = world.connect(WIRE)
        self.assertEqual(client.ask("ann", "wrong"), ["auth-err", "auth-req"])
        self.assertEqual(client.ask("a b", "wrong"), ["auth-err", "auth-req"])
        self.assertEqual((client.ask("ann", ""), client.closed), (["auth-err"], True))

    def test_refused_set_up_is_answered_with_the_colour(self) -> None:
        ann, bob = seated(MemoryHost(strict=True))
        self.assertEqual(ann.ask(*BLUE[:3], "x"), ["color red"])
        self.assertEqual(bob.ask(*BLUE[:3], "x"), ["color blue"])
        self.assertEqual(ann.ask(*BLUE[:3], "x"), ["color red"])
        self.assertEqual((ann.ask(*BLUE[:3], "x"), ann.closed), (["color red"], True))

    def test_draw_is_the_last_mover_s(self) -> None:
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


HELPED = [f"err {HELP[0]}", f"err {HELP[1]}", "auth-req"]


def stranger(strict: bool = False) -> Client:
    client = MemoryHost(strict=strict).connect(WIRE)
    client.heard()
    return client


class HelpTests(SynchronousTestCase):
    def test_where_a_name_is_awaited(self) -> None:
        for word in ("help", "HELP", "?", "quit", " Help "):
            client = stranger()
            self.assertEqual(client.ask(word), HELPED, word)
            self.assertEqual(client.ask("ann", "secret"), ["auth-ok"])
            self.assertEqual(sorted(client.world.journal.people), ["ann"])

    def test_it_is_no_failed_log_in(self) -> None:
        """Any number of tries is left."""
        client = stranger()
        for _ in range(5):
            self.assertEqual(client.ask("help"), HELPED)

    def test_as_a_password(self) -> None:
        self.assertEqual(stranger().ask("ann", "help"), ["auth-ok"])

    def test_where_a_set_up_is_awaited(self) -> None:
        ann, bob = seated(MemoryHost())
        ann.say(*RED[:2])
        self.assertEqual(ann.ask("help"), [f"err {SETUP_HELP}"])
        bob.say(*BLUE)
        self.assertEqual(ann.ask(*RED[2:]), ["endsetup", "get-move"])

    def test_strict(self) -> None:
        """The document knows no help: it is a name, and cannot be one."""
        self.assertEqual(stranger(strict=True).ask("help", "secret"), ["auth-err", "auth-req"])


class OtherProtocolTests(SynchronousTestCase):
    def told(self, data: bytes, strict: bool = False) -> list[str]:
        client = stranger(strict)
        client.send(data)
        self.assertTrue(client.closed, data)
        return client.heard()

    def test_frames_in_pieces(self) -> None:
        client = stranger()
        client.send(b"*")
        self.assertEqual((client.heard(), client.closed), ([], False))
        client.send(b"\x01")
        [line] = client.heard()
        self.assertIn("this looks like the binary frames of Stratego; this port speaks Stratego in lines", line)
        self.assertTrue(client.closed)

    def test_strict_says_nothing(self) -> None:
        for data in (b"GET / HTTP/1.1\r\n\r\n", client_frames('Sign On "ann"', 0)[0]):
            self.assertEqual(self.told(data, strict=True), [])


class ResignTests(SynchronousTestCase):
    def test_during_the_set_up(self) -> None:
        for lines in ((), RED[:2], RED):
            ann, _ = seated(MemoryHost())
            ann.ask(*lines)
            self.assertEqual(ann.ask("RESIGN")[:3], ["winner blue", "new", "color red"])

    def test_with_no_game(self) -> None:
        client = connected(MemoryHost(), "ann")
        self.assertEqual(client.ask("resign"), ["err the game has not begun: wait for new"])

    def test_strict(self) -> None:
        """It is a line like others: no move, no row."""
        ann, _ = playing(MemoryHost(strict=True))
        self.assertEqual(ann.ask("resign"), ["get-move"])


class LateTests(SynchronousTestCase):
    def test_it_has_no_answer(self) -> None:
        """Sent while the other resigned: it is no row of the new set-up, and no refusal."""
        world = MemoryHost()
        ann, bob = playing(world)
        bob.say("resign")
        quiet(world, ann, bob)
        self.assertEqual((ann.state, ann.ask("A4-A5")), (LinesState.SETUP, []))
        bob.say(*BLUE)
        self.assertEqual(ann.ask(*RED), ["endsetup", "get-move"])

    def test_while_there_is_no_opponent(self) -> None:
        world = MemoryHost()
        ann, bob = playing(world)
        bob.drop()
        world.wait(61)
        self.assertEqual(ann.heard(), ["winner red"])
        self.assertEqual(ann.ask("A4-A5"), [])
        self.assertEqual(ann.ask("A4-A5"), ["err the game has not begun: wait for new"])

    def test_resignations_that_cross(self) -> None:
        """The second one does not give up the game that has just begun."""
        ann, bob = playing(MemoryHost())
        ann.say("resign")
        self.assertEqual(bob.heard()[:2], ["winner blue", "new"])
        self.assertEqual((bob.ask("resign"), ann.heard()[0]), ([], "winner blue"))
        self.assertEqual(bob.state, LinesState.SETUP)


class RefusedLogInTests(SynchronousTestCase):
    def test_the_reason_that_holds_is_said(self) -> None:
        """With no new account left: a known name has a wrong password, and a new one cannot become an account."""
        world = MemoryHost({"limits.accounts_per_address": "1"})
        connected(world, "ann").drop()
        self.assertEqual(connected(world, "ann", "guess").heard()[1:3], ["auth-err", "err wrong password"])
        [_, refusal, reason, _] = connected(world, "bob").heard()
        self.assertEqual(refusal, "auth-err")
        self.assertTrue(reason.startswith("err no new accounts from your address"), reason)


CANARY = "canary-4711"


class SecretTests(PairsContract, SynchronousTestCase):
    on_wire = ON_WIRE


class CanaryTests(SynchronousTestCase):
    def searched(self, world: MemoryHost, act: Callable[[], Any]) -> list[str]:
        """All that was logged while something was done, and all that the host's parts show of themselves."""
        with capturedLogs() as events:
            act()
        self.flushLoggedErrors()
        shown = [eventAsText(event, includeTraceback=True) for event in events]
        for event in events:
            if "log_failure" in event:
                shown.append(event["log_failure"].getTraceback(detail="default"))
                shown.append(event["log_failure"].getBriefTraceback())
        journal = world.journal
        shown.append(repr((journal.openings, journal.entries, journal.people)))
        for connection in world.factories[WIRE].connections:
            talk: Any = connection.conversation
            for part in (connection, talk, talk._attempt, talk.session, connection._codec):
                shown.append(repr(part))
        shown.append(
            repr(world.lobby) + repr(vars(world.lobby.login_service)) + repr(world.lobby.registry.sessions.by_key)
        )
        return shown

    def assert_not_shown(self, shown: list[str]) -> None:
        for text in shown:
            self.assertNotIn(CANARY, text)
        self.assertTrue(any("Digest(cost" in text for text in shown), "something was looked at")

    def test_log_ins_good_and_bad(self) -> None:
        worker = HeldWorker()
        world = MemoryHost(worker=worker)

        def act() -> None:
            first = connected(world, "ann", CANARY)
            connected(world, "ann", CANARY + "x")
            worker.release()
            first.say(CANARY)
            half = world.connect(WIRE)
            half.send(b"bob\n" + CANARY.encode())
            world.wait(11)
            long = world.connect(WIRE)
            long.say("bob", CANARY * 20)
            connected(world, "dora", CANARY)
            connected(world, "emil", CANARY)

        self.assert_not_shown(self.searched(world, act))
        self.assertEqual(len(worker.held), 1, "one is being worked on, and one waits")

    def crash(self, owner: Any, method: str) -> Client:
        def broken(*anything: object) -> None:
            raise RuntimeError("planted")

        world = MemoryHost()
        connected(world, "bob", CANARY)
        client = world.connect(WIRE)
        self.patch(owner, method, broken)
        shown = self.searched(world, lambda: client.say("ann", CANARY))
        self.assertTrue(any("planted" in text for text in shown))
        self.assert_not_shown(shown)
        return client

    def test_a_crash_in_the_conversation(self) -> None:
        """What is logged has its traceback, and nothing of what went through the hands that crashed."""
        self.assertTrue(self.crash(LinesConversation, "password_checked").heard())

    def test_a_crash_in_the_lobby(self) -> None:
        self.assertTrue(self.crash(Lobby, "log_in").closed)

    def test_a_crash_in_pairing(self) -> None:
        self.assertTrue(self.crash(Lobby, "play").closed)

    def test_a_crash_in_the_book(self) -> None:
        self.assertTrue(self.crash(RecordingJournal, "find").closed)

    def test_a_crash_in_writing_down(self) -> None:
        client = self.crash(RecordingJournal, "add")
        self.assertEqual(client.heard(), ["auth-req", "auth-err", "err a fault of the host", "auth-req"])

    def test_a_crash_in_the_work_itself(self) -> None:
        """The worker's thread has the password; what is logged of it has not."""
        world = MemoryHost()
        playing(world)
        world.lobby.login_service._cost = None  # type: ignore[assignment]
        client = world.connect(WIRE)
        shown = self.searched(world, lambda: client.say("carl", CANARY))
        self.assertTrue(any("AttributeError" in text for text in shown))
        self.assert_not_shown(shown)
        self.assertEqual(client.heard()[:3], ["auth-req", "auth-err", "err a fault of the host"])


def signed_on(world: MemoryHost, name: str) -> Client:
    client = connected_frames(world)
    client.say(f'Sign On "{name}"')
    return client


class AcrossTests(SynchronousTestCase):
    def test_names_are_one_lobby_s(self) -> None:
        """A guest's name makes no account, and an account's name is no guest's; nobody plays themselves."""
        world = MemoryHost()
        ann = signed_on(world, "ann")
        self.assertEqual(connected(world, "Ann").heard()[1:3], ["auth-err", "err this name is in use by a guest"])
        bob = connected(world, "bob")
        self.assertEqual(signed_on(world, "BOB").heard(), ['Error "this name belongs to an account"'])
        self.assertEqual((ann.heard()[-1], bob.heard()[-1]), (CONNECTED, "color blue"))

    def test_a_loss_is_told_in_the_words_of_each_wire(self) -> None:
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        bob.heard()
        bob.drop()
        self.assertEqual(ann.heard(), ['Wait "wait"'])
        bob = connected(world, "bob")
        self.assertEqual((ann.heard(), bob.heard()[2:]), ([CONNECTED], ["new", "color blue"]))
        ann.drop()
        again = signed_on(world, "ann")
        self.assertEqual((again.heard()[0], bob.heard()), (CONNECTED, []))

    def test_who_was_not_missed_is_not_announced(self) -> None:
        """An account that logs in anew takes the seat from its own older connection: the other hears nothing of it."""
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        newer = connected(world, "bob")
        self.assertEqual((ann.heard(), newer.heard()[2:]), ([], ["new", "color blue"]))
        world.until_idle()
        self.assertTrue(bob.closed)
        newer.drop()
        self.assertEqual(ann.heard(), ['Wait "wait"'])
        self.assertEqual(connected(world, "bob").heard()[2:], ["new", "color blue"])
        self.assertEqual(ann.heard(), [CONNECTED])

    def test_who_was_missed_is_announced_however_often_they_come(self) -> None:
        """Lost, back, and back anew before any of it could be told: the other is told of the loss and of one return."""
        world = MemoryHost()
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        ann.heard()
        world.journal.late = True
        ann.say("Setup 9 (0,3)")
        bob.drop()
        connected(world, "bob")
        newer = connected(world, "bob")
        self.assertEqual(ann.heard(), [])
        world.journal.release()
        self.assertEqual(ann.heard(), [VALID, 'Wait "wait"', CONNECTED])
        self.assertEqual(newer.heard()[-1], "color blue")

    def test_a_wire_on_its_own(self) -> None:
        world = MemoryHost({"stratego-lines.separate": "yes"})
        ann, bob = signed_on(world, "ann"), connected(world, "bob")
        self.assertEqual((ann.heard(), bob.heard()), (['Wait "wait"'], ["auth-req", "auth-ok"]))
        connected(world, "carl")
        self.assertEqual((ann.heard(), bob.heard()), ([], ["new", "color red"]))
