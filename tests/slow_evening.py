"""
What `docs/class.rst` has a teacher type, from the wheel to the results: `python -m twisted.trial tests.slow_evening`. It uses
the ports of the page, and takes about three minutes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.sources import ROOT

PAGE = (ROOT / "docs" / "class.rst").read_text("utf-8")
BOTS = 20
#: Seconds for a command that ends by itself, and for what has to be seen.
PATIENCE = 240.0


def typed() -> Iterator[str]:
    yield from re.findall(r"^ +\$ (.*)$", PAGE, re.M)


class EveningTests(SynchronousTestCase):
    timeout = 1200

    def setUp(self) -> None:
        self.place = Path(self.mktemp()).absolute()
        self.place.mkdir()
        self.folder = self.place / "class"
        self.programs = self.place / "installed" / "bin"
        self.started: list[subprocess.Popen[bytes]] = []
        self.addCleanup(self.end_all)

    def end_all(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()

    def environment(self) -> dict[str, str]:
        """The command that was installed, and no other; and nothing of the checkout."""
        bare = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GAMEHOST", "COVERAGE"))
        }
        return bare | {"PATH": f"{self.programs}:/usr/bin:/bin"}

    def run_it(self, command: str, patience: float = PATIENCE) -> str:
        """What a command of the page says. It must end well."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=patience,
        )
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def begin(self, command: str, log: str) -> subprocess.Popen[bytes]:
        with (self.folder / log).open("ab") as file:
            process = subprocess.Popen(
                ["sh", "-c", f"exec {command}"], cwd=self.folder, env=self.environment(), stdout=file, stderr=file
            )
        self.started.append(process)
        return process

    def wait_for(self, log: str, words: str) -> None:
        path = self.folder / log
        for _ in range(int(PATIENCE * 10)):
            if words in path.read_text("utf-8"):
                return
            time.sleep(0.1)
        self.fail(f"{log} never had {words!r}: {path.read_text('utf-8')}")

    def install(self) -> None:
        """The wheel into an empty environment: what pipx does. The files that the page has copied."""
        subprocess.run(
            [sys.executable, "-m", "build", "--quiet", "--outdir", str(self.place / "dist"), str(ROOT)], check=True
        )
        venv.create(self.programs.parent, with_pip=True)
        [wheel] = (self.place / "dist").glob("*.whl")
        words = [str(self.programs / "python"), "-m", "pip", "install", "--quiet", str(wheel)]
        subprocess.run(words, check=True, capture_output=True)
        self.folder.mkdir()
        shutil.copy(ROOT / "docs" / "bots" / "onitama_bot.py", self.folder)

    def test_an_evening(self) -> None:
        """Every command of the page, with twenty bots, one of them judged, a host that is killed, and results to hand out."""
        commands = list(typed())
        *installing, run, bot, status, tables, check, contest = commands
        self.assertEqual(
            installing,
            [
                "make dist",
                "pipx install dist/*.whl",
                "mkdir ../class",
                "cp docs/bots/onitama_bot.py ../class",
                "cd ../class",
            ],
        )
        self.install()
        host = self.begin(run, "host.log")
        self.wait_for("host.log", "gamehost ready")
        bots = [self.begin(bot.replace(" ann ", f" bot{number} ") + " --games 2", "bots.log") for number in range(BOTS)]
        self.assertIn("onitama", self.run_it(status))
        os.kill(host.pid, signal.SIGKILL)
        host.wait()
        self.begin(run, "host.log")
        for one in bots:
            self.assertEqual(one.wait(PATIENCE), 0, (self.folder / "bots.log").read_text("utf-8"))
        self.run_it(tables)
        self.run_it(check)
        self.play(contest)

    def play(self, contest: str) -> None:
        [file] = re.findall(r"code-block:: toml\n\n((?:    .*\n|\n)*)", PAGE)
        lines = [line.removeprefix("    ") for line in file.splitlines()]
        [ann] = [line for line in lines if line.startswith("ann = ")]
        lines += [ann.replace("ann", f"bot{number}", 1) for number in range(BOTS - 3)]
        (self.folder / "evening.toml").write_text("\n".join(lines), "utf-8")
        killed = self.begin(contest, "contest.log")
        journal = self.folder / "evening" / "contest.jsonl"
        for _ in range(int(PATIENCE * 10)):
            if journal.exists() and journal.read_text("utf-8").count('"shares"') >= 3:
                break
            time.sleep(0.1)
        shown = urlopen("http://127.0.0.1:8081/contest", timeout=PATIENCE).read()
        self.assertIn(b"bot7", shown)
        killed.kill()
        killed.wait()
        self.run_it(contest)
        results: Any = json.loads((self.folder / "evening" / "results.json").read_text("utf-8"))
        self.assertEqual(len(results["players"]), BOTS)
        self.assertEqual(sum(player["games"] for player in results["players"]), 3 * BOTS)
        self.assertIn("bot7", (self.folder / "evening" / "results.html").read_text("utf-8"))
        self.assertEqual(len(list((self.folder / "evening" / "games").glob("*.txt"))), 3 * BOTS // 2)
