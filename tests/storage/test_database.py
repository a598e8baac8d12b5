"""A store is brought to today's schema in one piece, and its scripts are read statement by statement."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import apsw

from gamehost.journal.records import StoreUnusable
from gamehost.storage import database as under_test
from gamehost.storage.database import PRAGMAS, ask, lock, lock_owner, make_durable, migrate, schemas, statements
from gamehost.testing.cases import PropertyCase


class LockOwnerTests(PropertyCase):
    """Which process has locked a store, by the system's list of locks."""

    def setUp(self) -> None:
        self.store, self.locks = Path(self.mktemp()), Path(self.mktemp())
        self.store.touch()

    def owner(self, *lines: str) -> int | None:
        """What a list of these lines says; `{file}` stands for the store."""
        status = self.store.stat()
        file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        self.locks.write_text("".join(line.format(file=file) + "\n" for line in lines))
        return lock_owner(self.store, self.locks)

    def test_owner(self) -> None:
        """Only a lock on this file counts, and only that of another process in the same container."""
        other = "1: POSIX  ADVISORY  WRITE 41 fe:00:1 0 EOF"
        self.assertEqual(self.owner(other, "2: POSIX  ADVISORY  WRITE 42 {file} 1073741824 1073742335"), 42)
        self.assertIsNone(self.owner(other))
        self.assertIsNone(self.owner(f"1: POSIX  ADVISORY  WRITE {os.getpid()} {{file}} 0 EOF"))
        self.assertIsNone(self.owner("1: POSIX  ADVISORY  WRITE 0 {file} 0 EOF", "something else"))

    def test_system_that_does_not_tell(self) -> None:
        """Without such a list, and without the file, nothing is known."""
        self.assertIsNone(lock_owner(self.store, self.locks))
        self.assertIsNone(lock_owner(self.locks / "nowhere"))


class SchemaTests(PropertyCase):
    """Schemas and their steps."""

    def test_statements_of_a_script(self) -> None:
        """A semicolon in a comment or a text ends nothing."""
        script = "-- one; two\nCREATE TABLE a(b); -- three\n\nINSERT INTO a VALUES (';\n');\n"
        parts = list(statements(script))
        self.assertEqual("".join(parts), script)
        self.assertEqual(len(parts), 2)

    def test_every_schema_is_numbered(self) -> None:
        """The schemas count from 1 without a gap; the first makes the journal's tables."""
        self.assertGreaterEqual(len(schemas()), 1)
        self.assertIn("CREATE TABLE event(", schemas()[0])

    def test_a_step_that_fails_changes_nothing(self) -> None:
        """A new schema comes whole or not at all."""
        self.patch(under_test, "schemas", lambda: ["CREATE TABLE a(b);\n", "CREATE TABLE a(b);\n"])
        path = self.mktemp()
        with closing(sqlite3.connect(path, isolation_level=None)) as store:
            self.assertRaises(sqlite3.Error, migrate, store, 0)
        with closing(sqlite3.connect(path, isolation_level=None)) as store:
            self.assertEqual(ask(store, "user_version"), 0)
            self.assertEqual(store.execute("SELECT count(*) FROM sqlite_schema").fetchone(), (0,))

    def test_an_older_store_is_brought_up(self) -> None:
        """Only the steps that are missing are taken, and what was in the store stays."""
        path = self.mktemp()
        with closing(sqlite3.connect(path, isolation_level=None)) as store:
            version = lock(store)
            make_durable(store)
            migrate(store, version)
            store.execute("INSERT INTO live(game) VALUES (5)")
            self.patch(under_test, "schemas", lambda: ["nonsense;\n", "CREATE TABLE more(b);\n"])
            migrate(store, 1)
            self.assertEqual(lock(store), 2)
            self.assertEqual(store.execute("SELECT game FROM live").fetchall(), [(5,)])
            self.assertEqual(store.execute("SELECT * FROM more").fetchall(), [])


class Deaf:
    """A connection that does not do one of the things it is asked for, as SQLite does on some systems."""

    def __init__(self, connection: apsw.Connection, pragma: str) -> None:
        self.connection = connection
        self.pragma = pragma

    def execute(self, statement: str, *parameters: object) -> apsw.Cursor:
        if statement.startswith(f"PRAGMA {self.pragma}="):
            return self.connection.execute("SELECT 0")
        return self.connection.execute(statement)

    def executemany(self, statement: str, parameters: object) -> None: ...

    def close(self) -> None: ...


class TakeTests(PropertyCase):
    """What durability needs is asked for, and asked again."""

    def test_each_pragma_is_verified(self) -> None:
        """A pragma that is not in force refuses the store, whichever it is."""
        for name, wanted, _ in PRAGMAS:
            if name == "wal_autocheckpoint":
                continue  # what is wanted is SQLite's own default
            with closing(apsw.Connection(self.mktemp())) as connection:
                for other in ("synchronous=OFF", "foreign_keys=OFF", "trusted_schema=ON", "cell_size_check=OFF"):
                    connection.execute(f"PRAGMA {other}")
                error = self.assertRaises(StoreUnusable, make_durable, Deaf(connection, name))
                self.assertIn(f"SQLite cannot set {name} to {wanted}", str(error))
