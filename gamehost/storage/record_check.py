"""
The check of the records of unfinished tables: is every row the one that was written there?

A start reads so many records that it does not take long, and the first two rows of all others: they say who plays. The other
records are checked while the host runs, some at a time. A table whose player comes earlier is read then, and checked with that.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from attrs import define, frozen

from gamehost.journal.records import TableId
from gamehost.storage.changes import UnreadableRow
from gamehost.storage.database import Connection, Loss, has_table
from gamehost.storage.row_codec import Damaged, chain_of

#: Rows that must be new before a start notes that they are whole. To count them takes about 10 ms.
STEP = 100_000

_MAKE = (
    "CREATE TABLE IF NOT EXISTS checked(seq INTEGER NOT NULL, rows INTEGER NOT NULL, pruned INTEGER NOT NULL) STRICT"
)


@frozen
class CheckedRows:
    """What need not be read again."""

    #: The last row that was read.
    seq: int = 0
    #: How many rows the store has up to there.
    rows: int = 0
    #: How many rows were moved to archives, ever.
    pruned: int = 0


def read_checked(connection: Connection) -> CheckedRows:
    """
    :raises Loss: the table was changed
    """
    if not has_table(connection, "checked"):
        return CheckedRows()
    found = connection.execute("SELECT seq, rows, pruned FROM checked").fetchall()
    if len(found) != 1:
        raise Loss(f"the journal was changed: its table 'checked' has {len(found)} rows instead of one")
    return CheckedRows(*found[0])


def write_checked(connection: Connection, checked: CheckedRows) -> None:
    """Replace the note. Within a transaction."""
    connection.execute(_MAKE)
    connection.execute("DELETE FROM checked")
    connection.execute("INSERT INTO checked VALUES (?, ?, ?)", (checked.seq, checked.rows, checked.pruned))


def count_rows(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added. Reads the rows behind `checked` alone."""
    new = connection.execute("SELECT count(*) FROM event WHERE seq > ?", (checked.seq,)).fetchone()[0]
    return int(checked.rows + checked.pruned + new)


#: Rows that are read before the ports open. They take a third of a second.
AT_START = 100_000


class RecordSource(Protocol):
    """A store that can read the rows of unfinished tables."""

    def unfinished(self, first: int = ..., after: int = ...) -> Iterable[tuple[int, Sequence[Any]]]:
        """Every unfinished table behind `after`, the oldest first, with its rows, or only so many first ones of each."""

    def unfinished_between(self, low: int, high: int, most: int) -> Sequence[int]:
        """The numbers of unfinished tables from `low` to `high`, in order, and no more than `most`."""

    def rows(self, table: int) -> Sequence[Any]:
        """All rows of a table, in order."""


@define(eq=False)
class RecordCheck:
    """The check of one store."""

    _source: RecordSource
    #: Numbers of tables whose records are still to be checked.
    _unchecked: range = range(0)

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables were checked that were unfinished at the start."""
        return not self._unchecked

    def begin(self, most: int | None = None) -> list[UnreadableRow]:
        """
        Check records, the oldest tables first, and of the tables behind those the first two rows.

        :param most: about so many rows; `None`: all records
        :returns: the damaged tables
        """
        rows_read, last, damage = 0, 0, []
        for last, rows in self._source.unfinished():
            damage += _damage(last, rows)
            rows_read += len(rows)
            if most is not None and rows_read >= most:
                break
        for table, rows in self._source.unfinished(first=2, after=last):
            damage += _damage(table, rows)
            self._unchecked = range(last + 1, table + 1)
        return damage

    def go_on(self, rows: int) -> list[UnreadableRow]:
        """
        Check records that `begin` has left out.

        :param rows: about so many; one record at least
        :returns: the damaged tables
        """
        unchecked, damage = self._unchecked, []
        for table in self._source.unfinished_between(unchecked.start, unchecked.stop - 1, rows):
            record = self._source.rows(table)
            damage += _damage(table, record)
            rows -= len(record)
            if rows <= 0:
                self._unchecked = range(table + 1, unchecked.stop)
                return damage
        self._unchecked = range(0)
        return damage


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
