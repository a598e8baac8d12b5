"""
Questions to an open store, which stand in its queue between the changes: an answer holds all that was added before.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from attrs import define, field

from gamehost.journal.records import EntryKind, FinishedMatch, TableId, TableRecord
from gamehost.storage.row_codec import Row, Undecodable, finishes, read_entry, read_opening


class AnsweringStore(Protocol):
    """A store that can be asked while a host runs."""

    def read(self, table: TableId) -> TableRecord | str:
        """The record of a table, or why it cannot be read. Entries can be added to an unfinished one then."""

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        """The first and the last row of each table with a number from `low` up, and below `below`, in order."""

    def rows(self, table: TableId) -> Sequence[Row]:
        """All rows of a table, in order; none if there is no such table."""

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
class FindFinished:
    """A question for the finished matches with numbers from `low` up, and below `below`."""

    low: int
    below: int
    answer: Sequence[FinishedMatch] = field(factory=tuple)

    def ask(self, store: AnsweringStore) -> None:
        """Have the store answer."""
        self.answer = finished_matches(store.first_and_last(self.low, self.below))


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


Question = Load | FindFinished | ReadRows | ReadEnds | CheckRecords


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
