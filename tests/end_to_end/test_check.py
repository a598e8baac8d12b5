"""`gamehost check` with real clients, as processes and over sockets."""

import json
import socket
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.kit import fork_server
from tests.kit.process import ROOT, HostProcess

BOTS = ROOT / "docs" / "bots"
#: Scenarios that take a second at most.
QUICK = ("first-mover", "drop-in-clients-turn", "bytes", "own-drop")


def run(*arguments: str) -> tuple[int, str, str]:
    """The exit status of `gamehost check`, what it printed, and its complaints."""
    ended = fork_server.run("gamehost", "check", *arguments, timeout=120)
    return ended.returncode, ended.stdout, ended.stderr


def check(wire: str, scenarios: tuple[str, ...], *command: str) -> tuple[int, Any]:
    """The exit status, and the report."""
    chosen = [word for name in scenarios for word in ("--scenario", name)]
    status, printed, complaints = run(wire, *chosen, "--format=json", "--", *command)
    return status, json.loads(printed) if printed else complaints


class CheckTests(SynchronousTestCase):
    """The bots of the documentation, and programs that are no bots."""

    def test_onitama(self) -> None:
        """The bot in Python is clean."""
        bot = [sys.executable, str(BOTS / "onitama_bot.py"), "{name}", "--port", "{port}"]
        status, report = check("onitama", QUICK, *bot)
        self.assertEqual((status, report["findings"]), (0, []))

    def test_a_program_that_is_no_client(self) -> None:
        """It ends before it has connected."""
        status, report = check("onitama", ("first-mover",), sys.executable, "-c", "raise SystemExit('no display')")
        self.assertEqual(status, 1)
        self.assertIn("no display", report["findings"][0]["happened"])

    def test_a_command_that_cannot_be_run(self) -> None:
        """The status says so."""
        folder = Path(self.mktemp()).absolute()
        status, _ = check("onitama", ("first-mover",), str(folder / "missing"))
        self.assertEqual(status, 2)

    def test_transcripts_are_kept(self) -> None:
        """One for each scenario, with what each message means."""
        folder = Path(self.mktemp()).absolute()
        bot = [sys.executable, str(BOTS / "onitama_bot.py"), "{name}", "--port", "{port}"]
        status, printed, _ = run("onitama", "--scenario=wins", f"--keep={folder}", "--seed=1", "--", *bot)
        self.assertEqual(status, 0)
        self.assertIn("ok       wins    0.0 s", printed)
        (kept,) = folder.iterdir()
        self.assertIn("the match is over: tester has won", kept.read_text("utf-8"))


class CheckServerTests(SynchronousTestCase):
    """A server over a real socket."""

    def test_the_host(self) -> None:
        """This host's own process is clean on every wire, with whole matches or moves."""
        scenarios = {
            "eriantys": "crosswise",
            "onitama": "joined",
            "paper-soccer": "whole-match",
            "stratego-frames": "first-wins",
            "stratego-lines": "blue-wins",
        }
        with HostProcess(wires=list(scenarios)) as host:
            for wire, scenario in scenarios.items():
                server = f"127.0.0.1:{host.ports[wire]}"
                status, printed, _ = run(wire, "--server", server, f"--scenario={scenario}", "--format=json")
                self.assertEqual((status, json.loads(printed)["findings"]), (0, []), wire)

    def test_no_server(self) -> None:
        """The status says so, and the reason is one line."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            status, _, complaints = run("onitama", "--server", f"127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual(status, 2)
        self.assertIn("gamehost check: 127.0.0.1:", complaints)
