"""Bridges as processes: whole games, a contest, bots that do wrong, and a host that is killed in mid-game."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from gamehost.ops.workers import kept, kill
from tests import long
from tests.end_to_end import test_contest
from tests.kit.fork_server import ROOT, start
from tests.kit.process import PATIENCE, HostProcess

#: By protocol, its game and two bots in different languages.
PYTHON = {
    "ucc-stratego": ("stratego", "docs/bots/ucc_stratego_bot.py"),
    "codingame-paper-soccer": ("paper-soccer", "docs/bots/codingame_paper_soccer_bot.py"),
}
SETTINGS = ("--set=stratego.two_squares=0", "--set=stratego.max_plies=400")

#: Runs a bot that waits before its third answer: it makes a file, and goes on when there is another one.
WAITS = """
import builtins, os, runpy, sys, time
answers, write = 0, print
def waiting(*words, **more):
    global answers
    answers += 1
    if answers == 3:
        open("reached", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.02)
    write(*words, **more)
builtins.print = waiting
bot = sys.argv.pop(1)
runpy.run_path(bot, run_name="__main__")
"""


def python_bot(protocol: str, seed: int = 1) -> list[str]:
    return [sys.executable, str(ROOT / PYTHON[protocol][1]), str(seed)]


def perl_bot(protocol: str, seed: int = 1) -> list[str]:
    perl = shutil.which("perl")
    if perl is None:
        raise SkipTest("there is no perl on this machine")
    return [perl, str(ROOT / "tests" / "kit" / "bots" / f"{protocol.replace('-', '_')}_bot.pl"), str(seed)]


class BridgeCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.started: list[Any] = []
        self.addCleanup(self.end)

    def end(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)

    def host(self, *options: str, store: str = "memory") -> HostProcess:
        return HostProcess(*SETTINGS, *options, wires=["open"], folder=self.folder, store=store)

    def bridge(self, port: int, protocol: str, name: str, command: Sequence[str], *options: str) -> Any:
        # However busy the machine is, no good bot is late.
        words = [
            "bridge",
            protocol,
            "--to",
            f"127.0.0.1:{port}",
            "--name",
            name,
            "--answer-time=60",
            *options,
            "--",
            *command,
        ]
        process = start("gamehost", words, self.folder, {**os.environ, "PYTHONPATH": str(ROOT)})
        self.started.append(process)
        return process

    def printed(self, process: Any, status: int = 0, within: float = 60.0) -> list[str]:
        ended, lines = process.wait(within), process.stdout.read().decode().splitlines()
        self.assertEqual(ended, status, lines)
        return list(lines)

    def results(self, process: Any) -> list[str]:
        return [line for line in self.printed(process) if " won (" in line]


class GamesTests(BridgeCase):
    def test_a_whole_game(self) -> None:
        with self.host() as host:
            for protocol in PYTHON:
                bots = {"ann": python_bot(protocol), "bob": perl_bot(protocol)}
                ann, bob = (self.bridge(host.ports["open"], protocol, name, bot) for name, bot in bots.items())
                [result] = self.results(ann)
                self.assertIn("(rules)", result)
                self.assertEqual(self.results(bob), [result])

    @long
    def test_a_bot_that_does_wrong(self) -> None:
        """It is resigned, and the reason is printed. A command that cannot be run costs no game."""
        protocol = "codingame-paper-soccer"
        with self.host() as host:
            port = host.ports["open"]
            missing = self.bridge(port, protocol, "eve", ["./no-such-bot"])
            told = " ".join(self.printed(missing, 1))
            self.assertIn("./no-such-bot: No such file or directory", told)
            self.assertIn("the bot could not be run before its game had begun", told)
            for name, command, within, reason in (
                ("flood", ["sh", "-c", "read a; while :; do echo 0; done"], PATIENCE, "without being asked"),
                (
                    "silent",
                    ["sh", "-c", "sleep 600 & wait"],
                    0.5,
                    "the bot wrote nothing within 0.5 s; are its streams",
                ),
                ("dead", ["sh", "-c", "read a; exit 3"], PATIENCE, "the bot ended with status 3"),
                ("left", ["sh", "-c", "setsid sleep 600 & read a; exit 3"], PATIENCE, "the bot ended with status 3"),
            ):
                good = self.bridge(port, protocol, "ann", python_bot(protocol))
                bad = self.bridge(port, protocol, name, command, f"--answer-time={within}")
                self.assertIn(f"{name} has resigned: ", " ".join(lines := self.printed(bad, 1)))
                self.assertIn(reason, " ".join(lines))
                self.assertEqual(self.results(good), ["ann won (left): left the game"])

    def test_a_bot_that_ends_in_its_set_up(self) -> None:
        with self.host() as host:
            good = self.bridge(host.ports["open"], "ucc-stratego", "ann", python_bot("ucc-stratego"))
            bad = self.bridge(host.ports["open"], "ucc-stratego", "bob", ["sh", "-c", "read a; exit 3"])
            self.assertIn("bob has resigned: the bot ended with status 3", " ".join(self.printed(bad, 1)))
            self.printed(good)


class KilledHostTests(BridgeCase):
    @long
    def test_in_mid_game(self) -> None:
        """The bridge comes back with its seat while its bot thinks, and the game goes on to its end."""
        for protocol in PYTHON:
            bot = [sys.executable, "-c", WAITS, *python_bot(protocol)[1:]]
            with self.host(store="store.sqlite") as host:
                port = host.ports["open"]
                ann = self.bridge(port, protocol, "ann", bot)
                bob = self.bridge(port, protocol, "bob", python_bot(protocol, 2))
                until = time.monotonic() + PATIENCE
                while not (self.folder / "reached").exists():
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.02)
                host.kill()
            with self.host(f"--open=tcp:{port}:interface=127.0.0.1", store="store.sqlite"):
                (self.folder / "go").touch()
                [result] = self.results(ann)
                self.assertIn("(rules)", result)
                self.assertEqual(self.results(bob), [result])
            for name in ("reached", "go"):
                (self.folder / name).unlink()


#: Starts a process in a session of its own, which keeps the pipes, and prints its number.
HELPER = "setsid sleep 600 & echo $!; "


class ProcessTests(SynchronousTestCase):
    """A command, and what it leaves behind."""

    def start(self, script: str) -> tuple[Any, int]:
        """The process of a command, and the number of its helper."""
        if not Path("/proc/self/stat").exists():
            raise SkipTest("there is no /proc on this machine")
        leader = subprocess.Popen(kept(["sh", "-c", HELPER + script]), stdout=subprocess.PIPE)
        self.addCleanup(leader.__exit__, None, None, None)
        assert leader.stdout is not None
        return leader, int(leader.stdout.readline())

    def assert_ended(self, pid: int) -> None:
        until = time.monotonic() + PATIENCE
        while (stat := Path(f"/proc/{pid}/stat")).exists() and ") Z " not in stat.read_text():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_helpers_end_with_their_program(self) -> None:
        for script, status in (("exit 3", 3), ("kill -SEGV $$", -11), ("kill -KILL $$", -9)):
            with self.subTest(script):
                leader, helper = self.start(script)
                self.assertEqual(leader.wait(PATIENCE), status)
                self.assertEqual(leader.stdout.read(), b"")
                self.assert_ended(helper)

    def test_all_are_killed_together(self) -> None:
        leader, helper = self.start("wait")
        kill(leader.pid)
        self.assertEqual(leader.wait(PATIENCE), -9)
        self.assert_ended(helper)

    def test_all_end_with_the_one_who_has_started_them(self) -> None:
        script = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)"
        words = kept(["sh", "-c", HELPER + "wait"])
        with subprocess.Popen([sys.executable, "-c", script, *words], stdout=subprocess.PIPE) as owner:
            assert owner.stdout is not None
            helper = int(owner.stdout.readline())
            owner.kill()
        self.assert_ended(helper)


class ContestTests(test_contest.ContestCase):
    BRIDGE = f"{sys.executable} -m gamehost bridge codingame-paper-soccer --to {{host}}:{{port}} --name {{name}} "
    BRIDGE += "--answer-time=60 --"

    @long
    def test_bridges_are_entrants(self) -> None:
        """Two of them, and a house player. What a bot has started ends with its game."""
        bots = {"ann": python_bot("codingame-paper-soccer"), "bob": python_bot("codingame-paper-soccer", 2)}
        players = {name: f"{self.BRIDGE} {' '.join(bot)}" for name, bot in bots.items()}
        self.finish(
            self.begin({**players, "easy": "house:easy"}, "--wire=open", "--game=paper-soccer", "--move-time=60")
        )
        self.assertEqual(sum(self.points().values()), 3.0)
        self.assertEqual({one["cause"] for one in self.results()["games"]}, {"rules"})

    @long
    def test_why_a_bridge_has_resigned(self) -> None:
        """It is told in the journal, in the results, and on the terminal."""
        players = {"ann": " ".join(python_bot("codingame-paper-soccer")), "bob": "sh -c 'read a; exit 3'"}
        words = ("--wire=open", "--game=paper-soccer", "--move-time=60")
        contest = self.begin({name: f"{self.BRIDGE} {bot}" for name, bot in players.items()}, *words)
        printed = contest.stdout.read().decode()
        self.finish(contest)
        why = "bob: gamehost bridge: bob has resigned: the bot ended with status 3"
        self.assertEqual(self.points(), {"ann": 1.0, "bob": 0.0})
        files = [self.folder / "out" / name for name in ("contest.jsonl", "results.json", "results.html")]
        for text in (printed, *(file.read_text("utf-8") for file in files)):
            self.assertIn(why, text)
