"""Stores of all earlier schemas: a host goes on from them, keeps a copy of them, and an older release says what to do."""

import io
import os
import shutil
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from gamehost import __version__
from gamehost.commands import journal as command
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable
from gamehost.plugins import REGISTRY
from gamehost.storage import backup, database, sqlite, store
from gamehost.storage.accounts import StoredAccounts
from gamehost.storage.database import schemas
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.journal_contract import nothing
from tests.kit.journals import records
from tests.kit.old_stores import contents, make_old_store, schemas_with_stores
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
        """The files of a store of this schema, in a folder of their own."""
        folder = self.folder / str(schema)
        folder.mkdir()
        path = folder / "store.sqlite"
        make_old_store(schema, path)
        return path

    def test_there_is_a_store_of_each_schema(self) -> None:
        """Who adds a schema adds a store that a host has left."""
        self.assertEqual(schemas_with_stores(), list(range(1, len(schemas()) + 1)))

    def test_a_host_goes_on(self) -> None:
        """With the match, under today's rules, and with the account."""
        for schema in schemas_with_stores():
            path = self.old(schema)
            journal = self.start(path)
            [record] = records(journal)
            self.assertEqual([entry.notation for entry in record.entries], [b"", b"ox c1 c2", b"crab c5 c4"])
            journal.append(record.table, Entry(EntryKind.ACTED, 3_000, Seat(0), b"boar d1 d2"), nothing)
            zoe = StoredAccounts(journal).find("zoe")
            self.pump.settle(journal)
            self.stop(journal)
            self.assertEqual(zoe is not None and zoe.digest.fits(b"secret"), schema > 1)
            out = io.StringIO()
            status = command.main(["verify", "--store", str(path)], REGISTRY.games, out, out)
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
        """kill -9 at any statement, or at any file that is opened, renamed or deleted: the next start goes on."""
        for schema in (1, schemas_with_stores()[-2]):
            step, converted = 0, False
            while not converted:
                step += 1 if step < 20 else 7
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
                status = command.main(["verify", "--store", str(path)], REGISTRY.games, out, out)
                self.assertEqual((status, out.getvalue()), (0, "2 tables, 8 rows: no faults\n"), step)
                copies = [one for one in path.parent.glob("*.schema-*") if one.suffix not in (".hwm", ".part", ".new")]
                self.assertIn(before, [contents(one) for one in copies if sidecar_path(one, ".hwm").exists()], step)
            self.assertGreater(step, 40)

    def test_an_older_release(self) -> None:
        """It names both schemas, and the way back. On the copy it starts."""
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
