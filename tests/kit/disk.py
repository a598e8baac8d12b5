"""
A disk that lies in memory and can be pulled out: SQLite's own code over files that know what was synced.

What was written since the last sync is kept apart. A power cut keeps what was synced, and of the rest any part, torn at
sectors. A fault makes one call fail, or all from one call on. The host's own code is what runs on it, through apsw.
"""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

import apsw
from attrs import define, field

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableHeader, TableId
from gamehost.storage.contents import Change, Told
from gamehost.storage.database import SqliteDatabase, commit_faults, commits_in, placed_faults
from gamehost.storage.row_codec import OPENED, finishes, read_entry, read_opening, single_rows
from gamehost.storage.sidecar import Mark
from gamehost.storage.store import SqliteStore, open_store
from tests.kit.journal_contract import OPENING
from tests.kit.store_kills import LOG_FRAME, LOG_HEADER

SECTOR = 512


@define(eq=False)
class File:
    """A file as the process sees it, and as it is on the platter."""

    seen: bytearray = field(factory=bytearray)
    durable: bytearray = field(factory=bytearray)
    #: Since the last sync: bytes at a place, or a new length.
    pending: list[tuple[int, bytes] | int] = field(factory=list)

    def sync(self) -> None:
        for change in self.pending:
            apply(self.durable, change)
        self.pending.clear()


def apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        del content[change:]
        return
    place, data = change
    if place > len(content):
        content.extend(bytes(place - len(content)))
    content[place : place + len(data)] = data


def no_fault(call: int, name: str) -> None:
    """Nothing goes wrong."""


@define(eq=False)
class Disk:
    files: dict[str, File] = field(factory=dict)
    #: Called before every call with its number and name; raises what is to happen.
    fault: Callable[[int, str], None] = no_fault
    #: Whether a sync does what it says.
    honest: bool = True
    #: How many calls, of all kinds; how many that change something.
    calls: int = 0
    changes: int = 0
    #: At this change the power goes.
    cut_at: int | None = None
    dead: bool = False

    def count(self, name: str, changes: bool = False) -> None:
        if self.dead:
            raise apsw.IOError("no power")
        self.calls += 1
        self.fault(self.calls, name)
        if changes:
            self.changes += 1

    def cut(self) -> bool:
        """Whether the power goes now; the change that is being made has begun."""
        if self.changes == self.cut_at:
            self.dead = True
        return self.dead

    def after_kill(self) -> "Disk":
        """The disk as the next process finds it, after this one was killed."""
        return Disk({name: File(bytearray(file.seen), bytearray(file.seen)) for name, file in self.files.items()})

    def after_cut(self, rng: random.Random) -> "Disk":
        """The disk as it comes up again after a power cut."""
        keep = rng.choice((0.0, 0.5, 0.9, 1.0, rng.random()))
        files = {}
        for name, file in self.files.items():
            content = bytearray(file.durable)
            for change in file.pending:
                for piece in pieces(change):
                    if rng.random() < keep:
                        apply(content, piece)
            files[name] = File(bytearray(content), content)
        return Disk(files)


def pieces(change: tuple[int, bytes] | int) -> list[tuple[int, bytes] | int]:
    """A change in the parts that are carried out whole or not at all."""
    if isinstance(change, int):
        return [change]
    place, data = change
    cuts = [0, *range(SECTOR - place % SECTOR, len(data), SECTOR), len(data)]
    return [(place + start, data[start:end]) for start, end in pairwise(cuts)]


class OpenFile:
    def __init__(self, disk: Disk, file: File) -> None:
        self.disk = disk
        self.file = file

    def xRead(self, amount: int, offset: int) -> bytes:
        self.disk.count("read")
        return bytes(self.file.seen[offset : offset + amount])

    def xWrite(self, data: Any, offset: int) -> None:
        self.disk.count("write", changes=True)
        change = (offset, bytes(data))
        self.file.pending.append(change)
        if self.disk.cut():
            raise apsw.IOError("no power")
        apply(self.file.seen, change)

    def xTruncate(self, size: int) -> None:
        self.disk.count("truncate", changes=True)
        self.file.pending.append(size)
        if self.disk.cut():
            raise apsw.IOError("no power")
        apply(self.file.seen, size)

    def xSync(self, flags: int) -> None:
        self.disk.count("sync", changes=True)
        if self.disk.cut():
            raise apsw.IOError("no power")
        if self.disk.honest:
            self.file.sync()

    def xFileSize(self) -> int:
        self.disk.count("size")
        return len(self.file.seen)

    def xClose(self) -> None: ...

    def xLock(self, level: int) -> None: ...

    def xUnlock(self, level: int) -> None: ...

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        return int(apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE)


