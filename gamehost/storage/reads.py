"""
What is read from a store: each read is one object, with its SQL for SQLite and for PostgreSQL.

In an SQLite file, `placed` says where each table's rows are. It is extended in steps, and is never ahead of the journal: the
few rows that it does not have yet are at the journal's end, and are searched one by one. A database has an index instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from attrs import define, evolve, field, frozen

from gamehost.journal.records import TableId
from gamehost.storage.row_codec import Row


def schemas_of(package: str) -> list[str]:
    """The steps from an empty store to the newest schema, in order, from the folder `schemas` of a package."""
    steps = (file for file in files(package).joinpath("schemas").iterdir() if file.name.endswith(".sql"))
    return [file.read_text("utf-8") for file in sorted(steps, key=lambda file: int(file.name.removesuffix(".sql")))]


@frozen
class Sql:
    """One statement, as each engine has it. A parameter is a question mark in both; in SQLite it may have a number."""

    sqlite: str
    postgresql: str
    #: For a file of an older schema without `placed`, before it is converted: there `event` has an index of its own.
    unplaced: str = ""


class Readable(Protocol):
    """What can be asked with SQL of either engine. A statement that both have is plain text."""

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query. Each is a tuple."""


class Database(Readable, Protocol):
    """A connection of either engine."""

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, some at a time. Within a transaction."""

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> object:
        """Carry out a statement."""

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> object:
        """Carry out a statement once for each row of parameters."""


class Ends(NamedTuple):
    """The first and the last row of a finished match."""

    first: Row
    last: Row


#: The columns of `event` in the order of `Row`. The number of a run stands where SQLite has the number of the row.
COLUMNS = Sql(
    "seq, game, n, at_ms, kind, seat, body, h",
    "epoch, game, n, at_ms, kind, seat, body, h",
)


def _of(table: str) -> Sql:
    """The columns of `event` under another name."""
    names = [", ".join(f"{table}.{one}" for one in text.split(", ")) for text in (COLUMNS.sqlite, COLUMNS.postgresql)]
    return Sql(*names)


_S, _P = COLUMNS.sqlite, COLUMNS.postgresql
EVENT, _FIRST, _LAST = _of("event"), _of("first"), _of("last")
#: Where the rows of an SQLite file begin that are not in `placed`.
REST = "event.seq > (SELECT seq FROM placed_to)"
_WIDTH = len(Row._fields)

EVERYTHING = Sql(f"SELECT {_S} FROM event ORDER BY game, n", f"SELECT {_P} FROM event ORDER BY game, n")
#: The first and the last row of each table, in order, from the rows alone.
ALL_ENDS = Sql(
    f"""SELECT {_S} FROM (SELECT *, max(n) OVER (PARTITION BY game) AS last FROM event) WHERE n IN (0, last)
    ORDER BY game, n""",
    f"""SELECT {EVENT.postgresql} FROM (SELECT game, max(n) AS last FROM event GROUP BY game) AS ends
    JOIN event ON event.game = ends.game AND event.n IN (0, ends.last) ORDER BY event.game, event.n""",
)
_ROWS = Sql(
    f"""SELECT {EVENT.sqlite} FROM placed JOIN event USING(seq) WHERE placed.game = ?1
    UNION ALL SELECT {_S} FROM event WHERE {REST} AND game = ?1""",
    f"SELECT {_P} FROM event WHERE game = ? ORDER BY n",
    f"SELECT {_S} FROM event WHERE game = ?1 ORDER BY n",
)
#: The first and the last row of each table with a number from the first parameter up, and below the second one.
_ENDS = Sql(
    f"""WITH some AS MATERIALIZED (SELECT game, max(n) AS last FROM (
        SELECT game, n FROM placed WHERE game >= ?1 AND game < ?2
        UNION ALL SELECT game, n FROM event WHERE {REST} AND game >= ?1 AND game < ?2) GROUP BY game)
    SELECT {EVENT.sqlite} FROM some CROSS JOIN placed ON placed.game = some.game AND placed.n IN (0, some.last)
    JOIN event USING(seq)
    UNION ALL SELECT {EVENT.sqlite} FROM event CROSS JOIN some ON some.game = event.game
    WHERE {REST} AND event.n IN (0, some.last) ORDER BY 2, 3""",
    f"""SELECT {EVENT.postgresql}
    FROM (SELECT game, max(n) AS last FROM event WHERE game >= ? AND game < ? GROUP BY game) AS ends
    JOIN event ON event.game = ends.game AND event.n IN (0, ends.last) ORDER BY event.game, event.n""",
)
#: The rows of some unfinished tables; for a table without a row there is one of NULL.
_UNFINISHED = Sql(
    f"""WITH some AS MATERIALIZED (SELECT game FROM live WHERE game > ?1 ORDER BY game LIMIT ?2)
    SELECT some.game, {EVENT.sqlite} FROM some LEFT JOIN placed ON placed.game = some.game AND placed.n < ?3
    LEFT JOIN event ON event.seq = placed.seq
    UNION ALL SELECT event.game, {EVENT.sqlite} FROM event CROSS JOIN some ON some.game = event.game
    WHERE {REST} AND event.n < ?3""",
    f"""SELECT listed.game, {EVENT.postgresql}
    FROM (SELECT game FROM live WHERE LISTED AND game > ? ORDER BY game LIMIT ?) AS listed
    LEFT JOIN event ON event.game = listed.game AND event.n < ?""",
    f"""SELECT some.game, {EVENT.sqlite} FROM (SELECT game FROM live WHERE game > ?1 ORDER BY game LIMIT ?2) AS some
    LEFT JOIN event ON event.game = some.game AND event.n < ?3""",
)
_BETWEEN = "SELECT game FROM live WHERE LISTED AND game BETWEEN ? AND ? ORDER BY game LIMIT ?"
#: Since when unfinished tables sleep, and who was told their end. Notes of all at once would be the most that a start keeps.
_NOTES = """
    SELECT coalesce(since, seconds), told FROM live CROSS JOIN uptime WHERE LISTED AND game BETWEEN ? AND ? ORDER BY game"""
_LAST_TABLE = Sql(
    f"SELECT max(coalesce((SELECT max(game) FROM placed), 0), coalesce((SELECT max(game) FROM event WHERE {REST}), 0))",
    "SELECT greatest((SELECT max(game) FROM event), (SELECT max(game) FROM live), 0)",
)
#: The rows behind those that are known. With the inner limit, the server looks each table up; it would read all rows else.
_AFTER = f"""
    SELECT {EVENT.postgresql} FROM unnest(?::int8[], ?::int4[]) AS known(game, n) CROSS JOIN LATERAL (
        SELECT {_P} FROM event WHERE event.game = known.game AND event.n > known.n ORDER BY event.n LIMIT ?
    ) AS event ORDER BY event.game, event.n LIMIT ?"""
#: The tables that other runs play, the newest ones, with their last rows. Behind row 0 their players may know of them.
_ELSEWHERE = """
    SELECT listed.game, last.n, last.at_ms
    FROM (SELECT game FROM live WHERE owner <> ? AND since IS NULL ORDER BY game DESC LIMIT ?) AS listed
    CROSS JOIN LATERAL (SELECT n, at_ms FROM event WHERE game = listed.game ORDER BY n DESC LIMIT 1) AS last
    WHERE last.n > 0 ORDER BY listed.game"""
_COUNT_ELSEWHERE = "SELECT count(*) FROM live WHERE owner <> ? AND since IS NULL"
_OPENINGS = f"SELECT {_P} FROM event WHERE game = ANY(?) AND n = 0"
#: The ends of chosen matches. CROSS JOIN has SQLite read the tables in this order. With the inner limit, PostgreSQL looks each
#: last row up.
_MATCHES = Sql(
    f"""SELECT {_FIRST.sqlite}, {_LAST.sqlite} FROM chosen CROSS JOIN finished ON finished.game = chosen.game
    CROSS JOIN event AS first ON first.seq = finished.first CROSS JOIN event AS last ON last.seq = finished.last""",
    f"""SELECT {_FIRST.postgresql}, {_LAST.postgresql}
    FROM chosen JOIN event AS first ON first.game = chosen.game AND first.n = 0
    CROSS JOIN LATERAL (SELECT {_P} FROM event WHERE event.game = chosen.game ORDER BY event.n DESC LIMIT 1) AS last""",
)
_CHOSEN = "SELECT game FROM listed WHERE name = ? AND rules = ? AND game < ? ORDER BY game DESC LIMIT ?"
#: The newest matches of a list, and a match.
_LIST, _MATCH = f"WITH chosen AS MATERIALIZED ({_CHOSEN})", "WITH chosen(game) AS (SELECT CAST(? AS bigint))"
LIST = Sql(*(f"{_LIST} {found} ORDER BY chosen.game DESC" for found in (_MATCHES.sqlite, _MATCHES.postgresql)))
MATCH = Sql(f"{_MATCH} {_MATCHES.sqlite}", f"{_MATCH} {_MATCHES.postgresql}")

#: Tables of which few rows, and tables of which all rows are read with one query.
LISTED_AT_ONCE, READ_AT_ONCE = 1000, 100
ALL_ROWS = 2**31 - 1


@define(eq=False)
class TableRows:
    """
    The tables of a store, in rows. What is read with one query is limited: a start does not need the memory for all tables.

    :param database: of either engine, for one thread
    :param epoch: in a database, of the run that asks; `None`: no other host writes to this store, or all tables are meant
    :param own: only the unfinished tables of that run are meant
    """

    _database: Readable
    epoch: int | None = None
    _own: bool = field(default=False, kw_only=True)

    def _query(self, sql: Sql | str, *parameters: Any) -> list[Any]:
        return self._database.rows(sql, parameters)

    def _listed(self, sql: Sql | str, *parameters: Any) -> list[Any]:
        """The rows of a query about the unfinished tables that are meant."""
        which = f"owner = {self.epoch:d}" if self._own else "true"
        if isinstance(sql, str):
            return self._query(sql.replace("LISTED", which), *parameters)
        return self._query(evolve(sql, postgresql=sql.postgresql.replace("LISTED", which)), *parameters)

    def rows(self, table: int) -> list[Row]:
        """All rows of a table, in order; none if there is no such table."""
        return sorted(map(Row._make, self._query(_ROWS, table)), key=itemgetter(2))

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        """The first and the last row of each table with a number from `low` up, and below `below`, in order."""
        return list(map(Row._make, self._query(_ENDS, low, below)))

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        """The rows behind those numbers, table by table and in order, and no more than `most`."""
        if self.epoch is None:
            return [row for table, n in sorted(last.items()) for row in self.rows(table)[n + 1 :]][:most]
        return list(map(Row._make, self._query(_AFTER, list(last), list(last.values()), most, most)))

    def elsewhere(self, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        """
        The tables of other hosts, as `Journal.elsewhere` finds them: the number of each, and the number and the time of its
        last row. And how many there are.
        """
        if self.epoch is None:
            return (), 0
        found = self._query(_ELSEWHERE, self.epoch, most)
        return [(TableId(row[0]), row[1], row[2]) for row in found], int(
            self._query(_COUNT_ELSEWHERE, self.epoch)[0][0]
        )

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        """The first row of each of these tables of a database."""
        return list(map(Row._make, self._query(_OPENINGS, list(tables))))

    def listed(self, name: str, rules: str, below: int, most: int) -> Sequence[Ends]:
        """The newest matches of a list, as `gamehost.storage.questions` has them, with numbers below `below`."""
        return _ends(self._query(LIST, name, rules, below, most))

    def finished(self, table: TableId) -> Ends | None:
        """The first and the last row of a finished match with this number; `None`: there is none."""
        return next(iter(_ends(self._query(MATCH, table))), None)

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is none."""
        return int(self._query(_LAST_TABLE)[0][0])

    def unfinished(self, first: int = ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        """Every unfinished table behind `after`, the oldest first, with its rows, or only so many first ones of each."""
        at_once = READ_AT_ONCE if first == ALL_ROWS else LISTED_AT_ONCE
        while some := self._listed(_UNFINISHED, after, at_once, first):
            some.sort(key=lambda row: (row[0], -1 if row[3] is None else row[3]))
            for table, own in groupby(some, key=itemgetter(0)):
                yield table, [row[1:] for row in own if row[3] is not None]
            after = some[-1][0]

    def unfinished_between(self, low: int, high: int, most: int) -> list[int]:
        """The numbers of unfinished tables from `low` to `high`, in order, and no more than `most`."""
        return [row[0] for row in self._listed(_BETWEEN, low, high, most)]

    def notes_between(self, low: int, high: int) -> list[tuple[int, int]]:
        """Of the unfinished tables from `low` to `high`: since when each sleeps, and the bits of the seats that were told."""
        return self._listed(_NOTES, low, high)


def _ends(rows: Iterable[Sequence[Any]]) -> list[Ends]:
    return [Ends(Row._make(row[:_WIDTH]), Row._make(row[_WIDTH:])) for row in rows]
