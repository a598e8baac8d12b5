"""
A store in an SQLite file: the checks before its use, and the changes of a commit.

The checks: no other process has the store open, it is a journal, its schema is known, and its writes are durable. A
store that fails a check is refused. A connection is in autocommit mode: only BEGIN begins a transaction.

A commit adds one row to the database table `recent`, which has the newest part of the journal, and few rows to `event`.
The body of a row of `recent` begins with the hash of the commit before. Then comes a msgpack array with one item for
each accepted entry: the number of the game table, the number of the entry in its record, and the entry. The entry is
nil if it has a row of its own in `event`, as the opening and the last entry of a table always have. So most moves need
no row, no hash and no index entry of their own.

`event` has the rows of each table. The entries of a table are moved from `recent` to `event` together, as one row with
one hash: a run. They are moved when the table ends or falls asleep. The oldest entries are also moved when `recent` has
more than `MOST_RECENT` items, a limited number with each commit. Then an entry is in both places until its commit is
removed, and counts once. A commit is removed when all its entries were moved, and the mark on the disk is of a later
commit. If a table has items in `recent` but no rows in `event`, the table was removed.
"""

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from sqlite3 import Connection
from struct import Struct
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import msgspec
from attrs import define, field

from gamehost.journal.records import Entry, StoreUnusable, TableId
from gamehost.storage.contents import Change, Group, Note, Reading, Sleep
from gamehost.storage.questions import ALL_ROWS, COLUMNS, EVENT, REST, Readable, Sql, TableRows
from gamehost.storage.row_codec import (
    ARCHIVED,
    NO_ROW,
    RECENT,
    Damaged,
    Head,
    Opened,
    Row,
    Undecodable,
    chain_of,
    end_of,
    entry_row,
    finishes,
    opening_row,
    read_entries,
    run_row,
    single_rows,
)
from gamehost.storage.schema import SCHEMA_NUMBER, SCHEMA_TABLE, check_schema, fingerprint_of, schema_of

#: The application's number in the header of the file, `game` in ASCII. It shows that a database is a journal.
APPLICATION = 0x67616D65

#: The settings of a connection: name, wanted value, and the value that SQLite must report afterwards. SQLite ignores
#: some requests without an error, for instance WAL mode on a file system without shared memory.
PRAGMAS = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("wal_autocheckpoint", "1000", 1000),
    ("foreign_keys", "ON", 1),
    ("trusted_schema", "OFF", 0),
    ("cell_size_check", "ON", 1),
)

#: SQL for the index `placed` up to a row: how many rows it has, how many of them are right, and how many it must have.
_COUNTS = (
    "SELECT count(*) FROM placed WHERE ? >= 0",
    "SELECT count(*) FROM placed AS p JOIN event AS e USING(seq) WHERE p.game = e.game AND p.n = e.n AND p.seq <= ?",
    "SELECT count(*) FROM event WHERE seq <= ?",
)

#: The owners of the stores that this process has open, by the device and the number of the file.
_OURS: WeakValueDictionary[tuple[int, int], object] = WeakValueDictionary()


@contextmanager
def refusing(path: Path, user: str, advice: str) -> Iterator[None]:
    """
    A context that turns errors of SQLite and of the system into messages for the owner of the host.

    :param user: the name of another process that has this store open, for instance `another host`
    :param advice: the advice to the owner about that process
    :raises StoreUnusable: for every error of SQLite or of the system
    """
    try:
        if not path.parent.is_dir():
            raise StoreUnusable(f"the folder {path.parent} does not exist; make it, or name another store")
        if path.is_dir():
            raise StoreUnusable("this is a folder; the store is a file")
        yield
    except StoreUnusable as error:
        raise StoreUnusable(f"{path}: {error}") from error
    except InThisProcess as error:
        raise StoreInUse(f"{path}: {user} has this journal open; {advice}") from error
    except sqlite3.Error as error:
        # The low byte of SQLite's code is the kind of the error; the rest is its details.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            process = lock_owner(path)
            number = "" if process is None else f" (process {process})"
            raise StoreInUse(f"{path}: {user}{number} has this journal open; {advice}") from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreUnusable(f"{path}: not a journal, or a damaged one ({error})") from error
        raise StoreUnusable(f"{path}: SQLite cannot use this store ({error})") from error
    except OSError as error:
        raise StoreUnusable(f"{path}: {error.strerror or type(error).__name__}") from error


