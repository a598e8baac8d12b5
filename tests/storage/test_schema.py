"""The tables of a file: which files are refused, and where each table's rows are."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from gamehost import __version__
from gamehost.journal.records import TableId, TableRecord
from gamehost.storage import database
from gamehost.storage.contents import Change
from gamehost.storage.database import FileRows, SqliteDatabase, placed_faults
from gamehost.storage.inspect import faults_of
from gamehost.storage.row_codec import single_rows
from gamehost.storage.schema import SCHEMA_NUMBER, fingerprint_of
from gamehost.storage.sidecar import mark_in
from gamehost.storage.store import SqliteStore, open_store
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, MOVE, OPENING
from tests.kit.release_store import HOME, restored
from tests.storage.test_sqlite import StoreCase


class TextTests(PropertyCase):
    def test_comments_do_not_count(self) -> None:
        text = "-- Of all.\nCREATE TABLE a(\n  b INTEGER -- why\n);\n"
        self.assertEqual(fingerprint_of(text), fingerprint_of("CREATE TABLE a( b INTEGER );"))
        self.assertNotEqual(fingerprint_of(text), fingerprint_of(text.replace("INTEGER", "TEXT")))
        self.assertRegex(fingerprint_of(text), "^[0-9a-f]{16}$")


class SchemaTests(StoreCase):
    def change(self, statements: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.executescript(statements)

    def test_a_new_store(self) -> None:
        self.stop(self.start())
        with closing(sqlite3.connect(self.path)) as connection:
            self.assertEqual(database.ask(connection, "user_version"), SCHEMA_NUMBER)
            found = connection.execute("SELECT fingerprint FROM gamehost_schema").fetchall()
        self.assertEqual(found, [(fingerprint_of(database.schema()),)])

    def test_what_fails_changes_nothing(self) -> None:
        self.patch(database, "schema", lambda: "CREATE TABLE a(b);\nCREATE TABLE a(b);\n")
        with closing(sqlite3.connect(self.path, isolation_level=None)) as store:
            self.assertRaises(sqlite3.Error, database.make_tables, store)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as store:
            self.assertFalse(database.has_tables(store))

    def test_other_schemas_are_refused(self) -> None:
        """By a start and by whoever reads: one sentence says what to do. Nothing is changed."""
        self.stop(self.start())
        own = f"gamehost {__version__} has schema 1 ({fingerprint_of(database.schema())})"
        for change, found in (
            ("PRAGMA user_version=9", f"9 ({fingerprint_of(database.schema())})"),
            (
                "PRAGMA user_version=1; UPDATE gamehost_schema SET fingerprint = '0123456789abcdef'",
                "1 (0123456789abcdef)",
            ),
            ("DROP TABLE gamehost_schema", "1"),
            ("PRAGMA user_version=9", "9"),
        ):
            self.change(change)
            before = self.path.read_bytes()
            words = (
                f"{self.path}: another release made this journal: it has schema {found}, and {own}; "
                "keep the release that made it, or begin with an empty store"
            )
            self.assertEqual(self.refusal(), words)
            self.assertEqual(faults_of(self.path), [words])
            self.assertEqual(self.path.read_bytes(), before)

    def test_damage_is_no_other_release(self) -> None:
        """Nor is a database of another program."""
        self.stop(self.start())
        for change in (
            "UPDATE gamehost_schema SET fingerprint = char(27)",
            "INSERT INTO gamehost_schema SELECT * FROM gamehost_schema",
            "DELETE FROM gamehost_schema",
        ):
            self.change(change)
            words = f"{self.path}: the journal was changed: 'gamehost_schema' must have one row with a fingerprint; put back"
            self.assertIn(words, self.refusal())
        self.change("PRAGMA application_id=7")
        self.assertIn("this is a database, but not a journal of gamehost", self.refusal())
        self.path.write_bytes(b"x" * 4096)
        self.assertIn("not a journal, or a damaged one", self.refusal())

    def test_an_empty_file_has_no_journal(self) -> None:
        self.path.touch()
        self.assertEqual(faults_of(self.path), [f"{self.path}: there is no journal in this file: it is empty"])


class ReleaseTests(StoreCase):
    """A release that changes the schema converts the stores of all releases from 1.0 on."""

    def test_their_stores_are_whole(self) -> None:
        """Every row is read, and every match is played again."""
        releases = sorted(HOME.glob("*.sql"))
        self.assertEqual(releases[0].stem, "1.0.0")
        for release in releases:
            folder = self.folder / release.stem
            folder.mkdir()
            self.assertEqual(faults_of(restored(release, folder)), [], release.name)


ONE, TWO, THREE = map(TableId, (1, 2, 3))


class IndexTests(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.connection = self.connect()
        self.store = open_store(self.connection, None, index_step=6)

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(connection.close)
        return connection

    def again(self) -> SqliteStore:
        self.connection.close()
        self.connection = self.connect()
        return open_store(self.connection, mark_in(self.connection), index_step=6)

    def count(self, what: str) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    def numbers(self, table: TableId) -> list[int]:
        return [row.n for row in single_rows(FileRows(SqliteDatabase(self.connection)).rows(table))]

    def test_a_step_places_everything(self) -> None:
        self.store.commit([(TableId(number), OPENING) for number in range(1, 6)])
        self.assertEqual(self.count("placed"), 0)
        self.store.commit([(TableId(6), OPENING), (ONE, MOVE), (ONE, END)])
        self.assertEqual(self.count("placed"), 8)
        self.store.commit([(TWO, MOVE), (TWO, END)])
        self.assertEqual(self.count("placed"), 8)
        self.assertEqual(placed_faults(SqliteDatabase(self.connection)), [])

    def test_rows_are_found_in_both_parts(self) -> None:
        played: list[Change] = [
            (ONE, OPENING),
            (ONE, MOVE),
            (TWO, OPENING),
            *[(ONE, MOVE), (TWO, MOVE)] * 6,
            (THREE, OPENING),
        ]
        counts = {ONE: 0, TWO: 0, THREE: 0}
        for change in played:
            self.store.commit([change])
            assert isinstance(change, tuple)
            counts[change[0]] += 1
            for table, count in counts.items():
                self.assertEqual(self.numbers(table), list(range(count)))

    def test_a_new_life_goes_on(self) -> None:
        """The tables are read back whole whatever part of them is placed, and new numbers follow the highest."""
        self.store.commit([(ONE, OPENING)])
        for run in range(1, 24):
            self.store = self.again()
            [record, *rest] = [self.store.read(one.table) for one in self.store.unfinished()]
            assert isinstance(record, TableRecord)
            self.assertEqual((len(record.entries), len(rest)), (run - 1, run - 1))
            self.assertEqual(self.store.tables.last_table, run)
            self.store.commit([(ONE, MOVE), (TableId(run + 1), OPENING)])
        self.assertEqual(placed_faults(SqliteDatabase(self.connection)), [])

    def test_a_step_belongs_to_its_group(self) -> None:
        """A group that cannot be committed leaves the index as it was."""
        self.store.commit([(TableId(number), OPENING) for number in range(1, 6)])
        self.connection.execute("CREATE TRIGGER full BEFORE UPDATE ON placed_to BEGIN SELECT RAISE(FAIL, 'full'); END")
        self.assertRaises(sqlite3.Error, self.store.commit, [(TableId(6), OPENING)])
        self.connection.execute("ROLLBACK")
        self.assertEqual((self.count("placed"), self.count("event"), self.count("recent")), (0, 5, 1))

    def test_no_temporary_file_is_needed(self) -> None:
        """However many pages a step touches, nothing is written but the store and its log."""
        self.store = open_store(self.connection, mark_in(self.connection), index_step=4000)
        tables = [TableId(number) for number in range(1, 2001)]
        self.store.commit([(table, OPENING) for table in tables])
        for _ in range(7):
            self.store.commit([(table, MOVE) for table in tables])
        found = [os.readlink(file) for file in Path("/proc/self/fd").glob("*") if file.is_symlink()]
        self.assertEqual([file for file in found if "etilqs" in file], [])

    def test_verify_counts_the_index(self) -> None:
        self.store.commit([(TableId(number), OPENING) for number in range(1, 8)])
        for spoilt, fault in (
            ("DELETE FROM placed WHERE game = 4", "6 rows, 6 of them right, and must have 7"),
            ("INSERT INTO placed VALUES (1, 3, 5)", "7 rows, 6 of them right, and must have 7"),
            ("DELETE FROM placed_to", "0 ends instead of one"),
        ):
            self.connection.execute(spoilt)
            [found] = placed_faults(SqliteDatabase(self.connection))
            self.assertIn(fault, found)
