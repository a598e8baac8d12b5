"""A copy of a store is checked by a process of its own, which says what is wrong with it."""

import io
import os
import sqlite3
from contextlib import closing, redirect_stdout
from pathlib import Path

from gamehost.storage.online_backup import faults_of, main
from tests.storage.test_sqlite import StoreCase


class CheckTests(StoreCase):
    """What `gamehost.storage.online_backup` says of itself."""

    def checked(self, path: Path) -> tuple[int, str]:
        """The exit status, and what is printed."""
        self.patch(os, "nice", lambda more: more)
        with redirect_stdout(io.StringIO()) as out:
            status = main([str(path)])
        return status, out.getvalue()

    def test_faults(self) -> None:
        """Nothing is said of a copy that is whole. Missing rows are found, and so is a file that is no copy."""
        journal = self.start()
        self.play(journal, 5)
        self.stop(journal)
        self.assertEqual(self.checked(self.path), (0, ""))
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM event WHERE seq > 3")
        status, words = self.checked(self.path)
        self.assertEqual(status, 1)
        self.assertIn("shorter than recorded", words)
        self.path.write_text("no database at all")
        self.assertIn("not a journal", faults_of(self.path)[0])
