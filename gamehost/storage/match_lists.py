"""
The index of finished matches: which ones there are, and in which lists each is.

A match is in the list of all matches, in that of its game, in that of each player, and in that of each player in its game. So
every list is a range of one index, however large the store is. A private match is in no list.

An entry is written with the commit that ends a match. The whole index can be made again from the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from typing import Any

from attrs import frozen

from gamehost.accounts.names import key_of
from gamehost.journal.records import EntryKind, FinishedMatch, TableHeader, TableId
from gamehost.storage.reads import ALL_ENDS, Database, Ends, Sql
from gamehost.storage.row_codec import Opened, Row, Undecodable, finishes, read_entry, read_opening

#: No table has a higher number: the integers of a store have 64 bits.
HIGHEST = 2**63 - 1
#: Longer texts than this are not told apart. Names and games are much shorter.
_LONGEST = 200
#: Matches that are noted together when the index is made.
_AT_ONCE = 500

_ADD = "INSERT INTO listed(name, rules, game) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_REMOVE = "DELETE FROM listed WHERE name = ? AND rules = ? AND game = ?"
#: Where an SQLite file has the first and the last row of a match. A database finds them by the match's number.
_ADD_ENDS = Sql("INSERT OR REPLACE INTO finished VALUES (?, ?, ?)", "")
_REMOVE_ENDS = Sql("DELETE FROM finished WHERE game = ?", "")
#: Everything in the index, match by match.
_FOUND = Sql(
    "SELECT game, name, rules FROM listed UNION ALL SELECT game, first, last FROM finished ORDER BY 1",
    "SELECT game, name, rules FROM listed ORDER BY game",
)


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


def opened_in(rows: Sequence[Row]) -> Opened | None:
    """How a table was opened, from its rows; `None`: another release wrote that."""
    try:
        return (rows[0].seq, read_opening(rows[0])) if rows and rows[0].n == 0 else None
    except Undecodable:
        return None


@frozen
class MatchLists:
    """
    The index of a store. What is changed is changed within a transaction.

    :param has_ends: whether the store notes where the first and the last row of a match are, as SQLite files do
    """

    database: Database
    has_ends: bool

    def add(self, ended: Iterable[Ended]) -> None:
        """Note matches that have ended."""
        ended = list(ended)
        if ended and self.has_ends:
            self.database.run_many(_ADD_ENDS, [(one.table, one.first, one.last) for one in ended])
        if rows := _rows_of(ended):
            self.database.run_many(_ADD, rows)

    def remove(self, ended: Iterable[Ended]) -> None:
        """Take matches out."""
        ended = list(ended)
        if ended and self.has_ends:
            self.database.run_many(_REMOVE_ENDS, [(one.table,) for one in ended])
        if rows := _rows_of(ended):
            self.database.run_many(_REMOVE, rows)

    def make(self) -> None:
        """Make the whole index from the rows."""
        ended = self._all_ended()
        while some := list(islice(ended, _AT_ONCE)):
            self.add(some)

    def faults(self) -> list[str]:
        """The faults, one sentence each: the index must have every match that has a result, and no other."""
        found = expected = right = 0
        entries = groupby(self.database.stream(_FOUND), key=itemgetter(0))
        number, own = _next(entries)
        for one in self._all_ended():
            wanted: set[tuple[str | int, str | int]] = set(lists_of(one.opening))
            if self.has_ends:
                wanted.add((one.first, one.last))
            while number < one.table:
                found += len(own)
                number, own = _next(entries)
            expected += len(wanted)
            right += len(wanted.intersection(own)) if number == one.table else 0
        while number <= HIGHEST:
            found += len(own)
            number, own = _next(entries)
        if found == right == expected:
            return []
        return [f"the index of finished matches has {found} entries, {right} of them right, and must have {expected}"]

    def _all_ended(self) -> Iterator[Ended]:
        return ended_among(map(Row._make, self.database.stream(ALL_ENDS)))


def _rows_of(ended: Iterable[Ended]) -> list[tuple[str, str, int]]:
    return [(*one_list, one.table) for one in ended for one_list in lists_of(one.opening)]


def _next(entries: Iterator[tuple[int, Iterator[Any]]]) -> tuple[int, list[tuple[str | int, str | int]]]:
    """The number of the next match in the index, and its entries; a higher number than any: there is none."""
    number, own = next(entries, (HIGHEST + 1, iter(())))
    return number, [entry[1:] for entry in own]
