"""
An open store in an SQLite file: how it is checked and opened, how a group of changes is added in one transaction, and
the files beside it.
"""

import errno
import fcntl
import os
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from secrets import token_hex
from sqlite3 import Connection

from attrs import define, field
from msgspec.structs import replace as replace_in

from gamehost.journal.records import Room, StoreUnusable, TableId
from gamehost.storage import sidecar
from gamehost.storage.contents import (
    PUT_BACK,
    AddAccount,
    Change,
    Group,
    OpenStore,
    StoreFailed,
    UnreadableRow,
    in_words,
    is_unplayed,
    read_number,
    read_uptime,
)
from gamehost.storage.database import (
    Commit,
    FileGroup,
    FileRows,
    Loss,
    RecentCommits,
    SqliteDatabase,
    ask,
    commit_faults,
    commit_of,
    commits_in,
    entries_by_table,
    lock,
    make_durable,
    make_tables,
    place,
    release,
    unmoved,
)
from gamehost.storage.questions import COLUMNS, MatchLists, ended_among
from gamehost.storage.row_codec import Head, Row, entries_in
from gamehost.storage.sidecar import (
    LOG_SUFFIX,
    CheckedRows,
    LastCommit,
    close_unchanged,
    count_moved,
    lengthen_log,
    read,
    read_checked,
    replace,
    sidecar_path,
    write_checked,
)

#: How many rows are inserted with one statement.
MOST_ROWS = 128
#: After how many new rows the index `placed` is extended. A larger step costs less for each row; a step of a thousand
#: rows takes two milliseconds.
INDEX_STEP = 1000


@cache
def insert_of(rows: int) -> str:
    """
    The statement that inserts a number of rows at once. Python's library for SQLite releases the interpreter's lock at
    every statement, and must wait to get it back. With a busy reactor this takes longer than the disk. So one statement
    inserts many rows. `OR ROLLBACK` is there because SQLite would otherwise need a temporary file to undo one statement
    of several.
    """
    return f"INSERT OR ROLLBACK INTO event({COLUMNS.sqlite}) VALUES " + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * rows)


#: The only statement of most commits.
_INSERT = "INSERT OR ROLLBACK INTO recent(seq, body, h) VALUES (?, ?, ?)"


