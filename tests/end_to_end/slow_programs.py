"""
Longer tests of programs: the test bots of each bridge, `gamehost check` with all bots, and TypeScript on the client library.

Each bridge plays ten whole games, and ten more while the host is killed again and again. The environment may have another
number of games as GAMEHOST_GAMES.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.end_to_end.test_bridge import PYTHON, BridgeCase, perl_bot
from tests.end_to_end.test_bridge import python_bot as bridged_bot
from tests.kit.process import CLIENTS, c_bot, check, java_client, js_client, node_bot, python_bot

GAMES = int(os.environ.get("GAMEHOST_GAMES", "10"))
#: Seconds of play before each kill, and how often the host is killed.
PLAYED, KILLS = 0.7, 5


class SlowBridgeTests(BridgeCase):
    timeout = 1_200

    def two(self, port: int, protocol: str) -> list[Any]:
        bots = {"ann": bridged_bot(protocol), "bob": perl_bot(protocol)}
        return [self.bridge(port, protocol, name, bot, f"--games={GAMES}") for name, bot in bots.items()]

    def test_ten_games(self) -> None:
        for protocol in PYTHON:
            with self.host() as host:
                results = [self.results(one) for one in self.two(host.ports["open"], protocol)]
            self.assertEqual(results[0], results[1])
            self.assertEqual(["(rules)" in words for words in results[0]], [True] * GAMES)
            print(protocol, results[0])

    def test_ten_games_and_kills(self) -> None:
        """Every game is played to its end by the rules, or has ended at the moment of a kill."""
        for protocol in PYTHON:
            with self.host(store=f"{protocol}.sqlite") as host:
                port = host.ports["open"]
                running = self.two(port, protocol)
                host.until("table 1: [a-z-]+ begins")
                time.sleep(PLAYED)
                host.kill()
            for kill in range(KILLS):
                with self.host(f"--open=tcp:{port}:interface=127.0.0.1", store=f"{protocol}.sqlite") as host:
                    if kill < KILLS - 1:
                        time.sleep(PLAYED)
                        host.kill()
                    else:
                        told = [self.printed(one, within=300.0) for one in running]
            for lines in told:
                self.assertEqual([line for line in lines if "resigned" in line], [])
                ends = [line for line in lines if " won (" in line or "does not say how" in line]
                self.assertEqual(len(ends), GAMES)
                self.assertLessEqual(sum("(rules)" not in line for line in ends), KILLS)
            print(protocol, "connections lost:", [sum("lost" in line for line in lines) for lines in told])


# All scenarios of `gamehost check` with the bots of the documentation, as processes and over sockets.
#
# A whole list takes less than a minute on each wire. The bots play one match, so some scenarios end with a note.


#: Seconds for a whole list, on a machine that does nothing else.
LONGEST = 60.0
#: Seconds until a list is given up.
LIMIT = 240.0


class WholeListTests(SynchronousTestCase):
    """Nothing but notes, in time."""

    def assert_clean(self, wire: str, command: list[str]) -> None:
        status, report = check(wire, (), *command, timeout=LIMIT)
        self.assertEqual(status, 0, report)
        self.assertEqual([one["title"] for one in report["findings"] if one["grade"] != "note"], [])
        self.assertLess(report["seconds"], LONGEST)

    def test_onitama(self) -> None:
        self.assert_clean("onitama", python_bot("onitama"))

    def test_onitama_for_node(self) -> None:
        self.assert_clean("onitama", node_bot())

    def test_paper_soccer(self) -> None:
        self.assert_clean("paper-soccer", python_bot("paper_soccer"))

    def test_eriantys(self) -> None:
        self.assert_clean("eriantys", python_bot("eriantys"))

    def test_stratego_in_lines(self) -> None:
        self.assert_clean("stratego-lines", python_bot("stratego_lines", "{password}"))

    def test_stratego_in_frames(self) -> None:
        self.assert_clean("stratego-frames", python_bot("stratego_frames"))

    def test_stratego_in_frames_in_c(self) -> None:
        self.assert_clean("stratego-frames", c_bot(Path(self.mktemp()).absolute()))

    def test_open_in_javascript(self) -> None:
        self.assert_clean("open", js_client())

    def test_open_in_java(self) -> None:
        self.assert_clean("open", java_client(Path(self.mktemp()).absolute()))


# The types of the client library in JavaScript, as TypeScript reads them from its comments.


TOOLS = ("typescript@5", "@types/node@20")
OPTIONS = (
    "--noEmit",
    "--allowJs",
    "--checkJs",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
)


class TypesTests(SynchronousTestCase):
    def test_typescript_has_nothing_to_complain_of(self) -> None:
        """In the strictest way it has. The tools come from npm."""
        npm = shutil.which("npm")
        if npm is None:
            raise SkipTest("there is no npm on this machine")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        install = [npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), *TOOLS]
        installed = subprocess.run(install, capture_output=True, text=True, timeout=240)
        if installed.returncode:
            raise SkipTest(f"npm cannot install {' and '.join(TOOLS)}: {installed.stderr.strip()[-200:]}")
        modules = folder / "node_modules"
        sources = map(str, sorted((CLIENTS / "js").glob("*.js")))
        command = [str(modules / ".bin" / "tsc"), *OPTIONS, "--typeRoots", str(modules / "@types"), *sources]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
        self.assertEqual((done.stdout, done.returncode), ("", 0))