class Connection(apsw.Connection):
    def executescript(self, text: str) -> None:
        """As that of `sqlite3`."""
        self.execute(text)


class Drive(apsw.VFS):
    """Where a disk is put in: what SQLite knows as a VFS."""

    NAME = "drive"

    def __init__(self) -> None:
        self.disk = Disk()
        super().__init__(self.NAME, base="")

    def connect(self, disk: Disk) -> apsw.Connection:
        self.disk = disk
        connection = Connection("journal", vfs=self.NAME)
        # This VFS has no memory for the log's index that several connections could use. A host has `unix-excl` for that.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        return connection

    def xFullPathname(self, name: str) -> str:
        return name

    def xOpen(self, name: Any, flags: list[int]) -> OpenFile:  # type: ignore[override]
        self.disk.count("open")
        file = File() if name is None else self.disk.files.setdefault(str_name(name), File())
        flags[1] = flags[0]
        return OpenFile(self.disk, file)

    def xAccess(self, name: str, flags: int) -> bool:
        self.disk.count("access")
        return name in self.disk.files

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.disk.count("delete", changes=True)
        if self.disk.cut():
            raise apsw.IOError("no power")
        self.disk.files.pop(name, None)


def str_name(name: Any) -> str:
    return name if isinstance(name, str) else str(name.filename())


# One run of a journal on a disk that is going to fail, and what the next run finds.
#
# The checks: everything acknowledged is there; what is there is a beginning of what was sent, cut at a group's end; every
# chain holds; the index is right; the journal takes new entries. Of tables in which nobody acts all rows are there, or
# none.


#: What a failing disk makes of SQLite's calls.
DISK_ERRORS = (apsw.Error, OSError)

#: How a group is committed: `SqliteStore.commit`, or something with a fault planted.
Commit = Callable[[SqliteStore, Sequence[Change]], None]


@define(eq=False)
class Runs:
    """What was sent to a journal over all its runs, and how much of it somebody was told of."""

    rng: random.Random
    sent: list[tuple[TableId, TableHeader | Entry]] = field(factory=list)
    #: How long `sent` was after each group.
    ends: list[int] = field(factory=lambda: [0])
    acknowledged: int = 0
    mark: Mark | None = None
    #: Say so before the commit, or that a mark is on the disk that is not: planted faults.
    early: bool = False
    marks_ahead: bool = False
    #: The tables in which nobody acts, and how many of them a later run has not found.
    unplayed: set[int] = field(factory=set)
    removed: int = 0
    #: Seconds. So much time goes by that tables in which nobody has acted are removed.
    now: float = 0.0
    _tables: int = 0
    _open: list[TableId] = field(factory=list)

    def group(self) -> Sequence[Change]:
        changes: list[Change] = []
        for _ in range(self.rng.choice((1, 1, 2, 3, 10))):
            if not self._open or self.rng.random() < 0.3:
                self._tables += 1
                table = TableId(self._tables)
                changes.append((table, OPENING))
                if self.rng.random() < 0.7:
                    self.unplayed.add(table)
                    end = Entry(EntryKind.FORFEITED, 5, Seat(1), outcome="over")
                    changes += [(table, Entry(EntryKind.BEGAN, 0)), (table, end), Told(table, None)]
                else:
                    self._open.append(table)
                continue
            table = self.rng.choice(self._open)
            outcome = "over" if self.rng.random() < 0.1 else ""
            notation = self.rng.randbytes(self.rng.choice((5, 5, 5, 900)))
            entry = Entry(EntryKind.ACTED, self.rng.randrange(10**6), Seat(0), notation, (3, 1), outcome)
            if finishes(entry):
                self._open.remove(table)
            changes.append((table, entry))
            if outcome:
                changes.append(Told(table, None))  # the end was told
        return changes

    def play(self, store: SqliteStore, groups: int, commit: Commit = SqliteStore.commit) -> None:
        self.mark = store.mark
        for _ in range(groups):
            self.now += 100
            store.marked = 2**60 if self.marks_ahead else self.mark.last
            changes = self.group()
            self.sent += [change for change in changes if isinstance(change, tuple)]
            self.ends.append(len(self.sent))
            if self.early:
                self.acknowledged = len(self.sent)
            commit(store, changes)
            self.acknowledged = len(self.sent)
            if self.rng.random() < 0.7:  # else the mark on the disk is an older one
                self.mark = store.mark

    def take_up(self, store: SqliteStore) -> str | None:
        """See what a later run holds, and go on from there; what is wrong with it."""
        rows = [row for table in range(1, self._tables + 1) for row in single_rows(store.tables.rows(table))]
        held = [(row.game, read_opening(row) if row.kind == OPENED else read_entry(row)) for row in rows]
        last = store.mark.last
        if last < self.acknowledged:
            return "lost"
        del self.sent[last:]
        removed = self.unplayed.difference(table for table, _ in held)
        expected = sorted((one for one in self.sent if one[0] not in removed), key=itemgetter(0))
        if held != expected or last not in self.ends or commit_faults(commits_in(store.database)):
            return "disordered"
        if placed_faults(SqliteDatabase(store.connection)) or store.lists.faults():
            return "misplaced"
        self.ends = [end for end in self.ends if end <= last]
        self.acknowledged = last
        self.removed = sum(table in removed for table in {table for table, _ in self.sent})
        self._open = [row[0] for row in store.database.rows("SELECT game FROM live ORDER BY game")]
        self._tables = store.tables.last_table
        return None


