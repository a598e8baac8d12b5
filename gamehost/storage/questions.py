"""
Questions to an open store, which stand in its queue between the changes: an answer holds all that was added before.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from attrs import define, field

from gamehost.journal.records import (
    Entry,
    EntryKind,
    FinishedMatch,
    TableElsewhere,
    TableId,
    TableRecord,
)
from gamehost.storage.memory import fitting_matches
from gamehost.storage.row_codec import (
    Damaged,
    Row,
    Undecodable,
    chain_of,
    finishes,
    read_entry,
    read_opening,
    record_of,
)

#: Rows of one answer to `ReadEntriesAfter`: about 10 ms of the writer's thread.
MOST_ROWS = 2000
#: No table has this number, or a higher one: the store's integers have 64 bits.
MOST_NUMBER = 2**63 - 1
#: Tables that are looked at together.
MOST_MATCHES = 100


class AnsweringStore(Protocol):
    """A store that can be asked while a host runs."""

    def read(self, table: TableId) -> TableRecord | str:
        """The record of a table, or why it cannot be read. Entries can be added to an unfinished one then."""

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        """The first and the last row of each table with a number from `low` up, and below `below`, in order."""

    def rows(self, table: TableId) -> Sequence[Row]:
        """All rows of a table, in order; none if there is no such table."""

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        """The rows behind those numbers, table by table and in order, and no more than `most`."""

    def elsewhere(self, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        """
        The tables of other hosts, as `Journal.elsewhere` finds them: the number of each, and the number and the time of its
        last row. And how many there are.
        """

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        """The first row of each of these tables."""

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is none."""

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables were checked that were unfinished at the start."""

    def check(self, rows: int) -> Sequence[str]:
        """Check more of these records, about so many rows, and tell the damage in them, one sentence for each table."""


@define(eq=False)
class Load:
    """A question for a table's record."""

    table: TableId
    #: The record, or why it cannot be read.
    answer: TableRecord | str = ""

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        self.answer = store.read(self.table)


@define(eq=False)
class ReadRecord:
    """A question for the record of a table to which nothing is added."""

    table: TableId
    #: The record, or why it cannot be read.
    answer: TableRecord | str = ""

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        rows = store.rows(self.table)
        try:
            if chain_of(rows) is None:
                self.answer = f"table {self.table}: all of its rows are missing"
            else:
                self.answer = record_of(rows)
        except (Damaged, Undecodable) as error:
            self.answer = str(error)


@define(eq=False)
class FindElsewhere:
    """A question for the tables that other hosts play, as `Journal.elsewhere`."""

    known: Collection[TableId]
    most: int
    answer: Sequence[TableElsewhere] = field(factory=tuple)
    #: How many there are.
    count: int = 0

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        tables, self.count = store.elsewhere(self.most)
        new = [table for table, _, _ in tables if table not in self.known]
        openings = {}
        for row in store.openings(new) if new else ():
            with suppress(Undecodable):  # another release wrote it
                openings[row.game] = read_opening(row)
        self.answer = [
            TableElsewhere(table, n, at, openings.get(table))
            for table, n, at in tables
            if table in self.known or table in openings
        ]


@define(eq=False)
class ReadEntriesAfter:
    """A question for the newest entries of tables, as `Journal.entries_after`."""

    last: Mapping[TableId, int]
    answer: Mapping[TableId, Sequence[Entry] | str] = field(factory=dict)

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        found: dict[TableId, Sequence[Entry] | str] = {}
        for game, rows in groupby(store.rows_after(self.last, MOST_ROWS), key=attrgetter("game")):
            try:
                found[TableId(game)] = [read_entry(row) for row in rows]
            except Undecodable as error:
                found[TableId(game)] = str(error)
        self.answer = found


@define(eq=False)
class FindFinished:
    """A question for finished matches, as `Journal.finished`."""

    below: int | None
    count: int
    game: str = ""
    name: str = ""
    #: The lowest number that is answered for.
    low: int = 1
    answer: Sequence[FinishedMatch] = field(factory=tuple)

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        end = store.last_table + 1
        below = end if self.below is None else min(self.below, end)
        self.low = max(1, below)
        found: list[FinishedMatch] = []
        while self.low > 1 and len(found) < self.count:
            below, self.low = self.low, max(1, self.low - MOST_MATCHES)
            some = finished_matches(store.first_and_last(self.low, below))
            found += fitting_matches(some, None, self.game, self.name)
        if len(found) > self.count:
            del found[self.count :]
            self.low = found[-1].table
        self.answer = found


@define(eq=False)
class FindMatch:
    """A question for the finished match with this number."""

    table: TableId
    answer: FinishedMatch | None = None

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        found = finished_matches(store.first_and_last(self.table, self.table + 1)) if self.table < MOST_NUMBER else []
        self.answer = found[0] if found else None


@define(eq=False)
class ReadRows:
    """A question for the rows of a table, as they are stored."""

    table: TableId
    answer: Sequence[Row] = field(factory=tuple)

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        self.answer = store.rows(self.table)


@define(eq=False)
class ReadEnds:
    """A question for the first and the last row of each table with a number from `low` up, and below `below`."""

    low: int
    below: int
    answer: Sequence[Row] = field(factory=tuple)

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        self.answer = store.first_and_last(self.low, self.below)


@define(eq=False)
class CheckRecords:
    """A question that has some more records of unfinished tables checked."""

    #: About so many rows.
    rows: int
    damage: Sequence[str] = field(factory=tuple)
    #: Whether all of them were checked.
    all_checked: bool = False

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        self.damage, self.all_checked = store.check(self.rows), store.all_checked


Question = (
    Load | ReadRecord | FindElsewhere | ReadEntriesAfter | FindFinished | FindMatch | ReadRows | ReadEnds | CheckRecords
)


def finished_matches(rows: Iterable[Row]) -> list[FinishedMatch]:
    """
    The matches that have a result, the newest first. Those that another release wrote are left out.

    :param rows: the first and the last row of each table, in order
    """
    found: list[FinishedMatch] = []
    for _, some in groupby(rows, key=attrgetter("game")):
        first, last = (own := list(some))[0], own[-1]
        try:
            if first.n != 0 or last.n == 0:
                continue
            opening, entry = read_opening(first), read_entry(last)
        except Undecodable:
            continue
        if finishes(entry) and entry.kind is not EntryKind.ARCHIVED:
            found.append(FinishedMatch(TableId(first.game), first.at_ms, opening, last.n, entry))
    return found[::-1]
