"""A start reads the rows that are new, and not again those that an earlier start has found whole."""

from gamehost.storage import sqlite
from gamehost.storage.inspect import reading
from gamehost.storage.record_check import CheckedRows, read_checked
from gamehost.testing.journal_contract import END, nothing
from tests.storage.test_damage import DamageCase


class CheckedRowsTests(DamageCase):
    """`gamehost.storage.record_check` in a store of 24 rows, which the second start has found whole."""

    def setUp(self) -> None:
        super().setUp()
        self.patch(sqlite, "CHECK_STEP", 5)
        journal = self.start()
        table = self.play(journal, 10)
        journal.append(table, END, nothing)
        journal.told(table)
        self.play(journal, 11)
        self.stop(journal)
        self.stop(self.start())

    def checked(self) -> CheckedRows:
        with reading(self.path) as journal:
            return read_checked(journal._connection)

    def test_a_start_notes_what_it_found(self) -> None:
        """Up to the last row; a later start does so when enough is new."""
        self.assertEqual(self.checked(), CheckedRows(24, 24, 0))
        journal = self.start()
        self.play(journal, 2)
        self.stop(journal)
        self.stop(self.start())
        self.assertEqual(self.checked(), CheckedRows(24, 24, 0))
        journal = self.start()
        self.play(journal, 2)
        self.stop(journal)
        self.stop(self.start())
        self.assertEqual(self.checked(), CheckedRows(30, 30, 0))

    def test_old_rows_are_not_read(self) -> None:
        """A row of a finished table that is lost later is not looked for at a start; `verify` names it."""
        self.change(self.path, "DELETE FROM event WHERE game = 1 AND n = 3")
        self.stop(self.start())
        with reading(self.path) as journal:
            self.assertIn("the journal has 23 rows up to row 24, and 24 were durable", journal.verify().faults)

    def test_new_rows_are_counted(self) -> None:
        """Those behind the note."""
        journal = self.start()
        table = self.play(journal, 2)
        journal.append(table, END, nothing)
        journal.told(table)
        self.stop(journal)
        self.change(self.path, "DELETE FROM event WHERE seq = 26")
        self.assertIn("the journal has 27 rows up to row 28, and 28 were durable", self.refusal())

    def test_a_changed_note_is_refused(self) -> None:
        """A note without its row, or with two."""
        self.change(self.path, "INSERT INTO checked SELECT * FROM checked")
        self.assertIn("'checked' has 2 rows instead of one", self.refusal())
        self.change(self.path, "DELETE FROM checked")
        self.assertIn("'checked' has 0 rows instead of one", self.refusal())

    def test_an_index_without_an_end_is_refused(self) -> None:
        """In words, and not by an error of the program."""
        self.change(self.path, "DELETE FROM placed_to")
        self.assertIn("'placed_to' has 0 rows instead of one", self.refusal())