#: Pages in the log after which they are copied into the store.
CHECKPOINT = 8


def lengthen(log: OpenFile) -> None:
    """As `gamehost.storage.sidecar.lengthen_log`: without room for that the log stays as it was."""
    size, wanted = log.xFileSize(), LOG_HEADER + CHECKPOINT * LOG_FRAME
    try:
        log.xSync(0)
        log.xWrite(bytes(max(0, wanted - size)), size)
        log.xSync(0)
    except apsw.FullError:
        log.xTruncate(size)


def open_on(drive: Drive, disk: Disk, runs: Runs, sync: str = "FULL") -> SqliteStore:
    """The host's own way of opening a store, on a disk, with checkpoints, steps of the index and moves that come often."""
    connection = drive.connect(disk)
    try:
        any_connection: Any = connection
        store = open_store(any_connection, runs.mark, wall=lambda: runs.now, index_step=9)
        lengthen(OpenFile(disk, disk.files["journal-wal"]))
    except BaseException:
        abandon(connection, disk)
        raise
    store.recent.most, store.recent.at_once, store.recent.most_moved = 9, 3, 4
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT}")
    connection.execute(f"PRAGMA synchronous={sync}")
    return store


def abandon(connection: apsw.Connection, disk: Disk) -> None:
    """The process is gone: nothing more reaches the disk."""
    disk.dead = True
    try:
        connection.close()
    except apsw.Error:
        connection.close(True)


def next_run(drive: Drive, disk: Disk, runs: Runs, groups: int = 1) -> str | None:
    """Open what is left, check it, and go on for some groups on an honest disk; what was wrong."""
    try:
        store = open_on(drive, disk, runs)
    except StoreUnusable as error:
        return "lost" if "shorter" in str(error) or "empty" in str(error) else "corrupt"
    except apsw.Error:
        return "corrupt"
    try:
        wrong = runs.take_up(store)
        if wrong is None:
            runs.play(store, groups)
    except apsw.Error:
        wrong = "corrupt"
    finally:
        connection = store.connection
        assert isinstance(connection, apsw.Connection)
        abandon(connection, disk)
    return wrong


def run(
    drive: Drive, disk: Disk, runs: Runs, commit: Commit = SqliteStore.commit, sync: str = "FULL", groups: int = 12
) -> bool:
    """Play until the groups are through or the disk fails; whether they are through."""
    try:
        store = open_on(drive, disk, runs, sync)
    except (*DISK_ERRORS, StoreUnusable):
        return False
    connection = store.connection
    assert isinstance(connection, apsw.Connection)
    try:
        runs.play(store, groups, commit)
    except DISK_ERRORS:
        return False
    finally:
        abandon(connection, disk)
    return True
