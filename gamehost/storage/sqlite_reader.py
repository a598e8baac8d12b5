"""
The reading side of an SQLite store: a connection of its own, which sees what is committed and never writes.

Each answer is read in one transaction, so all of it is of one moment. While that lasts, the writer goes on, and the log only
grows: it cannot be begun anew. So no answer may take longer than `LONGEST`.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import define

from gamehost.journal.records import TableId
from gamehost.storage.database import Connection, connect
from gamehost.storage.match_lists import LIST, MATCH, Ends, ends_in
from gamehost.storage.row_codec import Row
from gamehost.storage.table_index import Index

#: Seconds after which reading for one answer is given up.
LONGEST = 5.0
#: Steps of SQLite's machine between two looks at the clock: less than a millisecond.
_STEPS = 20_000


@define(eq=False)
class SqliteReader:
    """As `gamehost.storage.questions.AnsweringStore`. Made by `open_reader`; for one thread."""

    _connection: Connection
    _index: Index
    _clock: Callable[[], float] = time.monotonic
    _until: float = 0.0

    def is_late(self) -> bool:
        """Whether the answer takes too long."""
        return self._clock() > self._until

    @contextmanager
    def _reading(self) -> Iterator[Index]:
        """A transaction, and the index as it is in it."""
        self._until = self._clock() + LONGEST
        self._connection.execute("BEGIN")
        try:
            self._index.load()
            yield self._index
        finally:
            self._connection.execute("ROLLBACK")

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        with self._reading() as index:
            found = index.first_and_last(low, below)
        return [Row._make(row) for row in found]

    def rows(self, table: TableId) -> Sequence[Row]:
        with self._reading() as index:
            found = index.rows(table)
        return [Row._make(row) for row in found]

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        with self._reading() as index:
            behind = (row for table, n in sorted(last.items()) for row in index.rows(table)[n + 1 :])
            found = list(islice(behind, most))
        return [Row._make(row) for row in found]

    def elsewhere(self, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        """No other host writes to this store."""
        return (), 0

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        return [row for table in tables for row in self.rows(table)[:1]]

    def listed(self, name: str, rules: str, below: int, most: int) -> Sequence[Ends]:
        return ends_in(self._query(LIST, (name, rules, below, most)))

    def finished(self, table: TableId) -> Ends | None:
        return next(iter(ends_in(self._query(MATCH, (table,)))), None)

    def _query(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """The rows of one query, which is a transaction of its own."""
        self._until = self._clock() + LONGEST
        return self._connection.execute(sql, parameters).fetchall()

    def interrupt(self) -> None:
        """Have the answer given up that is being read. For any thread."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def open_reader(path: Path, clock: Callable[[], float] = time.monotonic) -> SqliteReader:
    """
    Open the store of this process for reading, beside its writer.

    :param path: of a store that is open, and of the newest schema
    :raises sqlite3.Error: it cannot be read
    """
    connection = connect(path)
    try:
        # Not `mode=ro`: such a connection would take a lock of its own, and that would replace the exclusive one.
        for pragma in (
            "query_only=ON",
            "wal_autocheckpoint=0",
            "busy_timeout=0",
            "trusted_schema=OFF",
            "cell_size_check=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # So the files are open now, and are there when the process has none left.
        connection.execute("SELECT count(*) FROM placed_to").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    reader = SqliteReader(connection, Index(connection), clock)
    connection.set_progress_handler(reader.is_late, _STEPS)
    return reader
