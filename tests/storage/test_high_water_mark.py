"""How much was durable: the mark, the last commit, the rows that were checked, and SQLite's log."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage import sqlite
from gamehost.storage.database import Loss
from gamehost.storage.high_water_mark import (
    CheckedRows,
    LastCommit,
    Mark,
    mark_of,
    read_checked,
    read_last_commit,
    read_mark,
    write_mark,
)
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import check_log, close_unchanged, put_back
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, nothing
from tests.kit.journals import rows
from tests.storage.test_damage import DamageCase


class MarkTests(PropertyCase):
    @given(st.integers(0, 2**40), st.integers(0, 2**40), st.binary(min_size=8, max_size=8), st.integers(0, 2**40))
    def test_reads_back(self, last: int, count: int, h: bytes, accounts: int) -> None:
        mark = mark_of(last, count, h, accounts)
        self.assertEqual(read_mark(write_mark(mark)), mark)

    def test_the_file_is_this(self) -> None:
        self.assertEqual(write_mark(mark_of(0, 0, b"", 0)), '{"max_seq": 0, "count": 0, "sha": "", "accounts": 0}\n')
        sha = "48f90f414ab525a62b15c4e31492a8dc233a4a7da4ae89bc8dc6a46b7f83aff8"
        text = f'{{"max_seq": 2, "count": 2, "sha": "{sha}"'
        self.assertEqual(write_mark(mark_of(2, 2, b"12345678", 3)), text + ', "accounts": 3}\n')
        self.assertEqual(read_mark(text + "}\n"), mark_of(2, 2, b"12345678", 0), "as older releases wrote it")

    @given(st.text(max_size=60))
    def test_nothing_else_is_a_mark(self, text: str) -> None:
        """Text that was not written as a mark is refused, and nothing else happens."""
        try:
            mark = read_mark(text)
        except Loss:
            return
        self.assertIsInstance(mark, Mark)

    def test_wrong_types_are_refused(self) -> None:
        for text in (
            '{"max_seq": true, "count": 1, "sha": ""}',
            '{"max_seq": 1.0, "count": 1, "sha": ""}',
            '{"max_seq": 1, "count": -1, "sha": ""}',
            '{"max_seq": 1, "count": 1, "sha": null}',
            '{"max_seq": 1, "count": 1, "sha": "", "accounts": -1}',
            '{"max_seq": 1, "count": 1, "sha": "", "accounts": "1"}',
        ):
            self.assertRaises(Loss, read_mark, text)


class LastCommitTests(SynchronousTestCase):
    def test_what_was_noted_last_is_read(self) -> None:
        """While the file is open too, as a kill would leave it."""
        path = Path(self.mktemp())
        self.assertIsNone(read_last_commit(path))
        noting = LastCommit(path)
        self.assertIsNone(read_last_commit(path))
        for last in (7, 2**40):
            noting.note(last, 5, 3, b"12345678")
            self.assertEqual(read_last_commit(path), mark_of(last, 5, b"12345678", 3))
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        noting.remove()
        self.assertFalse(path.exists())

    def test_a_changed_bit_makes_it_worthless(self) -> None:
        """It is one witness of two: alone it refuses nothing."""
        path = Path(self.mktemp())
        LastCommit(path).note(7, 5, 3, b"12345678")
        whole = path.read_bytes()
        for place in range(len(whole)):
            path.write_bytes(bytes(byte ^ (at == place) for at, byte in enumerate(whole)))
            self.assertIsNone(read_last_commit(path))
        path.write_bytes(whole[:-1])
        self.assertIsNone(read_last_commit(path))


class CheckedRowsTests(DamageCase):
    """Rows that were found whole, in a store of 24 rows, which the second start has found whole."""

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
            return read_checked(journal.database.connection)

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
        journal = self.start()
        table = self.play(journal, 2)
        journal.append(table, END, nothing)
        journal.told(table)
        self.stop(journal)
        self.change(self.path, "DELETE FROM event WHERE seq = 26")
        self.assertIn("the journal has 27 rows up to row 28, and 28 were durable", self.refusal())

    def test_a_changed_note_is_refused(self) -> None:
        self.change(self.path, "INSERT INTO checked SELECT * FROM checked")
        self.assertIn("'checked' has 2 rows instead of one", self.refusal())
        self.change(self.path, "DELETE FROM checked")
        self.assertIn("'checked' has 0 rows instead of one", self.refusal())

    def test_an_index_without_an_end_is_refused(self) -> None:
        self.change(self.path, "DELETE FROM placed_to")
        self.assertIn("'placed_to' has 0 rows instead of one", self.refusal())


class WriteAheadLogTests(DamageCase):
    def test_a_torn_end_is_no_damage(self) -> None:
        """A log that ends anywhere is taken: so does a kill leave it."""
        log = self.killed().with_name("store.sqlite-wal").read_bytes()
        rng = random.Random(1)
        for length in (0, 31, 32, 33, 56, len(log), *(rng.randrange(len(log)) for _ in range(20))):
            check_log(log[:length])

    def test_frames_of_a_log_before_are_no_damage(self) -> None:
        """After a checkpoint the log begins anew, and what is behind its end is old."""
        journal = self.start()
        rows(journal, "PRAGMA wal_autocheckpoint=8")
        for _ in range(25):
            self.play(journal, 3)
            check_log(self.path.with_name("store.sqlite-wal").read_bytes())

    def test_a_damaged_header(self) -> None:
        """Without its header nothing of a log can be read."""
        log = self.killed().with_name("store.sqlite-wal").read_bytes()
        for place in range(0, 32, 5):
            spoilt = bytearray(log)
            spoilt[place] ^= 4
            self.assertIn("damaged header", str(self.assertRaises(Loss, check_log, bytes(spoilt))))

    def test_closing_changes_nothing(self) -> None:
        """Neither the store nor its log, whether SQLite could read the log or not; a kill in the middle is made good."""
        left = self.killed()
        log = left.with_name("store.sqlite-wal")
        whole = log.read_bytes()
        for place in (None, 0, len(whole) // 2):
            if place is not None:
                spoilt = bytearray(whole)
                spoilt[place] ^= 1
                log.write_bytes(spoilt)
            contents = self.contents(left)
            with closing(sqlite3.connect(left, isolation_level=None)) as connection:
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("COMMIT")
                close_unchanged(connection, left)
            self.assertEqual(self.contents(left), contents)
            log.rename(left.with_name("store.sqlite-wal.kept"))
            put_back(left)
            self.assertEqual(self.contents(left), contents)
