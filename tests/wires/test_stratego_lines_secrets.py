"""What is hidden stays hidden on the ASCII-lines wire: the enemy's pieces, and everybody's password."""

from collections.abc import Callable
from typing import Any

from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.stratego.master import StrategoMaster
from gamehost.lobby.lobby import Lobby
from gamehost.wires.stratego_lines.conversation import LinesConversation
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_lines_pairs import LEAKS, SPEECH
from tests.kit.wires.stratego_lines_table import WIRE, connected, playing
from tests.kit.wires.stratego_pairs import differences, leaky
from tests.kit.wires.stratego_pairs_contract import PairsContract
from tests.kit.workers import HeldWorker

CANARY = "canary-4711"


class SecretTests(PairsContract, SynchronousTestCase):
    """Pairs of games, and wires that are known to leak."""

    speech = SPEECH
    back = b"resume"

    def has_battle(self, heard: bytes) -> bool:
        return any(line.count(b"-") == 2 and len(line) > 6 for line in heard.split())

    def test_leaks_are_found(self) -> None:
        """Each of several wires that leak a kind in one way is caught within 100 pairs."""
        for number, leak in enumerate(LEAKS):
            self.assertIsNot(next(differences(leak, 100), None), None, f"leak {number} is not found")

    def test_without_a_leak_the_other_wire_is_the_same(self) -> None:
        """It is the leak that is found, not the way in which it was planted."""
        self.assertEqual(list(differences(leaky(SPEECH, StrategoMaster, LinesConversation), 20)), [])


class CanaryTests(SynchronousTestCase):
    """A password is looked for wherever it must not be."""

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
        shown.append(repr((journal.openings, journal.entries, journal.accounts)))
        for connection in world.factories[WIRE].connections:
            talk: Any = connection._conversation
            for part in (connection, talk, talk._attempt, talk.session, connection._codec):
                shown.append(repr(part))
        shown.append(
            repr(world.lobby) + repr(vars(world.lobby.login_service)) + repr(world.lobby.registry._sessions.by_key)
        )
        return shown

    def assert_not_shown(self, shown: list[str]) -> None:
        for text in shown:
            self.assertNotIn(CANARY, text)
        self.assertTrue(any("Digest(cost" in text for text in shown), "something was looked at")

    def test_log_ins_good_and_bad(self) -> None:
        """While a password waits, is right, is wrong, comes in the wrong place, or is half sent."""
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
        """Log in where something breaks."""

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
        """Before the password is judged."""
        self.assertTrue(self.crash(Lobby, "log_in").closed)

    def test_a_crash_in_pairing(self) -> None:
        """After it was; that connection is dropped."""
        self.assertTrue(self.crash(Lobby, "play").closed)

    def test_a_crash_in_the_book(self) -> None:
        """While it looks a name up."""
        self.assertTrue(self.crash(RecordingJournal, "find").closed)

    def test_a_crash_in_writing_down(self) -> None:
        """While it adds an account."""
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