def lock_owner(path: Path, locks: Path = Path("/proc/locks")) -> int | None:
    """
    The number of another process that has locked a file; `None` if the system does not report it, as outside of Linux.

    :param locks: the system's list of file locks. The file itself is not opened: closing it would drop our own locks.
    """
    try:
        status = path.stat()
        lines = locks.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in lines:
        # The fields are: number, kind of lock, `ADVISORY`, `READ` or `WRITE`, process, file, first byte, last byte.
        # Process 0 is one of another container, which this process cannot see.
        fields = line.split()
        if len(fields) == 8 and fields[5] == file and fields[4].isdecimal() and int(fields[4]) not in (0, os.getpid()):
            return int(fields[4])
    return None


def claim(path: Path, owner: object) -> None:
    """Note that this process has a store open. The note ends with `release`, or when the object `owner` is deleted."""
    _OURS[_identity(path)] = owner


def release(path: Path) -> None:
    """Note that this process has closed a store."""
    with suppress(OSError):
        _OURS.pop(_identity(path), None)


def check_unclaimed(path: Path) -> None:
    """
    Check that this process does not have a store open: the lock of `connect` is for other processes.

    :raises InThisProcess: this process has the store open
    """
    if path.exists() and _identity(path) in _OURS:
        raise InThisProcess


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


class InThisProcess(Exception):
    """This process has the store open."""


class StoreInUse(StoreUnusable):
    """Another process has the store open."""


class Loss(StoreUnusable):
    """Something that was durable is missing or changed. The owner of the host may accept the loss."""


@define(eq=False)
class SqliteDatabase:
    """A `gamehost.storage.questions.Database` over a connection to SQLite."""

    connection: Connection

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        # Read all rows at once: after an error in the middle, a cursor would keep the file open.
        return self.connection.execute(_text(sql), parameters).fetchall()

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        yield from self.connection.execute(_text(sql), parameters)

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> None:
        self.connection.execute(_text(sql), parameters)

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> None:
        self.connection.executemany(_text(sql), rows)


def _text(sql: Sql | str) -> str:
    return sql if isinstance(sql, str) else sql.sqlite


def connect(path: Path) -> sqlite3.Connection:
    """
    Open a connection to a store for this process. The process may have several; no other process can open the store
    meanwhile.

    With `unix-excl` the first lock on the file is exclusive, and lasts until this process has closed its last
    connection. The log's index is in this process's memory and not in a file, so the connections of other processes
    have none. SQLite's exclusive locking mode would also keep other processes out, but it would block a second
    connection of this process, too.

    :param path: absolute
    """
    # The cache is large: inserting has one statement for each number of rows, and all of them should remain prepared.
    return sqlite3.connect(
        f"{path.as_uri()}?vfs=unix-excl", uri=True, isolation_level=None, check_same_thread=False, cached_statements=300
    )


def lock(connection: Connection) -> bool:
    """
    Lock the store for the process of a connection that `connect` has made. Writes nothing.

    :returns: whether the store has tables; an empty file has none
    :raises StoreUnusable: the file is not a journal, or another release made it
    :raises Exception: an error of SQLite, for instance because another process has locked the store
    """
    connection.execute("PRAGMA busy_timeout=0")
    connection.execute("PRAGMA cell_size_check=ON")
    # The first transaction takes the lock, which lasts until the connection is closed.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous=FULL")
    return has_tables(connection)


def make_durable(connection: Connection) -> None:
    """
    Set up a locked store so that its commits are durable. This may write to a store that no host has used before.

    :raises StoreUnusable: commits would not be durable
    """
    for name, wanted, expected in PRAGMAS:
        connection.execute(f"PRAGMA {name}={wanted}").fetchall()
        found = ask(connection, name)
        # SQLite refuses a setting without an error, so look at what it is now.
        if found != expected:
            raise StoreUnusable(
                f"SQLite cannot set {name} to {wanted} for this store, so no move in it would be durable; "
                "keep it on a local file system"
            )


def ask(connection: Connection, pragma: str) -> Any:
    """The value of a setting of a connection to SQLite."""
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


