"""The example package, installed beside the host: its own tests pass, and a match is played over real sockets."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Level
from gamehost.testing.transcript import Hears, Says, Transcript
from tests import long
from tests.kit.plugin_games import INSTALLED, PLUGINS
from tests.kit.process import ROOT, HostProcess, Socket

EXAMPLE = ROOT / "examples" / "gomoku"


@cache
def installed() -> Path:
    """A folder into which pip has installed the package. Without the network: what it needs is here."""
    folder = Path(tempfile.mkdtemp(dir="."))
    source, target = folder / "source", folder / "installed"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    command = [sys.executable, "-m", "pip", "install", *options, f"--target={target}", str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return target.absolute()


def gamehost(environment: Mapping[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "gamehost", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def play_on_console(case: SynchronousTestCase, person: Socket, asks: str) -> None:
    """Play a whole match by the numbers of the moves."""
    person.say("set prompt off", asks)
    for _ in range(100_000):
        line = person.hear()
        if line.startswith("comes, type: play"):
            person.say(asks)  # the house players are not ready yet
        if line.startswith("Type a move, or its number"):
            person.say("1")
        if line.startswith("For another match"):
            person.say("quit")
            return
        case.assertNotIn("no such", line)
    case.fail("the match does not end")


class ExamplePluginTests(SynchronousTestCase):
    """`examples/gomoku`, installed by pip into a folder of its own."""

    def setUp(self) -> None:
        """Find it and the host from any folder."""
        self.environment = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(installed())))}

    @long
    def test_its_own_tests_pass(self) -> None:
        """With the contracts of `gamehost.testing`, from where it is installed."""
        ended = subprocess.run(
            # Importing `tests` has Hypothesis draw the same few examples as in this suite, and none has a deadline.
            [sys.executable, "-c", "import tests, twisted.scripts.trial as trial; trial.run()", "gamehost_gomoku"],
            cwd=installed().parent,
            env={**os.environ, **self.environment, "GAMEHOST_FUZZED": "20"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("test_fuzz", ended.stdout)

    def test_a_whole_match(self) -> None:
        transcripts = EXAMPLE / "gamehost_gomoku" / "tests" / "transcripts" / "gomoku"
        transcript = Transcript.read(transcripts / "first-game.txt")
        settings = [word for name, text in transcript.settings.items() for word in ("--set", f"{name}={text}")]
        store = str(installed().parent / "store.sqlite")
        with HostProcess(*settings, wires=["gomoku"], store=store, environment=self.environment) as host:
            clients: dict[int, Socket] = {}
            for step in transcript.steps:
                match step:
                    case Says(number, line):
                        clients.setdefault(number, host.connect("gomoku")).say(line)
                    case Hears(number, line):
                        self.assertEqual(clients[number].hear(), line)
            host.stop()
        listed = gamehost(self.environment, "journal", "verify", f"--store={store}")
        self.assertEqual(listed.returncode, 0, listed.stdout + listed.stderr)

    @long
    def test_a_game_with_rules_a_master_and_messages_is_played_everywhere(self) -> None:
        """On the console against house players, and by a program on the open wire; then it is drawn and verified."""
        path = os.pathsep.join((self.environment["PYTHONPATH"], PLUGINS, INSTALLED))
        environment = {"PYTHONPATH": path}
        store = str(installed().parent / "everywhere.sqlite")
        # On the whole board a match against a search takes a minute of a busy machine.
        options = ("--house=0.2", "--house-level=easy", "--set=gomoku.size=5")
        with HostProcess(*options, wires=["console", "open"], store=store, environment=environment) as host:
            for game, chosen, levels in (("kuhn", "chips=2 rounds=3", Level), ("gomoku", "size=5", (Level.EASY,))):
                for level in levels:
                    play_on_console(self, host.connect("console"), f"play {game} {level} {chosen}")
                words = ("player", "open", f"--to=127.0.0.1:{host.ports['open']}", "--name=bob", f"--game={game}")
                ended = gamehost(environment, *words)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertRegex(ended.stdout, "won|nobody")
            host.stop()
        drawn = gamehost(environment, "journal", "draw", f"--store={store}", "1")
        self.assertIn("</svg>", drawn.stdout, drawn.stderr)
        verified = gamehost(environment, "journal", "verify", f"--store={store}")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    @long
    def test_its_checks_and_its_program_are_found(self) -> None:
        """`gamehost check` plays scenarios of the package with the package's own program, and nothing is wrong with it."""
        program = (sys.executable, "-m", "gamehost", "player", "gomoku", "--to", "{host}:{port}", "--name", "{name}")
        scenarios = ("byte-by-byte", "drop", "resigns")
        chosen = [f"--scenario={name}" for name in scenarios]
        ended = gamehost(self.environment, "check", "gomoku", "--seed=1", *chosen, "--", *program)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for scenario in scenarios:
            self.assertIn(f"{scenario}: ok", ended.stderr)

    @long
    def test_its_port_is_closed_until_it_is_asked_for(self) -> None:
        """To install a package opens nothing; its options are in the help text. The log says what it does not bring."""
        with HostProcess(wires=["onitama"], environment=self.environment) as host:
            self.assertNotIn("gomoku listening", host.log)
            self.assertIn(
                "the game gomoku has no board.js in gamehost_gomoku: browsers show its view as text", host.log
            )
        shown = gamehost(self.environment, "run", "--help")
        self.assertIn("--gomoku=", shown.stdout)
        self.assertIn("gomoku.size", shown.stdout)
