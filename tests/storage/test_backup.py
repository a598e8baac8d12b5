"""Copies of a store, also of one that is in use."""

import io
import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

from gamehost.journal.records import StoreUnusable
from gamehost.storage import backup
from gamehost.storage import store as free_space
from gamehost.storage.backup import Backup, Pace, back_up, copy_pages
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import faults_of, main, reading
from gamehost.storage.sidecar import sidecar_path
from gamehost.storage.writer import Between
from tests.kit.journal_contract import MOVE, nothing
from tests.kit.journals import by_rows, records
from tests.kit.store_kills import Lost, Rounds
from tests.storage.test_sqlite import StoreCase


class BackupTests(StoreCase):
    def test_log_of_a_killed_host(self) -> None:
        """What is only in the log beside the file is in the copy, with a mark; the source is not changed."""
        journal = self.start()
        table = self.play(journal, 300)
        killed = self.folder / "killed.sqlite"
        for suffix in ("", "-wal", ".hwm"):
            shutil.copy2(sidecar_path(self.path, suffix), sidecar_path(killed, suffix))
        before = killed.read_bytes()
        copy = self.folder / "copy.sqlite"
        with reading(killed) as source:
            held = source.back_up(copy)
        self.assertEqual(killed.read_bytes(), before)
        with reading(copy) as found:
            self.assertEqual(found.verify().faults, [])
            self.assertEqual(len(found.table(table)[1].entries), 300)
        self.assertEqual(held.count, 301)

    def test_journal_that_lost_rows(self) -> None:
        """It is not copied: the copy's own mark would hide the loss."""
        self.stop_all()
        journal = self.start()
        self.play(journal, 3)
        self.stop(journal)
        by_rows(self.path)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM event WHERE seq = 2")
        with reading(self.path) as source:
            error = self.assertRaises(StoreUnusable, source.back_up, self.folder / "copy.sqlite")
        self.assertIn("3 rows", str(error))
        self.assertFalse((self.folder / "copy.sqlite").exists())

    def test_copy_that_fails_is_removed(self) -> None:
        self.stop(self.start())

        def fail(*_: object) -> None:
            raise OSError("planted")

        self.patch(backup, "replace", fail)
        copy = self.folder / "copy.sqlite"
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            error = self.assertRaises(StoreUnusable, back_up, connection, copy)
        self.assertIn("planted", str(error))
        self.assertFalse(copy.exists())


def begin(journal: DurableJournal) -> Callable[..., None]:
    assert journal.backups is not None
    return journal.backups.begin


