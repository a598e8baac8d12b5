"""Onitama, Stratego and paper soccer over real sockets: what a stranger with netcat sees, bots, kills and returns."""

import importlib.util
import json
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import ClassVar
from unittest import SkipTest
from xml.etree import ElementTree

from twisted.trial.unittest import SynchronousTestCase
from websockets.sync.client import connect

from gamehost.games.paper_soccer.rules import Point, Position
from tests.kit import fork_server
from tests.kit.games.paper_soccer import as_move, recorded
from tests.kit.memory_host import HOME, FrameWords, Hears, Says, Transcript
from tests.kit.process import PATIENCE, ROOT, Bots, HostProcess, Socket, play_through_a_kill, winners
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    DECLARATION,
    SHUTDOWN,
    SPELLINGS,
    left,
    login,
    message,
    move,
    over,
    spelled,
    state,
    thanks,
)
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
            assert self._may_go_on.wait(60)

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
                self.assertTrue(ann.stopped.wait(60))
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
            self.assertTrue(bob.stopped.wait(60))
            socket.say("LOGIN|ann")
            self.assertIn("START|bob|ann", socket.hear())
            socket.close()
            ann = BotThread(pool, bot("onitama"), "ann", host.ports["onitama"], 1, "is back")
            self.assertTrue(ann.stopped.wait(60))
            ann.go_on()
            bob.go_on()
            self.assertEqual(ann.winners.result(60), bob.winners.result(60))

    def test_the_bot_for_node_plays_on_after_a_kill_of_the_host(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise SkipTest("there is no node on this machine")
        with ThreadPoolExecutor(1) as pool:
            with self.host() as host:
                port = host.ports["onitama"]
                script = str(ROOT / "docs" / "bots" / "onitama_bot.js")
                command = [node, script, "ann", "3", "127.0.0.1", str(port)]
                process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                bob = BotThread(pool, bot("onitama"), "bob", port, 3, "is White")
                self.assertTrue(bob.stopped.wait(60))
                host.kill()
            with self.again(port) as host:
                self.assertIn("resumed 1 table", host.log)
                bob.go_on()
                output, _ = process.communicate(timeout=60)
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


# The final dialect over real sockets: at a table with the document's wire, through a kill of the host.


class OnitamaFinalTests(SynchronousTestCase):
    """A published client, as it sounds, and a player of the document."""

    def host(self, folder: Path) -> HostProcess:
        options = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*options, wires=["onitama", "onitama-final"], folder=folder, store="store.sqlite")

    def logged_in(self, host: HostProcess) -> tuple[Socket, Socket]:
        """Ann on the final dialect's wire, then Bob on the document's."""
        ann, bob = Socket(host.ports["onitama-final"], b"\0"), host.connect("onitama")
        ann.say("LOGIN|ann")
        first = ann.hear()
        self.assertIn(first.split("|")[0], ("WAITING", "RECONNECT"))
        bob.say("LOGIN|bob")
        return ann, bob

    def test_killed_in_mid_game_and_on(self) -> None:
        """kill -9: both come back to the same position, each in the words of its wire."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with self.host(folder) as host:
            ann, bob = self.logged_in(host)
            self.assertEqual(ann.hear(), "START|bob|ann|crab|eel|tiger|boar|ox")
            self.assertEqual(bob.hear(), "START|ann|bob|white=boar,ox;black=crab,eel;spare=tiger")
            ann.say("PING|PING", "MAKE_MOVE|ox|4|2|3|2")
            self.assertEqual(ann.hear(), "PING|PING")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|ox|4|2|3|2")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|ox|c1|c2")
            host.kill()
        with self.host(folder) as host:
            ann, bob = self.logged_in(host)
            board = "ppkpp/...../...../..K../PP.PP|white=boar,tiger;black=crab,eel;spare=ox"
            self.assertEqual(bob.hear(), f"RECONNECT|bob|black|{board}|bob")
            bob.say("MAKE_MOVE|crab|a5|a4")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|crab|a5|a4")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|0|0|1|0")
            ann.say("MAKE_MOVE|tiger|3|2|1|2")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|tiger|3|2|1|2")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|tiger|c2|c4")


# Litama's protocol over WebSocket, spoken by another implementation of it: ids and tokens through a kill of the host.


class LitamaTests(SynchronousTestCase):
    """A client of the community, and a player of the document."""

    def host(self, folder: Path) -> HostProcess:
        options = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*options, wires=["onitama", "litama"], folder=folder, store="store.sqlite")

    def test_killed_in_mid_game_and_on(self) -> None:
        """kill -9: the id is found at once, the token moves, and the other player comes back on another wire."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with self.host(folder) as host:
            bob = host.connect("onitama")
            bob.say("LOGIN|bob")
            self.assertEqual(bob.hear(), "WAITING|bob")
            with connect(f"ws://127.0.0.1:{host.ports['litama']}/") as ann:
                ann.send("create ann lee")
                entered = json.loads(ann.recv())
                match, token = entered["matchId"], entered["token"]
                self.assertEqual(bob.hear(), "START|bob|ann_lee|white=boar,ox;black=crab,eel;spare=tiger")
                bob.say("MAKE_MOVE|boar|c1|c2")
                self.assertEqual(bob.hear(), "MOVE_WAS_MADE|boar|c1|c2")
                ann.send(f"move {match} {token} crab c5c4")
                self.assertEqual(json.loads(ann.recv()), {"messageType": "move", "matchId": match})
                self.assertEqual(bob.hear(), "MOVE_WAS_MADE|crab|c5|c4")
                ann.send(f"state {match}")
                before = json.loads(ann.recv())
                host.kill()
        with self.host(folder) as host, connect(f"ws://127.0.0.1:{host.ports['litama']}/") as ann:
            ann.send(f"state {match}")
            self.assertEqual(json.loads(ann.recv()), before)
            self.assertEqual(before["usernames"], {"blue": "bob", "red": "ann lee"})
            ann.send(f"spectate {match} {token}")
            self.assertEqual(json.loads(ann.recv())["messageType"], "spectate")
            self.assertEqual(json.loads(ann.recv()), before)
            bob = host.connect("onitama")
            bob.say("LOGIN|bob")
            self.assertTrue(bob.hear().startswith("RECONNECT|bob|white|"))
            bob.say("MAKE_MOVE|tiger|c2|c4")
            state = json.loads(ann.recv())
            self.assertEqual((state["gameState"], state["winner"]), ("ended", "blue"))


