"""
What an open store can be asked.

A `Reading` stands in the writer's queue, between the changes: its answer holds all that was added before, and a table can be
played on with it. It is of a start, or of one table whose player has come.

A `Question` is what people ask. It is in no change's way: it waits in a queue of its own, and its answer holds what was durable
when it was asked. If the store cannot be read, the question keeps the answer that it has at first: nothing is found.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from attrs import Factory, define, field

from gamehost.accounts.names import key_of
from gamehost.journal.records import (
    Entry,
    FinishedMatch,
    TableElsewhere,
    TableId,
    TableRecord,
)
from gamehost.storage.match_lists import HIGHEST, Ends, list_key, match_of
from gamehost.storage.row_codec import (
    Damaged,
    Row,
    Undecodable,
    chain_of,
    read_entry,
    read_opening,
    record_of,
)

#: Rows of one answer to `ReadEntriesAfter`: about 10 ms.
MOST_ROWS = 2000
#: Matches of one answer to `FindFinished`. They take about 2 ms.
MOST_MATCHES = 100


class OrderedStore(Protocol):
    """A store that is read between its changes."""

    def read(self, table: TableId) -> TableRecord | str:
        """The record of a table, or why it cannot be read. Entries can be added to an unfinished one then."""

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables were checked that were unfinished at the start."""

    def check(self, rows: int) -> Sequence[str]:
        """Check more of these records, about so many rows, and tell the damage in them, one sentence for each table."""


class AnsweringStore(Protocol):
    """A store that people can ask while a host runs."""

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

    def listed(self, name: str, rules: str, below: int, most: int) -> Sequence[Ends]:
        """The newest matches of a list, as `gamehost.storage.match_lists` has them, with numbers below `below`."""

    def finished(self, table: TableId) -> Ends | None:
        """The first and the last row of a finished match with this number; `None`: there is none."""


@define(eq=False)
class Load:
    """A question for a table's record."""

    table: TableId
    #: The record, or why it cannot be read.
    answer: TableRecord | str = ""

    def ask(self, store: OrderedStore) -> None:
        """Have the store answer."""
        self.answer = store.read(self.table)


@define(eq=False)
class CheckRecords:
    """A question that has some more records of unfinished tables checked."""

    #: About so many rows.
    rows: int
    damage: Sequence[str] = field(factory=tuple)
    #: Whether all of them were checked.
    all_checked: bool = False

    def ask(self, store: OrderedStore) -> None:
        """Have the store answer."""
        self.damage, self.all_checked = store.check(self.rows), store.all_checked


#: What is read in order with the changes.
Reading = Load | CheckRecords


@define(eq=False)
class ReadRecord:
    """A question for the record of a table to which nothing is added."""

    table: TableId
    #: The record, or why it cannot be read.
    answer: TableRecord | str = Factory(
        lambda self: f"table {self.table}: the store cannot be read now", takes_self=True
    )

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
        below = HIGHEST if self.below is None else min(self.below, HIGHEST)
        count = min(self.count, MOST_MATCHES)
        some = store.listed(list_key(key_of(self.name)), list_key(self.game), below, count + 1)
        if len(some) > count:
            some = some[:count]
            self.low = some[-1].first.game
        self.answer = [match for match in map(match_of, some) if match is not None]


@define(eq=False)
class FindMatch:
    """A question for the finished match with this number."""

    table: TableId
    answer: FinishedMatch | None = None

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        found = store.finished(self.table) if 0 < self.table <= HIGHEST else None
        self.answer = None if found is None else match_of(found)


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


#: What people ask.
Question = ReadRecord | FindElsewhere | ReadEntriesAfter | FindFinished | FindMatch | ReadRows | ReadEnds