def schema() -> str:
    """The statements that make the tables of a file."""
    return schema_of("gamehost.storage")


def has_tables(connection: Connection) -> bool:
    """
    Whether a store has tables; an empty file has none.

    :raises StoreUnusable: the file is another program's database, or another release made the store
    """
    number = int(ask(connection, "user_version"))
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    # A new file of SQLite has number 0 and no tables.
    if not (number or names):
        return False
    if ask(connection, "application_id") != APPLICATION:
        raise StoreUnusable("this is a database, but not a journal of gamehost; name another file")
    found: list[tuple[int, str | None]] = [(number, None)]  # as in stores of old releases, without a fingerprint
    if SCHEMA_TABLE in names:
        fingerprints = connection.execute(f"SELECT fingerprint FROM {SCHEMA_TABLE}").fetchall()
        found = [(number, fingerprint) for (fingerprint,) in fingerprints]
    check_schema(found, schema())
    return True


def make_tables(connection: Connection) -> None:
    """Make the tables of an empty store, in one transaction."""
    text = schema()
    connection.executescript(f"""
        BEGIN IMMEDIATE;
        {text}
        INSERT INTO {SCHEMA_TABLE} VALUES ('{fingerprint_of(text)}');
        PRAGMA application_id={APPLICATION};
        PRAGMA user_version={SCHEMA_NUMBER};
        COMMIT;""")


def place(database: SqliteDatabase, last: int) -> None:
    """Extend the index `placed` up to the row `last`. Must be called within a transaction."""
    # With OR ROLLBACK a failure ends the transaction. To undo only the statement, SQLite would need a temporary file.
    new = "SELECT game, n, seq FROM event WHERE seq > (SELECT seq FROM placed_to) ORDER BY game, n"
    database.run(f"INSERT OR ROLLBACK INTO placed {new}")
    database.run("UPDATE placed_to SET seq = ?", (last,))


def placed_faults(database: SqliteDatabase) -> list[str]:
    """
    Check the index `placed`, which finds rows by table and number. It must have every row up to the row `placed_to`, and
    no other. Returns the faults, one sentence each.
    """
    ends = database.rows("SELECT seq FROM placed_to")
    if len(ends) != 1:
        return [f"the index has {len(ends)} ends instead of one"]
    # Three numbers of rows: those of the index, those of them that stand for the right row of `event`, and those of
    # `event`.
    placed, right, rows = (database.rows(count, ends[0])[0][0] for count in _COUNTS)
    if placed == right == rows:
        return []
    return [f"the index has {placed} rows, {right} of them right, and must have {rows}"]


def insert_tables(database: SqliteDatabase, tables: Iterable[Sequence[Any]]) -> None:
    """
    Insert tables into an empty store, and make the index of all rows. Must be called within a transaction.

    :param tables: the rows of each table, with their numbers
    """
    for rows in tables:
        database.run_many(f"INSERT INTO event({COLUMNS.sqlite}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    place(database, database.rows("SELECT coalesce(max(seq), 0) FROM event")[0][0])


# Commits: the reads.


_COMMITS = "SELECT seq, body, h FROM recent ORDER BY seq"
#: SQL for the commits that may contain items of a table: such an item begins with the bytes of the parameter.
_COMMITS_OF = "SELECT seq, body, h FROM recent WHERE instr(body, ?) ORDER BY seq"
#: SQL for the last row in `event` of each of some tables; the result may have further rows of these tables.
_LAST_ROWS = f"""
    WITH some AS MATERIALIZED (SELECT value AS game FROM json_each(?1))
    SELECT {EVENT.sqlite} FROM some CROSS JOIN event ON event.seq =
        (SELECT seq FROM placed WHERE placed.game = some.game ORDER BY n DESC LIMIT 1)
    UNION ALL SELECT {EVENT.sqlite} FROM event WHERE {REST} AND game IN (SELECT game FROM some)"""

_SEQ = Struct(">q")
_HASH = len(NO_ROW)
_NIL = msgspec.Raw(b"\xc0")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[int, int, msgspec.Raw]]).decode

#: One item of a commit: the number of a table, the number of the entry in its record, and the entry or `None`. In items
#: that were read, the entry is still in bytes.
Item: TypeAlias = tuple[int, int, Any]
#: The entries of one table: the number and the bytes of each entry; `None`: the commit of the entry is damaged.
Entries: TypeAlias = list[tuple[int, msgspec.Raw | None]]