@define(eq=False)
class SqliteStore(OpenStore):
    """An open journal in a file, made by `open_store` after all checks. Only one thread may use it at a time."""

    connection: Connection
    _step: int
    _at: Callable[[], float]
    lists: MatchLists = field(init=False)
    #: The number of the last commit that the mark on the disk counts. This commit and later ones are not removed.
    marked: int = field(init=False, default=0)
    recent: RecentCommits = field(init=False)
    #: The number of the last row in `event`; the last row in the index `placed`; and how many rows were ever added,
    #: with the entries that are only in commits.
    _last: int = field(init=False, default=0)
    _placed_to: int = field(init=False, default=0)
    _count: int = field(init=False, default=0)
    _accounts: int = field(init=False, default=0)
    _checked: CheckedRows = field(init=False, factory=CheckedRows)
    database: SqliteDatabase = field(init=False)
    tables: FileRows = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make the readers of this store's tables. The store itself is not read yet."""
        database = SqliteDatabase(self.connection)
        tables = FileRows(database)
        self._read_from(database, tables, self._at)
        self.recent = RecentCommits(tables)
        self.lists = MatchLists(database, has_ends=True)

    @property
    def mark(self) -> sidecar.Mark:
        """The high-water mark of the current contents."""
        return sidecar.mark_of(self.recent.seq, self._count, self.recent.h, self._accounts)

    @property
    def ends(self) -> tuple[int, int, int, bytes]:
        """The arguments of `mark_of` for the current contents, in the order of `LastCommit.note`."""
        return self.recent.seq, self._count, self._accounts, self.recent.h

    def note_checked(self, step: int) -> None:
        """Note how many rows were counted, if at least `step` rows are new since the last note."""
        if self._last - self._checked.seq < step:
            return
        pruned = self._checked.pruned
        # All rows that were ever in `event`. Those in archives are counted apart.
        moved = count_moved(self.connection, self._checked)
        self._checked = CheckedRows(self._last, moved - pruned, pruned)
        self.connection.execute("BEGIN IMMEDIATE")
        write_checked(self.connection, self._checked)
        self.connection.execute("COMMIT")

    def _numbers(self) -> Iterator[int]:
        return count(self._last + 1)

    def _add(self, changes: Sequence[Change]) -> Group:
        """Write a group of changes: usually only its commit, which is one row."""
        group = self.recent.build(changes, self._numbers(), self._wall, self.marked)
        commit = None
        if group.items:
            # A commit has the number of its last item, and contains the hash of the previous commit.
            commit = commit_of(self.recent.seq + len(group.items), self.recent.h, group.items)
        if group.rows or group.noted or group.remove_to:
            self._write_all(group, commit)
        elif commit is not None:
            self.connection.execute(_INSERT, commit)  # one statement is a transaction of its own
        self._count += len(group.items)
        self.recent.done(group, commit)
        return group

    def _write_all(self, group: FileGroup, commit: Commit | None) -> None:
        """Write a group that has more changes than its commit, in one transaction."""
        execute, executemany = self.connection.execute, self.connection.executemany
        last = group.rows[-1].seq if group.rows else self._last
        execute("BEGIN IMMEDIATE")
        if commit is not None:
            execute(_INSERT, commit)
        self._insert(group.rows)
        if group.remove_to:
            execute("DELETE FROM recent WHERE seq <= ?", (group.remove_to,))
        if group.opened:
            executemany("INSERT INTO live(game) VALUES (?)", [(table,) for table in group.opened])
        if group.archived:
            executemany("DELETE FROM live WHERE game = ?", [(row.game,) for row in group.archived])
        if group.ended:
            self.lists.add(self._ended(group))
        for note in group.notes:
            note.write(self.database)
        # Extending the index for many rows at once is faster than for each commit.
        if last - self._placed_to >= self._step:
            place(self.database, last)
            self._placed_to = last
        self._remove_unplayed(self._unplayed.due(), last)
        execute("COMMIT")
        # The transaction was successful, so the numbers in memory may change.
        self._last = last
        self._accounts += sum(isinstance(note, AddAccount) and note.added for note in group.notes)

    def remove_unplayed(self) -> None:
        """
        Remove all matches without an action of a player, when the host stops. A match with an end that was not sent to
        all players remains.
        """
        if tables := self._unplayed.all():
            self.connection.execute("BEGIN IMMEDIATE")
            self._remove_unplayed(tables, self._last)
            self.connection.execute("COMMIT")

    def _remove_unplayed(self, tables: Sequence[int], last: int) -> None:
        """
        Remove matches without an action of a player. Must be called within a transaction. The newest table and the last
        row are not removed, because new numbers are counted from them. Removed rows count as moved to an archive.

        :param tables: ended tables; those in which a player has acted remain
        :param last: the `seq` of the last row
        """
        if not tables:
            return
        execute, newest = self.connection.execute, self.tables.last_table
        removed: list[Row] = []
        # Choose the tables. A table that cannot be removed yet is examined again later.
        for table in tables:
            rows = self.tables.rows(table)
            if not is_unplayed(rows):
                continue
            # A table is listed in `live` until all its players have received its end.
            told = not execute("SELECT count(*) FROM live WHERE game = ?", (table,)).fetchone()[0]
            if told and table < newest and rows[-1].seq < last:
                execute("DELETE FROM placed WHERE game = ?", (table,))
                removed += rows
            else:
                self._unplayed.later([table])
        if not removed:
            return
        # Remove them from the lists and from `event`, and correct the count of rows.
        self.lists.remove(ended_among(removed))
        self.connection.executemany("DELETE FROM event WHERE seq = ?", [(row.seq,) for row in removed])
        before, seq = self._checked, self._checked.seq
        # Only rows up to `checked` were counted there; later ones are counted at the next note.
        known = sum(entries_in(row) for row in removed if row.seq <= seq)
        self._checked = CheckedRows(seq, before.rows - known, before.pruned + sum(map(entries_in, removed)))
        write_checked(self.connection, self._checked)

    def _insert(self, rows: list[Row]) -> None:
        """Insert rows into `event`, many with each statement."""
        for begin in range(0, len(rows), MOST_ROWS):
            some = rows[begin : begin + MOST_ROWS]
            self.connection.execute(insert_of(len(some)), list(chain.from_iterable(some)))

    def _follow(self, table: TableId, rows: Sequence[Row], head: Head) -> None:
        self.recent.follow(rows, head)

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        told = self.database.rows("SELECT told FROM live WHERE game = ?", (table,))
        return told[0][0] if told else None

    def load_ends(self) -> None:
        """
        Read the end of the journal, and count its rows. Rows that an earlier start has counted are not read again.

        :raises StoreUnusable: a note of the store was changed
        """
        self._placed_to = read_number(self.database, "placed_to", "seq")
        commits = commits_in(self.database)
        # The entries that are only in commits. `_count` has them, too.
        waiting = unmoved(self.database, entries_by_table(commits))
        self.recent.load(*sidecar.last_of(self.connection), commits, waiting)
        self._last = self.database.rows("SELECT coalesce(max(seq), 0) FROM event")[0][0]
        self._checked = read_checked(self.connection)
        self._count = count_moved(self.connection, self._checked) + sum(waiting.values())
        self._accounts = sidecar.accounts_in(self.connection)

    def give_up(self, damage: Sequence[UnreadableRow]) -> None:
        """Remove damaged tables from the list of unfinished tables. Their rows are not removed."""
        self._given_up = damage
        self.database.run_many("DELETE FROM live WHERE game = ?", [(damaged.table,) for damaged in damage])

    def move_everything(self) -> None:
        """Move the entries of all undamaged commits to `event`, and remove all commits."""
        tables, numbers = list(self.tables.recent()), self._numbers()
        self.connection.execute("BEGIN IMMEDIATE")
        for table in tables:
            self._insert(list(self.recent.rows_to_move(table, numbers)))
        self.connection.execute("DELETE FROM recent")
        self.connection.execute("COMMIT")
        # The end of the journal is another one now.
        self.load_ends()

    def _put_to_sleep(self) -> None:
        with suppress(sqlite3.OperationalError):  # on a full disk, a later start makes the note
            self.database.run("UPDATE live SET since = (SELECT seconds FROM uptime) WHERE since IS NULL")


