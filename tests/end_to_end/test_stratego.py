"""Stratego over real sockets, as binary frames and as lines: a host with a store, people and bots, kills and returns."""

import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.kit.memory_host import HOME, FrameWords, Hears, Says, Transcript
from tests.kit.process import PATIENCE, ROOT, Bots, HostProcess, Socket, play_through_a_kill, winners
from tests.kit.wires.stratego_lines import BLUE, RED, WIRE

# Stratego as binary frames over real sockets: a host and bots, each in a process of its own.


FRAMES_BOT = ROOT / "docs" / "bots" / "stratego_frames_bot.py"

FRAMES_GAMES = 2


@contextmanager
def host() -> Iterator[int]:
    """A host that listens on a free port, which is given."""
    with HostProcess(wires=["stratego-frames"]) as process:
        yield process.ports["stratego-frames"]


def frames_bot(name: str, port: str) -> list[str]:
    """The command of the documentation's bot."""
    return [sys.executable, str(FRAMES_BOT), name, "--port", port, "--games", str(FRAMES_GAMES)]


def answer(server: socket.socket, reason: str) -> None:
    """Refuse the next client, as the host does it."""
    connection, _ = server.accept()
    with connection:
        connection.settimeout(PATIENCE)
        connection.recv(100)
        payload = struct.pack(">H", len(reason)) + reason.encode()
        connection.sendall(struct.pack(">BBHH", 0x2A, 15, 0, len(payload)) + payload)
        connection.recv(100)


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

    def play_through_a_kill(self, *commands: list[str]) -> None:
        """Two bots play two games, though the host is killed in the first; both know who won each."""
        folder = Path(self.mktemp()).absolute()
        printed = [winners(text) for text in play_through_a_kill("stratego-frames", folder, *commands)]
        self.assertEqual(len(printed[0]), FRAMES_GAMES)
        self.assertEqual(printed[0], printed[1])
        self.assertLessEqual(set(printed[0]), {"ann", "bob", "tie"})

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """The bot of the documentation, twice."""
        self.play_through_a_kill(frames_bot("ann", "PORT"), frames_bot("bob", "PORT"))

    def c_bot(self, name: str, port: str) -> list[str]:
        """The command of the bot in C, compiled."""
        compiler = shutil.which("cc")
        if compiler is None:
            raise SkipTest("there is no C compiler named cc on this machine")
        program = str(Path(self.mktemp()).absolute())
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([compiler, *warnings, "-o", program, str(FRAMES_BOT.with_suffix(".c"))], check=True)
        return [program, name, "127.0.0.1", port, str(FRAMES_GAMES)]

    def test_the_bot_in_c_plays_on_after_the_host_is_killed_and_started_again(self) -> None:
        """Against the one in Python."""
        self.play_through_a_kill(self.c_bot("ann", "PORT"), frames_bot("bob", "PORT"))

    def test_a_bot_that_has_to_wait_for_its_seat_tries_again(self) -> None:
        """Both bots. Another refusal ends them."""
        wait, why = "a seat is kept under this name; try again in 3 s, or use a key", "this name belongs to an account"
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(PATIENCE)
            port = str(server.getsockname()[1])
            for command in (frames_bot("ann", port), self.c_bot("ann", port)):
                with Bots(command) as bots:
                    for words in (wait, why):
                        answer(server, words)
                    said, _ = bots.processes[0].communicate(timeout=PATIENCE)
                self.assertEqual(said.splitlines()[0], f"ann: refused: {wait}")
                self.assertEqual(said.splitlines()[-1], f"ann: refused: {why}")

    def test_a_bot_is_told_what_is_wrong(self) -> None:
        """A name that cannot be, in the words of the Error frame."""
        with host() as port, Bots(frames_bot("an n", str(port))) as bots:
            [process] = bots.processes
            said, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(said.strip(), "an n: refused: a name has 1 to 20 letters, digits, _ - or . and nothing else")
        self.assertEqual(process.returncode, 1)

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
            self.assertTrue(told[2].startswith("Board F123344455/........../"))
            self.assertEqual(bob.ask(until="Side"), ['Connected "connected"', "Side 2"])
            browser = Person(port)
            browser.socket.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.assertEqual(browser.ask(until="Error"), ['Error "a frame begins with 0x2A"'])
            self.assertEqual(browser.socket.recv(100), b"")
            for person in (bob, back, browser):
                person.socket.close()


