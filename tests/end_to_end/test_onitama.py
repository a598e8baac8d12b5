"""The host as a process, over real sockets: what a stranger with netcat sees."""

import importlib.util
import shutil
import signal
import subprocess
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import ClassVar
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import HOME, Hears, Says, Transcript
from tests.kit.process import ROOT, HostProcess, Socket


def bot(name: str) -> ModuleType:
    """One of the documentation's bots."""
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
        """Let it go on."""
        self._may_go_on.set()


class BotCase(SynchronousTestCase):
    """Bots of the documentation against a host that is killed in the middle of a game and started again."""

    wire: ClassVar[str]

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        """A host that keeps its store in this test's folder."""
        return HostProcess(*options, wires=[self.wire], folder=self.folder, store="store.sqlite")

    def again(self, port: int) -> HostProcess:
        """The same host on the same port."""
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
    """The bots of the Onitama page."""

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
        """Against the one in Python."""
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
    """Whole games."""

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
