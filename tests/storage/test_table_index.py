"""Each table's rows are found, those that are not placed yet too; an older store gets its index when it is opened."""

import os
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from gamehost.journal.records import TableId, TableRecord
from gamehost.storage.changes import Change
from gamehost.storage.database import APPLICATION, schemas, statements
from gamehost.storage.high_water_mark import held, write_mark
from gamehost.storage.inspect import reading
from gamehost.storage.match_lists import make_lists
from gamehost.storage.row_codec import Head, Row, entry_row, opening_row
from gamehost.storage.store import SqliteStore, open_store
from gamehost.storage.table_index import Index
from gamehost.testing.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.journals import records
from tests.storage.test_sqlite import StoreCase

ONE, TWO, THREE = map(TableId, (1, 2, 3))


class IndexTests(StoreCase):
    """What `gamehost.storage.table_index` says of itself."""

    def setUp(self) -> None:
        super().setUp()
        self.connection = self.connect()
        self.store = open_store(self.connection, None, index_step=6)

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(connection.close)
        return connection

    def again(self) -> SqliteStore:
        """The same store, opened anew."""
        self.connection.close()
        self.connection = self.connect()
        return open_store(self.connection, held(self.connection), index_step=6)

    def count(self, what: str) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    def numbers(self, table: TableId) -> list[int]:
        """The numbers of a table's rows, as they are found by a new life."""
        index = Index(self.connection)
        index.load()
        return [row[2] for row in index.rows(table)]

    def test_a_step_places_everything(self) -> None:
        """Nothing is placed until six rows wait; then all of them are, those of the same group included."""
        self.store.commit([(ONE, OPENING), (TWO, OPENING), (ONE, MOVE), (TWO, MOVE), (ONE, MOVE)])
        self.assertEqual(self.count("placed"), 0)
        self.store.commit([(ONE, MOVE), (TWO, MOVE)])
        self.assertEqual(self.count("placed"), 7)
        self.store.commit([(TWO, MOVE)])
        self.assertEqual(self.count("placed"), 7)
        self.assertEqual(Index(self.connection).faults(), [])

    def test_rows_are_found_in_both_parts(self) -> None:
        """Of a table that is placed, of one that is not, of one that is in part, after every single row."""
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
        for life in range(1, 24):
            self.store = self.again()
            [record, *rest] = [self.store.read(one.table) for one in self.store.unfinished()]
            assert isinstance(record, TableRecord)
            self.assertEqual((len(record.entries), len(rest)), (life - 1, life - 1))
            self.assertEqual(self.store.last_table, life)
            self.store.commit([(ONE, MOVE), (TableId(life + 1), OPENING)])
        self.assertEqual(Index(self.connection).faults(), [])

    def test_a_step_belongs_to_its_group(self) -> None:
        """A group that cannot be committed leaves the index as it was."""
        self.store.commit([(ONE, OPENING), *[(ONE, MOVE)] * 4])
        self.connection.execute("CREATE TRIGGER full BEFORE UPDATE ON placed_to BEGIN SELECT RAISE(FAIL, 'full'); END")
        self.assertRaises(sqlite3.Error, self.store.commit, [(ONE, MOVE)])
        self.connection.execute("ROLLBACK")
        self.assertEqual((self.count("placed"), self.count("event")), (0, 5))

    def test_no_temporary_file_is_needed(self) -> None:
        """However many pages a step touches, nothing is written but the store and its log."""
        self.store = open_store(self.connection, held(self.connection), index_step=4000)
        tables = [TableId(number) for number in range(1, 2001)]
        self.store.commit([(table, OPENING) for table in tables])
        for _ in range(7):
            self.store.commit([(table, MOVE) for table in tables])
        found = [os.readlink(file) for file in Path("/proc/self/fd").glob("*") if file.is_symlink()]
        self.assertEqual([file for file in found if "etilqs" in file], [])

    def test_verify_counts_the_index(self) -> None:
        """A row that is not there, one that points elsewhere, and an end that is lost are named."""
        self.store.commit([(ONE, OPENING), *[(ONE, MOVE)] * 6])
        index = Index(self.connection)
        for spoilt, fault in (
            ("DELETE FROM placed WHERE n = 3", "6 rows, 6 of them right, and must have 7"),
            ("INSERT INTO placed VALUES (1, 3, 5)", "7 rows, 6 of them right, and must have 7"),
            ("DELETE FROM placed_to", "0 ends instead of one"),
        ):
            self.connection.execute(spoilt)
            [found] = index.faults()
            self.assertIn(fault, found)


class OlderStoreTests(StoreCase):
    """Stores of older schemas. In the second one the index was in the rows' own table."""

    def setUp(self) -> None:
        super().setUp()
        self.make(2)

    def make(self, version: int) -> None:
        """A store as a release of that schema has left it."""
        rows = [opening_row(1, ONE, OPENING, 5), opening_row(2, TWO, OPENING, 5)]
        heads = {row.game: Head(0, row.h) for row in rows}
        for table, entry in ((ONE, MOVE), (TWO, MOVE), (ONE, MOVE), (TWO, END)):
            rows.append(entry_row(len(rows) + 1, table, heads[table], entry))
            heads[table] = Head(rows[-1].n, rows[-1].h)
        self.rows = rows
        with closing(sqlite3.connect(self.path, isolation_level=None)) as older:
            older.execute("PRAGMA journal_mode=WAL")
            for schema in ("1.sql", "2.sql"):
                for statement in statements(files("gamehost.storage").joinpath("schemas", schema).read_text("utf-8")):
                    older.execute(statement)
            older.execute(f"PRAGMA application_id={APPLICATION}")
            older.execute("PRAGMA user_version=2")
            older.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            older.execute("INSERT INTO live(game) VALUES (1)")
            for schema in schemas()[2:version]:
                for statement in statements(schema):
                    older.execute(statement)
            if version >= 8:
                make_lists(older)
            older.execute(f"PRAGMA user_version={version}")
            self.path.with_name(self.path.name + ".hwm").write_text(write_mark(held(older)))

    def test_every_older_store_is_brought_up(self) -> None:
        """Its rows are there as they were, its unfinished table goes on, and nothing is wrong with it afterwards."""
        for version in range(2, len(schemas()) + 1):
            super().setUp()
            self.make(version)
            self.assert_brought_up()

    def assert_brought_up(self) -> None:
        journal = self.start()
        [record] = records(journal)
        self.assertEqual((record.table, record.entries), (ONE, (MOVE, MOVE)))
        self.assertEqual(journal.new_table(), 3)
        journal.append(ONE, MOVE, nothing)
        self.stop(journal)
        with reading(self.path) as read:
            self.assertEqual(read.verify().faults, [])
        with closing(sqlite3.connect(self.path)) as store:
            found = [Row._make(row) for row in store.execute("SELECT * FROM event ORDER BY seq")]
        self.assertEqual(found[:-1], self.rows)

    def test_damage_is_refused_before_anything_is_changed(self) -> None:
        """A chain that is broken is found, and the store is of its old schema still."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as store:
            store.execute("UPDATE event SET at_ms = at_ms + 1 WHERE seq = 3")
        before = self.path.read_bytes()
        self.assertIn("table 1: row 1 does not match its hash", self.refusal())
        self.assertEqual(self.path.read_bytes(), before)