class Commit(NamedTuple):
    """One row of `recent`: everything that one commit has added."""

    #: The number of its last item. All items of all commits are counted.
    seq: int
    body: bytes
    h: bytes

    @property
    def whole(self) -> bool:
        """Whether the hash fits, so that the commit is as it was written."""
        return _hash(self.seq, self.body) == self.h

    @property
    def unreadable(self) -> bool:
        """Whether the items cannot be read, so that their tables are unknown."""
        try:
            self.items()
        except Undecodable:
            return True
        return False

    @property
    def items_found(self) -> list[Item]:
        """The items; empty if the commit cannot be read."""
        return [] if self.unreadable else self.items()

    def items(self) -> list[Item]:
        """
        The items of this commit, with their entries still in bytes.

        :raises Undecodable: the commit is damaged, or another release wrote it
        """
        try:
            # The body begins with the hash of the commit before.
            return _decode(self.body[_HASH:])
        except (msgspec.DecodeError, ValueError) as error:
            raise Undecodable(f"the commit of row {self.seq} cannot be read") from error


def commit_of(seq: int, before: bytes, items: Sequence[Item]) -> Commit:
    """
    Make a commit of some items.

    :param seq: the number of the last item
    :param before: the hash of the previous commit
    """
    body = before + _encode(items)
    return Commit(seq, body, _hash(seq, body))


def _hash(seq: int, body: bytes) -> bytes:
    return sha256(_SEQ.pack(seq) + body).digest()[:_HASH]


def commits_in(database: Readable) -> list[Commit]:
    """All commits in a store, oldest first."""
    return list(map(Commit._make, database.rows(_COMMITS)))


def commit_faults(commits: Iterable[Commit]) -> list[str]:
    """
    The faults of commits, one sentence each. Every commit must be as it was written, and must follow the commit before.
    """
    faults: list[str] = []
    before: Commit | None = None
    for commit in commits:
        try:
            items = commit.items()
        except Undecodable as error:
            faults.append(str(error))
        else:
            if not commit.whole:
                faults.append(f"the commit of row {commit.seq} does not match its hash")
            elif before and (commit.seq - len(items), commit.body[:_HASH]) != (before.seq, before.h):
                # Nothing is known before the first commit. Each later commit must contain the hash of the previous one,
                # and its items must continue the numbers.
                faults.append(f"the commit before that of row {commit.seq} is missing")
        before = commit
    return faults


def entries_by_table(commits: Iterable[Commit]) -> dict[int, Entries]:
    """
    The entries of each table in some commits; `None` in the place of an entry: its commit is damaged. A commit that
    cannot be read is left out.
    """
    found: dict[int, Entries] = {}
    for commit in commits:
        try:
            items = commit.items()
        except Undecodable:
            continue
        whole = commit.whole
        for table, n, entry in items:
            # Without an entry, the item stands for a row in `event`.
            if entry != _NIL:
                found.setdefault(table, []).append((n, entry if whole else None))
    return found


def unmoved(database: SqliteDatabase, recent: Mapping[int, Entries]) -> dict[int, int]:
    """
    How many entries of each table are in commits only, and not in `event`. Tables without such entries are left out.
    """
    if not recent:
        return {}
    ends: dict[int, int] = {}
    # The query can return several rows of a table: the one with the highest number is its last.
    for row in database.rows(_LAST_ROWS, (str(list(recent)),)):
        table = row[1]
        ends[table] = max(end_of(row), ends.get(table, 0))
    # Entries above the last row of their table are not moved yet. A table without a row is damaged, and left out.
    found = {table: sum(n > ends[table] for n, _ in entries) for table, entries in recent.items() if table in ends}
    return {table: number for table, number in found.items() if number}


