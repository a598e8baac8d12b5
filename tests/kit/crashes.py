"""
One life of a journal on a disk that is going to fail, and what the next life finds.

The checks: everything acknowledged is there; what is there is a beginning of what was sent, cut at a group's end; every
chain holds; the index is right; the journal takes new entries.
"""

import random
from collections.abc import Callable, Sequence

import apsw
from attrs import define, field

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, StoreUnusable, TableHeader, TableId
from gamehost.storage.changes import Change, Told
from gamehost.storage.high_water_mark import Mark
from gamehost.storage.match_lists import list_faults
from gamehost.storage.row_codec import OPENED, Row, finishes, read_entry, read_opening
from gamehost.storage.store import SqliteStore, open_store
from gamehost.storage.table_index import Index
from gamehost.testing.journal_contract import OPENING
from tests.kit.disk import Disk, Drive

EVERYTHING = "SELECT seq, game, n, at_ms, kind, seat, body, h FROM event ORDER BY seq"

#: What a failing disk makes of SQLite's calls.
DISK_ERRORS = (apsw.Error, OSError)

#: How a group is committed: `SqliteStore.commit`, or something with a fault planted.
Commit = Callable[[SqliteStore, Sequence[Change]], None]


@define(eq=False)
class Lives:
    """What was sent to a journal over all its lives, and how much of it somebody was told of."""

    rng: random.Random
    sent: list[tuple[TableId, TableHeader | Entry]] = field(factory=list)
    #: How long `sent` was after each group.
    ends: list[int] = field(factory=lambda: [0])
    acknowledged: int = 0
    mark: Mark | None = None
    #: Say so before the commit: a planted fault.
    early: bool = False
    _tables: int = 0
    _open: list[TableId] = field(factory=list)

    def group(self) -> Sequence[Change]:
        """The next group: a few entries at a few tables."""
        changes: list[Change] = []
        for _ in range(self.rng.choice((1, 1, 2, 3, 10))):
            if not self._open or self.rng.random() < 0.1:
                self._tables += 1
                table = TableId(self._tables)
                self._open.append(table)
                changes.append((table, OPENING))
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
        """Commit so many groups, and acknowledge each."""
        self.mark = store.mark
        for _ in range(groups):
            changes = self.group()
            self.sent += [change for change in changes if isinstance(change, tuple)]
            self.ends.append(len(self.sent))
            if self.early:
                self.acknowledged = len(self.sent)
            commit(store, changes)
            self.acknowledged = len(self.sent)
            self.mark = store.mark

    def take_up(self, store: SqliteStore) -> str | None:
        """See what a later life holds, and go on from there; what is wrong with it."""
        rows = [Row._make(row) for row in store.connection.execute(EVERYTHING)]
        held = [(row.game, read_opening(row) if row.kind == OPENED else read_entry(row)) for row in rows]
        if len(held) < self.acknowledged:
            return "lost"
        if held != self.sent[: len(held)] or len(held) not in self.ends:
            return "disordered"
        if Index(store.connection).faults() or list_faults(store.connection):
            return "misplaced"
        del self.sent[len(held) :]
        self.ends = [end for end in self.ends if end <= len(held)]
        self.acknowledged = len(held)
        self._open = store.live()
        self._tables = store.last_table
        return None


def open_on(drive: Drive, disk: Disk, mark: Mark | None, sync: str = "FULL") -> SqliteStore:
    """The host's own way of opening a store, on a disk, with checkpoints and steps of the index that come often."""
    connection = drive.connect(disk)
    try:
        store = open_store(connection, mark, index_step=9)
    except BaseException:
        abandon(connection, disk)
        raise
    connection.execute("PRAGMA wal_autocheckpoint=8")
    connection.execute(f"PRAGMA synchronous={sync}")
    return store


def abandon(connection: apsw.Connection, disk: Disk) -> None:
    """The process is gone: nothing more reaches the disk."""
    disk.dead = True
    try:
        connection.close()
    except apsw.Error:
        connection.close(True)


def next_life(drive: Drive, disk: Disk, lives: Lives, groups: int = 1) -> str | None:
    """Open what is left, check it, and go on for some groups on an honest disk; what was wrong."""
    try:
        store = open_on(drive, disk, lives.mark)
    except StoreUnusable as error:
        return "lost" if "shorter" in str(error) or "empty" in str(error) else "corrupt"
    except apsw.Error:
        return "corrupt"
    try:
        wrong = lives.take_up(store)
        if wrong is None:
            lives.play(store, groups)
    except apsw.Error:
        wrong = "corrupt"
    finally:
        connection = store.connection
        assert isinstance(connection, apsw.Connection)
        abandon(connection, disk)
    return wrong


def run(
    drive: Drive, disk: Disk, lives: Lives, commit: Commit = SqliteStore.commit, sync: str = "FULL", groups: int = 12
) -> bool:
    """Play until the groups are through or the disk fails; whether they are through."""
    try:
        store = open_on(drive, disk, lives.mark, sync)
    except (*DISK_ERRORS, StoreUnusable):
        return False
    connection = store.connection
    assert isinstance(connection, apsw.Connection)
    try:
        lives.play(store, groups, commit)
    except DISK_ERRORS:
        return False
    finally:
        abandon(connection, disk)
    return True