def open_store(
    connection: Connection,
    recorded: sidecar.Mark | None,
    *,
    accept_loss: bool = False,
    wall: Callable[[], float] = time.time,
    check_files: Callable[[], None] = lambda: None,
    has_space: bool = True,
    index_step: int = INDEX_STEP,
) -> SqliteStore:
    """
    Lock a store, check it, and read its end. A store that is refused is unchanged.

    :param recorded: the newest mark beside the store
    :param accept_loss: accept a journal that is shorter than recorded, and stop playing tables with damaged rows
    :param check_files: called when the store is locked; may raise `StoreUnusable`
    :param has_space: whether the disk has room for more than a few bytes
    :param index_step: after how many new rows the index is extended
    :raises StoreUnusable: the store must not be used as it is
    :raises Exception: an error of SQLite
    """
    store = SqliteStore(connection, index_step, wall)
    has_tables = lock(connection)
    check_files()
    damage = _check(store, has_tables, None if accept_loss else recorded, accept_loss)
    # On a full disk, emptying the log could fail.
    if has_space:
        # Each run begins with an empty log. Otherwise `check_log` could take the incomplete end of an earlier run for
        # damage.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    make_durable(connection)
    if not has_tables:
        make_tables(connection)
    # The result is not used: this raises an error if the store was changed.
    read_uptime(store.database)
    if damage:
        store.give_up(damage)
    # The owner has accepted damaged commits, and the next start would refuse the store because of them again. So the
    # undamaged entries move to `event`, and new commits begin.
    if accept_loss and has_tables and commit_faults(commits_in(store.database)):
        store.move_everything()
    return store


def _check(
    store: SqliteStore, has_tables: bool, recorded: sidecar.Mark | None, accept_loss: bool
) -> list[UnreadableRow]:
    """Check a locked store, and read its end. Returns the damage that was accepted."""
    if not has_tables:
        if recorded is not None and not recorded.empty:
            raise Loss(f"the journal is empty, and {recorded.held} were durable")
        return []
    # Before the first note of counted rows, check the whole file. Later starts read only new rows.
    if not read_checked(store.connection).seq and ask(store.connection, "quick_check(1)") != "ok":
        raise StoreUnusable(f"the journal's file is damaged; {PUT_BACK}")
    store.load_ends()
    if not accept_loss:
        # The first fault is enough to refuse the store.
        for fault in commit_faults(commits_in(store.database)):
            raise Loss(f"the journal was changed or damaged: {fault}")
        sidecar.check_mark(store.connection, recorded, store.ends[1])
    damage = store.check_at_start(accept_loss)
    if damage and not accept_loss:
        raise Loss(in_words(damage))
    return damage


# The store together with the files beside it: they are opened together, watched while a host runs, and closed together.
# Also the free space of their disk.


#: The process (EMFILE) or the system (ENFILE) has no free file descriptor.
NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE})
#: The disk or the user's quota is full; or the file would be larger than this process may make files.
NO_SPACE_LEFT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: The field with the path in a line of the system's list of mounts.
_MOUNT_POINT = 4
#: The end of the name of a short-lived file that tests what the file system does.
PROBE = ".locks"