def merged(rows: Sequence[Any], entries: Entries, below: int = 2**63) -> list[Any]:
    """
    The rows of a table in `event`, followed by rows that are made of its newer entries in commits. These further rows
    are not in the chain of hashes.

    :param rows: the rows in `event`: all of them, or those with numbers below `below`
    :param below: rows with this number or a higher one are left out
    """
    if not entries or not rows or (last := end_of(rows[-1])) >= below - 1:
        return list(rows)
    found = list(rows)
    new = [one for one in entries if last < one[0] < below]
    # Each further row contains the entries that follow each other without a gap.
    while new:
        first = new[0][0]
        own = new
        if new[-1][0] - first != len(new) - 1:  # there is a gap: take the entries before the gap
            own = [one for count, one in enumerate(new) if one[0] == first + count]
        whole = [entry for _, entry in own if entry is not None]
        damaged = b"" if len(whole) == len(own) else NO_ROW
        found.append(Row(0, rows[0][1], first, at_ms=len(own), kind=RECENT, seat=None, body=_encode(whole), h=damaged))
        new = new[len(own) :]
    return found


def end_rows(rows: Iterable[Row], recent: Mapping[int, Entries]) -> Iterator[Row]:
    """
    The first and the last row of each table, with one entry in each.

    :param rows: rows in `event`, table by table: the first and the last one of each table
    """
    for table, some in groupby(rows, key=attrgetter("game")):
        own = list(some)
        # The last entries of a table may be in commits only.
        last = merged(own[-1:], recent.get(table, []))[-1]
        if own[0].n != last.n:
            yield own[0]
        # If the last row contains several entries, return only the last entry. A damaged row is returned as it is.
        try:
            yield list(single_rows([last]))[-1]
        except Undecodable:
            yield last


