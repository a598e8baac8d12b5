"""
The index of each table's rows, so that one table can be read without the others.

The index is extended in steps, and is never ahead of the journal. The few rows that it does not have yet are at the
journal's end, and are searched one by one. The whole index can be made again from the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import define

from gamehost.journal.records import StoreUnusable
from gamehost.storage.database import Connection, has_table

#: Rows that a step adds to the index. A large step costs less for each row; one of a thousand takes two milliseconds.
STEP = 1000

COLUMNS = "seq, game, n, at_ms, kind, seat, body, h"
_INSERT = f"INSERT INTO event({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_OF_EVENT = ", ".join(f"event.{column}" for column in COLUMNS.split(", "))
_PLACED = f"SELECT {_OF_EVENT} FROM placed JOIN event USING(seq) WHERE placed.game = ? ORDER BY placed.n"
_NOT_PLACED = f"SELECT {COLUMNS} FROM event WHERE seq > ? AND game = ? ORDER BY seq"
#: For a store of an older schema without `placed`, before it is converted: there `event` has an index of its own.
_BEFORE = f"SELECT {COLUMNS} FROM event WHERE game = ? ORDER BY n"
_REST = f"SELECT {COLUMNS} FROM event WHERE seq > ? ORDER BY seq"
#: The rows of all unfinished tables; for a table without a row there is one of nothing.
_UNFINISHED = f"""
    SELECT some.game, {_OF_EVENT} FROM (SELECT game FROM live WHERE game > ? ORDER BY game LIMIT ?) AS some
    LEFT JOIN placed ON placed.game = some.game AND placed.n < ?
    LEFT JOIN event ON event.seq = placed.seq ORDER BY some.game, placed.n"""
_UNFINISHED_BEFORE = f"""
    SELECT some.game, {_OF_EVENT} FROM (SELECT game FROM live WHERE game > ? ORDER BY game LIMIT ?) AS some
    LEFT JOIN event ON event.game = some.game AND event.n < ? ORDER BY some.game, event.n"""
#: The first and the last row of each table of a range, as far as they are placed; and all others of these tables.
_ENDS = f"""
    SELECT {_OF_EVENT} FROM (SELECT game, max(n) AS last FROM placed WHERE game >= ? AND game < ? GROUP BY game) AS some
    JOIN placed ON placed.game = some.game AND placed.n IN (0, some.last) JOIN event USING(seq)"""
_ENDS_REST = f"SELECT {COLUMNS} FROM event WHERE seq > ? AND game >= ? AND game < ?"
#: Tables that are read with one query.
_TABLES = 100
_ALL_ROWS = 2**62
#: With OR ROLLBACK a failure ends the transaction. To undo only the statement, SQLite would need a temporary file.
_PLACE = "INSERT OR ROLLBACK INTO placed SELECT game, n, seq FROM event WHERE seq > ? ORDER BY game, n"
#: How many rows the index has, how many of them are right, and how many it must have.
_COUNTS = (
    "SELECT count(*) FROM placed WHERE ? >= 0",
    "SELECT count(*) FROM placed AS p JOIN event AS e USING(seq) WHERE p.game = e.game AND p.n = e.n AND p.seq <= ?",
    "SELECT count(*) FROM event WHERE seq <= ?",
)


@define(eq=False)
class Index:
    """
    The index of one store. Call `load` first, and again when the schema has changed.

    :param step: the number of missing rows at which a step is due
    """

    _connection: Connection
    _step: int = STEP
    #: The last row in the index.
    _to: int = 0
    #: Whether the store has an index of this kind: one of an older schema has none.
    _exists: bool = True

    def load(self) -> None:
        """
        Find out where the index ends.

        :raises StoreUnusable: the store was changed
        """
        self._exists = has_table(self._connection, "placed")
        if not self._exists:
            return
        ends = self._connection.execute("SELECT seq FROM placed_to").fetchall()
        if len(ends) != 1:
            raise StoreUnusable(
                f"the journal was changed: its table 'placed_to' has {len(ends)} rows instead of one; "
                "put back the newest copy that `gamehost journal verify` passes"
            )
        self._to = ends[0][0]

    def rows(self, table: int) -> list[Any]:
        """All rows of a table, in order."""
        # All at once: a cursor that damage leaves half read would keep the file open.
        execute = self._connection.execute
        if not self._exists:
            return execute(_BEFORE, (table,)).fetchall()
        return execute(_PLACED, (table,)).fetchall() + execute(_NOT_PLACED, (self._to, table)).fetchall()

    def first_and_last(self, low: int, below: int) -> list[Any]:
        """The first and the last row of each table with a number from `low` up, and below `below`, in order."""
        execute = self._connection.execute
        ends: dict[tuple[int, bool], Any] = {}
        rows = execute(_ENDS, (low, below)).fetchall() + execute(_ENDS_REST, (self._to, low, below)).fetchall()
        for row in sorted(rows):  # by their numbers in the journal: later ones of a table replace earlier ones
            ends[row[1], row[2] == 0] = row
        return sorted(ends.values(), key=itemgetter(1, 2))

    def unfinished(self, first: int = _ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        """
        Every unfinished table, the oldest first, with its rows.

        :param first: only so many rows of each
        :param after: only tables with higher numbers
        """
        rest: dict[int, list[Any]] = {}
        if self._exists:
            for row in self._connection.execute(_REST, (self._to,)).fetchall():
                rest.setdefault(row[1], []).append(row)
        sql = _UNFINISHED if self._exists else _UNFINISHED_BEFORE
        last = after
        while some := self._connection.execute(sql, (last, _TABLES, first)).fetchall():
            last = some[-1][0]
            for table, rows in groupby(some, key=itemgetter(0)):
                found = [row[1:] for row in rows if row[1] is not None]
                yield table, (found + rest.get(table, []))[:first]

    def unfinished_between(self, low: int, high: int, most: int) -> list[int]:
        """The numbers of unfinished tables from `low` to `high`, in order, and no more than `most`."""
        sql = "SELECT game FROM live WHERE game BETWEEN ? AND ? ORDER BY game LIMIT ?"
        return [row[0] for row in self._connection.execute(sql, (low, high, most)).fetchall()]

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is none."""
        placed = self._connection.execute("SELECT max(game) FROM placed").fetchone()[0]
        behind = self._connection.execute("SELECT max(game) FROM event WHERE seq > ?", (self._to,)).fetchone()[0]
        return max(placed or 0, behind or 0)

    def is_due(self, last: int) -> bool:
        """Whether the row `last` makes a step due."""
        return last - self._to >= self._step

    def follow(self, last: int) -> None:
        """Place all rows up to `last`. Within a transaction."""
        execute = self._connection.execute
        execute(_PLACE, (self._to,))
        execute("UPDATE placed_to SET seq = ?", (last,))
        self._to = last

    def faults(self) -> list[str]:
        """The faults, one sentence each: the index must have every row up to the last step, and no other."""
        ends = self._connection.execute("SELECT seq FROM placed_to").fetchall()
        if len(ends) != 1:
            return [f"the index has {len(ends)} ends instead of one"]
        placed, right, rows = (self._connection.execute(count, ends[0]).fetchone()[0] for count in _COUNTS)
        if placed == right == rows:
            return []
        return [f"the index has {placed} rows, {right} of them right, and must have {rows}"]


def insert_tables(connection: Connection, tables: Iterable[Sequence[Any]]) -> None:
    """
    Insert tables into an empty store, and make the whole index. Within a transaction.

    :param tables: the rows of each, with the numbers that they get
    """
    for rows in tables:
        connection.executemany(_INSERT, rows)
    connection.execute("INSERT INTO placed SELECT game, n, seq FROM event ORDER BY game, n")
    connection.execute("UPDATE placed_to SET seq = (SELECT coalesce(max(seq), 0) FROM event)")
