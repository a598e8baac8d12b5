"""
Reading an open store: the SQL of each query for SQLite and for PostgreSQL, the index of finished matches, the questions
that people ask, and the thread that answers them.

In an SQLite file, the index `placed` has the places of each table's rows. New rows are added to it in steps. The few
rows that are not in it yet are at the end of the journal, and are searched one by one. PostgreSQL has an index of its
own instead.

A question never delays a change: another thread, with another connection, answers one question at a time. The answer
contains everything that was durable when the question was put. If the store cannot be read, the answer is empty, and
the reason is in the log. The host continues: only the writer decides that a disk has failed.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

from attrs import define, evolve, field, frozen

from gamehost.accounts.names import key_of
from gamehost.journal.records import (
    RATED_MATCHES,
    Entry,
    EntryKind,
    FinishedMatch,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
)
from gamehost.storage.row_codec import (
    Damaged,
    Opened,
    Row,
    Undecodable,
    chain_of,
    finishes,
    read_entries,
    read_entry,
    read_opening,
    record_of,
)

# Queries with their SQL.


@frozen
class Sql:
    """
    A statement with one text for each engine. Parameters are question marks in both; in SQLite they may have numbers.
    """

    sqlite: str
    postgresql: str


class Readable(Protocol):
    """A connection that can read, of either engine. A statement that is the same for both engines is a plain text."""

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of a query. Each is a tuple."""


