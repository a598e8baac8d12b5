"""The owner's commands for the store, on a host that runs: a backup, and a host that goes on from it."""

import io
import sys
from pathlib import Path

from gamehost.commands import admin, journal
from gamehost.lobby.account_changes import RESET
from gamehost.plugins import REGISTRY
from tests.end_to_end.test_restart import DEAL, RestartCase
from tests.kit.process import HostProcess, Socket


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
