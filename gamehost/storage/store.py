"""
An open store: what it holds, and `commit`, which adds a group of changes in one transaction.

It has no thread and no queue, so the caller waits for the disk. After a failed write a store accepts nothing more, because
nobody knows what the disk holds. The next start reads that.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, count, islice

from attrs import define, evolve, field

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import (
    EntryKind,
    StoreUnusable,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.storage import high_water_mark, record_check
from gamehost.storage.changes import Change, StoreFailed, UnreadableRow
from gamehost.storage.database import Connection, Loss, ask, lock, make_durable, migrate, schemas
from gamehost.storage.groups import Group, build_group
from gamehost.storage.match_lists import Ended, add_ended, make_lists, opened_in
from gamehost.storage.notes import read_accounts, read_bans, read_proofs, write_note
from gamehost.storage.record_check import CheckedRows, RecordCheck, count_rows, read_checked, write_checked
from gamehost.storage.row_codec import (
    Damaged,
    Head,
    Row,
    Undecodable,
    chain_of,
    finishes,
    read_opening,
    record_of,
)
from gamehost.storage.table_index import COLUMNS, STEP, Index

#: The most rows of one statement.
MOST_ROWS = 128


#: What is noted of the tables of a range. Notes of all tables at once would be the most that a start has in memory.
_NOTES = "SELECT coalesce(since, seconds), told FROM live, uptime WHERE game BETWEEN ? AND ? ORDER BY game"
_LISTED_AT_ONCE = 1000


@cache
def insert_of(rows: int) -> str:
    """
    The statement that inserts so many rows.

    The library releases the interpreter's lock at every statement and must get it back. With a busy reactor, a large group
    waits for that more than for the disk. So there is one statement for many rows. With `OR ROLLBACK`, SQLite needs no
    temporary file to undo one statement of several.
    """
    return f"INSERT OR ROLLBACK INTO event({COLUMNS}) VALUES " + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * rows)


@define(eq=False)
class SqliteStore:
    """
    A journal behind one connection.

    Made by `open_store`, which checks it. Only one thread may use it at a time.
    """

    connection: Connection
    #: Seconds since 1970, for a table's row 0.
    _wall: Callable[[], float]
    _index: Index
    #: Checks the records of unfinished tables.
    records: RecordCheck
    _last: int = 0
    _last_h: bytes = b""
    _count: int = 0
    _accounts: int = 0
    _checked: CheckedRows = field(factory=CheckedRows)
    #: Of tables in use, where their chains go on.
    _heads: dict[int, Head] = field(factory=dict)
    _given_up: Sequence[UnreadableRow] = ()
    _failed: bool = False

    @property
    def mark(self) -> high_water_mark.Mark:
        """What is durable now."""
        return high_water_mark.mark_of(self._last, self._count, self._last_h, self._accounts)

    @property
    def ends(self) -> tuple[int, int, int, bytes]:
        """What `mark` is made of: last row, rows, accounts, and the last row's hash."""
        return self._last, self._count, self._accounts, self._last_h

    @property
    def last_table(self) -> int:
        """The highest number of a table in the journal; 0: none."""
        return self._index.last_table

    def note_checked(self, step: int) -> None:
        """Note that all rows were found whole, if so many are new since the last note."""
        if self._last - self._checked.seq < step:
            return
        pruned = self._checked.pruned
        self._checked = CheckedRows(self._last, self._count - pruned, pruned)
        self.connection.execute("BEGIN IMMEDIATE")
        write_checked(self.connection, self._checked)
        self.connection.execute("COMMIT")

    def commit(self, changes: Sequence[Change]) -> None:
        """
        Add a group of changes. All of it is durable when this returns. If this raises, nobody knows how much is.

        :raises StoreFailed: a commit has failed before
        :raises Exception: an error of the library
        """
        if self._failed:
            raise StoreFailed("a write has failed before, and nothing may be written after it")
        self._failed = True
        group = build_group(changes, count(self._last + 1), self._wall, self._head)
        group.update_heads(self._heads)
        rows = group.rows
        last = rows[-1].seq if rows else self._last
        placing = self._index.is_due(last)
        if group.opened or group.noted or placing or len(rows) > MOST_ROWS:
            execute, executemany = self.connection.execute, self.connection.executemany
            execute("BEGIN IMMEDIATE")
            self._insert(rows)
            if group.opened:
                executemany("INSERT INTO live(game) VALUES (?)", [(table,) for table in group.opened])
            if group.archived:
                executemany("DELETE FROM live WHERE game = ?", [(table,) for table in group.archived])
            if group.ended:
                add_ended(self.connection, self._ended(group))
            accounts = self._accounts + sum([write_note(self.connection, note) for note in group.notes])
            if placing:
                self._index.follow(last)
            execute("COMMIT")
            self._accounts = accounts
        else:
            self._insert(rows)  # one statement is a transaction of its own
        if rows:
            self._last, self._last_h = last, rows[-1].h
            self._count += len(rows)
        for reading in group.readings:
            reading.ask(self)
        self._failed = False

    def _insert(self, rows: list[Row]) -> None:
        """Insert rows with as few statements as possible."""
        for begin in range(0, len(rows), MOST_ROWS):
            some = rows[begin : begin + MOST_ROWS]
            self.connection.execute(insert_of(len(some)), list(chain.from_iterable(some)))

    def _ended(self, group: Group) -> Iterator[Ended]:
        """The matches that end with a group, whose rows are inserted. One whose opening cannot be read is in no list."""
        for last, opened in group.ended:
            opened = opened or opened_in(self.rows(TableId(last.game)))
            if opened is not None:
                yield Ended(last.game, opened[0], last.seq, opened[1])

    def _head(self, table: TableId) -> Head:
        """Where the chain of a table goes on."""
        head = self._heads.get(table) or chain_of(self._index.rows(table))
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return head

    def read(self, table: TableId) -> TableRecord | str:
        """The record of an unfinished table, or why it cannot be read. Entries can be added to it then."""
        rows = [Row._make(row) for row in self._index.rows(table)]
        try:
            head = chain_of(rows)
            if head is None:
                return f"table {table}: all of its rows are missing"
            told = self.connection.execute("SELECT told FROM live WHERE game = ?", (table,)).fetchone()
            record = evolve(record_of(rows), told=seats_of(told[0] if told else 0))
        except (Damaged, Undecodable) as error:
            return str(error)
        if not (record.entries and finishes(record.entries[-1])):
            self._heads[table] = head._replace(opened=(rows[0].seq, record.opening))
        elif record.entries[-1].kind is EntryKind.ARCHIVED:
            return f"table {table}: it was put away, and yet is listed as unfinished"
        return record

    def rows(self, table: TableId) -> list[Row]:
        """All rows of a table, in order; none if there is no such table."""
        return [Row._make(row) for row in self._index.rows(table)]

    def load_ends(self) -> None:
        """
        Read where the journal ends. Rows that an earlier start has found whole are not read again.

        :raises StoreUnusable: a note of the store was changed
        """
        last = self.connection.execute("SELECT seq, h FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        self._last, self._last_h = (0, b"") if last is None else last
        self._checked = read_checked(self.connection)
        self._count = count_rows(self.connection, self._checked)
        self._index.load()
        self._accounts = high_water_mark.accounts_in(self.connection)

    @property
    def all_checked(self) -> bool:
        """As `RecordCheck.all_checked`."""
        return self.records.all_checked

    def check(self, rows: int) -> Sequence[str]:
        """Check some more records, as `RecordCheck.go_on`, and tell the damage in them."""
        return [table.why for table in self.records.go_on(rows)]

    def accounts(self) -> Iterable[Account]:
        """All accounts."""
        return read_accounts(self.connection)

    def proofs(self) -> Iterable[Proof]:
        """All proofs."""
        return read_proofs(self.connection)

    def bans(self) -> Iterable[Ban]:
        """All bans."""
        return read_bans(self.connection)

    def live(self) -> list[TableId]:
        """The tables that are not finished, oldest first."""
        return [TableId(row[0]) for row in self.connection.execute("SELECT game FROM live ORDER BY game").fetchall()]

    def give_up(self, damage: Sequence[UnreadableRow]) -> None:
        """Remove damaged tables from the list of unfinished ones. Their rows stay."""
        self._given_up = damage
        self.connection.executemany("DELETE FROM live WHERE game = ?", [(damaged.table,) for damaged in damage])

    @property
    def uptime(self) -> int:
        """For how many seconds hosts have run on this store, as far as it was noted."""
        return int(self.connection.execute("SELECT seconds FROM uptime").fetchone()[0])

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        The tables to be played on, oldest first, behind those given up; from now on all of them sleep.

        Reads the first two rows of each, to know whether its match has begun.
        """
        yield from self._given_up
        # The players that were there when the host ended are gone. On a full disk the note has to wait for a later start.
        with suppress(sqlite3.OperationalError):
            self.connection.execute("UPDATE live SET since = (SELECT seconds FROM uptime) WHERE since IS NULL")
        tables = self._index.unfinished(first=2)
        while some := list(islice(tables, _LISTED_AT_ONCE)):
            listed = self.connection.execute(_NOTES, (some[0][0], some[-1][0])).fetchall()
            for (number, rows), (since, told) in zip(some, listed, strict=True):
                table = TableId(number)
                try:
                    opening = read_opening(Row._make(rows[0]))
                except Undecodable as error:
                    yield UnreadableRow(table, str(error))
                else:
                    yield UnfinishedTable(table, opening, len(rows) > 1, since, seats_of(told))


_NO_SEATS: frozenset[Seat] = frozenset()


def seats_of(bits: int) -> frozenset[Seat]:
    """The seats whose bits are set. Bit 0 is the first seat."""
    return frozenset(Seat(seat) for seat in range(bits.bit_length()) if bits >> seat & 1) if bits else _NO_SEATS


def open_store(
    connection: Connection,
    recorded: high_water_mark.Mark | None,
    *,
    accept_loss: bool = False,
    wall: Callable[[], float] = time.time,
    check_files: Callable[[], None] = lambda: None,
    before_change: Callable[[int], None] = lambda version: None,
    has_space: bool = True,
    index_step: int = STEP,
) -> SqliteStore:
    """
    Lock a store, check it, and read where it ends. Nothing is written to a store that is refused.

    :param recorded: the newest mark beside it
    :param accept_loss: accept a journal that is shorter than recorded, and give up tables with damaged rows
    :param check_files: called when the store is locked; it may raise `StoreUnusable`
    :param before_change: called with the schema of a store that is about to be converted; it may raise `StoreUnusable`
    :param has_space: whether the disk has room for more than a few bytes
    :param index_step: after how many rows the index is extended
    :raises StoreUnusable: the store must not be used as it is
    :raises Exception: an error of the library
    """
    index = Index(connection, index_step)
    store = SqliteStore(connection, wall, index, RecordCheck(index))
    version = lock(connection)
    check_files()
    damage = _check(store, version, None if accept_loss else recorded, accept_loss)
    if has_space:
        # Each run begins with an empty log: `write_ahead_log` could not tell the torn end of an earlier run from damage.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    make_durable(connection)
    if version < len(schemas()):
        if version:
            before_change(version)
        migrate(connection, version, partial(make_lists, connection))
        index.load()
    if damage:
        store.give_up(damage)
    return store


def _check(
    store: SqliteStore, version: int, recorded: high_water_mark.Mark | None, accept_loss: bool
) -> list[UnreadableRow]:
    """The damage that was accepted, after the store's end was read."""
    if version == 0:
        if recorded is not None and not recorded.empty:
            raise Loss(f"the journal is empty, and {recorded.held} were durable")
        return []
    # This reads the whole file. Later starts read what is new.
    if not read_checked(store.connection).seq and ask(store.connection, "quick_check(1)") != "ok":
        raise StoreUnusable(
            "the journal's file is damaged; put back the newest copy that `gamehost journal verify` passes"
        )
    store.load_ends()
    if not accept_loss:
        high_water_mark.check(store.connection, recorded, store.ends[1])
    damage = store.records.begin(None if accept_loss else record_check.AT_START)
    if damage and not accept_loss:
        raise Loss(record_check.in_words(damage))
    return damage
