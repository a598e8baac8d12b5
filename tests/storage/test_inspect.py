"""A journal is read by people as it was written, changed by nobody, and verified to the last row."""

import shutil
import sqlite3
from contextlib import closing

from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableId, TableRecord
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.row_codec import Undecodable
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.journal_contract import BEGAN, END, MOVE, OPENING, nothing
from tests.kit.journals import records
from tests.storage.test_sqlite import StoreCase

ARCHIVED = Entry(EntryKind.ARCHIVED, 86_400_000)


class ReadingTests(StoreCase):
    """What `gamehost.storage.inspect` says of itself."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start(wall=lambda: 1_700_000_000.5)
        for last in (END, ARCHIVED, MOVE):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, BEGAN, nothing)
            journal.append(table, last, nothing)
        journal.open(journal.new_table(), OPENING, nothing)
        self.stop(journal)

    def spoil(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    def faults(self) -> list[str]:
        with reading(self.path) as journal:
            return journal.verify().faults

    def test_tables(self) -> None:
        """Every table, oldest first, with its state and its last entry."""
        with reading(self.path) as journal:
            tables = list(journal.tables())
        at = 1_700_000_000_500
        self.assertEqual(
            tables,
            [
                Summary(TableId(1), at, OPENING, 2, END),
                Summary(TableId(2), at, OPENING, 2, ARCHIVED),
                Summary(TableId(3), at, OPENING, 2, MOVE),
                Summary(TableId(4), at, OPENING, 0, None),
            ],
        )
        states = [table.state for table in tables if isinstance(table, Summary)]
        self.assertEqual(states, ["finished", "archived", "unfinished", "unfinished"])

    def test_a_table_without_its_opening(self) -> None:
        """It is said of that table, and the others are listed all the same."""
        self.spoil("DELETE FROM event WHERE game = 2 AND n = 0")
        with reading(self.path) as journal:
            told = [str(table) if isinstance(table, Undecodable) else table.table for table in journal.tables()]
        self.assertEqual(told, [1, "table 2: row 0 is missing", 3, 4])

    def test_one_table(self) -> None:
        """All of a table's entries, and no table that is not there."""
        with reading(self.path) as journal:
            expected = (1_700_000_000_500, TableRecord(TableId(1), OPENING, (BEGAN, END)))
            self.assertEqual(journal.table(TableId(1)), expected)
            error = self.assertRaises(StoreUnusable, journal.table, TableId(77))
            self.assertIn("there is no table 77", str(error))

    def test_reading_changes_nothing(self) -> None:
        """After a clean stop there are the same files with the same bytes."""
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.assertEqual(self.faults(), [])
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_a_killed_journal_is_read_with_its_log(self) -> None:
        """What is only in the log is read too, and the host starts on it afterwards."""
        journal = self.start()
        table = self.play(journal, 5)
        folder = self.folder / "killed"
        folder.mkdir()
        for suffix in ("", "-wal", ".hwm"):
            shutil.copy2(sidecar_path(self.path, suffix), folder)
        with reading(folder / "store.sqlite") as killed:
            self.assertEqual(killed.verify().faults, [])
            self.assertEqual(len(killed.table(table)[1].entries), 5)
        self.start(folder / "store.sqlite")

    def test_a_live_journal_is_not_read(self) -> None:
        """The host that has it open is not disturbed."""
        self.start()
        error = self.assertRaises(StoreUnusable, self.faults)
        self.assertIn("has this journal open; stop it first", str(error))

    def test_what_is_not_there_is_not_made(self) -> None:
        """A misspelt path is said, and leaves no file behind."""
        self.path = self.folder / "misspelt.sqlite"
        self.assertIn("there is no such journal", str(self.assertRaises(StoreUnusable, self.faults)))
        self.assertFalse(self.path.exists())

    def test_verify_counts(self) -> None:
        """All tables and all rows were looked at."""
        with reading(self.path) as journal:
            findings = journal.verify()
        self.assertEqual((findings.tables, findings.rows, findings.faults), (4, 10, []))

    def test_verify_names_a_changed_row(self) -> None:
        """In a finished table too, which a start does not look at."""
        self.spoil("UPDATE event SET seat = 0 WHERE game = 1 AND n = 2")
        self.assertEqual(self.faults(), ["table 1: row 2 does not match its hash"])

    def test_verify_names_what_is_missing(self) -> None:
        """Rows, and with them the count of the mark."""
        self.spoil("DELETE FROM event WHERE game = 2 AND n = 1")
        found = self.faults()
        self.assertEqual(found[1:], ["table 2: row 1 is missing"])
        self.assertIn("9 rows up to row 10, and 10 were durable", found[0])

    def test_verify_compares_the_list_of_unfinished_tables(self) -> None:
        """A table that would be resumed wrongly, and one that would not be."""
        self.spoil("DELETE FROM live WHERE game = 3", "INSERT INTO live(game) VALUES (9)")
        self.assertEqual(
            self.faults(),
            [
                "table 3: it is not finished, and not listed as unfinished",
                "table 9: all of its rows are missing",
            ],
        )

    def test_verify_names_rows_of_another_release(self) -> None:
        """A row that is whole and means nothing here is named once; the table's place in the list is not judged."""
        journal = self.start()
        kind = Entry(EntryKind.ACTED, 5)
        object.__setattr__(kind, "kind", 42)
        records(journal)
        journal.append(TableId(4), kind, nothing)
        self.stop(journal)
        self.assertEqual(self.faults(), ["table 4: row 1 is of kind 42, which this release does not know"])
        with reading(self.path) as journal_read:
            self.assertIsInstance(list(journal_read.tables())[3], Undecodable)
            self.assertRaises(Undecodable, journal_read.table, TableId(4))

    def test_verify_says_what_sqlite_says(self) -> None:
        """A damaged file is SQLite's to describe."""
        whole = bytearray(self.path.read_bytes())
        whole[4096:] = bytes(len(whole) - 4096)
        self.path.write_bytes(whole)
        try:
            found = self.faults()
        except StoreUnusable as error:
            found = [f"SQLite: {error}"]
        self.assertTrue(found)
        self.assertIn("SQLite: ", found[0])
