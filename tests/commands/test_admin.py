"""`gamehost admin`: what is sent to a host, and what is shown."""

import io
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin import main, parser
from gamehost.commands.command_line import socket_beside


class AdminCase(SynchronousTestCase):
    """A socket on which a thread gives one answer."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = str(Path(folder.name) / "store")
        self.requests: list[Any] = []

    def ask(self, *argv: str, answers: Sequence[object] = ({"end": {}},)) -> tuple[int, str, str]:
        """The status, and what is printed."""
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(self.store + ".admin")
            server.listen()
            thread = threading.Thread(target=self.serve, args=(server, answers))
            thread.start()
            try:
                return self.run_command(f"--store={self.store}", *argv)
            finally:
                thread.join(10)
                Path(self.store + ".admin").unlink()

    def serve(self, server: socket.socket, answers: Sequence[object]) -> None:
        """Answer one request."""
        one, _ = server.accept()
        with one:
            self.requests.append(json.loads(one.makefile("rb").readline()))
            one.sendall(b"".join(json.dumps(answer).encode() + b"\n" for answer in answers))

    def run_command(self, *argv: str) -> tuple[int, str, str]:
        """The command alone."""
        out, err = io.StringIO(), io.StringIO()
        status = main(argv, out, err)
        return status, out.getvalue(), err.getvalue()


WHO = {"name": "an\x1bn", "account": False, "house": False, "wire": "onitama", "address": "192.0.2.1"}


class AnswerTests(AdminCase):
    """What is shown."""

    def test_a_host_of_an_older_release(self) -> None:
        """If its answer has fewer keys, it is shown as JSON."""
        old = {"draining": True, "tables": 3}
        self.assertEqual(self.ask("drain", answers=[{"end": old}]), (0, json.dumps(old) + "\n", ""))

    def test_items(self) -> None:
        """One line each, and no control characters."""
        answers = [{"item": {**WHO, "table": 3, "game": "onitama"}}, {"item": {**WHO, "table": None, "game": None}}]
        status, out, err = self.ask("who", answers=[*answers, {"end": {}}])
        self.assertEqual(self.requests, [{"command": "who", "arguments": {}}])
        self.assertEqual(
            out.splitlines(),
            ["an\\x1bn  guest  onitama  from 192.0.2.1  table 3 (onitama)", "an\\x1bn  guest  onitama  from 192.0.2.1"],
        )
        self.assertEqual((status, err), (0, ""))

    def test_json(self) -> None:
        """The facts as they are, one object a line; an end that says nothing is left out."""
        for argv in (("--json", "who"), ("who", "--json")):
            _, out, _ = self.ask(*argv, answers=[{"item": {"a": 1}}, {"item": {}}, {"end": {}}])
            self.assertEqual(out, '{"a": 1}\n{}\n')

    def test_refusal(self) -> None:
        """On standard error, with the status that the host gives."""
        status, out, err = self.ask("who", answers=[{"error": "planted", "status": 1}])
        self.assertEqual((status, out, err), (1, "", "gamehost admin: planted\n"))

    def test_the_host_ends(self) -> None:
        """The answer is not complete."""
        status, _, err = self.ask("who", answers=[{"item": {**WHO, "table": None, "game": None}}])
        self.assertEqual(status, 3)
        self.assertIn("has ended before", err)


class SocketTests(AdminCase):
    """Where the host is."""

    def test_no_host(self) -> None:
        """Nothing, or nobody, is there."""
        status, out, err = self.run_command(f"--store={self.store}", "who")
        self.assertEqual((status, out), (3, ""))
        self.assertIn(f"no host runs with the socket {self.store}.admin", err)

    def test_no_socket_by_default(self) -> None:
        """The store is no file."""
        self.assertIsNone(socket_beside("memory"))
        self.assertIsNone(socket_beside("postgresql://localhost/games"))
        status, _, err = self.run_command("--store=memory", "who")
        self.assertEqual(status, 3)
        self.assertIn("--admin", err)

    def test_times(self) -> None:
        """The words behind a ban are a time, or there are none."""
        for words, seconds in (("for 90s", 90), ("for 30min", 1800), ("for 2 h", 7200), ("for 7d", 604_800)):
            parsed = parser().parse_args(["ban", "ann", *words.split()])
            self.assertEqual(parsed.seconds, seconds)
        self.assertIsNone(parser().parse_args(["ban", "ann"]).seconds)
        self.patch(sys, "stderr", io.StringIO())
        for words in ("2h", "for", "for ever", "for 2", "for 2h 3"):
            error = self.assertRaises(SystemExit, parser().parse_args, ["ban", "ann", *words.split()])
            self.assertEqual(error.code, 2)

    def test_wrong_words(self) -> None:
        """argparse says so, with status 2."""
        self.patch(sys, "stderr", io.StringIO())
        for argv in (["dance"], [], ["who", "--store=a", "--admin=b"]):
            error = self.assertRaises(SystemExit, self.run_command, *argv)
            self.assertEqual(error.code, 2)


class BackupTests(AdminCase):
    """`gamehost admin backup`."""

    def test_backup(self) -> None:
        """The path is one that the host understands in its own folder."""
        facts = {"file": "/a\x1b", "rows": 3, "accounts": 2, "bytes": 1_250_000, "faults": ["one"]}
        status, out, _ = self.ask("backup", "a", "--force", "--accept-faults", answers=[{"end": facts}])
        arguments = {"file": os.path.join(os.getcwd(), "a"), "force": True, "accept_faults": True}
        self.assertEqual(self.requests, [{"command": "backup", "arguments": arguments}])
        self.assertEqual((status, out), (0, "fault: one\n/a\\x1b: 3 rows and 2 accounts copied and checked, 1.2 MB\n"))


class AccountTests(AdminCase):
    """`gamehost admin account`."""

    def test_list(self) -> None:
        """One line each."""
        ann = {"name": "ann", "present": True, "table": 3, "last_log_in": "2026-01-31"}
        bob = {"name": "bob", "present": False, "table": None, "last_log_in": None}
        _, out, _ = self.ask("account", "list", "a*", answers=[{"item": ann}, {"item": bob}, {"end": {}}])
        self.assertEqual(self.requests, [{"command": "account list", "arguments": {"pattern": "a*"}}])
        lines = [
            "ann  here  last log-in: 2026-01-31  seat at table 3",
            "bob  away  last log-in: unknown",
        ]
        self.assertEqual(out.splitlines(), lines)

    def test_reset(self) -> None:
        """A password that the host has made is printed once. One from standard input is sent, and not printed."""
        facts = {"name": "ann", "connections": 1, "table": 3}
        _, out, _ = self.ask("account", "reset", "ann", answers=[{"end": {**facts, "password": "made"}}])
        words = "ann has a new password; connections closed: 1; the seat at table 3 is kept"
        self.assertEqual(out.splitlines(), [words, "password: made"])
        self.patch(sys, "stdin", io.StringIO("canary\n"))
        _, out, _ = self.ask("account", "reset", "ann", "--stdin", answers=[{"end": facts}])
        self.assertEqual(out.splitlines(), [words])
        self.assertEqual(
            [one["arguments"] for one in self.requests], [{"name": "ann"}, {"name": "ann", "password": "canary"}]
        )

    def test_changes(self) -> None:
        """What came of them."""
        facts = {"name": "Zoe", "connections": 0, "table": None}
        _, out, _ = self.ask("account", "rename", "ann", "Zoe", answers=[{"end": facts}])
        self.assertEqual(out, "the account has the name Zoe now\n")
        _, out, _ = self.ask("account", "delete", "zoe", "--force", answers=[{"end": {**facts, "table": 4}}])
        self.assertEqual(out, "Zoe is deleted; the seat at table 4 is given up\n")
        renaming = {"name": "ann", "new_name": "Zoe", "force": False}
        self.assertEqual([one["arguments"] for one in self.requests], [renaming, {"name": "zoe", "force": True}])
