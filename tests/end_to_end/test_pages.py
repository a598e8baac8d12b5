"""What pages show of a host that runs, and of a check: typed and read as they say, on one host for all."""

import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.commands import admin, journal
from gamehost.plugins import REGISTRY
from tests.kit.process import PATIENCE, HostProcess, Socket, run
from tests.kit.sources import ROOT
from tests.test_pages import shown

OPENSSL = shutil.which("openssl")
DEAL = '[set]\n"onitama.deal" = "boar,ox/crab,eel/tiger"\n'


def without_numbers(text: str) -> str:
    """Times, versions, ports, numbers of tables and the width of columns are not those of the page."""
    return re.sub(r" +", " ", re.sub(r"\d+(?:\.\d+)*", "0", text))


class HostTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.settings = self.folder / "gamehost.toml"
        self.settings.write_text(DEAL)

    def host(self) -> HostProcess:
        options = ("--console=tcp:0:interface=127.0.0.1", f"--config={self.settings}")
        return HostProcess(*options, wires=["onitama"], folder=self.folder, store="gamehost.sqlite")

    def seated(self, host: HostProcess) -> list[Socket]:
        players = [host.connect("onitama") for _ in "ab"]
        for player, name in zip(players, ("ann", "bob"), strict=True):
            player.say(f"LOGIN|{name}")
            while not player.hear().startswith("WAITING" if name == "ann" else "START"):
                pass
        return players

    def command(self, words: list[str]) -> str:
        _, verb, *rest = words
        out, err = io.StringIO(), io.StringIO()
        arguments = [*rest, f"--store={self.folder / 'gamehost.sqlite'}"]
        if verb == "admin":
            status = admin.main(arguments, out, err)
        else:
            status = journal.main(arguments, REGISTRY.games.get, out, err)
        self.assertEqual(status, 0, f"{words}: {err.getvalue()}")
        return out.getvalue()

    def test_a_running_host(self) -> None:
        """The log of the start, requests of a program, commands, new settings, a match as text, a copy."""
        with self.host() as host:
            ann, bob = self.seated(host)
            self.the_log_of_a_start(host)
            self.requests_of_a_program()
            for block in ("gamehost admin status", "gamehost admin ban eve"):
                for words in shown("docs/admin.rst", block).commands():
                    if words[2] not in ("kick", "drain"):  # nobody is called eve here
                        self.command(words)
            self.new_settings()
            ann.say("MAKE_MOVE|ox|c1|c2")
            bob.hear()
            bob.say("RESIGN")
            host.until("is over")
            self.a_match_as_text()
            self.the_journal()
            self.command(["gamehost", "admin", "drain"])
            ann.close()
            bob.close()
            self.assertEqual(host.process.wait(PATIENCE), 0)
        own = shown("docs/hosting.rst", "...#info] onitama: ").lines[-1].partition("info] ")[2]
        self.assertIn(without_numbers(own).partition("user=")[0], without_numbers(host.log))

    def the_log_of_a_start(self, host: HostProcess) -> None:
        """But for what only a host with unfinished matches says."""
        log = without_numbers(host.log)
        *lines, play = shown("docs/operating.rst", "gamehost 1.").lines
        for line in lines:
            if not line.startswith("resumed"):
                self.assertIn(without_numbers(line), log)
        host.until(re.escape(play.partition(" nc ")[0]))

    def requests_of_a_program(self) -> None:
        """Each answer has the keys of the page; an error is the same to the letter."""
        with socket.socket(socket.AF_UNIX) as owner:
            owner.connect(os.path.relpath(self.folder / "gamehost.sqlite.admin"))
            answers = owner.makefile("r", encoding="utf-8")
            for line in shown("docs/admin.rst", "-> {").lines:
                arrow, text = line.split(" ", 1)
                if arrow == "->":
                    owner.sendall(text.encode() + b"\n")
                    continue
                expected, answer = json.loads(text), json.loads(answers.readline())
                while "item" in expected and "item" in answer and answer["item"]["name"] != "ann":
                    answer = json.loads(answers.readline())
                while "item" in answer and "item" not in expected:
                    answer = json.loads(answers.readline())
                self.assertEqual(keys(answer), keys(expected))
                if "error" in expected:
                    self.assertEqual(answer, expected)

    def new_settings(self) -> None:
        """What the page shows is what the answer is, if that has changed in the file."""
        lines = shown("docs/admin.rst", "changed: ").lines
        self.settings.write_text("grace = 7\n" + DEAL + '"limits.open_tables" = 7\n"eriantys.ping" = 7\n')
        self.assertEqual(self.command(["gamehost", "admin", "reload"]).splitlines(), lines)

    def a_match_as_text(self) -> None:
        """A header of these tags, entries in this form; and it is read back."""
        text = self.command(["gamehost", "journal", "show", "1", "--notation"])
        page = shown("docs/store.rst", "[Game ").text
        for line in page.splitlines():
            form = re.sub(r"\s+", " ", without_numbers(line.split(' "')[0] if line.startswith("[") else line)).strip()
            self.assertIn(form, re.sub(r"\s+", " ", without_numbers(text)))
        path = self.folder / "match.txt"
        path.write_text(text)
        self.assertEqual(journal.main(["read", str(path)], REGISTRY.games.get, io.StringIO(), io.StringIO()), 0)

    def the_journal(self) -> None:
        """The first commands of its page, but that the match is another one, and the copy is elsewhere."""
        for words in shown("docs/store.rst", "gamehost journal list                     one").commands():
            meant = {"17": "1", "copy.sqlite": str(self.folder / "copy.sqlite")}
            words = [meant.get(word, word) for word in words]
            if words[2] != "verify":
                self.command(words)
                continue
            self.assertEqual(journal.main(words[2:], REGISTRY.games.get, io.StringIO(), io.StringIO()), 0)


def keys(value: Any) -> Any:
    """The keys of an object, and of what is in it."""
    return {name: keys(inner) for name, inner in value.items()} if isinstance(value, dict) else None


class CheckTests(SynchronousTestCase):
    def test_the_first_run(self) -> None:
        """A line of each scenario is printed as the page has it."""
        page = "docs/extras/check/checker.rst"
        lines = shown(page, "ok ").lines
        [words] = shown(page, ".venv/bin/gamehost check").commands()
        at = words.index("--")
        chosen = [f"--scenario={line.split()[1]}" for line in lines]
        client = [sys.executable if word == ".venv/bin/python" else word for word in words[at + 1 :]]
        client = [str(ROOT / word) if word.endswith(".py") else word for word in client]
        status, printed, errors = run(*words[2:at], *chosen, "--", *client)
        self.assertEqual(status, 0, errors)
        self.assertEqual(without_numbers(printed).splitlines()[: len(lines)], [without_numbers(line) for line in lines])


class CertificateTests(SynchronousTestCase):
    def test_the_commands(self) -> None:
        if OPENSSL is None:
            raise SkipTest("no openssl here")
        folder = Path(self.mktemp())
        folder.mkdir()
        commands = shown("docs/extras/cluster/cluster.rst", "openssl req").text
        done = subprocess.run(
            ["sh", "-eu", "-c", commands], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        words = [OPENSSL, "verify", "-CAfile", "ca.pem", "-verify_ip", "10.0.0.1", "a/cert.pem"]
        subprocess.run(words, cwd=folder, capture_output=True, timeout=PATIENCE, check=True)
