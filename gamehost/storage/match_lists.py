"""
The index of finished matches: which ones there are, and in which lists each is.

A match is in the list of all matches, in that of its game, in that of each player, and in that of each player in its game. So
every list is a range of one index, however large the store is. A private match is in no list.

An entry is written with the commit that ends a match. The whole index can be made again from the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from attrs import frozen

from gamehost.accounts.names import key_of
from gamehost.journal.records import EntryKind, FinishedMatch, TableHeader, TableId
from gamehost.storage.database import Connection
from gamehost.storage.row_codec import Opened, Row, Undecodable, finishes, read_entry, read_opening
from gamehost.storage.table_index import COLUMNS, Index

#: No table has a higher number: the integers of a store have 64 bits.
HIGHEST = 2**63 - 1
#: Longer texts than this are not told apart. Names and games are much shorter.
_LONGEST = 200
#: Tables that are read together when the index is made or checked.
_TABLES = 500

_FIRST = ", ".join(f"first.{column}" for column in COLUMNS.split(", "))
_LAST = ", ".join(f"last.{column}" for column in COLUMNS.split(", "))
_WIDTH = len(Row._fields)
#: CROSS JOIN has SQLite read the tables in this order.
ENDS = f"""
    SELECT {_FIRST}, {_LAST} FROM chosen CROSS JOIN finished ON finished.game = chosen.game
    CROSS JOIN event AS first ON first.seq = finished.first CROSS JOIN event AS last ON last.seq = finished.last"""
LIST = f"""
    WITH chosen AS MATERIALIZED (
        SELECT game FROM listed WHERE name = ? AND rules = ? AND game < ? ORDER BY game DESC LIMIT ?
    ) {ENDS} ORDER BY chosen.game DESC"""
MATCH = f"WITH chosen(game) AS (VALUES (?)) {ENDS}"
_COUNTS = "SELECT (SELECT count(*) FROM finished), (SELECT count(*) FROM listed)"


class Ends(NamedTuple):
    """The first and the last row of a finished match."""

    first: Row
    last: Row


@frozen
class Ended:
    """A match that has a result."""

    table: int
    #: The numbers of its first and of its last row.
    first: int
    last: int
    opening: TableHeader


def list_key(text: str) -> str:
    """The text of a list as every database can keep it."""
    return text[:_LONGEST].encode("utf-8", "replace").decode().replace("\0", "?")


def lists_of(opening: TableHeader) -> list[tuple[str, str]]:
    """The lists that a match is in: the key of a player's name, and the name of the game; empty: of all."""
    if opening.code:
        return []
    names = {"", *(list_key(key_of(seat.name)) for seat in opening.seats)}
    return [(name, rules) for name in sorted(names) for rules in sorted({"", list_key(opening.game)})]


def match_of(ends: Ends) -> FinishedMatch | None:
    """A match from its first and its last row; `None`: these are not of a finished match, or another release wrote them."""
    first, last = ends
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
    The matches that have a result. Those that another release wrote are left out.

    :param rows: the first and the last row of each table, in order
    """
    for _, some in groupby(rows, key=attrgetter("game")):
        first, last = (own := list(some))[0], own[-1]
        if (match := match_of(Ends(first, last))) is not None:
            yield Ended(first.game, first.seq, last.seq, match.opening)


def add_ended(connection: Connection, ended: Iterable[Ended]) -> None:
    """Note matches that have ended. Within a transaction."""
    for one in ended:
        connection.execute("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", (one.table, one.first, one.last))
        rows = [(*one_list, one.table) for one_list in lists_of(one.opening)]
        connection.executemany("INSERT OR IGNORE INTO listed VALUES (?, ?, ?)", rows)


def make_lists(connection: Connection) -> None:
    """Make the whole index from the rows. Within a transaction."""
    for ended in _all_ended(connection):
        add_ended(connection, ended)


def drop_missing(connection: Connection) -> None:
    """Take the matches out whose rows are gone. Within a transaction."""
    connection.execute("DELETE FROM finished WHERE first NOT IN (SELECT seq FROM event)")
    connection.execute("DELETE FROM listed WHERE game NOT IN (SELECT game FROM finished)")


def list_faults(connection: Connection) -> list[str]:
    """The faults, one sentence each: the index must have every match that has a result, and no other."""
    expected = right = 0
    for some in _all_ended(connection):
        for one in some:
            lists = lists_of(one.opening)
            expected += 1 + len(lists)
            found = connection.execute("SELECT first, last FROM finished WHERE game = ?", (one.table,)).fetchone()
            right += found == (one.first, one.last)
            for names in lists:
                sql = "SELECT count(*) FROM listed WHERE name = ? AND rules = ? AND game = ?"
                right += connection.execute(sql, (*names, one.table)).fetchone()[0]
    return faults_in_words(sum(connection.execute(_COUNTS).fetchone()), right, expected)


def faults_in_words(found: int, right: int, expected: int) -> list[str]:
    """
    :param found: how many entries the index has
    :param right: how many of them are right
    :param expected: how many it must have
    """
    if found == right == expected:
        return []
    return [f"the index of finished matches has {found} entries, {right} of them right, and must have {expected}"]


def _all_ended(connection: Connection) -> Iterator[list[Ended]]:
    """All matches that have a result, some at a time."""
    index = Index(connection)
    index.load()
    for low in range(0, index.last_table + 1, _TABLES):
        rows = index.first_and_last(low, low + _TABLES)
        yield list(ended_among(map(Row._make, rows)))


def opened_in(rows: Sequence[Row]) -> Opened | None:
    """How a table was opened, from its rows; `None`: another release wrote that."""
    try:
        return (rows[0].seq, read_opening(rows[0])) if rows and rows[0].n == 0 else None
    except Undecodable:
        return None


def ends_in(rows: Iterable[Sequence[object]]) -> list[Ends]:
    """The ends of matches, as a query of the columns of two rows gives them."""
    return [Ends(Row._make(row[:_WIDTH]), Row._make(row[_WIDTH:])) for row in rows]