@contextmanager
def ignoring(numbers: frozenset[int]) -> Iterator[None]:
    """
    A context that ignores some errors of the system when a file beside the store is written; the caller tries again
    later. This is safe: the store itself is open and durable, and a mark that is older than the store is still right.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in numbers:
            raise


def resolved(path: Path) -> Path:
    """
    The path of a store without symbolic links. SQLite's log is beside this path, so all other files must be there, too.

    :raises StoreUnusable: the file has two names. A program that used the other name would not find the log
    """
    path = path.resolve()
    if path.is_file() and path.stat().st_nlink > 1:
        raise StoreUnusable(f"{path}: this file has a second name (a hard link); remove one of the two names")
    if path.is_file() and is_mount_point(path):
        raise StoreUnusable(
            f"{path}: this file is mounted alone, so its log would be in another folder than the file itself; "
            "mount the folder that it is in"
        )
    return path


def is_mount_point(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """
    Whether a file system is mounted at a path. A file can be mounted from its own file system, so a comparison of
    devices is not enough.

    :param path: a path without symbolic links
    :param mounts: the system's list of mounts. Without this list, only a mount from another file system is detected
    """
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return path.stat().st_dev != path.parent.stat().st_dev
    points = {fields[_MOUNT_POINT] for line in lines if len(fields := line.split(b" ")) > _MOUNT_POINT}
    # In the list, four characters are written as octal numbers.
    name = os.fsencode(path).replace(b"\\", rb"\134")
    for character in b" \t\n":
        name = name.replace(bytes([character]), rb"\%03o" % character)
    return name in points


def check_locks(path: Path) -> None:
    """
    Check that the file system really refuses a second lock on a file. Some file systems grant every lock, so that two
    hosts could write to one store. The test uses another file, because closing the store's own file would drop the
    locks of this process.

    :raises StoreUnusable: locks do nothing
    """
    # The structure `flock` of the system: a lock for writing, on all bytes.
    probe, everything = sidecar_path(path, PROBE), struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with open(probe, "wb") as first, open(probe, "wb") as second:
            probe.unlink()
            fcntl.lockf(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # This kind of lock belongs to the open file, not to the process. So it must be refused, although this
            # process has the first lock.
            fcntl.fcntl(second, fcntl.F_OFD_SETLK, everything)
    except (OSError, AttributeError):
        # The lock was refused, as it should be. Or the system has no such locks, or the folder is not writable; a later
        # step reports that.
        return
    raise StoreUnusable(
        "locks do nothing on this file system, so two hosts could write here; keep the store on a local one"
    )


def check_log_is_there(path: Path, recorded: sidecar.Mark | None) -> None:
    """
    Check that the log is not missing.

    :raises StoreUnusable: the mark says that there was a log, and there is none
    """
    if recorded is not None and recorded.log and not sidecar_path(path, LOG_SUFFIX).exists():
        raise Loss(
            f"the journal's log {path.name}{LOG_SUFFIX} is missing: it was lost, "
            "or a host has the store open under another name"
        )


def _new_file_error(path: Path) -> str:
    """
    The system's error when a new file is made beside the store; empty: no error. SQLite reports only `disk I/O error`.
    """
    probe = sidecar_path(path, PROBE)
    try:
        with open(probe, "wb") as file:
            # One block: an empty file could be made on a full disk.
            file.write(bytes(4096))
        probe.unlink()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _identity(path: Path) -> tuple[int, int] | None:
    """The device and the number of a file; `None`: there is no such file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@define(eq=False)
