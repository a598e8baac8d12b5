"""The files of a store: what is beside it, how much was durable, their locks and paths, and the room on their disk."""

import errno
import fcntl
import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import NoReturn, cast

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import Room, StoreUnusable, TableId
from gamehost.storage import sidecar, sqlite
from gamehost.storage import store as files
from gamehost.storage.contents import StoreFailed
from gamehost.storage.database import Loss
from gamehost.storage.inspect import reading
from gamehost.storage.sidecar import (
    KEY_SUFFIX,
    CheckedRows,
    LastCommit,
    Mark,
    check_log,
    close_unchanged,
    lengthen_log,
    mark_of,
    proof_key,
    put_back,
    read,
    read_checked,
    read_last_commit,
    read_mark,
    replace,
    sidecar_path,
    write_mark,
)
from gamehost.storage.store import SqliteStore, fits, room
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, OPENING, nothing
from tests.kit.journals import by_rows, records, rows
from tests.storage.test_damage import DamageCase
from tests.storage.test_sqlite import StoreCase


class Useless:
    """The module `fcntl` on a file system whose locks do nothing."""

    F_WRLCK, F_OFD_SETLK, LOCK_EX, LOCK_NB = fcntl.F_WRLCK, fcntl.F_OFD_SETLK, fcntl.LOCK_EX, fcntl.LOCK_NB

    def lockf(self, file: object, how: int) -> None:
        pass

    def fcntl(self, file: object, what: int, argument: bytes) -> bytes:
        return argument