@define(eq=False)
class FileRows(TableRows):
    """
    Reads the rows of tables in a file. They are partly in `event`, partly in commits.

    Commits are read before `event`. So an entry that is moved in between is found twice, and never missed.
    """

    def recent(self) -> dict[int, Entries]:
        """The entries of all tables that are in commits."""
        return entries_by_table(commits_in(self._database))

    def in_event(self, table: int) -> list[Row]:
        """The rows of a table in `event`, without the entries that are only in commits."""
        return super().rows(table)

    def rows(self, table: int) -> list[Row]:
        """All rows of a table in order: those in `event`, and those made of entries in commits."""
        # Find the commits with items of this table: an item is an array of three values, which begins with the table's
        # number.
        commits = list(map(Commit._make, self._query(_COMMITS_OF, b"\x93" + _encode(table))))
        found = merged(super().rows(table), entries_by_table(commits).get(table, []))
        # An unreadable commit may have entries of this table: add a damaged row, so that the caller finds the damage.
        if found and any(commit.unreadable for commit in commits):
            found.append(Row(0, table, end_of(found[-1]) + 1, at_ms=1, kind=RECENT, seat=None, body=b"", h=NO_ROW))
        return found

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        """See `TableRows.rows_after`. Rows with several entries are split, so that each new entry is one row."""
        found: list[Row] = []
        for table, n in sorted(last.items()):
            rows = self.rows(table)
            with suppress(Undecodable):  # the caller finds the fault when it reads the rows
                rows = list(single_rows(rows))
            found += (row for row in rows if end_of(row) > n)
        return found[:most]

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        recent = self.recent()
        return list(end_rows(super().first_and_last(low, below), recent))

    def unfinished(self, first: int = ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        recent = self.recent()
        for table, rows in super().unfinished(first, after):
            yield table, merged(rows, recent.get(table, []), first)


# The changes of a commit.


#: How many items `recent` may have before the oldest are moved to `event`. A start reads them in some milliseconds.
MOST_RECENT = 4096
#: The oldest items are moved when `recent` has this many items more than `MOST_RECENT`.
AT_ONCE = 512
#: How many rows are moved to `event` with one commit. This takes about a millisecond.
MOST_MOVED = 96
#: The largest number that msgpack can encode. An entry with a larger random number gets a row of its own.
_LARGEST = 2**63 - 1


@define
class FileGroup(Group):
    """The changes of one commit to a file. The field `rows` has the rows for `event`."""

    items: list[Item] = field(factory=list)
    #: The `seq` of the last commit that is removed; 0: no commit is removed.
    remove_to: int = 0
    #: Tables that have fallen asleep.
    asleep: list[int] = field(factory=list)


@define(eq=False)
class Tail:
    """The end of a table in use: the end of its chain in `event`, and the entries that are only in commits."""

    #: The number of the last entry in `event`, and the hash of its row.
    n: int
    h: bytes
    opened: Opened | None
    entries: list[Entry] = field(factory=list)


@define(eq=False)
class RecentCommits:
    """
    The writer's knowledge of the commits in `recent` and of the tables in use. It decides which entries of a group get
    rows. `build` changes this object before the group is written; if writing fails, nothing is written any more.
    """

    _tables: FileRows
    #: The number and the hash of the last commit, or of the last row if there is no commit.
    seq: int = 0
    h: bytes = NO_ROW
    most: int = MOST_RECENT
    at_once: int = AT_ONCE
    most_moved: int = MOST_MOVED
    #: The commits, oldest first, in bytes: if their items were objects, the garbage collector would become slow.
    _commits: deque[Commit] = field(factory=deque)
    #: How many items the commits have.
    _items: int = 0
    _tails: dict[int, Tail] = field(factory=dict)
    #: Tables that are not in use, with entries of an earlier run that are only in commits.
    _unmoved: set[int] = field(factory=set)
    #: The entries in commits of all tables, decoded once for all tables of `_unmoved`; `None`: not decoded yet. One
    #: commit may have entries of thousands of tables.
    _found: dict[int, Entries] | None = None

    def load(self, seq: int, h: bytes, commits: Sequence[Commit], unmoved: Iterable[int]) -> None:
        """
        Begin with the contents of a store.

        :param seq: the number of the last commit; if there is no commit, of the last row
        :param h: the hash of this commit or row
        :param unmoved: the tables with entries that are only in commits
        """
        self.seq = seq
        self.h = h
        self._unmoved = set(unmoved)
        self._found = None
        self._commits = deque(commits)
        self._items = sum(len(commit.items_found) for commit in commits)

    def build(
        self, changes: Sequence[Change], numbers: Iterator[int], wall: Callable[[], float], marked: int
    ) -> FileGroup:
        """
        Make the group that the writer writes as one commit. This decides which entries get rows of their own in `event`,
        and which are only in the commit. Also remembers the last entries of each table in use (`Tail`), because the next
        entry of the table continues from them.

        :param changes: the changes of this commit: openings and entries of tables, notes, and reads
        :param numbers: gives the numbers of new rows in `event`
        :param wall: returns the seconds since 1970
        :param marked: the `seq` of the last commit that the high-water mark on the disk includes. Newer commits are not
            removed, because the mark needs them
        """
        group, tails = FileGroup(), self._tails
        items = group.items
        for change in changes:
            if not isinstance(change, tuple):
                self._note(change, group, numbers)
                continue
            table, record = change
            # A new table: its opening gets a row.
            if not isinstance(record, Entry):
                row = opening_row(next(numbers), table, record, int(wall() * 1000))
                group.rows.append(row)
                group.opened.append(table)
                tails[table] = Tail(0, row.h, (row.seq, record))
                items.append((table, 0, None))
                continue
            # An entry: the last entry of a table, and an entry that msgpack cannot encode, get a row. Other entries are
            # only in the commit. A table without a known end was asleep: it is read from the store.
            tail = tails.get(table) or self._load(table)
            if record.outcome or record.kind is ARCHIVED or (record.drawn and max(record.drawn) > _LARGEST):
                self._add_row(table, tail, record, group, numbers)
            else:
                tail.entries.append(record)
                items.append((table, tail.n + len(tail.entries), record))
        if self._items > self.most + self.at_once:
            self._move_oldest(group, numbers, marked)
        return group

    def _note(self, change: Note | Reading, group: FileGroup, numbers: Iterator[int]) -> None:
        """Add a note or a read to the group. If a table falls asleep, its entries are moved to `event`."""
        if isinstance(change, Reading):
            group.readings.append(change)
            return
        group.notes.append(change)
        # A note without a time says that the table has woken up. `done` forgets the sleeping tables.
        if isinstance(change, Sleep) and change.since is not None and (tail := self._tails.get(change.table)):
            self._move(change.table, tail, group, numbers)
            group.asleep.append(change.table)

    def _add_row(self, table: TableId, tail: Tail, entry: Entry, group: FileGroup, numbers: Iterator[int]) -> None:
        """Add an entry with a row of its own to the group, after the earlier entries of its table."""
        self._move(table, tail, group, numbers)
        row = entry_row(next(numbers), table, Head(tail.n, tail.h), entry)
        tail.n, tail.h = row.n, row.h
        group.rows.append(row)
        group.items.append((table, row.n, None))
        if finishes(entry):
            del self._tails[table]
            if entry.kind is ARCHIVED:
                # A table that has a result is listed until its players have received it.
                group.archived.append(row)
            else:
                group.ended.append((row, tail.opened))

    def _move(self, table: int, tail: Tail, group: FileGroup, numbers: Iterator[int]) -> None:
        """Make a row for the entries of a table in use that are only in commits, if there are any."""
        entries, head = tail.entries, Head(tail.n, tail.h)
        if not entries:
            return
        if len(entries) == 1:
            row = entry_row(next(numbers), TableId(table), head, entries[0])
        else:
            row = run_row(next(numbers), table, head, entries, len(entries))
        group.rows.append(row)
        tail.n, tail.h, tail.entries = end_of(row), row.h, []

    def _move_oldest(self, group: FileGroup, numbers: Iterator[int], marked: int) -> None:
        """Make rows for the entries that are only in the oldest commits, and let these commits be removed."""
        # At most `most_moved` further rows: moving must not delay the commit of moves.
        enough = len(group.rows) + self.most_moved
        while self._items > self.most and self._commits[0].seq < marked:
            items = self._commits[0].items_found
            for table, n, _ in items:
                if len(group.rows) >= enough:
                    return
                tail = self._tails.get(table)
                # A table in use: if this entry is not moved yet, move it and all later entries of its table.
                if tail is not None:
                    if n > tail.n:
                        self._move(table, tail, group, numbers)
                elif table in self._unmoved:
                    # A table that is not in use, with entries from an earlier run: move them once.
                    self._unmoved.remove(table)
                    group.rows += self.rows_to_move(table, numbers)
            group.remove_to = self._commits.popleft().seq
            self._items -= len(items)

    def rows_to_move(self, table: int, numbers: Iterator[int]) -> Iterator[Row]:
        """
        Rows for the entries of a table that is not in use, from its undamaged commits. A damaged table is not repaired,
        so that the damage can be found later.
        """
        if self._found is None:
            self._found = entries_by_table(self._commits)
        rows = merged(self._tables.in_event(table), self._found.get(table, []))
        if not self._unmoved:
            # This was the last table, so the decoded entries are not needed any more.
            self._found = None
        # The hashes of the new rows continue those of the last row in `event`.
        last = next((row for row in reversed(rows) if row.kind != RECENT), None)
        if last is None:
            return
        head = Head(end_of(last), last.h)
        for row in rows:
            # In a row that `merged` has made, a hash says that its commit is damaged.
            if row.kind == RECENT and not row.h:
                moved = run_row(next(numbers), table, head._replace(n=row.n - 1), row.body, row.at_ms)
                head = Head(end_of(moved), moved.h)
                yield moved

    def done(self, group: FileGroup, commit: Commit | None) -> None:
        """
        Called when a group is durable.

        :param commit: the commit with the items of the group; `None`: the group has no items
        """
        if commit is not None:
            self._commits.append(commit)
            self._items += len(group.items)
            self.seq, self.h = commit.seq, commit.h
        # Forget the tables that fell asleep, unless a later change of the same group has added entries to them.
        for table in group.asleep:
            if (tail := self._tails.get(table)) is not None and not tail.entries:
                del self._tails[table]

    def follow(self, rows: Sequence[Row], head: Head) -> Tail:
        """
        Note that a table is in use from now on, and return its end.

        :param rows: all rows of the table, checked
        :param head: the end of their chain
        """
        table = rows[0].game
        entries: list[Entry] = []
        for row in rows:
            if row.kind == RECENT:
                entries += read_entries(row)
        # The end of the chain counts the entries in commits. The `Tail` begins at the last row in `event`.
        tail = self._tails[table] = Tail(head.n - len(entries), head.h, head.opened, entries)
        self._unmoved.discard(table)
        return tail

    def _load(self, table: int) -> Tail:
        """Read the rows of a table that comes into use, and note its end."""
        rows = self._tables.rows(table)
        head = chain_of(rows)
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return self.follow(rows, head)
