"""Stratego as binary frames over real sockets: a host and bots, each in a process of its own."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import ROOT, HostProcess
from tests.kit.wires.stratego_frames_words import FrameWords

BOT = ROOT / "docs" / "bots" / "stratego_frames_bot.py"

#: Seconds for anything here; what takes longer is ended, and the test fails.
PATIENCE = 60


@contextmanager
def host() -> Iterator[int]:
    """A host that listens on a free port, which is given."""
    with HostProcess(wires=["stratego-frames"]) as process:
        yield process.ports["stratego-frames"]


def bot(name: str, port: int) -> "subprocess.Popen[str]":
    """The documentation's bot, in no need of a pause."""
    command = [sys.executable, str(BOT), name, "127.0.0.1", str(port), "0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Person:
    """Somebody at a real socket."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.words = FrameWords()

    def ask(self, *lines: str, until: str) -> list[str]:
        """Say frames, and hear what comes, up to the first that begins so."""
        self.socket.sendall(b"".join(map(self.words.said, lines)))
        heard: list[str] = []
        while not any(line.startswith(until) for line in heard):
            data = self.socket.recv(65_536)
            assert data, f"closed after {heard}"
            heard += self.words.heard(data)
        return heard


class EndToEndTests(SynchronousTestCase):
    """The whole of it."""

    def test_two_bots_play_to_the_end(self) -> None:
        """The bot of the documentation plays a game with its like, and both know who won."""
        with host() as port:
            bots = [bot(name, port) for name in ("ann", "bob")]
            said = [one.communicate(timeout=PATIENCE)[0].strip() for one in bots]
        self.assertIn(said[0], ("won by ann", "won by bob", "won by tie"))
        self.assertEqual(said[0], said[1])
        self.assertEqual([one.returncode for one in bots], [0, 0])

    def test_a_bot_is_told_what_is_wrong(self) -> None:
        """A name that cannot be, in the words of the Error frame."""
        with host() as port:
            said, _ = bot("an n", port).communicate(timeout=PATIENCE)
        self.assertEqual(said.strip(), "error: a name has 1 to 20 letters, digits, _ - or . and nothing else")

    def test_a_lost_socket_comes_back(self) -> None:
        """A socket that is reset keeps its seat; a browser gets one Error frame and is closed."""
        with host() as port:
            ann, bob = Person(port), Person(port)
            ann.ask('Sign On "ann"', until="Wait")
            bob.ask('Sign On "bob"', until="Connected")
            ann.ask("Setup F123344455 (0,0)", until="Placement")
            ann.socket.close()
            self.assertEqual(bob.ask(until="Wait"), ['Wait "wait"'])
            back = Person(port)
            told = back.ask('Sign On "ann"', until="Board")
            self.assertEqual(told[0], 'Connected "connected"')
            self.assertTrue(told[1].startswith("Board F123344455/........../"))
            self.assertEqual(bob.ask(until="Connected"), ['Connected "connected"'])
            browser = Person(port)
            browser.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.assertEqual(browser.ask(until="Error"), ['Error "a frame begins with 0x2A"'])
            self.assertEqual(browser.socket.recv(100), b"")
            for person in (bob, back, browser):
                person.socket.close()
