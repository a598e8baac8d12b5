"""Stores of older schemas, and where each table's rows are."""

import io
import os
import shutil
import signal
import sqlite3
import sys
import time
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

from gamehost import __version__
from gamehost.commands import journal as command
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableId, TableRecord
from gamehost.plugins import REGISTRY
from gamehost.storage import backup, database, sqlite, store
from gamehost.storage.contents import Change
from gamehost.storage.database import APPLICATION, FileRows, SqliteDatabase, placed_faults, schemas, statements
from gamehost.storage.durable import StoredAccounts
from gamehost.storage.inspect import reading
from gamehost.storage.questions import MatchLists
from gamehost.storage.row_codec import Head, Row, entry_row, opening_row, single_rows
from gamehost.storage.sidecar import mark_in, sidecar_path, write_mark
from gamehost.storage.store import SqliteStore, open_store
from tests import share
from tests.kit.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.journals import records
from tests.kit.made_files import dumped as contents
from tests.kit.made_files import make_old_store, schemas_with_stores
from tests.storage.test_sqlite import StoreCase


def killed_at(step: int, path: Path) -> bool:
    """
    Open a store in a process that kills itself at a step. Whether it came to that.

    A step is a statement for SQLite, or a file that is opened, renamed or deleted.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status)
    # What is logged here must not go to the process that collects the results of tests.
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(5):
        os.dup2(null, number)
    left = step

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(*words: Any, connect: Any = sqlite3.connect, **more: Any) -> Any:
        connection = connect(*words, **more)
        connection.set_trace_callback(count)
        return connection

    try:
        sys.addaudithook(lambda event, _: count() if event in ("open", "os.rename", "os.remove") else None)
        sqlite3.connect = connect  # this process ends with the next line
        sqlite.open_files(path, False, time.time, True)
    finally:
        os._exit(0)


class UpgradeTests(StoreCase):
    """Each store has an unfinished match of ann and bob, a finished one, and, if it can, the account of zoe."""

    def old(self, schema: int) -> Path:
        folder = self.folder / str(schema)
        folder.mkdir()
        path = folder / "store.sqlite"
        make_old_store(schema, path)
        return path

    def test_there_is_a_store_of_each_schema(self) -> None:
        """Who adds a schema adds a store that a host has left."""
        self.assertEqual(schemas_with_stores(), list(range(1, len(schemas()) + 1)))

    def test_a_host_goes_on(self) -> None:
        for schema in schemas_with_stores():
            path = self.old(schema)
            journal = self.start(path)
            [record] = records(journal)
            self.assertEqual([entry.notation for entry in record.entries], [b"", b"ox c1 c2", b"crab c5 c4"])
            journal.append(record.table, Entry(EntryKind.ACTED, 3_000, Seat(0), b"boar d1 d2"), nothing)
            zoe = StoredAccounts(journal).find("zoe")
            self.pump.until_idle(journal)
            self.stop(journal)
            self.assertEqual(zoe is not None and zoe.digest.fits(b"secret"), schema > 1)
            out = io.StringIO()
            status = command.main(["verify", "--store", str(path)], REGISTRY.games.get, out, out)
            self.assertEqual((status, out.getvalue()), (0, "2 tables, 9 rows: no faults\n"), schema)

    def test_a_copy_is_kept(self) -> None:
        """Once, with its mark, and as the older release knows the store. That of an earlier change is not overwritten."""
        for schema in schemas_with_stores()[:-1]:
            path = self.old(schema)
            before = contents(path)
            for _ in range(2):
                self.stop(self.start(path))
            copies = sorted(one.name for one in path.parent.glob("*.schema-*"))
            self.assertEqual(copies, [f"store.sqlite.schema-{schema}", f"store.sqlite.schema-{schema}.hwm"])
            copy = sidecar_path(path, f".schema-{schema}")
            self.assertEqual(contents(copy), before)
            for suffix in ("", ".hwm"):
                shutil.copy(sidecar_path(copy, suffix), sidecar_path(path, suffix))
            self.stop(self.start(path))
            self.assertEqual(contents(sidecar_path(path, f".schema-{schema}.2")), before)

    def test_no_copy_no_change(self) -> None:
        """If the store cannot be copied, the start is refused, and the store is as it was."""
        path = self.old(3)

        def fail(*_: Any) -> None:
            raise OSError("planted")

        self.patch(backup, "copy_pages", fail)
        before = contents(path)
        words = str(self.assertRaises(StoreUnusable, self.start, path))
        self.assertIn("changes the journal's schema 3 to a newer one, and copies it before", words)
        self.assertIn("planted", words)
        self.assertEqual(contents(path), before)
        self.assertEqual([one.name for one in path.parent.glob("*.schema-*")], [])

    def test_killed_while_it_is_converted(self) -> None:
        for schema in (1, schemas_with_stores()[-2]):
            step, converted = 0, False
            while not converted:
                step += 1 if step < 20 else share(17, 7)
                path = self.folder / f"{schema}-{step}" / "store.sqlite"
                path.parent.mkdir()
                make_old_store(schema, path)
                before = contents(path)
                converted = not killed_at(step, path)
                journal = self.start(path)
                [record] = records(journal)
                self.assertEqual([entry.notation for entry in record.entries], [b"", b"ox c1 c2", b"crab c5 c4"])
                self.stop(journal)
                out = io.StringIO()
                status = command.main(["verify", "--store", str(path)], REGISTRY.games.get, out, out)
                self.assertEqual((status, out.getvalue()), (0, "2 tables, 8 rows: no faults\n"), step)
                copies = [one for one in path.parent.glob("*.schema-*") if one.suffix not in (".hwm", ".part", ".new")]
                self.assertIn(before, [contents(one) for one in copies if sidecar_path(one, ".hwm").exists()], step)
            self.assertGreater(step, 40)

    def test_an_older_release(self) -> None:
        self.stop(self.start())
        newest = len(schemas())
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA user_version={newest + 1}")
        words = str(self.assertRaises(StoreUnusable, self.start))
        for part in (f"schema {newest + 1}", f"gamehost {__version__}, knows schemas up to {newest}"):
            self.assertIn(part, words)
        self.assertIn("start it on the copy that the newer one has left beside the journal", words)
        self.assertIn(f"PATH.schema-{newest}", words)
        old, known = self.old(newest - 1), schemas()[:-1]
        self.stop(self.start(old))
        for module in (database, sqlite, store):
            self.patch(module, "schemas", lambda: known)
        copy = sidecar_path(old, f".schema-{newest - 1}")
        journal = self.start(copy)
        self.assertEqual(len(records(journal)), 1)
        self.stop(journal)
        self.assertEqual(contents(copy)[0], f"schema {newest - 1}")
        self.assertIn(f"schema {newest}", str(self.assertRaises(StoreUnusable, self.start, old)))


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


class OlderStoreTests(StoreCase):
    """Stores of older schemas. In the second one the index was in the rows' own table."""

    def setUp(self) -> None:
        super().setUp()
        self.make(2)

    def make(self, version: int) -> None:
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
                MatchLists(SqliteDatabase(older), has_ends=True).make()
            older.execute(f"PRAGMA user_version={version}")
            self.path.with_name(self.path.name + ".hwm").write_text(write_mark(mark_in(older)))

    def test_every_older_store_is_brought_up(self) -> None:
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
            commits = store.execute("SELECT seq FROM recent").fetchall()
        self.assertEqual((found, commits), (self.rows, [(7,)]))

    def test_damage_is_refused_before_anything_is_changed(self) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as store:
            store.execute("UPDATE event SET at_ms = at_ms + 1 WHERE seq = 3")
        before = self.path.read_bytes()
        self.assertIn("table 1: row 1 does not match its hash", self.refusal())
        self.assertEqual(self.path.read_bytes(), before)