# Stratego as binary frames over real sockets: a host and bots, each in a process of its own.


FRAMES_BOT = ROOT / "docs" / "bots" / "stratego_frames_bot.py"

FRAMES_GAMES = 2


@contextmanager
def host() -> Iterator[int]:
    with HostProcess(wires=["stratego-frames"]) as process:
        yield process.ports["stratego-frames"]


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


class Person:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.words = FrameWords()

    def ask(self, *lines: str, until: str, times: int = 1) -> list[str]:
        self.socket.sendall(b"".join(map(self.words.said, lines)))
        heard: list[str] = []
        while sum(line.startswith(until) for line in heard) < times:
            data = self.socket.recv(65_536)
            assert data, f"closed after {heard}"
            heard += self.words.heard(data)
        return heard


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
        return [program, name, "127.0.0.1", port, str(FRAMES_GAMES)]

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
            ann.ask("Setup F123344455 (0,0)", until="Placement", times=10)
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


def lines_bot(name: str, port: str, password: str = "secret") -> list[str]:
    return [sys.executable, str(BOT), name, password, "--port", port, "--games", str(GAMES)]


class LinesOverSocketsTests(SynchronousTestCase):
    def log_in(self, host: HostProcess, name: str) -> Socket:
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


def first_mover(clients: dict[str, Socket]) -> str:
    states = {client.hear() for client in clients.values()}
    assert len(states) == 1, states
    begin = states.pop()
    return next(nick for nick in clients if f'<nextPlayer nick="{nick}"/>' in begin)