# Stratego as ASCII lines over real sockets: a host with a store, people and bots, a kill and a return.


BOT = ROOT / "docs" / "bots" / "stratego_lines_bot.py"
CANARY = "canary-4711"
GAMES = 2


def bot(name: str, port: str, password: str = "secret") -> list[str]:
    """The command of the documentation's bot."""
    return [sys.executable, str(BOT), name, password, "--port", port, "--games", str(GAMES)]


class LinesOverSocketsTests(SynchronousTestCase):
    """Whole games."""

    def log_in(self, host: HostProcess, name: str) -> Socket:
        """A connection, up to its auth-ok."""
        client = host.connect(WIRE)
        self.assertEqual(client.hear(), "auth-req")
        client.say(name, CANARY)
        self.assertEqual(client.hear(), "auth-ok")
        self.addCleanup(client.close)
        return client

    def test_the_first_game_to_its_end_and_a_second_one(self) -> None:
        """The transcript of the documentation, line for line."""
        transcript = Transcript.read(HOME / WIRE / "first-game.txt")
        with HostProcess(wires=[WIRE]) as host:
            clients: dict[int, Socket] = {}
            for step in transcript.steps:
                assert isinstance(step, Says | Hears)
                if step.number not in clients:
                    clients[step.number] = host.connect(WIRE)
                    self.addCleanup(clients[step.number].close)
                if isinstance(step, Says):
                    clients[step.number].say(step.line)
                else:
                    self.assertEqual(clients[step.number].hear(), step.line)

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """The bot of the documentation, twice: two games, the host killed in the first; both know who won each."""
        folder = Path(self.mktemp()).absolute()
        printed = play_through_a_kill(WIRE, folder, bot("ann", "PORT"), bot("bob", "PORT"))
        self.assertEqual(len(winners(printed[0])), GAMES)
        self.assertEqual(winners(printed[0]), winners(printed[1]))
        self.assertLessEqual(set(winners(printed[0])), {"red", "blue", "none"})

    def test_a_bot_with_a_wrong_password(self) -> None:
        """It says so, and ends."""
        with HostProcess(wires=[WIRE]) as host:
            self.log_in(host, "ann")
            with Bots(bot("ann", str(host.ports[WIRE]), "guess")) as bots:
                [process] = bots.processes
                said, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual((said.strip(), process.returncode), ("ann: refused: wrong password", 1))

    def test_a_killed_host_knows_accounts_and_seats(self) -> None:
        """Killed in mid-game: the passwords fit, the board is there; and no password is in the log or in any file."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            ann, bob = self.log_in(host, "ann"), self.log_in(host, "bob")
            for client, color, rows in ((ann, "red", RED), (bob, "blue", BLUE)):
                self.assertEqual([client.hear(), client.hear()], ["new", f"color {color}"])
                client.say(*rows)
            self.assertEqual([ann.hear(), ann.hear()], ["endsetup", "get-move"])
            ann.say("A4-A5")
            self.assertEqual(ann.hear(), "none")
            host.kill()
        logs = host.log
        with HostProcess(wires=[WIRE], folder=folder, store="store.sqlite") as host:
            stranger = host.connect(WIRE)
            stranger.say("ann", "guess")
            self.assertEqual([stranger.hear(), stranger.hear()], ["auth-req", "auth-err"])
            stranger.close()
            ann, bob = self.log_in(host, "ann"), self.log_in(host, "bob")
            self.assertEqual([ann.hear() for _ in range(3)], ["resume", "color red", "board"])
            self.assertEqual([ann.hear() for _ in range(11)][5:7], ["R.~~..~~..", ".RROBBBBBB"])
            self.assertEqual([bob.hear() for _ in range(15)][13:], ["endsetup", "get-move"])
            host.stop()
            self.assertEqual(bob.hear(), "err the host is stopping; seats at tables are kept")
        self.assertNotIn(CANARY, logs + host.log)
        self.assertIn("resumed 1 table", host.log)
        for path in folder.iterdir():
            self.assertNotIn(CANARY.encode(), path.read_bytes(), path.name)
