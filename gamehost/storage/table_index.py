"""
The index of each table's rows, so that one table can be read without the others.

The index is extended in steps, and is never ahead of the journal. The few rows that it does not have yet are at the
journal's end. They are read once at the start, and sorted here. The whole index can be made again from the rows.
"""

from typing import Any

from attrs import define, field

from gamehost.journal.records import StoreUnusable
from gamehost.storage.database import Connection, has_table

#: Rows that a step adds to the index. A large step costs less for each row; one of a thousand takes two milliseconds.
STEP = 1000

COLUMNS = "seq, game, n, at_ms, kind, seat, body, h"
_OF_EVENT = ", ".join(f"event.{column}" for column in COLUMNS.split(", "))
_PLACED = f"SELECT {_OF_EVENT} FROM placed JOIN event USING(seq) WHERE placed.game = ? ORDER BY placed.n"
#: For a store of an older schema without `placed`, before it is converted: there `event` has an index of its own.
_BEFORE = f"SELECT {COLUMNS} FROM event WHERE game = ? ORDER BY n"
_REST = f"SELECT {COLUMNS} FROM event WHERE seq > ? ORDER BY seq"
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
    The index of one store, as it was when `load` was called, and after each step since.

    :param step: the number of missing rows at which a step is due
    """

    _connection: Connection
    _step: int = STEP
    #: The last row in the index.
    _to: int = 0
    #: The rows after that one, by table, as the database gives them; only until the next step.
    _rest: dict[int, list[Any]] = field(factory=dict)
    _of_table: str = _PLACED

    def load(self) -> None:
        """Read the rows that the index does not have yet."""
        self._rest.clear()
        if not has_table(self._connection, "placed"):
            self._of_table = _BEFORE
            return
        self._of_table = _PLACED
        ends = self._connection.execute("SELECT seq FROM placed_to").fetchall()
        if len(ends) != 1:
            raise StoreUnusable(
                f"the journal was changed: its table 'placed_to' has {len(ends)} rows instead of one; "
                "put back the newest copy that `gamehost journal verify` passes"
            )
        self._to = ends[0][0]
        for row in self._connection.execute(_REST, (self._to,)).fetchall():
            self._rest.setdefault(row[1], []).append(row)

    def rows(self, table: int) -> list[Any]:
        """All rows of a table, in order. For a store to which nothing was added since `load`."""
        # All at once: a cursor that damage leaves half read would keep the file open.
        return self._connection.execute(self._of_table, (table,)).fetchall() + self._rest.get(table, [])

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is none. When `load` was called, or when the last step was made."""
        placed = self._connection.execute("SELECT max(game) FROM placed").fetchone()[0] or 0
        return int(max(placed, *self._rest)) if self._rest else int(placed)

    def is_due(self, last: int) -> bool:
        """Whether the row `last` makes a step due."""
        return last - self._to >= self._step

    def follow(self, last: int) -> None:
        """Place all rows up to `last`. Within a transaction."""
        execute = self._connection.execute
        execute(_PLACE, (self._to,))
        execute("UPDATE placed_to SET seq = ?", (last,))
        self._to = last
        self._rest.clear()

    def faults(self) -> list[str]:
        """The faults, one sentence each: the index must have every row up to the last step, and no other."""
        ends = self._connection.execute("SELECT seq FROM placed_to").fetchall()
        if len(ends) != 1:
            return [f"the index has {len(ends)} ends instead of one"]
        placed, right, rows = (self._connection.execute(count, ends[0]).fetchone()[0] for count in _COUNTS)
        if placed == right == rows:
            return []
        return [f"the index has {placed} rows, {right} of them right, and must have {rows}"]
