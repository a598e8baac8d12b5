"""Onitama, Stratego and paper soccer over real sockets: what a stranger with netcat sees, bots, kills and returns."""

import importlib.util
import io
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.paper_soccer.rules import Point, Position
from gamehost.wires.base import DISPLACED
from tests import long
from tests.kit.games.paper_soccer import as_move, recorded
from tests.kit.memory_host import HOME, Hears, Says, Transcript
from tests.kit.process import PATIENCE, ROOT, Bots, HostProcess, Socket, play_through_a_kill, winners
from tests.kit.wires.stratego_lines import BLUE, RED, WIRE


def bot(name: str) -> ModuleType:
    path = ROOT / "docs" / "bots" / f"{name}_bot.py"
    spec = importlib.util.spec_from_file_location(f"{name}_bot", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BotThread:
    """
    One of the documentation's bots in a thread. It stops at the first line it prints that holds `at`, until it may go on.

    :param run: the bot's function
    :param at: a part of a line
    """

    def __init__(self, pool: Executor, module: ModuleType, name: str, port: int, games: int, at: str = "") -> None:
        self.lines: list[str] = []
        self.stopped, self._may_go_on, self._at = threading.Event(), threading.Event(), at
        module.__dict__["print"] = self._print
        self.winners = pool.submit(module.run, name, "127.0.0.1", port, games, pause=0.1)

    def _print(self, *words: object) -> None:
        self.lines.append(" ".join(map(str, words)))
        if self._at and self._at in self.lines[-1] and not self.stopped.is_set():
            self.stopped.set()
            assert self._may_go_on.wait(PATIENCE)

    def go_on(self) -> None:
        self._may_go_on.set()


class BotCase(SynchronousTestCase):
    """Bots of the documentation against a host that is killed in the middle of a game and started again."""

    wire: ClassVar[str]

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        return HostProcess(*options, wires=[self.wire], folder=self.folder, store="store.sqlite")

    def again(self, port: int) -> HostProcess:
        return self.host(f"--{self.wire}=tcp:{port}:interface=127.0.0.1")

    def play_over_a_kill(self, name: str, at: str, games: int = 3) -> tuple[BotThread, BotThread]:
        """Two bots play; the host is killed while the first one has its turn in a game, or waits for the other."""
        with ThreadPoolExecutor(2) as pool:
            with self.host() as host:
                port = host.ports[self.wire]
                ann = BotThread(pool, bot(name), "ann", port, games, at)
                bob = BotThread(pool, bot(name), "bob", port, games)
                self.assertTrue(ann.stopped.wait(PATIENCE))
                host.kill()
            with self.again(port) as host:
                self.assertIn("resumed 1 table", host.log)
                ann.go_on()
                self.assertEqual(ann.winners.result(60), bob.winners.result(60))
        self.assertEqual(len(ann.winners.result()), games)
        self.assertIn("ann has lost the connection and tries again", ann.lines)
        return ann, bob


class OnitamaBotTests(BotCase):
    wire = "onitama"

    def test_they_play_on_after_a_kill_of_the_host(self) -> None:
        """Three games; in the first one both come back to the same position."""
        ann, _ = self.play_over_a_kill("onitama", "is White")
        self.assertTrue(any(line.endswith("is back") for line in ann.lines), ann.lines)
        self.assertFalse([line for line in ann.lines if "INVALID_MOVE|that" in line], ann.lines)

    def test_a_bot_that_is_started_again_plays_on(self) -> None:
        """It finds its game in RECONNECT."""
        with self.host() as host, ThreadPoolExecutor(2) as pool:
            socket = host.connect("onitama")
            bob = BotThread(pool, bot("onitama"), "bob", host.ports["onitama"], 1, "WAITING")
            self.assertTrue(bob.stopped.wait(PATIENCE))
            socket.say("LOGIN|ann")
            self.assertIn("START|bob|ann", socket.hear())
            socket.close()
            ann = BotThread(pool, bot("onitama"), "ann", host.ports["onitama"], 1, "is back")
            self.assertTrue(ann.stopped.wait(PATIENCE))
            ann.go_on()
            bob.go_on()
            self.assertEqual(ann.winners.result(60), bob.winners.result(60))

    def test_the_bot_for_node_says_what_is_wrong(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise SkipTest("there is no node on this machine")
        script = str(ROOT / "docs" / "bots" / "onitama_bot.js")
        for words, reason in (
            (["ann", "--port", "x"], "--port: expected a number"),
            (["ann", "7"], "expected one NAME"),
        ):
            done = subprocess.run([node, script, *words], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(reason, done.stderr)

    def test_the_bot_for_node_plays_on_after_a_kill_of_the_host(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise SkipTest("there is no node on this machine")
        with ThreadPoolExecutor(1) as pool:
            with self.host() as host:
                port = host.ports["onitama"]
                script = str(ROOT / "docs" / "bots" / "onitama_bot.js")
                command = [node, script, "ann", "--games", "3", "--port", str(port)]
                process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                bob = BotThread(pool, bot("onitama"), "bob", port, 3, "is White")
                self.assertTrue(bob.stopped.wait(PATIENCE))
                host.kill()
            with self.again(port) as host:
                self.assertIn("resumed 1 table", host.log)
                bob.go_on()
                output, _ = process.communicate(timeout=PATIENCE)
                self.assertEqual(len(bob.winners.result(60)), 3)
        self.assertEqual(process.returncode, 0)
        for number, winner in enumerate(bob.winners.result(), 1):
            self.assertIn(f"ann: game {number} was won by {winner}\n", output)
        self.assertIn("is back", output)


class OnitamaOverSocketsTests(SynchronousTestCase):
    def test_the_first_game_to_its_end_and_a_second_one(self) -> None:
        """The transcript of the documentation, byte for byte; then SIGTERM."""
        transcript = Transcript.read(HOME / "onitama" / "first-game.txt")
        settings = [word for name, text in transcript.settings.items() for word in ("--set", f"{name}={text}")]
        with HostProcess(*settings, wires=["onitama"]) as host:
            clients: dict[int, Socket] = {}
            for step in transcript.steps:
                match step:
                    case Says(number, line):
                        clients.setdefault(number, host.connect("onitama")).say(line)
                    case Hears(number, line):
                        self.assertEqual(clients[number].hear(), line)
            status, seconds = host.stop()
            self.assertIn(status, (0, -signal.SIGTERM), "twistd dies of the signal it was stopped with")
            self.assertLess(seconds, 5)
            self.assertEqual(clients[1].hear(), "ERROR|the host is stopping; seats at tables are kept")
            self.assertEqual(clients[1].hear(), "")

    def test_what_is_in_the_way_of_a_start_is_named(self) -> None:
        """A port in use, a bad endpoint, a bad setting: a message that names it, a status that is not 0, nothing open."""
        with HostProcess(wires=["onitama"]) as host:
            port = host.ports["onitama"]
            for option, words in (
                (f"--onitama=tcp:{port}:interface=127.0.0.1", "cannot listen on"),
                ("--store=nowhere/store.sqlite", "nowhere/store.sqlite"),
                ("--onitama=nonsense", "is not an endpoint"),
                ("--set=onitama.deal=dog", "onitama.deal: expected"),
                ("--set=limits.nothing=1", "limits.nothing: unknown setting"),
                ("--grace=soon", "--grace: expected seconds"),
                ("--resume=perhaps", "--resume: expected one of"),
                ("--config=/nowhere/at/all.toml", "--config: /nowhere/at/all.toml: No such file or directory"),
            ):
                refused = HostProcess(option, wires=["onitama"])
                error = self.assertRaises(AssertionError, refused.__enter__)
                refused.__exit__(None, None, None)
                self.assertIn(words, str(error))
                self.assertNotEqual(refused.process.returncode, 0)
                self.assertNotIn("gamehost ready", str(error))
                self.assertNotIn("Traceback", str(error))


# Stratego as binary frames over real sockets: a host and bots, each in a process of its own.


FRAMES_BOT = ROOT / "docs" / "bots" / "stratego_frames_bot.py"

FRAMES_GAMES = 2


def frames_bot(name: str, port: str) -> list[str]:
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


class FramesOverSocketsTests(SynchronousTestCase):
    def play_through_a_kill(self, *commands: list[str]) -> None:
        """Two bots play two games, though the host is killed in the first; both know who won each."""
        folder = Path(self.mktemp()).absolute()
        printed = [winners(text) for text in play_through_a_kill("stratego-frames", folder, *commands)]
        self.assertEqual(len(printed[0]), FRAMES_GAMES)
        self.assertEqual(printed[0], printed[1])
        self.assertLessEqual(set(printed[0]), {"ann", "bob", "tie"})

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        self.play_through_a_kill(frames_bot("ann", "PORT"), frames_bot("bob", "PORT"))

    def c_bot(self, name: str, port: str) -> list[str]:
        compiler = shutil.which("cc")
        if compiler is None:
            raise SkipTest("there is no C compiler named cc on this machine")
        program = str(Path(self.mktemp()).absolute())
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([compiler, *warnings, "-o", program, str(FRAMES_BOT.with_suffix(".c"))], check=True)
        return [program, name, "--port", port, "--games", str(FRAMES_GAMES)]

    @long
    def test_the_bot_in_c_plays_on_after_the_host_is_killed_and_started_again(self) -> None:
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
                self.assertEqual(bots.processes[0].returncode, 1)
                self.assertEqual(said.splitlines()[0], f"ann: refused: {wait}")
                self.assertEqual(said.splitlines()[-1], f"ann: refused: {why}")


# Stratego as ASCII lines over real sockets: a host with a store, people and bots, a kill and a return.


BOT = ROOT / "docs" / "bots" / "stratego_lines_bot.py"
CANARY = "canary-4711"
GAMES = 2


def lines_bot(name: str, port: str, password: str = "secret") -> list[str]:
    return [sys.executable, str(BOT), name, password, "--port", port, "--games", str(GAMES)]


class LinesOverSocketsTests(SynchronousTestCase):
    def test_bots_leave_their_seats_to_copies_of_themselves(self) -> None:
        """Two that log in to one account again and again would throw each other off for ever."""

        def told(name: str, line: str) -> Callable[[], Any]:
            ours, theirs = socket.socketpair()
            theirs.sendall(line.encode())
            self.addCleanup(theirs.close)
            self.addCleanup(ours.close)
            return partial(bot(name).play, "ann", ours, [], 1)

        lines = bot("stratego_lines").Bot("ann", "secret1")
        error = f'<message type="error"><error>{DISPLACED}</error></message>'
        with redirect_stdout(io.StringIO()):
            lines.hear("err", "no", "game", "now")
            for hear in (
                partial(lines.hear, "err", *["this", "account", "has", "logged", "in", "elsewhere"]),
                partial(bot("stratego_frames").Bot("ann").refused, DISPLACED),
                partial(bot("eriantys").Bot("ann").refused, {"error": "INVALID_ACTION", "detail": DISPLACED}),
                told("onitama", f"ERROR|{DISPLACED}\n"),
                told("paper_soccer", f"{error}\n"),
            ):
                ended = self.assertRaises(SystemExit, hear)
                self.assertEqual(str(ended), "ann is in use elsewhere, and ends here")

    def log_in(self, host: HostProcess, name: str) -> Socket:
        client = host.connect(WIRE)
        self.assertEqual(client.hear(), "auth-req")
        client.say(name, CANARY)
        self.assertEqual(client.hear(), "auth-ok")
        self.addCleanup(client.close)
        return client

    @long
    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        folder = Path(self.mktemp()).absolute()
        printed = play_through_a_kill(WIRE, folder, lines_bot("ann", "PORT"), lines_bot("bob", "PORT"))
        self.assertEqual(len(winners(printed[0])), GAMES)
        self.assertEqual(winners(printed[0]), winners(printed[1]))
        self.assertLessEqual(set(winners(printed[0])), {"red", "blue", "none"})

    def test_a_bot_with_a_wrong_password(self) -> None:
        with HostProcess(wires=[WIRE]) as host:
            self.log_in(host, "ann")
            with Bots(lines_bot("ann", str(host.ports[WIRE]), "guess")) as bots:
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


SOCCER = "paper-soccer"


class PaperSoccerOverSocketsTests(SynchronousTestCase):
    def test_the_bot_knows_the_pitch(self) -> None:
        """An illegal move would end a game as well; so the bot's steps are those of the rules, in whole games."""
        steps = bot("paper_soccer").steps
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            position = Position()
            way: list[Point] = [position.ball]
            for point in (point for played in game["moves"] for point in as_move(played)):
                self.assertEqual(sorted(steps(way)), sorted(position.steps()))
                way.append(point)
                position = position.step(point)


class PaperSoccerBotTests(BotCase):
    wire = SOCCER

    def test_they_play_on_after_a_kill_of_the_host(self) -> None:
        """Three games: they agree on who won, and nobody lost by an illegal move."""
        ann, bob = self.play_over_a_kill("paper_soccer", "moves first")
        self.assertFalse([line for line in ann.lines + bob.lines if "illegal move" in line])
