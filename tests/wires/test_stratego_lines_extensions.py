"""What the lines say beyond the document: help, other protocols, resignations, and a move that crosses the end."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.stratego_lines.states import HELP, SETUP_HELP, State
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames_words import client_frames
from tests.kit.wires.stratego_lines_table import BLUE, RED, WIRE, connected, playing, quiet, seated

HELPED = [f"err {HELP[0]}", f"err {HELP[1]}", "auth-req"]


def stranger(strict: bool = False) -> Client:
    """A new connection that has read auth-req."""
    client = MemoryHost(strict=strict).connect(WIRE)
    client.heard()
    return client


class HelpTests(SynchronousTestCase):
    """Somebody with netcat and no one to ask."""

    def test_where_a_name_is_awaited(self) -> None:
        """Two lines: what this is, and what to send; a name is awaited still, and no account is made."""
        for word in ("help", "HELP", "?", "quit", " Help "):
            client = stranger()
            self.assertEqual(client.ask(word), HELPED, word)
            self.assertEqual(client.ask("ann", "secret"), ["auth-ok"])
            self.assertEqual(sorted(client.world.journal.accounts), ["ann"])

    def test_it_is_no_failed_log_in(self) -> None:
        """Any number of tries is left."""
        client = stranger()
        for _ in range(5):
            self.assertEqual(client.ask("help"), HELPED)

    def test_as_a_password(self) -> None:
        """It is one: a password may be any word."""
        self.assertEqual(stranger().ask("ann", "help"), ["auth-ok"])

    def test_where_a_set_up_is_awaited(self) -> None:
        """It is not taken for one of the four lines."""
        ann, bob = seated(MemoryHost())
        ann.say(*RED[:2])
        self.assertEqual(ann.ask("help"), [f"err {SETUP_HELP}"])
        bob.say(*BLUE)
        self.assertEqual(ann.ask(*RED[2:]), ["endsetup", "get-move"])

    def test_strict(self) -> None:
        """The document knows no help: it is a name, and cannot be one."""
        self.assertEqual(stranger(strict=True).ask("help", "secret"), ["auth-err", "auth-req"])


class OtherProtocolTests(SynchronousTestCase):
    """Clients of other protocols are told in one sentence."""

    def told(self, data: bytes, strict: bool = False) -> list[str]:
        client = stranger(strict)
        client.send(data)
        self.assertTrue(client.closed, data)
        return client.heard()

    def test_one_sentence(self) -> None:
        """It names what was seen and what is spoken here; then the connection ends."""
        for data, seen in (
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "an HTTP request"),
            (b"\x16\x03\x01\x02\x00\x01", "a TLS handshake"),
            (b"SSH-2.0-OpenSSH_9.6\r\n", "an SSH client"),
            (b'{"type": "LoginMessage"}\n', "JSON"),
            (b'<message type="login">\n', "XML"),
            (client_frames('Sign On "ann"', 0)[0], "the binary frames of Stratego"),
        ):
            [line] = self.told(data)
            self.assertTrue(line.startswith(f"err this looks like {seen}; this port speaks Stratego in lines"), line)

    def test_frames_in_pieces(self) -> None:
        """Two bytes are enough, however they come."""
        client = stranger()
        client.send(b"*")
        self.assertEqual((client.heard(), client.closed), ([], False))
        client.send(b"\x01")
        self.assertEqual((len(client.heard()), client.closed), (1, True))

    def test_strict_says_nothing(self) -> None:
        """It hangs up."""
        for data in (b"GET / HTTP/1.1\r\n\r\n", client_frames('Sign On "ann"', 0)[0]):
            self.assertEqual(self.told(data, strict=True), [])


class ResignTests(SynchronousTestCase):
    """Giving up."""

    def resigned(self, ann: Client, bob: Client, who: Client, winner: str) -> None:
        heard = who.ask("resign")
        self.assertEqual(heard[0], f"winner {winner}")
        self.assertEqual((bob if who is ann else ann).heard()[0], f"winner {winner}")

    def test_in_play(self) -> None:
        """On the own turn and on the other's; the next game begins."""
        for number, winner in ((0, "blue"), (1, "red")):
            ann, bob = playing(MemoryHost())
            self.resigned(ann, bob, (ann, bob)[number], winner)

    def test_during_the_set_up(self) -> None:
        """Before, between and behind the lines of it; in either case."""
        for lines in ((), RED[:2], RED):
            ann, _ = seated(MemoryHost())
            ann.ask(*lines)
            self.assertEqual(ann.ask("RESIGN")[:3], ["winner blue", "new", "color red"])

    def test_nobody_hears_of_it_before_it_is_durable(self) -> None:
        """And not before the answer to a move that was made before."""
        journal = RecordingJournal()
        world = MemoryHost(journal=journal)
        ann, bob = playing(world)
        journal.late = True
        self.assertEqual((ann.ask("A4-A5", "resign"), bob.heard()), ([], []))
        quiet_words = []
        while journal.release():
            quiet_words += ann.heard()
        self.assertEqual(quiet_words[:2], ["none", "winner blue"])

    def test_with_no_game(self) -> None:
        """Refused."""
        client = connected(MemoryHost(), "ann")
        self.assertEqual(client.ask("resign"), ["err the game has not begun: wait for new"])

    def test_strict(self) -> None:
        """It is a line like others: no move, no row."""
        ann, _ = playing(MemoryHost(strict=True))
        self.assertEqual(ann.ask("resign"), ["get-move"])


class LateTests(SynchronousTestCase):
    """A move that crosses the end of the game."""

    def test_it_has_no_answer(self) -> None:
        """Sent while the other resigned: it is no row of the new set-up, and no refusal."""
        world = MemoryHost()
        ann, bob = playing(world)
        bob.say("resign")
        quiet(world, ann, bob)
        self.assertEqual((ann.state, ann.ask("A4-A5")), (State.SETUP, []))
        bob.say(*BLUE)
        self.assertEqual(ann.ask(*RED), ["endsetup", "get-move"])

    def test_while_there_is_no_opponent(self) -> None:
        """The first is passed over, the second refused."""
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
        self.assertEqual(bob.state, State.SETUP)


class RefusedLogInTests(SynchronousTestCase):
    """Two reasons that are different things."""

    def test_the_reason_that_holds_is_said(self) -> None:
        """With no new account left: a known name has a wrong password, and a new one cannot become an account."""
        world = MemoryHost({"limits.accounts_per_address": "1"})
        connected(world, "ann").drop()
        self.assertEqual(connected(world, "ann", "guess").heard()[1:3], ["auth-err", "err wrong password"])
        [_, refusal, reason, _] = connected(world, "bob").heard()
        self.assertEqual(refusal, "auth-err")
        self.assertTrue(reason.startswith("err no new accounts from your address"), reason)
