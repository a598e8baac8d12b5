"""The host as a process, over real sockets: what a stranger with netcat sees."""

import importlib.util
import signal
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import ROOT, HostProcess, Socket
from tests.kit.transcript import HOME, Hears, Says, Transcript


def bot(name: str) -> ModuleType:
    """One of the documentation's bots."""
    path = ROOT / "docs" / "bots" / f"{name}_bot.py"
    spec = importlib.util.spec_from_file_location(f"{name}_bot", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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

    def test_the_documentation_s_bots_play_to_the_end(self) -> None:
        """Two of them, twice, and they agree on who won."""
        play = bot("onitama").play
        with HostProcess(wires=["onitama"]) as host, ThreadPoolExecutor(2) as pool:
            for _ in range(2):
                games = [pool.submit(play, name, "127.0.0.1", host.ports["onitama"]) for name in ("ann", "bob")]
                first, second = (game.result(60) for game in games)
                self.assertEqual(first, second)
                self.assertIn(first, ("ann", "bob", "draw"))

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
                ("--config=/nowhere/at/all.toml", "--config: /nowhere/at/all.toml"),
            ):
                refused = HostProcess(option, wires=["onitama"])
                error = self.assertRaises(AssertionError, refused.__enter__)
                refused.__exit__(None, None, None)
                self.assertIn(words, str(error))
                self.assertNotEqual(refused.process.returncode, 0)
                self.assertNotIn("gamehost ready", str(error))
                self.assertNotIn("Traceback", str(error))
