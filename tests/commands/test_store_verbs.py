"""The verbs for the store: what is sent, and what is shown."""

import io
import os
import sys

from tests.commands.test_admin import AdminCase


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
