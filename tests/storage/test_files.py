"""The files of a store are one thing: known by their own path, watched while a host runs, and not shared with another host."""

import fcntl
import os
import shutil
import sqlite3
from pathlib import Path
from typing import cast

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage import files
from gamehost.storage.changes import StoreFailed
from gamehost.storage.high_water_mark import read_mark
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import sidecar_path
from gamehost.storage.store import SqliteStore
from gamehost.testing.journal_contract import OPENING, nothing
from tests.storage.test_damage import DamageCase


class Useless:
    """The module `fcntl` on a file system whose locks do nothing."""

    F_WRLCK, F_OFD_SETLK, LOCK_EX, LOCK_NB = fcntl.F_WRLCK, fcntl.F_OFD_SETLK, fcntl.LOCK_EX, fcntl.LOCK_NB

    def lockf(self, file: object, how: int) -> None:
        """Grant a lock."""

    def fcntl(self, file: object, what: int, argument: bytes) -> bytes:
        """Grant this one, too."""
        return argument


class Broken:
    """A store whose disk is broken."""

    def commit(self, changes: object) -> None:
        """Fail as SQLite does."""
        raise sqlite3.OperationalError("disk I/O error")


class IdentityTests(DamageCase):
    """A file that is deleted or replaced under a running host ends it."""

    def spoilt(self, suffix: str, replace: bool) -> str:
        journal = self.start_marking()
        self.play(journal, 3)
        path = sidecar_path(self.path, suffix)
        if replace:
            shutil.copy2(path, self.folder / "new")
            (self.folder / "new").replace(path)
        else:
            path.unlink()
        journal.open(journal.new_table(), OPENING, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop(journal)
        return self.pump.broken[0]

    def test_a_deleted_store(self) -> None:
        """What is written to it would be gone with the process."""
        self.assertIn("store.sqlite was deleted while the host had it open", self.spoilt("", replace=False))

    def test_a_deleted_log(self) -> None:
        """The newest part of the journal."""
        self.assertIn("store.sqlite-wal was deleted", self.spoilt("-wal", replace=False))

    def test_a_replaced_store(self) -> None:
        """A backup that is put back under a running host."""
        self.assertIn("store.sqlite was replaced by another file", self.spoilt("", replace=True))

    def test_a_replaced_log(self) -> None:
        """The same, of the log."""
        self.assertIn("store.sqlite-wal was replaced", self.spoilt("-wal", replace=True))


class SharedTests(DamageCase):
    """Where locks do nothing, the mark shows that another host writes."""

    def test_the_mark_of_another_host(self) -> None:
        """The first host sees the mark of the second one, and ends."""
        journal = self.start(clock=lambda: 0.0)  # marks are written at the start and at the end alone
        self.play(journal, 3)
        path = sidecar_path(self.path, ".hwm")
        mark = read_mark(path.read_text())
        path.write_text(path.read_text().replace(mark.run, "0" * 8))
        self.assertNotEqual(mark.run, "")
        self.stop(journal)
        self.assertIn("another host writes to", self.pump.broken[0])
        self.assertIn("0" * 8, path.read_text(), "the other host's mark stays")


class LockTests(DamageCase):
    """Locks are tried before the store is opened."""

    def test_locks_that_do_nothing(self) -> None:
        """As on some network file systems, all locks are had: the store is refused, and nothing is left beside it."""
        self.stop(self.start())
        before = self.contents(self.path)
        self.patch(files, "fcntl", Useless())
        self.assertIn("locks do nothing on this file system", self.refused(self.path))
        self.assertEqual(self.contents(self.path), before)

    def test_locks_that_hold(self) -> None:
        """The file on which they were tried is gone, whether it could be made or not."""
        files.check_locks(self.path)
        self.assertEqual(list(self.folder.iterdir()), [])
        files.check_locks(self.folder / "nowhere" / "store.sqlite")


class ReasonTests(DamageCase):
    """Why a commit has failed."""

    def test_what_the_system_says(self) -> None:
        """SQLite says `disk I/O error`, and the system to a file beside the store more than that. It is not left there."""
        opened = files.StoreFiles(self.path, cast(SqliteStore, Broken()), lambda: 0.0, None)
        self.assertEqual(str(self.assertRaises(sqlite3.OperationalError, opened.commit, [])), "disk I/O error")
        self.assertFalse(sidecar_path(self.path, files.PROBE).exists())
        opened.path = self.folder / "gone" / "store.sqlite"
        words = str(self.assertRaises(StoreFailed, opened.commit, []))
        self.assertEqual(words, "disk I/O error: No such file or directory")


class NameTests(DamageCase):
    """One store has one path."""

    def test_a_symbolic_link_is_followed(self) -> None:
        """All files are beside the store itself, by whichever name it is opened."""
        link = self.folder / "link.sqlite"
        link.symlink_to(self.path)
        journal = self.start(link)
        self.play(journal, 3)
        names = {path.name for path in self.folder.iterdir()}
        suffixes = ("", "-wal", ".hwm", ".last", ".starts")
        self.assertEqual(names, {"link.sqlite", *(f"store.sqlite{suffix}" for suffix in suffixes)})
        copy = self.copy(self.path)
        (copy.parent / "link.sqlite").symlink_to(copy)
        with reading(copy.parent / "link.sqlite") as inspector:
            self.assertEqual(len(inspector.table(TableId(1))[1].entries), 3)
        self.stop(journal)

    def test_a_hard_link_is_refused(self) -> None:
        """Through the other name nobody would find the log."""
        self.stop(self.start())
        other = self.folder / "other.sqlite"
        os.link(self.path, other)
        for path in (self.path, other):
            self.assertIn("has a second name", self.refused(path))
            with self.assertRaises(StoreUnusable) as raised, reading(path):
                pass
            self.assertIn("has a second name", str(raised.exception))
        other.unlink()
        self.stop(self.start())

    def test_mount_points(self) -> None:
        """The system's list has them with some characters as numbers. A folder that is mounted is another thing."""
        folder = self.folder / "a b\t\\c"
        folder.mkdir()
        store = folder / "store.sqlite"
        store.touch()
        mounts = self.folder / "mounts"
        name = str(store).replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011")
        line = "63 43 254:0 {} {} rw,relatime shared:1 - ext4 /dev/vda rw\n"
        for root, point, expected in (
            ("/", str(folder), False),
            (name, str(self.folder / "else.sqlite"), False),
            ("/other.sqlite", name, True),
        ):
            mounts.write_text("\n" + line.format("/", "/") + line.format(root, point))
            self.assertEqual(files.is_mount_point(store, mounts), expected, point)
        self.assertFalse(files.is_mount_point(store, self.folder / "no such list"))
        other = Path("/dev/shm")
        if other.is_dir() and other.stat().st_dev != other.parent.stat().st_dev:
            self.assertTrue(files.is_mount_point(other, self.folder / "no such list"))

    def test_a_mounted_file_is_refused(self) -> None:
        """By a host and by the commands; what a mount of the same file system looks like is tried in test_restart."""
        self.stop(self.start())
        self.patch(files, "is_mount_point", lambda path: path == self.path)
        self.assertIn("this file is mounted alone", self.refused(self.path))
        with self.assertRaises(StoreUnusable) as raised, reading(self.path):
            pass
        self.assertIn("mount the folder that it is in", str(raised.exception))

    def test_a_log_that_is_not_where_it_was(self) -> None:
        """As where one file of a folder is mounted elsewhere: the mark says that there was a log."""
        left = self.killed()
        sidecar_path(left, "-wal").unlink()
        self.assertIn("store.sqlite-wal is missing", self.refused(left))
        with self.assertRaises(StoreUnusable) as raised, reading(left):
            pass
        self.assertIn("store.sqlite-wal is missing", str(raised.exception))

    def test_a_clean_stop_needs_no_log(self) -> None:
        """The mark says so."""
        journal = self.start()
        self.play(journal, 3)
        self.assertTrue(read_mark(sidecar_path(self.path, ".hwm").read_text()).log)
        self.stop(journal)
        self.assertFalse(read_mark(sidecar_path(self.path, ".hwm").read_text()).log)
        self.stop(self.start())