class Database(Readable, Protocol):
    """A connection that can read and write, of either engine."""

    def stream(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, read some at a time. Must be called within a transaction."""

    def run(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> object:
        """Carry out a statement."""

    def run_many(self, sql: Sql | str, rows: Iterable[Sequence[Any]]) -> object:
        """Carry out a statement once for each row of parameters."""


class Ends(NamedTuple):
    """A finished match as two rows of `event`: its first and its last row."""

    first: Row
    last: Row


#: The columns of `event` in the order of `Row`. In PostgreSQL the number of the host's run takes the place of the row's
#: number.
COLUMNS = Sql(
    "seq, game, n, at_ms, kind, seat, body, h",
    "epoch, game, n, at_ms, kind, seat, body, h",
)


def _of(table: str) -> Sql:
    """The columns of `event`, prefixed with a name."""
    names = [", ".join(f"{table}.{one}" for one in text.split(", ")) for text in (COLUMNS.sqlite, COLUMNS.postgresql)]
    return Sql(*names)


_S, _P = COLUMNS.sqlite, COLUMNS.postgresql
EVENT, _FIRST, _LAST = _of("event"), _of("first"), _of("last")
#: SQL condition for the rows of an SQLite file that are not in `placed` yet.
REST = "event.seq > (SELECT seq FROM placed_to)"
_WIDTH = len(Row._fields)

EVERYTHING = Sql(f"SELECT {_S} FROM event ORDER BY game, n", f"SELECT {_P} FROM event ORDER BY game, n")
#: The first and the last row of each table, in order. Reads all rows, and uses no index of ours.
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
)
#: The first and the last row of each table with a number from the first parameter up to, but not including, the second.
#: PostgreSQL looks up each of these rows in its index.
ENDS = Sql(
    f"""WITH some AS MATERIALIZED (SELECT game, max(n) AS last FROM (
        SELECT game, n FROM placed WHERE game >= ?1 AND game < ?2
        UNION ALL SELECT game, n FROM event WHERE {REST} AND game >= ?1 AND game < ?2) GROUP BY game)
    SELECT {EVENT.sqlite} FROM some CROSS JOIN placed ON placed.game = some.game AND placed.n IN (0, some.last)
    JOIN event USING(seq)
    UNION ALL SELECT {EVENT.sqlite} FROM event CROSS JOIN some ON some.game = event.game
    WHERE {REST} AND event.n IN (0, some.last) ORDER BY 2, 3""",
    f"""WITH RECURSIVE bounds(low, below) AS (SELECT CAST(? AS bigint), CAST(? AS bigint)), numbers(game) AS (
        SELECT (SELECT min(game) FROM event WHERE game >= low AND game < below) FROM bounds
        UNION ALL SELECT (SELECT min(event.game) FROM event WHERE event.game > numbers.game AND event.game < below)
        FROM numbers CROSS JOIN bounds WHERE numbers.game IS NOT NULL
    ) SELECT {EVENT.postgresql} FROM numbers CROSS JOIN LATERAL (
        (SELECT {_P} FROM event WHERE event.game = numbers.game AND event.n = 0)
        UNION ALL SELECT * FROM (SELECT {_P} FROM event WHERE event.game = numbers.game ORDER BY n DESC LIMIT 1) AS last
        WHERE last.n > 0
    ) AS event WHERE numbers.game IS NOT NULL ORDER BY event.game, event.n""",
)
#: The rows of some unfinished tables. A table without rows gives one row of NULL.
_UNFINISHED = Sql(
    f"""WITH some AS MATERIALIZED (SELECT game FROM live WHERE game > ?1 ORDER BY game LIMIT ?2)
    SELECT some.game, {EVENT.sqlite} FROM some LEFT JOIN placed ON placed.game = some.game AND placed.n < ?3
    LEFT JOIN event ON event.seq = placed.seq
    UNION ALL SELECT event.game, {EVENT.sqlite} FROM event CROSS JOIN some ON some.game = event.game
    WHERE {REST} AND event.n < ?3""",
    f"""SELECT listed.game, {EVENT.postgresql}
    FROM (SELECT game FROM live WHERE LISTED AND game > ? ORDER BY game LIMIT ?) AS listed
    LEFT JOIN event ON event.game = listed.game AND event.n < ?""",
)
_BETWEEN = "SELECT game FROM live WHERE LISTED AND game BETWEEN ? AND ? ORDER BY game LIMIT ?"
#: The notes of some unfinished tables: since when each sleeps, and the seats that have received the end. Not of all
#: tables at once: they would need more memory than everything else at a start.
_NOTES = """
    SELECT coalesce(since, seconds), told, due FROM live CROSS JOIN uptime
    WHERE LISTED AND game BETWEEN ? AND ? ORDER BY game"""
_LAST_TABLE = Sql(
    f"SELECT max(coalesce((SELECT max(game) FROM placed), 0), coalesce((SELECT max(game) FROM event WHERE {REST}), 0))",
    "SELECT greatest((SELECT max(game) FROM event), (SELECT max(game) FROM live), 0)",
)
#: The numbers of the newest tables; below, the lowest number of all tables. PostgreSQL looks up each next lower number:
#: with DISTINCT, and without statistics, it would read all rows.
NEWEST = Sql(
    f"""SELECT game FROM (SELECT DISTINCT game FROM placed ORDER BY game DESC LIMIT ?1)
    UNION SELECT game FROM event WHERE {REST} ORDER BY game DESC LIMIT ?1""",
    """WITH RECURSIVE newest(game) AS (
        SELECT max(game) FROM event
        UNION ALL SELECT (SELECT max(game) FROM event WHERE event.game < newest.game) FROM newest WHERE game IS NOT NULL
    ) SELECT game FROM newest WHERE game IS NOT NULL LIMIT ?""",
)
FIRST_TABLE = Sql(
    f"SELECT coalesce((SELECT min(game) FROM placed), (SELECT min(game) FROM event WHERE {REST}))",
    "SELECT min(game) FROM event",
)
#: The rows after the known rows of some tables. The inner limit makes PostgreSQL look up each table instead of reading
#: all rows.
_AFTER = f"""
    SELECT {EVENT.postgresql} FROM unnest(?::int8[], ?::int4[]) AS known(game, n) CROSS JOIN LATERAL (
        SELECT {_P} FROM event WHERE event.game = known.game AND event.n > known.n ORDER BY event.n LIMIT ?
    ) AS event ORDER BY event.game, event.n LIMIT ?"""
#: The newest tables that other hosts play, with their last rows. Tables that have only row 0 are left out: their
#: players know nothing of them yet.
_ELSEWHERE = """
    SELECT listed.game, last.n, last.at_ms
    FROM (SELECT game FROM live WHERE owner <> ? AND since IS NULL ORDER BY game DESC LIMIT ?) AS listed
    CROSS JOIN LATERAL (SELECT n, at_ms FROM event WHERE game = listed.game ORDER BY n DESC LIMIT 1) AS last
    WHERE last.n > 0 ORDER BY listed.game"""
_COUNT_ELSEWHERE = "SELECT count(*) FROM live WHERE owner <> ? AND since IS NULL"
_OPENINGS = f"SELECT {_P} FROM event WHERE game = ANY(?) AND n = 0"
#: The first and the last rows of chosen matches. CROSS JOIN makes SQLite read the tables in this order. The inner limit
#: makes PostgreSQL look up each last row.
_MATCHES = Sql(
    f"""SELECT {_FIRST.sqlite}, {_LAST.sqlite} FROM chosen CROSS JOIN finished ON finished.game = chosen.game
    CROSS JOIN event AS first ON first.seq = finished.first CROSS JOIN event AS last ON last.seq = finished.last""",
    f"""SELECT {_FIRST.postgresql}, {_LAST.postgresql}
    FROM chosen JOIN event AS first ON first.game = chosen.game AND first.n = 0
    CROSS JOIN LATERAL (SELECT {_P} FROM event WHERE event.game = chosen.game ORDER BY event.n DESC LIMIT 1) AS last""",
)
_CHOSEN = "SELECT game FROM listed WHERE name = ? AND rules = ? AND game < ? ORDER BY game DESC LIMIT ?"
#: `LIST` finds the newest matches of a list, `MATCH` finds one match.
_LIST, _MATCH = f"WITH chosen AS MATERIALIZED ({_CHOSEN})", "WITH chosen(game) AS (SELECT CAST(? AS bigint))"
LIST = Sql(*(f"{_LIST} {found} ORDER BY chosen.game DESC" for found in (_MATCHES.sqlite, _MATCHES.postgresql)))
MATCH = Sql(f"{_MATCH} {_MATCHES.sqlite}", f"{_MATCH} {_MATCHES.postgresql}")

#: How many tables are read with one query: if a few rows of each are read, and if all rows are read.
LISTED_AT_ONCE, READ_AT_ONCE = 1000, 100
ALL_ROWS = 2**31 - 1


@define(eq=False)
class TableRows:
    """
    Reads the rows of tables. Each query reads a limited number of tables, so that a start needs little memory.

    :param database: a connection of either engine; only one thread may use it
    :param epoch: in a database, the number of this host's run; `None`: the store has no other host, or all hosts are
        meant
    :param own: whether only the unfinished tables of this run are read
    """

    _database: Readable
    epoch: int | None = None
    _own: bool = field(default=False, kw_only=True)

    def _query(self, sql: Sql | str, *parameters: Any) -> list[Any]:
        return self._database.rows(sql, parameters)

    def _listed(self, sql: Sql | str, *parameters: Any) -> list[Any]:
        """
        The rows of a query in which the word LISTED stands for a condition: which tables are to be read. In a database,
        these may be only the tables of this host.
        """
        which = f"owner = {self.epoch:d}" if self._own else "true"
        if isinstance(sql, str):
            return self._query(sql.replace("LISTED", which), *parameters)
        return self._query(evolve(sql, postgresql=sql.postgresql.replace("LISTED", which)), *parameters)

    def rows(self, table: int) -> list[Row]:
        """All rows of a table, in order; empty if there is no such table."""
        return sorted(map(Row._make, self._query(_ROWS, table)), key=itemgetter(2))

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        """
        The first and the last row of each table with a number from `low` up to, but not including, `below`; in order.
        """
        return list(map(Row._make, self._query(ENDS, low, below)))

    def newest(self, most: int) -> tuple[Sequence[Row], int]:
        """
        The first and the last row of each of the newest tables, in order; and an upper limit for the number of older
        tables, which may count removed tables. This takes the same time in a large store as in a small one.
        """
        newest = self._query(NEWEST, most)
        if not newest:
            return (), 0
        # The newest table is the first one.
        low, high = newest[-1][0], newest[0][0]
        return self.first_and_last(low, high + 1), low - self._query(FIRST_TABLE)[0][0]

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        """The rows of some tables after the numbers in `last`, table by table and in order; at most `most` rows."""
        # A file: only its own host reads it, so these rows are few. An entry's number is its place in the list.
        if self.epoch is None:
            return [row for table, n in sorted(last.items()) for row in self.rows(table)[n + 1 :]][:most]
        return list(map(Row._make, self._query(_AFTER, list(last), list(last.values()), most, most)))

    def elsewhere(self, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        """
        The tables that other hosts play, for `Journal.elsewhere`: the number of each, and the number and the time of
        its last row. The second value is how many such tables there are.
        """
        # A file has one host only.
        if self.epoch is None:
            return (), 0
        found = self._query(_ELSEWHERE, self.epoch, most)
        count = self._query(_COUNT_ELSEWHERE, self.epoch)[0][0]
        return [(TableId(table), n, at_ms) for table, n, at_ms in found], int(count)

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        """The first row of each of these tables. Only for PostgreSQL."""
        return list(map(Row._make, self._query(_OPENINGS, list(tables))))

    def listed(self, name: str, rules: str, below: int, most: int) -> Sequence[Ends]:
        """The newest matches of a list of `MatchLists` with numbers below `below`; at most `most` matches."""
        return _ends(self._query(LIST, name, rules, below, most))

    def finished(self, table: TableId) -> Ends | None:
        """The first and the last row of the finished match with this number; `None`: there is no such match."""
        return next(iter(_ends(self._query(MATCH, table))), None)

    @property
    def last_table(self) -> int:
        """The highest number of a table; 0: there is no table."""
        return int(self._query(_LAST_TABLE)[0][0])

    def unfinished(self, first: int = ALL_ROWS, after: int = 0) -> Iterator[tuple[int, list[Any]]]:
        """The unfinished tables with numbers above `after`, the oldest first, each with its first `first` rows."""
        at_once = READ_AT_ONCE if first == ALL_ROWS else LISTED_AT_ONCE
        # Column 0 of the query is the number of the table, and column 3 the number of the row. A table that has no rows
        # is there once, with `None` in column 3.
        while some := self._listed(_UNFINISHED, after, at_once, first):
            some.sort(key=lambda row: (row[0], -1 if row[3] is None else row[3]))
            for table, own in groupby(some, key=itemgetter(0)):
                yield table, [row[1:] for row in own if row[3] is not None]
            after = some[-1][0]

    def unfinished_between(self, low: int, high: int, most: int) -> list[int]:
        """The numbers of the unfinished tables from `low` to `high`, in order; at most `most` numbers."""
        return [row[0] for row in self._listed(_BETWEEN, low, high, most)]

    def notes_between(self, low: int, high: int) -> list[tuple[int, int, int | None]]:
        """
        The notes of the unfinished tables from `low` to `high`: since when each sleeps, the bits of the seats that have
        received the end, and `UnfinishedTable.due`.
        """
        return self._listed(_NOTES, low, high)


def _ends(rows: Iterable[Sequence[Any]]) -> list[Ends]:
    return [Ends(Row._make(row[:_WIDTH]), Row._make(row[_WIDTH:])) for row in rows]


# Questions.


T = TypeVar("T")

#: How many rows one answer of `read_entries_after` may have. Reading them takes about 10 ms.
MOST_ROWS = 2000
#: How many matches one answer of `find_finished` may have. Reading them takes about 2 ms.
MOST_MATCHES = 100


#: The highest possible table number: the integers of a store have 64 bits.
HIGHEST = 2**63 - 1
#: The names of lists are cut to this length. Names of players and games are much shorter.
_LONGEST = 200
#: How many matches are added together when the index is made.
_AT_ONCE = 500

_ADD = "INSERT INTO listed(name, rules, game) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_REMOVE = "DELETE FROM listed WHERE name = ? AND rules = ? AND game = ?"
#: In an SQLite file the index also has the places of the first and the last row of a match. PostgreSQL finds them by
#: the match's number.
_ADD_ENDS = Sql("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", "")
_REMOVE_ENDS = Sql("DELETE FROM finished WHERE game = ?", "")
#: All entries of the index, match by match.
_FOUND = Sql(
    "SELECT game, name, rules FROM listed UNION ALL SELECT game, first, last FROM finished ORDER BY 1",
    "SELECT game, name, rules FROM listed ORDER BY game",
)


@frozen
class Ended:
    """A finished match, as the index of finished matches needs it."""

    table: int
    #: The numbers of its first and of its last row in the store.
    first: int
    last: int
    opening: TableHeader


def list_key(text: str) -> str:
    """A part of a list's name, cut and changed so that every database can store it."""
    return text[:_LONGEST].encode("utf-8", "replace").decode().replace("\0", "?")


def lists_of(opening: TableHeader) -> list[tuple[str, str]]:
    """
    The lists that contain a match. A list is named by the key of a player, or `RATED_MATCHES`, and by a game; an empty
    text means all players or all games.
    """
    # A match with a code is private.
    if opening.code:
        return []
    # `""`: the list of all players.
    names = {"", *(list_key(key_of(seat.name)) for seat in opening.seats), *([RATED_MATCHES] if opening.rated else [])}
    return [(name, rules) for name in sorted(names) for rules in sorted({"", list_key(opening.game)})]


def match_of(ends: Ends) -> FinishedMatch | None:
    """The finished match of these two rows; `None`: the match is not finished, or another release wrote the rows."""
    first, last = ends
    # Row 0 is missing, or it is the only row.
    if first.n != 0 or last.n == 0:
        return None
    try:
        entry = read_entry(last)
        if not finishes(entry) or entry.kind is EntryKind.ARCHIVED:
            return None
        return FinishedMatch(TableId(first.game), first.at_ms, read_opening(first), last.n, entry)
    except Undecodable:
        return None


def ended_among(rows: Iterable[Row]) -> Iterator[Ended]:
    """
    The matches with a result among some tables. Matches that another release wrote are left out.

    :param rows: the first and the last row of each table, in order
    """
    for _, some in groupby(rows, key=attrgetter("game")):
        own = list(some)
        first, last = own[0], own[-1]
        if (match := match_of(Ends(first, last))) is not None:
            yield Ended(first.game, first.seq, last.seq, match.opening)


def opened_in(rows: Sequence[Row]) -> Opened | None:
    """The opening of a table in its rows; `None`: row 0 is missing, or another release wrote it."""
    try:
        return (rows[0].seq, read_opening(rows[0])) if rows and rows[0].n == 0 else None
    except Undecodable:
        return None


@frozen
class MatchLists:
    """
    The index of finished matches. A match is in several lists: of all matches, of its game, of each player, and of each
    player in this game. So every list is a range of one index of the database, and is found quickly in a large store. A
    private match is in no list. The commit that ends a match adds the match to the index. The whole index can be made
    again from the rows. Changes must be made within a transaction.

    :param has_ends: whether the index also has the places of the first and the last row of a match, as in SQLite files
    """

    database: Database
    has_ends: bool = False

    def add(self, ended: Iterable[Ended]) -> None:
        """Add matches to their lists."""
        ended = list(ended)
        if ended and self.has_ends:
            self.database.run_many(_ADD_ENDS, [(one.table, one.first, one.last) for one in ended])
        if rows := _rows_of(ended):
            self.database.run_many(_ADD, rows)

    def remove(self, ended: Iterable[Ended]) -> None:
        """Remove matches from their lists."""
        ended = list(ended)
        if ended and self.has_ends:
            self.database.run_many(_REMOVE_ENDS, [(one.table,) for one in ended])
        if rows := _rows_of(ended):
            self.database.run_many(_REMOVE, rows)

    def make(self) -> None:
        """Fill the empty index from the rows of all tables."""
        ended = self._all_ended()
        # In blocks, because there can be millions of matches.
        while some := list(islice(ended, _AT_ONCE)):
            self.add(some)

    def faults(self) -> list[str]:
        """The faults of the index, one sentence each. It must have every match with a result, and no other."""
        comparison = ListComparison(self)
        for one in self._all_ended():
            comparison.follow(one)
        return comparison.faults()

    def _all_ended(self) -> Iterator[Ended]:
        return ended_among(map(Row._make, self.database.stream(ALL_ENDS)))


@define(eq=False)
class ListComparison:
    """Compares the index with the rows. The caller reads the rows, and calls `follow` for each match with a result."""

    _lists: MatchLists
    #: How many entries the index has, how many it must have, and how many are right.
    _found: int = 0
    _expected: int = 0
    _right: int = 0
    _entries: Iterator[tuple[int, Iterator[Any]]] = field(init=False)
    #: The number of the next match in the index, and its entries.
    _next: tuple[int, list[tuple[str | int, str | int]]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._entries = groupby(self._lists.database.stream(_FOUND), key=itemgetter(0))
        self._next = _next(self._entries)

    def follow(self, one: Ended) -> None:
        """Compare one match with the index. Must be called in the order of the matches' numbers."""
        wanted: set[tuple[str | int, str | int]] = set(lists_of(one.opening))
        if self._lists.has_ends:
            wanted.add((one.first, one.last))
        # Entries of earlier matches should not be in the index. Then the next match in the index is this one, or this
        # one is missing there.
        self._skip_to(one.table)
        number, own = self._next
        self._expected += len(wanted)
        self._right += len(wanted.intersection(own)) if number == one.table else 0

    def faults(self) -> list[str]:
        """The faults, one sentence each. To be called after the last match."""
        self._skip_to(HIGHEST + 1)
        found, right, expected = self._found, self._right, self._expected
        if found == right == expected:
            return []
        return [f"the index of finished matches has {found} entries, {right} of them right, and must have {expected}"]

    def _skip_to(self, table: int) -> None:
        """Skip the entries of matches with lower numbers. They are counted, and not right."""
        number, own = self._next
        while number < table:
            self._found += len(own)
            number, own = self._next = _next(self._entries)


def _rows_of(ended: Iterable[Ended]) -> list[tuple[str, str, int]]:
    """The rows of the index for some matches."""
    return [(*one_list, one.table) for one in ended for one_list in lists_of(one.opening)]


def _next(entries: Iterator[tuple[int, Iterator[Any]]]) -> tuple[int, list[tuple[str | int, str | int]]]:
    """The number of the next match in the index, and its entries; at the end, a number above `HIGHEST`."""
    number, own = next(entries, (HIGHEST + 1, iter(())))
    return number, [entry[1:] for entry in own]


def read_record(tables: TableRows, table: TableId) -> TableRecord | str:
    """The record of a table, only for reading, or the reason why it cannot be read."""
    rows = tables.rows(table)
    try:
        return f"table {table}: all of its rows are missing" if chain_of(rows) is None else record_of(rows)
    except (Damaged, Undecodable) as error:
        return str(error)


def read_rows(tables: TableRows, table: TableId) -> Sequence[Row]:
    """All rows of a table, for `DurableJournal.read_rows`."""
    return tables.rows(table)


def read_ends(tables: TableRows, low: int, below: int) -> Sequence[Row]:
    """The first and the last rows of tables, for `DurableJournal.read_ends`."""
    return tables.first_and_last(low, below)


def read_newest(tables: TableRows, most: int) -> tuple[Sequence[Row], int]:
    """The newest tables, for `DurableJournal.read_newest`."""
    return tables.newest(most)


def find_elsewhere(tables: TableRows, known: Collection[TableId], most: int) -> tuple[Sequence[TableElsewhere], int]:
    """
    The tables that other hosts play, for `Journal.elsewhere`, and how many there are.

    :param known: tables with openings that the caller has already; they are not read again
    """
    others, count = tables.elsewhere(most)
    new = [table for table, _, _ in others if table not in known]
    openings = {}
    for row in tables.openings(new) if new else ():
        with suppress(Undecodable):  # another release wrote it
            openings[row.game] = read_opening(row)
    # A table with an opening that cannot be read is left out.
    found = [
        TableElsewhere(table, n, at, openings.get(table))
        for table, n, at in others
        if table in known or table in openings
    ]
    return found, count


def read_entries_after(tables: TableRows, last: Mapping[TableId, int]) -> Mapping[TableId, Sequence[Entry] | str]:
    """The newest entries of tables, for `Journal.entries_after`."""
    found: dict[TableId, Sequence[Entry] | str] = {}
    for game, rows in groupby(tables.rows_after(last, MOST_ROWS), key=attrgetter("game")):
        try:
            found[TableId(game)] = [entry for row in rows for entry in read_entries(row)]
        except Undecodable as error:
            found[TableId(game)] = str(error)
    return found


def find_finished(
    tables: TableRows, below: int | None, count: int, game: str = "", name: str = ""
) -> tuple[Sequence[FinishedMatch], int]:
    """Finished matches, for `Journal.finished`, and the lowest table number that the answer covers."""
    count, low = min(count, MOST_MATCHES), 1
    highest = HIGHEST if below is None else min(below, HIGHEST)
    # One match more than wanted shows whether older matches exist. Without them, the answer covers all numbers from 1.
    some = tables.listed(list_key(key_of(name)), list_key(game), highest, count + 1)
    if len(some) > count:
        some = some[:count]
        low = some[-1].first.game
    return [match for match in map(match_of, some) if match is not None], low


def find_match(tables: TableRows, table: TableId) -> FinishedMatch | None:
    """A finished match, for `Journal.match`."""
    found = tables.finished(table) if 0 < table <= HIGHEST else None
    return None if found is None else match_of(found)


#: After each answer, the reader waits as long as the answer has taken, but at most this many seconds.
LONGEST_REST = 0.1


class ReadableStore(Protocol):
    """An open store, as the reader's thread uses it."""

    @property
    def tables(self) -> TableRows:
        """The object that reads the rows of tables."""

    def interrupt(self) -> None:
        """Cancel the current query. May be called on any thread."""

    def close(self) -> None:
        """Close the connection."""


@define(eq=False)
class Reader:
    """
    The thread that answers the questions of people, with its queue. `start` and `put` must be called on the reactor's
    thread; `end` may be called on any thread.
    """

    _store: ReadableStore
    #: Calls a function on the reactor's thread, in the order of the calls.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called on the reactor's thread, with a text for the log, when a question could not be answered.
    _warn: Callable[[str], None]
    #: The questions: the function that reads, the function to call with the answer, and the answer if the store cannot
    #: be read.
    _queue: "SimpleQueue[tuple[partial[Any], Callable[[Any], None], Any] | None]" = field(factory=SimpleQueue)
    #: How many questions are not answered yet. Used on the reactor's thread only.
    waiting: int = 0
    _ending: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._live, name="gamehost-reader", daemon=True)
        self._thread.start()

    def put(self, answered: Callable[[T], None], otherwise: T, ask: "partial[T]") -> None:
        """
        Queue a question. Returns at once.

        :param answered: called on the reactor's thread with the answer
        :param otherwise: the answer if the store cannot be read
        :param ask: called on the reader's thread with the `TableRows`; returns the answer
        """
        self.waiting += 1
        self._queue.put((ask, answered, otherwise))

    def end(self) -> None:
        """
        Cancel the current query, drop all other questions, close the store, and wait until the thread has ended. The
        dropped questions get their empty answers.
        """
        self._ending.set()
        self._store.interrupt()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _live(self) -> None:
        """The body of the thread: answer one question after the other until `end`."""
        while (asked := self._queue.get()) is not None:
            ask, answered, answer = asked
            begun = perf_counter()
            # After `end`, the remaining questions get their empty answers, which `put` has received.
            if not self._ending.is_set():
                try:
                    answer = ask(self._store.tables)
                except Exception as error:
                    if not self._ending.is_set():
                        what = f"{ask.func.__name__} was not answered: {type(error).__name__}: {error}"
                        self._from_thread(partial(self._warn, what))
            self._from_thread(partial(self._answer, answered, answer))
            # Leave the interpreter and the disk free for moves for at least half of the time, however many questions
            # wait.
            self._ending.wait(min(perf_counter() - begun, LONGEST_REST))
        self._store.close()

    def _answer(self, answered: Callable[[Any], None], answer: Any) -> None:
        self.waiting -= 1
        answered(answer)
