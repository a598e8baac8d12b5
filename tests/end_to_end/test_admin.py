"""`gamehost admin` on a host that is at work: each command, over its real socket, while clients are busy."""

import io
import json
import os
import sqlite3
import stat
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin import VERBS, main
from tests.kit.process import HostProcess, Socket

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"
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
        options = (DEAL, f"--config={self.config}")
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
