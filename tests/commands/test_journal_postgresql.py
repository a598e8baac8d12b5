"""`gamehost journal` on a database, while a host plays."""

import io
from pathlib import Path

from gamehost.commands.journal import main
from gamehost.plugins import GAMES
from tests.kit.journal_contract import END, nothing
from tests.kit.postgresql import PostgresCase


class JournalCommandTests(PostgresCase):
    """Each verb."""

    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start(wall=lambda: 1_700_000_000.0)
        for _ in range(3):
            table = self.play(self.journal, 0)
            self.journal.append(table, END, nothing)
            self.journal.told(table)
        self.settle(self.journal)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def call(self, *words: str, status: int = 0) -> str:
        """What is printed, to standard output and to standard error."""
        printed = io.StringIO()
        self.assertEqual(main(words, GAMES, printed, printed), status, printed.getvalue())
        return printed.getvalue()

    def test_list_show_and_verify(self) -> None:
        """As of a file."""
        lines = self.call("list", "--store", self.url).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("1  2023-11-14T22:13:20Z  onitama  Ann (onitama), Bob (onitama)  1 entry  finished", lines[0])
        self.assertIn("gave up the seat", self.call("show", "2", "--store", self.url))
        self.assertIn("3 tables, 6 rows: no faults", self.call("verify", "--store", self.url))

    def test_copies(self) -> None:
        """A backup is made with the tools of the database; `copy` needs a store that no host uses."""
        file = str(self.folder / "copy.sqlite")
        self.assertIn("pg_dump or pg_basebackup", self.call("backup", file, "--store", self.url, status=1))
        self.assertIn("stop it first", self.call("copy", self.url, file, status=1))
        self.stop(self.journal)
        self.assertIn("3 tables with 6 rows, and 0 accounts copied and checked", self.call("copy", self.url, file))
        self.assertEqual(self.call("list", "--store", file), self.call("list", "--store", self.url))

    def test_prune(self) -> None:
        """The archive is a file."""
        archive = str(self.folder / "archive.sqlite")
        words = ("prune", "--before", "2024-01-01", "--archive", archive, "--store", self.url)
        self.assertIn("2 tables with 4 rows moved", self.call(*words))
        self.assertEqual(len(self.call("list", "--store", archive).splitlines()), 2)