class StoreFiles:
    """
    An open store with the files beside it: the `CommitTarget` of the writer.

    :param recorded: the text of the high-water mark on the disk; `None`: the store has no mark
    """

    path: Path
    store: SqliteStore
    _recorded: str | None
    _run: str = field(factory=partial(token_hex, 4))
    _identities: dict[Path, tuple[int, int] | None] = field(init=False)
    _last_commit: LastCommit | None = None

    def __attrs_post_init__(self) -> None:
        files = (self.path, sidecar_path(self.path, LOG_SUFFIX))
        self._identities = {file: _identity(file) for file in files}

    def begin(self, has_space: bool) -> None:
        """
        Write into the files beside the store that a host has it open.

        :param has_space: whether the disk has room; if not, a failure to write them is ignored
        """
        tolerated = frozenset() if has_space else NO_SPACE_LEFT
        with ignoring(tolerated):
            self._write_mark(self._mark_now(log=True))
        with ignoring(tolerated):
            self._last_commit = LastCommit(sidecar_path(self.path, sidecar.LAST_SUFFIX))
            self._last_commit.note(*self.store.ends)
        if has_space:
            sizes = (ask(self.store.connection, name) for name in ("page_size", "wal_autocheckpoint"))
            with ignoring(NO_SPACE_LEFT):
                lengthen_log(self.path, *sizes)

    def commit(self, changes: Sequence[Change]) -> None:
        """Commit changes, and note the new end of the journal in the file with the last commit."""
        try:
            self.store.commit(changes)
        except sqlite3.Error as error:
            if reason := _new_file_error(self.path):
                # The disk is full, or the process has no file descriptor left.
                raise StoreFailed(f"{error}: {reason}") from error
            raise
        if self._last_commit is not None:
            self._last_commit.note(*self.store.ends)

    def mark(self) -> Callable[[], None]:
        """Returns a function that writes the current high-water mark to its file."""
        return partial(self._write_mark, self._mark_now(log=True))

    def close(self) -> None:
        """Empty the log, write the last mark, and close the store."""
        with suppress(sqlite3.Error):  # on a full disk these matches remain
            self.store.remove_unplayed()
        # Empty the log: then the store's file alone is the whole journal.
        # SQLite's answer begins with 0 if the whole log was copied, and with 1 if not.
        emptied = [(1,)]
        with suppress(Exception):
            emptied = self.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        without_log = self._mark_now(log=False)
        if emptied[0][0] == 0:
            self._write_mark(without_log)
        if self._recorded == sidecar.write_mark(without_log):
            self.store.connection.close()
        else:  # the mark on the disk still says that there is a log
            close_unchanged(self.store.connection, self.path)
        release(self.path)
        if self._last_commit is not None:
            self._last_commit.remove()

    def _mark_now(self, log: bool) -> sidecar.Mark:
        return replace_in(self.store.mark, log=log, run=self._run)

    def _write_mark(self, mark: sidecar.Mark) -> None:
        """
        Write the mark, if it has changed.

        :raises StoreFailed: another process has changed or replaced the files
        :raises OSError: the mark cannot be written
        """
        self._check_identities()
        path, text = sidecar_path(self.path, sidecar.MARK_SUFFIX), sidecar.write_mark(mark)
        if text == self._recorded:
            # The mark on the disk is right already.
            self.store.marked = mark.last
            return
        with ignoring(NO_FILE_LEFT):
            # The file must still have the text that this host wrote last, or be missing.
            if read(path) not in (self._recorded, None):
                raise StoreFailed(
                    f"another host writes to {self.path}: locks do nothing on this file system; keep the store on a local one"
                )
            replace(path, text)
            self._recorded = text
            self.store.marked = mark.last

    def _check_identities(self) -> None:
        """
        Check that the files are still those that were opened.

        :raises StoreFailed: a file was deleted or replaced
        """
        for path, identity in self._identities.items():
            found = _identity(path)
            if found != identity and identity is not None:
                what = "deleted" if found is None else "replaced by another file"
                raise StoreFailed(f"{path} was {what} while the host had it open")


#: The host never requires more free space than this part of the disk.
LARGEST_PART = 0.05


def room(store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs) -> Room:
    """
    How much room the disk of a store has.

    :param store: the path of the store; its folder exists
    :param wanted: how many bytes must be free for new tables; 0: the disk is not examined
    :raises OSError: the disk does not answer
    """
    if not wanted:
        return Room.ENOUGH
    disk = ask(store.parent)
    # On a small disk, only a part of it need be free.
    wanted = min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    free = disk.f_bavail * disk.f_frsize
    # With less than a tenth of the wanted room, the host must stop.
    if free < wanted // 10:
        return Room.NONE
    return Room.LOW if free < wanted else Room.ENOUGH


def fits(
    copy: Path, size: int, store: Path, wanted: int, ask: Callable[[Path], os.statvfs_result] = os.statvfs
) -> bool:
    """
    Whether a copy has room on its disk. If it is the disk of the store, enough must be left for new tables.

    :param size: the size of the copy, in bytes
    :param wanted: see `room`
    :raises OSError: the disk does not answer
    """
    disk = ask(copy.parent)
    left = disk.f_bavail * disk.f_frsize - size
    if copy.parent.stat().st_dev == store.parent.stat().st_dev:
        left -= min(wanted, int(disk.f_blocks * disk.f_frsize * LARGEST_PART))
    return left >= 0