class Broken:
    def commit(self, changes: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")


class IdentityTests(DamageCase):
    def spoilt(self, suffix: str, replace: bool) -> str:
        journal = self.start_marking()
        self.play(journal, 3)
        path = sidecar_path(self.path, suffix)
        if replace:
            shutil.copy2(path, path.with_name("new"))
            path.with_name("new").replace(path)
        else:
            path.unlink()
        journal.open(journal.new_table(), OPENING, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop(journal)
        return self.pump.broken[0]

    def test_a_file_that_is_not_the_one_that_was_opened(self) -> None:
        """What is written to it would be gone with the process. A backup may be put back under a running host."""
        for suffix, exchanged, what in (
            ("", False, "store.sqlite was deleted while the host had it open"),
            ("-wal", False, "store.sqlite-wal was deleted"),
            ("", True, "store.sqlite was replaced by another file"),
            ("-wal", True, "store.sqlite-wal was replaced"),
        ):
            self.path = Path(self.mktemp()).absolute() / "store.sqlite"
            self.path.parent.mkdir()
            self.pump.broken.clear()
            self.assertIn(what, self.spoilt(suffix, exchanged))


class SharedTests(DamageCase):
    def test_the_mark_of_another_host(self) -> None:
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
    def test_locks_that_do_nothing(self) -> None:
        """As on some network file systems, all locks are had: the store is refused, and nothing is left beside it."""
        self.stop(self.start())
        before = self.contents(self.path)
        self.patch(files, "fcntl", Useless())
        self.assertIn("locks do nothing on this file system", self.refused(self.path))
        self.assertEqual(self.contents(self.path), before)

    def test_locks_that_hold(self) -> None:
        files.check_locks(self.path)
        self.assertEqual(list(self.folder.iterdir()), [])
        files.check_locks(self.folder / "nowhere" / "store.sqlite")


class ReasonTests(DamageCase):
    def test_what_the_system_says(self) -> None:
        """SQLite says `disk I/O error`, and the system to a file beside the store more than that. It is not left there."""
        opened = files.StoreFiles(self.path, cast(SqliteStore, Broken()), None)
        self.assertEqual(str(self.assertRaises(sqlite3.OperationalError, opened.commit, [])), "disk I/O error")
        self.assertFalse(sidecar_path(self.path, files.PROBE).exists())
        opened.path = self.folder / "gone" / "store.sqlite"
        words = str(self.assertRaises(StoreFailed, opened.commit, []))
        self.assertEqual(words, "disk I/O error: No such file or directory")


class NameTests(DamageCase):
    def test_a_symbolic_link_is_followed(self) -> None:
        """All files are beside the store itself, by whichever name it is opened."""
        link = self.folder / "link.sqlite"
        link.symlink_to(self.path)
        journal = self.start(link)
        self.play(journal, 3)
        names = {path.name for path in self.folder.iterdir()}
        suffixes = ("", "-wal", ".hwm", ".last")
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
        journal = self.start()
        self.play(journal, 3)
        self.assertTrue(read_mark(sidecar_path(self.path, ".hwm").read_text()).log)
        self.stop(journal)
        self.assertFalse(read_mark(sidecar_path(self.path, ".hwm").read_text()).log)
        self.stop(self.start())


class NoFilesTests(StoreCase):
    def fail_with(self, number: int) -> Callable[[], None]:
        """No file can be replaced from now on, until what is given back is called."""

        def failing(*args: object) -> NoReturn:
            raise OSError(number, "planted")

        mend: Callable[[], None] = self.patch(files, "replace", failing).restore
        return mend

    def test_no_file_left(self) -> None:
        for number in (errno.EMFILE, errno.ENFILE):
            journal = self.start()
            mend = self.fail_with(number)
            self.play(journal, 3)
            self.stop(journal)
            self.assertEqual(self.pump.broken, [])
            mend()
        again = self.start()
        self.assertEqual(len(records(again)), 2)
        self.stop(again)
        self.assertEqual(read_mark(sidecar_path(self.path, sidecar.MARK_SUFFIX).read_text()).count, 8)

    def test_disk_that_fails(self) -> None:
        """Anything else that keeps the mark from being written ends the host, as before."""
        journal = self.start()
        self.fail_with(errno.EIO)
        journal.open(journal.new_table(), OPENING, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("planted", self.pump.broken[0])


GIB = 1 << 30


class FreeSpaceTests(StoreCase):
    def room(self, total: int, free: int, wanted: int) -> Room:
        block = 4096
        disk = os.statvfs_result((block, block, total // block, 0, free // block, 0, 0, 0, 0, 255))
        return room(Path("/somewhere/store"), wanted, lambda path: disk)

    def test_levels(self) -> None:
        """Enough, low below the limit, and none below a tenth of it; of a small disk 5 % are enough."""
        for total, free, wanted, room_left in (
            (1000 * GIB, GIB, GIB, Room.ENOUGH),
            (1000 * GIB, GIB - 4096, GIB, Room.LOW),
            (1000 * GIB, GIB // 10 + 4096, GIB, Room.LOW),
            (1000 * GIB, GIB // 10 - 4096, GIB, Room.NONE),
            (10 * GIB, GIB // 2, GIB, Room.ENOUGH),
            (10 * GIB, GIB // 2 - 4096, GIB, Room.LOW),
            (10 * GIB, 0, 0, Room.ENOUGH),
        ):
            self.assertEqual(self.room(total, free, wanted), room_left)

    def test_a_copy_leaves_room_for_the_host(self) -> None:
        block = 4096
        disk = os.statvfs_result((block, block, 1000 * GIB // block, 0, 3 * GIB // block, 0, 0, 0, 0, 255))
        for folder, size, fit in ((self.folder, 2 * GIB, True), (self.folder, 2 * GIB + 1, False)):
            self.assertEqual(fits(folder / "copy", size, self.path, GIB, lambda path: disk), fit)
        elsewhere = Path("/proc")
        self.assertTrue(fits(elsewhere / "copy", 3 * GIB, self.path, GIB, lambda path: disk))
        self.assertFalse(fits(elsewhere / "copy", 3 * GIB + 1, self.path, GIB, lambda path: disk))

    def test_a_store_on_a_full_disk_is_opened(self) -> None:
        journal = self.start()
        self.play(journal, 3)
        self.stop(journal)
        disk = os.statvfs(self.folder)
        wanted = disk.f_bavail * disk.f_frsize * 1000
        self.patch(files, "LARGEST_PART", 1000)
        journal = self.start(free_space=wanted)
        self.assertEqual(journal.room, Room.NONE)
        self.assertEqual([len(record.entries) for record in records(journal)], [3])
        self.stop(journal)
        journal = self.start(free_space=1)
        self.assertEqual(journal.room, Room.ENOUGH)


class BesideTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.path = sidecar_path(self.folder / "a.sqlite", ".hwm")

    def test_names(self) -> None:
        self.assertEqual(self.path.name, "a.sqlite.hwm")

    def test_read_back(self) -> None:
        self.assertIs(read(self.path), None)
        for text in ("first, and longer", "sécond"):
            replace(self.path, text)
            self.assertEqual(read(self.path), text)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.sqlite.hwm"])

    def test_what_is_not_text_is_read_as_something(self) -> None:
        """Damage is for the reader of the text to refuse."""
        self.path.write_bytes(b"\xff\xfe")
        self.assertEqual(read(self.path), "\ufffd\ufffd")

    def test_a_failure_leaves_the_old_file(self) -> None:
        replace(self.path, "old")
        (self.folder / "a.sqlite.hwm.new").mkdir()
        self.assertRaises(OSError, replace, self.path, "new")
        self.assertEqual(read(self.path), "old")


class ProofKeyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.store = Path(self.mktemp()).absolute()
        self.path = sidecar_path(self.store, KEY_SUFFIX)

    def test_the_next_run_has_the_same_key(self) -> None:
        key = proof_key(self.store)
        self.assertEqual(len(key), 32)
        self.assertEqual(proof_key(self.store), key)
        self.assertEqual(S_IMODE(self.path.stat().st_mode), 0o600)

    def test_another_store_has_another(self) -> None:
        self.assertNotEqual(proof_key(self.store), proof_key(Path(self.mktemp()).absolute()))

    def test_what_is_no_key_is_replaced(self) -> None:
        for text in ("", "00ff", "no key at all"):
            self.path.write_text(text)
            key = proof_key(self.store)
            self.assertEqual((len(key), proof_key(self.store)), (32, key))

    def test_where_nothing_can_be_written(self) -> None:
        self.assertEqual(len(proof_key(Path(self.mktemp()) / "nowhere" / "store")), 32)


class MarkTests(PropertyCase):
    @given(st.integers(0, 2**40), st.integers(0, 2**40), st.binary(min_size=8, max_size=8), st.integers(0, 2**40))
    def test_reads_back(self, last: int, count: int, h: bytes, accounts: int) -> None:
        mark = mark_of(last, count, h, accounts)
        self.assertEqual(read_mark(write_mark(mark)), mark)

    def test_the_file_is_this(self) -> None:
        self.assertEqual(write_mark(mark_of(0, 0, b"", 0)), '{"max_seq":0,"count":0,"sha":"","accounts":0}\n')
        sha = "48f90f414ab525a62b15c4e31492a8dc233a4a7da4ae89bc8dc6a46b7f83aff8"
        text = f'{{"max_seq":2,"count":2,"sha":"{sha}"'
        self.assertEqual(write_mark(mark_of(2, 2, b"12345678", 3)), text + ',"accounts":3}\n')
        self.assertRaises(Loss, read_mark, text + "}\n")

    @given(st.text(max_size=60))
    def test_nothing_else_is_a_mark(self, text: str) -> None:
        try:
            mark = read_mark(text)
        except Loss:
            return
        self.assertIsInstance(mark, Mark)

    def test_wrong_types_are_refused(self) -> None:
        for text in (
            '{"max_seq": true, "count": 1, "sha": "", "accounts": 0}',
            '{"max_seq": 1.0, "count": 1, "sha": "", "accounts": 0}',
            '{"max_seq": 1, "count": -1, "sha": "", "accounts": 0}',
            '{"max_seq": 1, "count": 1, "sha": null, "accounts": 0}',
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
        by_rows(self.path)
        self.stop(self.start())

    def checked(self) -> CheckedRows:
        with reading(self.path) as journal:
            return read_checked(journal.database.connection)

    def test_a_start_notes_what_it_found(self) -> None:
        self.assertEqual(self.checked(), CheckedRows(24, 24, 0))
        for expected in (CheckedRows(24, 24, 0), CheckedRows(30, 32, 0)):
            journal = self.start()
            journal.append(self.play(journal, 2), END, nothing)
            self.stop(journal)
            self.stop(self.start())
            self.assertEqual(self.checked(), expected)

    def test_old_rows_are_not_read(self) -> None:
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
        self.assertIn("the journal has 26 rows up to row 28, and 28 were durable", self.refusal())

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

    def test_it_has_its_size_before_the_first_commit(self) -> None:
        """To lengthen a file costs a commit half as much again. A stop leaves no log."""
        for _ in range(2):
            journal = self.start()
            log = sidecar_path(self.path, "-wal")
            size = log.stat().st_size
            self.assertGreaterEqual(size, 32 + 1000 * (24 + 4096))
            self.assertFalse(any(log.read_bytes()[size // 2 :]))
            self.play(journal, 30)
            check_log(log.read_bytes())
            self.assertEqual(log.stat().st_size, size)
            self.stop(journal)
            self.assertFalse(log.exists())

    def test_a_log_of_zeros_has_no_commit(self) -> None:
        """A kill may come before the first one, or after the header."""
        log = self.killed().with_name("store.sqlite-wal").read_bytes()
        for length in (1, 32, 4152, 100_000):
            check_log(bytes(length))
            check_log(log[:32] + bytes(length))
            self.assertIn(
                "damaged header", str(self.assertRaises(Loss, check_log, bytes(32) + log[32:] + bytes(length)))
            )

    def test_zeros_behind_the_frames(self) -> None:
        """As a kill leaves them: everything is there, and the next run begins with a whole log again."""
        left = self.killed()
        with sidecar_path(left, "-wal").open("ab") as log:
            log.write(bytes(1_000_000))
        with reading(left) as journal:
            self.assertEqual(journal.verify().faults, [])
        self.assertEqual(self.held(left), 30)

    def test_a_disk_without_room_for_it(self) -> None:
        """The log stays as it was, and the host starts."""
        log = sidecar_path(self.path, "-wal")
        log.write_bytes(b"frames")
        pieces: list[int] = []

        def full(descriptor: int, data: bytes, place: int) -> int:
            pieces.append(place)
            if len(pieces) == 3:
                raise OSError(errno.ENOSPC, "planted")
            return os.pwrite(descriptor, data[:1000], place)

        self.assertRaises(OSError, lengthen_log, self.path, 4096, 1000, full)
        self.assertEqual((log.read_bytes(), pieces), (b"frames", [6, 1006, 2006]))
        log.unlink()
        self.patch(files, "lengthen_log", partial(lengthen_log, write=full))
        for space, free in (("some", 0), ("none", 1 << 60)):
            pieces[:] = [0, 0]
            self.patch(files, "LARGEST_PART", 1000)
            journal = self.start(free_space=free)
            self.assertLess(log.stat().st_size, 125_000)
            self.assertEqual(len(pieces), 3 if space == "some" else 2)
            self.play(journal, 3)
            self.stop(journal)
            self.assertEqual(self.pump.broken, [])

    def test_a_damaged_header(self) -> None:
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
