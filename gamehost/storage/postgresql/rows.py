"""
Reading the rows of tables. What is read with one query is limited, so that a start does not need the memory for all tables.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from struct import Struct
from typing import Any

from attrs import define

from gamehost.journal.records import TableId
from gamehost.storage.row_codec import Row

#: The numbers of the types in PostgreSQL.
_INT8, _INT2, _INT4, _BYTEA = 20, 21, 23, 17

_HEADER = Struct(">5i")
_LENGTH = Struct(">i")
_NUMBER = Struct(">q")
_NULL = _LENGTH.pack(-1)
#: No dimension, and so no element.
_EMPTY = Struct(">3i")


def int8(value: int) -> bytes:
    """One number of 8 bytes."""
    return _NUMBER.pack(value)


def int8_array(values: Sequence[int]) -> bytes:
    """Numbers of 8 bytes."""
    return _numbers(_INT8, 8, "iq", values)


def int4_array(values: Sequence[int]) -> bytes:
    """Numbers of 4 bytes."""
    return _numbers(_INT4, 4, "ii", values)


def int2_array(values: Sequence[int | None]) -> bytes:
    """Numbers of 2 bytes, or NULL. There are few different ones."""
    return _HEADER.pack(1, 1, _INT2, len(values), 1) + b"".join(map(_int2, values)) if values else _empty(_INT2)


def bytea_array(values: Sequence[bytes]) -> bytes:
    """Byte strings."""
    if not values:
        return _empty(_BYTEA)
    pieces = [_HEADER.pack(1, 0, _BYTEA, len(values), 1)]
    for value in values:
        pieces += (_LENGTH.pack(len(value)), value)
    return b"".join(pieces)


def _numbers(kind: int, size: int, element: str, values: Sequence[int]) -> bytes:
    if not values:
        return _empty(kind)
    pairs = [part for value in values for part in (size, value)]
    return _struct(element, len(values)).pack(1, 0, kind, len(values), 1, *pairs)


@cache
def _struct(element: str, count: int) -> Struct:
    return Struct(">5i" + element * count)


@cache
def _int2(value: int | None) -> bytes:
    return _NULL if value is None else Struct(">ih").pack(2, value)


def _empty(kind: int) -> bytes:
    return _EMPTY.pack(0, 0, kind)


#: In the order of `Row`. The number of a life stands where SQLite has the number of the row.
COLUMNS = "epoch, game, n, at_ms, kind, seat, body, h"
OF_EVENT = "event.epoch, event.game, event.n, event.at_ms, event.kind, event.seat, event.body, event.h"
_ROWS = f"SELECT {COLUMNS} FROM event WHERE game = %s ORDER BY n"
ENDS = f"""
    SELECT {OF_EVENT} FROM (SELECT game, max(n) AS last FROM event WHERE game >= %s AND game < %s GROUP BY game) AS ends
    JOIN event ON event.game = ends.game AND event.n IN (0, ends.last) ORDER BY event.game, event.n"""
#: The first rows of some unfinished tables, with what is noted of each; for a table without a row there is one of NULL.
_UNFINISHED = f"""
    SELECT listed.game, coalesce(listed.since, uptime.seconds), listed.told, {OF_EVENT}
    FROM (SELECT game, since, told FROM live WHERE {{}} AND game > %s ORDER BY game LIMIT %s) AS listed CROSS JOIN uptime
    LEFT JOIN event ON event.game = listed.game AND event.n < %s ORDER BY listed.game, event.n"""
_BETWEEN = "SELECT game FROM live WHERE {} AND game BETWEEN %s AND %s ORDER BY game LIMIT %s"
#: The rows behind those that are known. With the inner limit, the server looks each table up; it would read all rows else.
_AFTER = f"""
    SELECT {OF_EVENT} FROM unnest(%s::int8[], %s::int4[]) AS known(game, n) CROSS JOIN LATERAL (
        SELECT {COLUMNS} FROM event WHERE event.game = known.game AND event.n > known.n ORDER BY event.n LIMIT %s
    ) AS event ORDER BY event.game, event.n LIMIT %s"""
#: The tables that other lives play, the newest ones, with their last rows. Behind row 0 their players may know of them.
_ELSEWHERE = """
    SELECT listed.game, last.n, last.at_ms
    FROM (SELECT game FROM live WHERE owner <> %s AND since IS NULL ORDER BY game DESC LIMIT %s) AS listed
    CROSS JOIN LATERAL (SELECT n, at_ms FROM event WHERE game = listed.game ORDER BY n DESC LIMIT 1) AS last
    WHERE last.n > 0 ORDER BY listed.game"""
_COUNT_ELSEWHERE = "SELECT count(*) FROM live WHERE owner <> %s AND since IS NULL"
_OPENINGS = f"SELECT {COLUMNS} FROM event WHERE game = ANY(%s) AND n = 0"
_LAST_TABLE = "SELECT greatest((SELECT max(game) FROM event), (SELECT max(game) FROM live), 0)"

#: Tables of which few rows, and tables of which all rows are read with one query.
_LISTED_AT_ONCE, _READ_AT_ONCE = 1000, 100
_ALL_ROWS = 2**31 - 1
#: Where a row of `_UNFINISHED` has its event.
_NOTES = 3


@define(eq=False)
class TableRows:
    """
    The rows of a store.

    :param _query: the rows of a query, from its text and its parameters
    :param _listed_if: which of the unfinished tables are meant: a condition for rows of `live`
    """

    _query: Callable[..., list[Any]]
    _listed_if: str = "true"

    def rows(self, table: int) -> list[Any]:
        """All rows of a table, in order."""
        return self._query(_ROWS, table)

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        """The first and the last row of each table with a number from `low` up, and below `below`, in order."""
        return [Row._make(row) for row in self._query(ENDS, low, below)]

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        """The rows behind those numbers, table by table and in order, and no more than `most`."""
        return [Row._make(row) for row in self._query(_AFTER, list(last), list(last.values()), most, most)]

    def elsewhere(self, epoch: int, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        """The tables that other lives play: number of the table, number and time of its last row; and how many there are."""
        found = self._query(_ELSEWHERE, epoch, most)
        return [(TableId(row[0]), row[1], row[2]) for row in found], int(self._query(_COUNT_ELSEWHERE, epoch)[0][0])

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        """The first row of each of these tables."""
        return [Row._make(row) for row in self._query(_OPENINGS, list(tables))]

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is none."""
        return int(self._query(_LAST_TABLE)[0][0])

    def unfinished(self, first: int = _ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        """Every unfinished table behind `after`, the oldest first, with its rows, or only so many first ones of each."""
        for table, rows in self._listed(_READ_AT_ONCE if first == _ALL_ROWS else _LISTED_AT_ONCE, first, after):
            yield table, [row[_NOTES:] for row in rows if row[_NOTES] is not None]

    def unfinished_between(self, low: int, high: int, most: int) -> list[int]:
        """The numbers of unfinished tables from `low` to `high`, in order, and no more than `most`."""
        return [row[0] for row in self._query(_BETWEEN.format(self._listed_if), low, high, most)]

    def listed(self) -> Iterator[tuple[int, int, int, list[Any]]]:
        """Of every unfinished table: its number, since when it sleeps, the seats that were told, and its first two rows."""
        for table, rows in self._listed(_LISTED_AT_ONCE, 2, 0):
            yield table, rows[0][1], rows[0][2], [row[_NOTES:] for row in rows]

    def _listed(self, tables: int, first: int, after: int) -> Iterator[tuple[int, list[Any]]]:
        unfinished = _UNFINISHED.format(self._listed_if)
        while some := self._query(unfinished, after, tables, first):
            for table, own in groupby(some, key=itemgetter(0)):
                yield table, list(own)
            after = some[-1][0]
