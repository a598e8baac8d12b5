"""
What an open store holds, of either engine: how a start reads it, and how a group of changes is added to it.

A start checks the records of unfinished tables: is every row the one that was written there? It reads so many records that it
does not take long, and the first two rows of all others: they say who plays. The other records are checked while the host runs,
some at a time. A table whose player comes earlier is read then, and checked with that.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from attrs import define, evolve, field

from gamehost.games.base import Seat
from gamehost.journal.records import EntryKind, TableId, TableRecord, UnfinishedTable
from gamehost.storage.changes import Change, Group, StoreFailed, UnplayedMatches, UnreadableRow, build_group
from gamehost.storage.questions import Ended, opened_in
from gamehost.storage.reads import LISTED_AT_ONCE, Readable, TableRows
from gamehost.storage.row_codec import Damaged, Head, Row, Undecodable, chain_of, finishes, read_opening, record_of

#: Rows that are read before the ports open. They take a third of a second.
AT_START = 100_000
#: What the owner of a second host on the same store can do.
ANOTHER_STORE = (
    "stop that host, or start this one with a store and ports of its own, "
    "for example --store=second.sqlite --onitama=tcp:9893"
)


def in_words(damage: Sequence[UnreadableRow]) -> str:
    """Why a store with damaged tables must not be used: the first of them, and how many more there are."""
    more = f", and {len(damage) - 1} more tables" if len(damage) > 1 else ""
    return f"the journal was changed or damaged: {damage[0].why}{more}"


def _damage(table: int, rows: Sequence[Any]) -> list[UnreadableRow]:
    """What is wrong with a table, from its first rows or from all; empty if nothing is."""
    try:
        if chain_of(rows) is None:
            raise Damaged(f"table {table}: all of its rows are missing")
    except Damaged as error:
        return [UnreadableRow(TableId(table), str(error))]
    return []


_NO_SEATS: frozenset[Seat] = frozenset()


def seats_of(bits: int) -> frozenset[Seat]:
    """The seats whose bits are set. Bit 0 is the first seat."""
    return frozenset(Seat(seat) for seat in range(bits.bit_length()) if bits >> seat & 1) if bits else _NO_SEATS


@define(eq=False)
class OpenStore:
    """
    A journal behind one connection. It has no thread and no queue, so the caller waits for the disk.

    After a failed write it accepts nothing more, because nobody knows what the disk holds. The next start reads that.
    """

    #: What the store is asked with.
    database: Readable = field(init=False)
    tables: TableRows = field(init=False)
    #: Numbers of unfinished tables whose records are still to be checked.
    _unchecked: range = field(init=False, default=range(0))
    #: Seconds since 1970, for a table's row 0.
    _wall: Callable[[], float] = field(init=False)
    #: Of tables in use, where their chains go on. Players may have been told of these rows.
    _heads: dict[int, Head] = field(init=False, factory=dict)
    _unplayed: UnplayedMatches = field(init=False)
    _given_up: Sequence[UnreadableRow] = field(init=False, default=())
    _failed: bool = field(init=False, default=False)

    def _read_from(self, database: Readable, tables: TableRows, wall: Callable[[], float]) -> None:
        self.database, self.tables, self._wall = database, tables, wall
        self._unplayed = UnplayedMatches(wall)

    def commit(self, changes: Sequence[Change]) -> None:
        """
        Add a group of changes. All of it is durable when this returns. If this raises, nobody knows how much is.

        :raises StoreFailed: this commit or an earlier one has failed
        :raises Exception: an error of the library
        """
        if self._failed:
            raise StoreFailed("a write has failed before, and nothing may be written after it")
        self._failed = True
        group = build_group(changes, self._numbers(), self._wall, self._head)
        self._write(group)
        group.update_heads(self._heads)
        self._unplayed.follow(group)
        for reading in group.readings:
            reading.answer = reading.ask(self)
        self._failed = False

    def _numbers(self) -> Iterator[int]:
        """The numbers of new rows, as they are chained into the hashes."""
        raise NotImplementedError

    def _write(self, group: Group) -> None:
        raise NotImplementedError

    def _ended(self, group: Group) -> Iterator[Ended]:
        """The matches that end with a group, whose rows are inserted. One whose opening cannot be read is in no list."""
        for last, opened in group.ended:
            opened = opened or opened_in(self.tables.rows(last.game))
            if opened is not None:
                yield Ended(last.game, opened[0], last.seq, opened[1])

    def _head(self, table: TableId) -> Head:
        """Where the chain of a table goes on."""
        head = self._heads.get(table) or chain_of(self.tables.rows(table))
        if head is None:
            raise Damaged(f"table {table}: all of its rows are missing")
        return head

    def read(self, table: TableId) -> TableRecord | str:
        """The record of a table, or why it cannot be read. Entries can be added to an unfinished one then."""
        rows = self.tables.rows(table)
        try:
            head = chain_of(rows)
            if head is None:
                return f"table {table}: all of its rows are missing"
            told = self._told(table, rows)
            record = evolve(record_of(rows), told=seats_of(told or 0))
        except (Damaged, Undecodable) as error:
            return str(error)
        if told is not None:
            if not (record.entries and finishes(record.entries[-1])):
                self._heads[table] = head._replace(opened=(rows[0].seq, record.opening))
            elif record.entries[-1].kind is EntryKind.ARCHIVED:
                return f"table {table}: it was put away, and yet is listed as unfinished"
        return record

    def _told(self, table: TableId, rows: Sequence[Row]) -> int | None:
        """
        The bits of the seats that were told the end of a table; `None`: nothing can be added to it here.

        :param rows: of the table
        :raises Damaged: the store has noted something else of the table
        """
        raise NotImplementedError

    def check_at_start(self, everything: bool) -> list[UnreadableRow]:
        """
        Check the records of unfinished tables, the oldest first, as far as a start does, and of the tables behind those the
        first two rows; or all records. Gives what is damaged.
        """
        last = rows_read = 0
        damage: list[UnreadableRow] = []
        for last, rows in self.tables.unfinished():
            damage += _damage(last, rows)
            rows_read += len(rows)
            if rows_read >= AT_START and not everything:
                break
        for table, rows in self.tables.unfinished(first=2, after=last):
            damage += _damage(table, rows)
            self._unchecked = range(last + 1, table + 1)
        return damage

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables were checked that were unfinished at the start."""
        return not self._unchecked

    def check(self, rows: int) -> list[str]:
        """Check more of these records, about so many rows, and tell the damage in them, one sentence for each table."""
        unchecked, damage = self._unchecked, list[str]()
        for table in self.tables.unfinished_between(unchecked.start, unchecked.stop - 1, rows):
            record = self.tables.rows(table)
            damage += (damaged.why for damaged in _damage(table, record))
            rows -= len(record)
            if rows <= 0:
                self._unchecked = range(table + 1, unchecked.stop)
                return damage
        self._unchecked = range(0)
        return damage

    def unfinished(self) -> Iterator[UnfinishedTable | UnreadableRow]:
        """
        The tables to be played on, oldest first, behind those given up; from now on all of them sleep.

        Reads the first two rows of each, to know whether its match has begun.
        """
        yield from self._given_up
        self._put_to_sleep()
        tables = self.tables.unfinished(first=2)
        while some := list(islice(tables, LISTED_AT_ONCE)):
            notes = self.tables.notes_between(some[0][0], some[-1][0])
            for (number, rows), (since, told) in zip(some, notes, strict=True):
                table = TableId(number)
                try:
                    opening = read_opening(Row._make(rows[0]))
                except Undecodable as error:
                    yield UnreadableRow(table, str(error))
                else:
                    yield UnfinishedTable(table, opening, len(rows) > 1, since, seats_of(told))

    def _put_to_sleep(self) -> None:
        """Note that the players are gone that were there when the host ended."""
        raise NotImplementedError