class OnlineBackupTests(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.copy = self.folder / "copy.sqlite"
        self.results: list[Backup | str] = []

    def back_up(self, journal: DurableJournal, force: bool = False) -> Backup | str:
        before = len(self.results)
        begin(journal)(self.copy, self.results.append, force)
        self.pump.until(lambda: len(self.results) > before)
        self.assertFalse(sidecar_path(self.copy, ".part").exists())
        return self.results[-1]

    def test_a_host_goes_on_from_it(self) -> None:
        journal = self.start()
        table = self.play(journal, 300)
        made = self.back_up(journal)
        assert isinstance(made, Backup), made
        self.assertEqual((made.path, made.mark.count, made.size), (self.copy, 301, self.copy.stat().st_size))
        self.assertEqual(stat.S_IMODE(self.copy.stat().st_mode), 0o600)
        journal.append(table, MOVE, nothing)
        self.pump.until_idle(journal)
        with reading(self.copy) as found:
            self.assertEqual(found.verify().faults, [])
        later = self.start(self.copy)
        self.assertEqual([len(record.entries) for record in records(later)], [300])
        self.play(later, 2)

    def test_moves_go_on_meanwhile(self) -> None:
        journal = self.start()
        table = self.play(journal, 2000)
        confirmed = 0

        def after_each_move(connection: Any, part: Path, between: Between, pace: object) -> None:
            copy_pages(connection, part, lambda seconds: between(20.0), Pace(pages=4))

        def move() -> None:
            nonlocal confirmed
            confirmed += 1
            if not self.results:
                journal.append(table, MOVE, move)

        self.patch(backup, "copy_pages", after_each_move)
        journal.append(table, MOVE, move)
        made = self.back_up(journal)
        assert isinstance(made, Backup), made
        self.pump.until_idle(journal)
        self.assertGreater(made.mark.count, 2005)
        self.assertGreaterEqual(2001 + confirmed, made.mark.count)
        with reading(self.copy) as found:
            self.assertEqual(found.verify().faults, [])
            self.assertEqual(len(found.table(table)[1].entries), made.mark.count - 1)

    def test_nothing_is_overwritten_but_an_earlier_backup(self) -> None:
        journal = self.start()
        self.play(journal, 3)
        self.back_up(journal)
        before = self.copy.read_bytes()
        with self.assertRaisesRegex(StoreUnusable, "this file exists"):
            begin(journal)(self.copy, self.results.append)
        self.assertEqual(self.copy.read_bytes(), before)
        self.play(journal, 3)
        made = self.back_up(journal, force=True)
        assert isinstance(made, Backup), made
        with reading(self.copy) as found:
            self.assertEqual(found.verify().rows, 8)
        for text, words in (("notes", "is no journal of gamehost"), ("", "is no journal of gamehost")):
            self.copy.write_text(text)
            with self.assertRaisesRegex(StoreUnusable, words):
                begin(journal)(self.copy, self.results.append, force=True)
        with self.assertRaisesRegex(StoreUnusable, "a host has used this store"):
            begin(journal)(self.path, self.results.append, force=True)

    def test_where_no_backup_can_be(self) -> None:
        journal = self.start()
        for path, words in ((self.folder / "no" / "copy", "folder does not exist"), (self.folder, "is a folder")):
            with self.assertRaisesRegex(StoreUnusable, words):
                begin(journal)(path, self.results.append)
        begin(journal)(self.copy, self.results.append)
        with self.assertRaisesRegex(StoreUnusable, "a backup is being made"):
            begin(journal)(self.folder / "second", self.results.append)
        self.pump.until(lambda: bool(self.results))
        self.patch(free_space, "LARGEST_PART", 2.0)
        tight = self.start(self.folder / "other.sqlite", free_space=1 << 60)
        with self.assertRaisesRegex(StoreUnusable, "too little room for [0-9]+ bytes"):
            begin(tight)(self.folder / "third", self.results.append)

    def test_a_copy_that_fails_leaves_nothing_and_the_host_goes_on(self) -> None:
        journal = self.start()

        def fail(*_: object) -> None:
            raise sqlite3.OperationalError("planted")

        self.patch(backup, "copy_pages", fail)
        self.assertIn("the copy cannot be written (planted)", str(self.back_up(journal)))
        self.assertFalse(self.copy.exists())
        self.play(journal, 3)

    def test_a_copy_of_the_main_file_alone(self) -> None:
        """A planted fault: the newest rows are in the log beside it. The check finds that, and the copy gets no name."""
        journal = self.start()
        self.play(journal, 100)

        def without_log(connection: object, part: Path, *_: object) -> None:
            shutil.copyfile(self.path, part)

        self.patch(backup, "copy_pages", without_log)
        self.assertIn("the copy is not sound", str(self.back_up(journal)))
        self.assertFalse(self.copy.exists())

    def test_a_store_with_a_fault(self) -> None:
        journal = self.start()
        self.play(journal, 5)
        self.stop(journal)
        by_rows(self.path)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("UPDATE event SET body = x'00' WHERE seq = 3")
        journal = self.start(accept_loss=True)
        self.assertIn(
            "row 2 does not match its hash. If the store has this fault, --accept-faults", str(self.back_up(journal))
        )
        begin(journal)(self.copy, self.results.append, accept_faults=True)
        self.pump.until(lambda: len(self.results) == 2)
        made = self.results[1]
        assert isinstance(made, Backup), made
        self.assertEqual(made.faults, ["table 1: row 2 does not match its hash"])
        self.assertTrue(self.copy.exists())

    def test_a_host_that_stops(self) -> None:
        journal = self.start()
        self.play(journal, 3)
        begin(journal)(self.copy, self.results.append)
        self.stop(journal)
        self.pump.until(lambda: bool(self.results))
        self.assertFalse(sidecar_path(self.copy, ".part").exists())
        if isinstance(self.results[0], str):
            self.assertEqual(self.results[0], "the host is stopping; no backup was made")
        with self.assertRaisesRegex(StoreUnusable, "stopping"):
            begin(journal)(self.folder / "late", self.results.append)

    def test_a_commit_that_fails_meanwhile(self) -> None:
        journal = self.start()
        table = self.play(journal, 3)

        def copying(connection: object, part: Path, between: Between, pace: object) -> None:
            assert journal.backups is not None
            journal.backups._store._failed = True
            journal._writer.put([(table, MOVE)])
            between(20.0)

        self.patch(backup, "copy_pages", copying)
        self.alive.remove(journal)
        begin(journal)(self.copy, self.results.append)
        self.pump.until(lambda: bool(self.pump.broken and self.results))
        self.assertIn("StoreFailed", self.pump.broken[0])
        self.assertFalse(self.copy.exists())


class KillTests(StoreCase):
    """`tests.kit.store_kills`, for a few seconds, and its teeth."""

    def test_backups_under_kills(self) -> None:
        """What was acknowledged before a backup began is in it, and it verifies."""
        counts = Rounds(self.folder, random.Random(1), every=0.0).run(3, 0.0, 0.3)
        self.assertEqual(counts.kills, 3)
        self.assertGreaterEqual(counts.backups, 3)
        self.assertGreater(counts.entries, 0)

    def test_a_backup_without_the_log_is_found(self) -> None:
        """A host that copies the main file alone, and trusts it, is found out."""
        rounds = Rounds(self.folder, random.Random(1), 0.2, "faulty-victim")
        error = self.assertRaises(Lost, rounds.run, 5, 0.5, 1.0)
        self.assertNotIn("ended by itself", str(error))


class CheckTests(StoreCase):
    def checked(self, path: Path) -> tuple[int, str]:
        self.patch(os, "nice", lambda more: more)
        with redirect_stdout(io.StringIO()) as out:
            status = main([str(path)])
        return status, out.getvalue()

    def test_faults(self) -> None:
        journal = self.start()
        self.play(journal, 5)
        self.stop(journal)
        self.assertEqual(self.checked(self.path), (0, ""))
        by_rows(self.path)
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM event WHERE seq > 3")
        status, words = self.checked(self.path)
        self.assertEqual(status, 1)
        self.assertIn("shorter than recorded", words)
        self.path.write_text("no database at all")
        self.assertIn("not a journal", faults_of(self.path)[0])
