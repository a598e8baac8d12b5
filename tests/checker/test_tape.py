"""The record of a session: whole messages, in one line, without control characters and passwords."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.tape import LONGEST, RecordingCodec, Tape, Watcher, printable
from gamehost.wires.framing import WireError
from gamehost.wires.onitama.client import PipesClientCodec
from gamehost.wires.onitama.codec import PipesCodec
from gamehost.wires.onitama.messages import Login, Start
from tests.kit.checked_client import CHECKS


class Heard(Watcher):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, bytes]] = []
        self.errors: list[str] = []

    def said(self, message: Any, raw: bytes) -> None:
        self.messages.append((message, raw))

    def unreadable(self, error: WireError) -> None:
        self.errors.append(str(error))


class TapeTests(SynchronousTestCase):
    """What is written, and how."""

    def test_printable(self) -> None:
        """One line, whatever the bytes are."""
        self.assertEqual(printable("LOGIN|žofie\r\n".encode()), "LOGIN|žofie")
        self.assertEqual(printable(b"a\x1b[2Jb\xff"), "a\\x1b[2Jb\\xff")
        self.assertEqual(len(printable(b"x" * 1000)), LONGEST + 3)

    def test_the_bytes_of_each_message(self) -> None:
        """Also when one segment has several of them."""
        heard = Heard()
        codec = RecordingCodec(PipesCodec(), heard)
        self.assertEqual(len(list(codec.feed(b"LOGIN|ann\r\nLOGIN|bob\nLOG"))), 2)
        self.assertTrue(codec.unfinished)
        self.assertEqual(heard.messages, [(Login("ann"), b"LOGIN|ann\r\n"), (Login("bob"), b"LOGIN|bob\n")])

    def test_bytes_that_are_no_message(self) -> None:
        """They are told, and the error goes on its way."""
        heard = Heard()
        with self.assertRaises(WireError):
            list(RecordingCodec(PipesCodec(), heard).feed(b"x" * 1000))
        self.assertEqual(len(heard.errors), 1)

    def test_secrets_are_hidden(self) -> None:
        """As the wire's reading says."""
        tape = Tape(CHECKS["onitama"], lambda: 0.0, PipesClientCodec().encode)
        tape.said(Login("ann:secret"), b"LOGIN|ann:secret\n")
        self.assertEqual([line.text for line in tape.lines], ["LOGIN|ann:***"])

    def test_the_last_messages(self) -> None:
        """With what they mean."""
        tape = Tape(CHECKS["onitama"], lambda: 1.5, None)
        tape.heard(Start("ann", "bob"), b"START|ann|bob\n")
        tape.note("something happens")
        (last,) = tape.last(1)
        self.assertEqual((last.sender, last.meaning), ("", "something happens"))
        self.assertIn("ann is White", tape.last()[0].meaning)
