"""`gamehost admin` on a host that is at work: each command over its real socket, and backups that a host goes on from."""

import io
import json
import os
import sqlite3
import stat
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands import admin, journal
from gamehost.commands.admin import VERBS, main
from gamehost.lobby.account_changes import RESET
from gamehost.plugins import REGISTRY
from tests.end_to_end.test_restart import DEAL, RestartCase
from tests.kit.process import HostProcess, Socket

# `gamehost admin` on a host that is at work: each command, over its real socket, while clients are busy.


SETTINGS = "--set=onitama.deal=boar,ox/crab,eel/tiger"
CLIENTS = 20


class Busy(threading.Thread):
    """Clients of the open wire that ask for something all the time. None of their connections may end."""

    def __init__(self, host: HostProcess) -> None:
        super().__init__()
        self.sockets = [host.connect("open") for _ in range(CLIENTS)]
        for one in self.sockets:
            one.say('{"do":"lobby"}')
        self.answers = 0
        self.notices = 0
        self.lost = 0
        self._end = threading.Event()

    def run(self) -> None:
        """Ask, and read everything up to the answer, one client after the other."""
        while not self._end.is_set():
            for one in self.sockets:
                one.say('{"do":"ping"}')
            for one in self.sockets:
                while (line := one.hear()) != '{"is":"pong"}':
                    self.notices += line.startswith('{"is":"notice"')
                    if not line:
                        self.lost += 1
                        return
                self.answers += 1

    def stop(self) -> None:
        """Ask nothing more."""
        self._end.set()
        self.join(10)

    def more(self) -> None:
        """Wait until all clients have been answered twice more."""
        wanted, end = self.answers + 2 * CLIENTS, time.monotonic() + 10
        while self.answers < wanted:
            assert time.monotonic() < end and not self.lost, "the clients are not answered"
            time.sleep(0.005)


