"""A backup is a journal of its own, and holds everything that the journal holds."""

import shutil
import sqlite3
from contextlib import closing

from gamehost.journal.records import StoreUnusable
from gamehost.storage import backup as under_test
from gamehost.storage.backup import back_up
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import sidecar_path
from tests.storage.test_sqlite import StoreCase


class BackupTests(StoreCase):
    """Copies of a journal that no host has open."""

    def test_log_of_a_killed_host(self) -> None:
        """What is only in the log beside the file is in the copy, with a mark; the source is not changed."""
        journal = self.start()
        table = self.play(journal, 300)
        killed = self.folder / "killed.sqlite"
        for suffix in ("", "-wal", ".hwm"):
            shutil.copy2(sidecar_path(self.path, suffix), sidecar_path(killed, suffix))
        before = killed.read_bytes()
        copy = self.folder / "copy.sqlite"
        with reading(killed) as source:
            held = source.back_up(copy)
        self.assertEqual(killed.read_bytes(), before)
        with reading(copy) as found:
            self.assertEqual(found.verify().faults, [])
            self.assertEqual(len(found.table(table)[1].entries), 300)
        self.assertEqual(held.count, 301)

    def test_journal_that_lost_rows(self) -> None:
        """It is not copied: the copy's own mark would hide the loss."""
        self.stop_all()
        journal = self.start()
        self.play(journal, 3)
        self.stop(journal)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM event WHERE seq = 2")
        with reading(self.path) as source:
            error = self.assertRaises(StoreUnusable, source.back_up, self.folder / "copy.sqlite")
        self.assertIn("3 rows", str(error))
        self.assertFalse((self.folder / "copy.sqlite").exists())

    def test_copy_that_fails_is_removed(self) -> None:
        """A disk that is full leaves no half copy behind."""
        self.stop(self.start())

        def fail(*_: object) -> None:
            raise OSError("planted")

        self.patch(under_test, "replace", fail)
        copy = self.folder / "copy.sqlite"
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            error = self.assertRaises(StoreUnusable, back_up, connection, copy)
        self.assertIn("planted", str(error))
        self.assertFalse(copy.exists())