def game(number: int) -> list[tuple[Point, ...]]:
    return [as_move(played) for played in recorded("paper_soccer_games.jsonl")[number]["moves"]]


def other(nick: str) -> str:
    return {"ann": "bob", "bob": "ann"}[nick]


class StoreCase(SynchronousTestCase):
    """A folder with a store in it, a host that keeps it, and the command that looks into it."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self) -> HostProcess:
        return HostProcess(wires=[SOCCER], folder=self.folder, store="store.sqlite")

    def journal(self, *words: str, status: int = 0) -> tuple[str, str]:
        """What `gamehost journal` says of the store, on standard output and beside."""
        done = fork_server.run("gamehost", "journal", *words, "--store", str(self.folder / "store.sqlite"))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr


class PaperSoccerOverSocketsTests(StoreCase):
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

    def test_a_stop_is_said(self) -> None:
        """SIGTERM: everyone hears serverShutdown, those who play and those who wait, and the host is gone soon."""
        with HostProcess(wires=[SOCCER]) as host:
            clients = [host.connect(SOCCER) for _ in range(4)]
            for nick, client in zip(("ann", "bob", "cid"), clients, strict=False):
                client.say(login(nick))
                self.assertEqual(client.hear(), ACCEPTED)
            for client in clients[:2]:
                self.assertIn("gameState", client.hear())
            status, seconds = host.stop()
            self.assertIn(status, (0, -signal.SIGTERM))
            self.assertLess(seconds, 5)
            for client in clients:
                self.assertEqual([client.hear(), client.hear()], [SHUTDOWN, ""])
        self.assertNotIn("Traceback", host.log)

    def test_an_illegal_move_loses(self) -> None:
        """Over a real socket, in pieces: the state goes to both, and the mover is the loser."""
        with HostProcess(wires=[SOCCER]) as host:
            clients = {nick: host.connect(SOCCER) for nick in ("ann", "bob")}
            for nick, client in clients.items():
                client.say(login(nick))
                self.assertEqual(client.hear(), ACCEPTED)
            first = first_mover(clients)
            for byte in move((0, 2), game=None).encode():
                clients[first].socket.sendall(bytes([byte]))
            self.assertIn(">illegal move: no step from (0, 0) to (0, 2)", clients[first].hear())
            ends = {client.hear() for client in clients.values()}
            self.assertEqual(len(ends), 1)
            self.assertIn(f'<player nick="{first}" result="loser"/></gameOver><gameState/>', ends.pop())


class PaperSoccerBotTests(BotCase):
    wire = SOCCER

    def test_they_play_on_after_a_kill_of_the_host(self) -> None:
        """Three games: they agree on who won, and nobody lost by an illegal move."""
        ann, bob = self.play_over_a_kill("paper_soccer", "moves first")
        self.assertFalse([line for line in ann.lines + bob.lines if "illegal move" in line])


class SpellingsOverSocketsTests(SynchronousTestCase):
    def play(self, host: HostProcess, spelling: str, table: int, front: str = "") -> None:
        """A recorded game: with `front` before each line both hear every move, and the end."""
        rng = random.Random(spelling)
        clients = {nick: host.connect(SOCCER) for nick in ("ann", "bob")}
        for nick, client in clients.items():
            client.say(login(nick))
            self.assertEqual(client.hear(), front + ACCEPTED)
        first = first_mover(clients)
        nicks = (first, other(first))
        *moves, last = game(3)
        for number, drawn in enumerate(moves):
            clients[nicks[number % 2]].socket.sendall(spelled(spelling, drawn, rng, table).encode())
            expected = front + state(nicks[1 - number % 2], *drawn, game=table)
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected], spelling)
        mover = clients[nicks[len(moves) % 2]]
        mover.socket.sendall((spelled(spelling, last, rng, table) + thanks(table) + message("logout")).encode())
        ends = {client.hear() for client in clients.values()}
        self.assertIn(ends, [{front + over(nick, other(nick), *last, game=table)} for nick in nicks])
        clients[nicks[1 - len(moves) % 2]].socket.sendall((thanks(table) + message("logout")).encode())
        for client in clients.values():
            self.wait_for_the_answer(client, front)
            client.close()

    def wait_for_the_answer(self, client: Socket, front: str) -> None:
        """Everything that a client said has been heard by the host once it refuses this: the nicks are free."""
        client.say("<hello/>")
        self.assertTrue(client.hear().startswith(front + '<message type="error">'))

    def test_games_with_and_without_declaration(self) -> None:
        """With the envelope, bare, mixed, joined, one game after the other."""
        for options, front in (((), ""), (("--declaration",), DECLARATION)):
            with HostProcess(*options, wires=[SOCCER]) as host:
                for table, spelling in enumerate((*SPELLINGS, "mixed"), 1):
                    self.play(host, spelling, table, front)
            self.assertNotIn("Traceback", host.log)


class RestartOverSocketsTests(StoreCase):
    def enter(self, host: HostProcess, nicks: Sequence[str]) -> dict[str, Socket]:
        clients = {nick: host.connect(SOCCER) for nick in nicks}
        for nick, client in clients.items():
            client.say(login(nick))
            self.assertEqual(client.hear(), ACCEPTED)
        return clients

    def play(self, clients: dict[str, Socket], first: str, moves: Sequence[tuple[Point, ...]], done: int = 0) -> None:
        for number, drawn in enumerate(moves, done):
            mover = first if number % 2 == 0 else other(first)
            clients[mover].say(move(*drawn))
            expected = state(other(mover), *drawn)
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected])

    def test_killed_in_mid_game_and_on_to_the_end(self) -> None:
        """kill -9: both find every point, the game goes on to its own goal, and the journal tells and draws it."""
        moves = game(0)
        with self.host() as host:
            clients = self.enter(host, ("ann", "bob"))
            first = first_mover(clients)
            self.play(clients, first, moves[:4])
            host.kill()
            self.assertEqual([client.hear() for client in clients.values()], ["", ""])
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)
            clients = self.enter(host, ("ann", "bob"))
            so_far = state(first, *(point for drawn in moves[:4] for point in drawn))
            self.assertEqual([client.hear() for client in clients.values()], [so_far, so_far])
            self.assertEqual(clients["ann"].hear(), left("bob"))
            self.play(clients, first, moves[4:-1], done=4)
            clients[first].say(move(*moves[-1]))
            expected = over(other(first), first, *moves[-1])
            self.assertEqual([client.hear() for client in clients.values()], [expected, expected])
            host.stop()
        self.look(moves, first)

    def look(self, moves: Sequence[tuple[Point, ...]], first: str) -> None:
        ending = f"{other(first)} won (rules): own goal"
        self.assertIn(ending, self.journal("list")[0])
        shown = self.journal("show", "1")[0]
        for drawn in moves:
            self.assertIn(f"  {' '.join(f'{x},{y}' for x, y in drawn)}\n", shown.replace("  => ", "\n"))
        self.assertIn("no faults", self.journal("verify")[0])
        picture = self.journal("draw", "1")[0]
        told = [title.text or "" for title in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}title")]
        numbered = [title for title in told if title[0].isdigit()]
        self.assertEqual(len(numbered), len(moves))
        self.assertTrue(numbered[0].startswith(f"1. {first}: "))
        self.assertIn(f">{other(first)} won: own goal.</text>", picture)
        self.journal("draw", "1", "--output", str(self.folder / "game.svg"))
        self.assertEqual((self.folder / "game.svg").read_text("utf-8"), picture)
        self.assertIn("there is no table 2", self.journal("draw", "2", status=1)[1])