class AdminTests(SynchronousTestCase):
    """One host, all commands."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="gh")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "gamehost.toml"
        self.config.write_text("grace = 60\n")
        self.tried: set[str] = set()

    def host(self) -> HostProcess:
        """The host of this folder."""
        options = (SETTINGS, f"--config={self.config}")
        return HostProcess(*options, wires=["onitama", "open"], folder=self.folder, store="s.sqlite")

    def ask(self, *words: str, status: int = 0) -> str:
        """What a command prints, or why the host does not carry it out."""
        self.tried.add(next(verb for verb in VERBS if words[: len(verb.split())] == tuple(verb.split())))
        out, err = io.StringIO(), io.StringIO()
        found = main([*words, f"--store={self.folder / 's.sqlite'}"], out, err)
        self.assertEqual(found, status, err.getvalue())
        return out.getvalue() + err.getvalue()

    def log_in(self, host: HostProcess, name: str) -> tuple[Socket, str]:
        """A client of Onitama, and its first line."""
        client = host.connect("onitama")
        client.say(f"LOGIN|{name}")
        return client, client.hear()

    def test_every_command(self) -> None:
        """While clients are busy, and two play. Nobody loses a connection who should not."""
        with self.host() as host:
            busy = Busy(host)
            busy.start()
            self.addCleanup(busy.stop)
            ann, _ = self.log_in(host, "ann")
            bob, _ = self.log_in(host, "bob")
            ann.hear()
            self.look(host)
            self.change(host, busy)
            busy.more()
            self.keep()
            self.remove(host)
            ann.say("MAKE_MOVE|ox|c1|c2")
            self.assertEqual([one.hear() for one in (ann, bob)], ["MOVE_WAS_MADE|ox|c1|c2"] * 2)
            busy.more()
            self.assertEqual(busy.lost, 0)
            busy.stop()
            self.drain(host, ann, bob)
        self.assertEqual(self.tried, set(VERBS))
        self.assertIn("admin: ban target='eve'", host.log)
        self.assertNotIn("Traceback", host.log)
        with self.host() as again:
            self.assertIn("this name is banned", self.log_in(again, "eve")[1])
            self.assertIn("192.0.2.0/24", self.ask("bans"))

    def look(self, host: HostProcess) -> None:
        """Commands that change nothing. The socket is the owner's alone."""
        self.assertIn("without --cluster", self.ask("cluster", status=1))
        mode = os.stat(self.folder / "s.sqlite.admin").st_mode
        self.assertEqual((stat.S_ISSOCK(mode), stat.S_IMODE(mode)), (True, 0o600))
        status: dict[str, Any] = json.loads(self.ask("status", "--json"))
        self.assertEqual((status["tables"], status["connections"]), (1, CLIENTS + 2))
        self.assertIn("ann  guest  onitama  from 127.0.0.1  table 1 (onitama)", self.ask("who"))
        self.assertIn("1  onitama  ann (onitama), bob (onitama)", self.ask("tables"))
        self.assertIn("ann", self.ask("show", "1").splitlines()[-1])
        self.assertIn("no match with the number 7", self.ask("show", "7", status=1))

    def change(self, host: HostProcess, busy: Busy) -> None:
        """New settings, and words to all."""
        self.config.write_text("grace = 30\n")
        self.assertEqual(self.ask("reload"), "changed: grace\n")
        self.assertEqual(self.ask("reload"), "nothing is different\n")
        self.assertIn(f"told: {CLIENTS}; not told", self.ask("say", "We stop at 8."))
        busy.more()
        self.assertEqual(busy.notices, CLIENTS)

    def keep(self) -> None:
        """Copies and accounts."""
        copy = self.folder / "copy.sqlite"
        self.ask("backup", str(copy))
        with closing(sqlite3.connect(copy)) as connection:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(self.ask("account", "list"), "")
        for words in (("reset", "nobody"), ("rename", "nobody", "new"), ("delete", "nobody")):
            self.assertIn("nobody", self.ask("account", *words, status=1))

    def remove(self, host: HostProcess) -> None:
        """Players who have to go."""
        eve, _ = self.log_in(host, "eve")
        self.assertIn("eve: the connection is closed", self.ask("kick", "eve"))
        self.assertIn("the owner of this host has ended your connection", eve.hear())
        eve, _ = self.log_in(host, "eve")
        began = time.monotonic()
        self.assertIn("eve is banned for ever; connections closed: 1", self.ask("ban", "eve"))
        self.assertIn("this name is banned from this host", eve.hear())
        self.assertEqual(eve.hear(), "")
        self.assertLess(time.monotonic() - began, 1)
        self.assertIn("this name is banned from this host", self.log_in(host, "eve")[1])
        self.ask("ban", "192.0.2.0/24", "for", "7d")
        self.ask("ban", "192.0.2.1")
        self.ask("unban", "192.0.2.1")
        self.assertEqual(len(self.ask("bans").splitlines()), 2)

    def drain(self, host: HostProcess, ann: Socket, bob: Socket) -> None:
        """The last match ends, and the process too. Nothing is lost."""
        self.assertIn("after the last of 1", self.ask("drain"))
        self.assertIn("the host goes on", self.ask("drain", "--cancel"))
        self.ask("drain")
        self.assertIn("no new matches begin", self.log_in(host, "carl")[1])
        ann.close()
        self.assertEqual(bob.hear(), "LOGOUT|ann")
        again, line = self.log_in(host, "ann")
        self.assertTrue(line.startswith("RECONNECT|ann"), line)
        self.assertIsNone(host.process.poll())
        again.say("RESIGN")
        self.assertTrue(bob.hear().startswith("RECONNECT|ann"))
        self.assertEqual([one.hear() for one in (again, bob)], ["GAME_OVER|bob"] * 2)
        self.assertEqual(host.process.wait(10), 0)
        self.assertFalse((self.folder / "s.sqlite.admin").exists())
        self.assertIn("no host runs", self.ask("status", status=3))


# The owner's commands for the store, on a host that runs: a backup, and a host that goes on from it.


