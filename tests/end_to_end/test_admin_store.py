"""The owner's commands for the store, on a host that runs: a backup, and a host that goes on from it."""

import io
from pathlib import Path

from gamehost.commands import admin
from tests.end_to_end.test_restart import RestartCase


class StoreTests(RestartCase):
    """One host, and what its owner asks meanwhile."""

    def ask(self, *argv: str) -> str:
        """What `gamehost admin` prints."""
        out, err = io.StringIO(), io.StringIO()
        status = admin.main(["--store", str(self.folder / "store.sqlite"), *argv], out, err)
        self.assertEqual((status, err.getvalue()), (0, ""), argv)
        return out.getvalue()

    def test_a_backup_and_the_way_back(self) -> None:
        """A backup while a match goes on; a host on the backup knows the match as it was then."""
        copy = self.folder / "copy.sqlite"
        with self.host() as host:
            ann, bob = self.begin(host)
            words = self.ask("backup", str(copy))
            self.assertRegex(words, rf"^{copy}: 3 rows and 0 accounts copied and checked, 0\.[0-9] MB\n$")
            bob.say("MAKE_MOVE|crab|c5|c4")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|c5|c4")
        self.assertIn("admin: backup file=", host.log)
        for suffix in ("", ".hwm"):
            (self.folder / f"store.sqlite{suffix}").unlink()
            Path(f"{copy}{suffix}").rename(self.folder / f"store.sqlite{suffix}")
        for suffix in ("-wal", ".last", ".admin"):
            (self.folder / f"store.sqlite{suffix}").unlink()
        with self.host() as host:
            self.go_on(host)