class StoreTests(RestartCase):
    """One host, and what its owner asks meanwhile."""

    def ask(self, *argv: str) -> str:
        """What `gamehost admin` prints."""
        out, err = io.StringIO(), io.StringIO()
        status = admin.main(["--store", str(self.folder / "store.sqlite"), *argv], out, err)
        self.assertEqual((status, err.getvalue()), (0, ""), argv)
        return out.getvalue()

    def journal(self, verb: str, *words: str) -> tuple[int, str]:
        """What `gamehost journal` prints, and its status."""
        out = io.StringIO()
        store = () if verb == "read" else ("--store", str(self.folder / "store.sqlite"))
        status = journal.main([verb, *words, *store], REGISTRY.games, out, out)
        return status, out.getvalue()

    def read_journal(self) -> None:
        """Every verb that needs no store for itself alone."""
        status, words = self.journal("list")
        self.assertRegex(words, r"^1  [^ ]+  onitama  ann \(onitama\), bob \(onitama\)  2 entries  unfinished\n$")
        self.assertIn("ox c1 c2", self.journal("show", "1")[1])
        self.assertIn("</svg>", self.journal("draw", "1")[1])
        text = self.folder / "match.txt"
        text.write_text(self.journal("show", "1", "--notation")[1])
        self.assertIn("2 entries replayed; not finished", self.journal("read", str(text))[1])
        self.assertEqual(self.journal("verify"), (0, "1 tables, 3 rows: no faults\n"))
        status, words = self.journal("prune", "--before=2020-01-01")
        self.assertEqual(status, 1)
        self.assertIn("stop it first", words)

    def host(self, *options: str) -> HostProcess:
        """With a wire that has accounts."""
        return HostProcess(
            *DEAL, *options, wires=["onitama", "stratego-lines"], folder=self.folder, store="store.sqlite"
        )

    def change_accounts(self, host: HostProcess) -> None:
        """A new password and a new name, and then the end of the account; the log has no password."""
        carl = self.log_in(host, "carl", "first secret")
        self.patch(sys, "stdin", io.StringIO("second secret\n"))
        words = self.ask("account", "reset", "carl", "--stdin")
        self.assertEqual(words, "carl has a new password; connections closed: 1\n")
        self.assertEqual(carl.hear(), f"err {RESET}")
        self.log_in(host, "carl", "second secret").close()
        made = self.ask("account", "reset", "carl").splitlines()[1].removeprefix("password: ")
        self.assertIn("the account has the name Zoe now", self.ask("account", "rename", "carl", "Zoe"))
        self.log_in(host, "zoe", made).close()
        self.assertRegex(self.ask("account", "list"), "^Zoe  (here|away)  last log-in: [0-9-]{10}\n$")
        self.assertIn("Zoe is deleted", self.ask("account", "delete", "zoe"))
        self.assertEqual(self.ask("account", "list"), "")
        self.secrets = ["first secret", "second secret", made]

    def log_in(self, host: HostProcess, name: str, password: str) -> Socket:
        """A new connection on which an account logs in."""
        player = host.connect("stratego-lines")
        player.say(name, password)
        self.assertEqual([player.hear(), player.hear()], ["auth-req", "auth-ok"])
        return player

    def test_a_backup_and_the_way_back(self) -> None:
        """The journal is read and copied while a match goes on; a host on the backup knows the match as it was then."""
        copy = self.folder / "copy.sqlite"
        with self.host() as host:
            ann, bob = self.begin(host)
            self.read_journal()
            self.change_accounts(host)
            words = self.ask("backup", str(copy))
            self.assertRegex(words, rf"^{copy}: 3 rows and 0 accounts copied and checked, 0\.[0-9] MB\n$")
            bob.say("MAKE_MOVE|crab|c5|c4")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|c5|c4")
        self.assertIn("admin: backup file=", host.log)
        self.assertIn("admin: account reset name='carl'", host.log)
        for secret in self.secrets:
            self.assertNotIn(secret, host.log)
        for suffix in ("", ".hwm"):
            (self.folder / f"store.sqlite{suffix}").unlink()
            Path(f"{copy}{suffix}").rename(self.folder / f"store.sqlite{suffix}")
        for suffix in ("-wal", ".last", ".admin"):
            (self.folder / f"store.sqlite{suffix}").unlink()
        with self.host() as host:
            self.go_on(host)
