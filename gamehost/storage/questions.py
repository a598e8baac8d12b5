"""
What people can ask an open store, and the index of finished matches, from which some of it is answered.

A question is in no change's way: it waits for a thread of its own, which answers one question at a time. The answer holds what
was durable when it was asked. The thread reads beside the writer, through a connection of its own. If the store cannot be read,
nothing is found, and the log says so. That never ends the host: the writer finds out whether the disk is gone.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from queue import SimpleQueue
from time import perf_counter
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from attrs import define, field, frozen

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
from gamehost.storage.reads import ALL_ENDS, Database, Ends, Sql, TableRows
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

T = TypeVar("T")
P = ParamSpec("P")

#: Rows of one answer to `read_entries_after`: about 10 ms.
MOST_ROWS = 2000
#: Matches of one answer to `find_finished`. They take about 2 ms.
MOST_MATCHES = 100


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
    table: int
    #: The numbers of its first and of its last row.
    first: int
    last: int
    opening: TableHeader


def list_key(text: str) -> str:
    """The text of a list as every database can keep it."""
    return text[:_LONGEST].encode("utf-8", "replace").decode().replace("\0", "?")


def lists_of(opening: TableHeader) -> list[tuple[str, str]]:
    """The lists that a match is in: the key of a player's name, or `RATED_MATCHES`, and the name of the game; empty: of all."""
    if opening.code:
        return []
    names = {"", *(list_key(key_of(seat.name)) for seat in opening.seats), *([RATED_MATCHES] if opening.rated else [])}
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
    The index of finished matches: which ones there are, and in which lists each is. A match is in the list of all matches, in
    that of its game, in that of each player, and in that of each player in its game. So every list is a range of one index,
    however large the store is. A private match is in no list.

    An entry is written with the commit that ends a match. The whole index can be made again from the rows. What is changed is
    changed within a transaction.

    :param has_ends: whether the store notes where the first and the last row of a match are, as SQLite files do
    """

    database: Database
    has_ends: bool

    def add(self, ended: Iterable[Ended]) -> None:
        ended = list(ended)
        if ended and self.has_ends:
            self.database.run_many(_ADD_ENDS, [(one.table, one.first, one.last) for one in ended])
        if rows := _rows_of(ended):
            self.database.run_many(_ADD, rows)

    def remove(self, ended: Iterable[Ended]) -> None:
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


def read_record(tables: TableRows, table: TableId) -> TableRecord | str:
    """The record of a table to which nothing is added, or why it cannot be read."""
    rows = tables.rows(table)
    try:
        return f"table {table}: all of its rows are missing" if chain_of(rows) is None else record_of(rows)
    except (Damaged, Undecodable) as error:
        return str(error)


def read_rows(tables: TableRows, table: TableId) -> Sequence[Row]:
    """All rows of a table, as `DurableJournal.read_rows`."""
    return tables.rows(table)


def read_ends(tables: TableRows, low: int, below: int) -> Sequence[Row]:
    """The first and the last rows of tables, as `DurableJournal.read_ends`."""
    return tables.first_and_last(low, below)


def find_elsewhere(tables: TableRows, known: Collection[TableId], most: int) -> tuple[Sequence[TableElsewhere], int]:
    """The tables that other hosts play, as `Journal.elsewhere`, and how many there are."""
    others, count = tables.elsewhere(most)
    new = [table for table, _, _ in others if table not in known]
    openings = {}
    for row in tables.openings(new) if new else ():
        with suppress(Undecodable):  # another release wrote it
            openings[row.game] = read_opening(row)
    found = [
        TableElsewhere(table, n, at, openings.get(table))
        for table, n, at in others
        if table in known or table in openings
    ]
    return found, count


def read_entries_after(tables: TableRows, last: Mapping[TableId, int]) -> Mapping[TableId, Sequence[Entry] | str]:
    """The newest entries of tables, as `Journal.entries_after`."""
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
    """Finished matches, as `Journal.finished`, and the lowest number that is answered for."""
    count, low = min(count, MOST_MATCHES), 1
    highest = HIGHEST if below is None else min(below, HIGHEST)
    some = tables.listed(list_key(key_of(name)), list_key(game), highest, count + 1)
    if len(some) > count:
        some = some[:count]
        low = some[-1].first.game
    return [match for match in map(match_of, some) if match is not None], low


def find_match(tables: TableRows, table: TableId) -> FinishedMatch | None:
    found = tables.finished(table) if 0 < table <= HIGHEST else None
    return None if found is None else match_of(found)


#: Seconds between two answers, at most. The reader rests as long as an answer has taken.
LONGEST_REST = 0.1


class ReadableStore(Protocol):
    """A store that is open for reading, for the reader's thread."""

    @property
    def tables(self) -> TableRows:
        """What can be read."""

    def interrupt(self) -> None:
        """Have an answer given up that is being read. For any thread."""

    def close(self) -> None:
        """End in order."""


@define(eq=False)
class Reader:
    """
    The thread that answers what people ask, and its queue.

    `start` and `put` are for the reactor's thread, `end` for any.
    """

    _store: ReadableStore
    #: Calls a function on the reactor's thread; the order of the calls is kept.
    _from_thread: Callable[[Callable[[], None]], None]
    #: Called there, with words for the log, when a question could not be answered.
    _warn: Callable[[str], None]
    #: A question, what is called with its answer, and the answer if the store cannot be read.
    _queue: "SimpleQueue[tuple[partial[Any], Callable[[Any], None], Any] | None]" = field(factory=SimpleQueue)
    #: Questions that were not answered yet. For the reactor's thread.
    waiting: int = 0
    _ending: threading.Event = field(factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._live, name="gamehost-reader", daemon=True)
        self._thread.start()

    def put(
        self,
        answered: Callable[[T], None],
        otherwise: T,
        ask: Callable[Concatenate[TableRows, P], T],
        *arguments: P.args,
        **more: P.kwargs,
    ) -> None:
        """
        Queue a question. Returns at once.

        :param answered: called on the reactor's thread with the answer
        :param otherwise: the answer if the store cannot be read
        :param ask: called on the reader's thread with what can be read, and with the arguments
        """
        self.waiting += 1
        self._queue.put((partial(ask, self._store.tables, *arguments, **more), answered, otherwise))

    def end(self) -> None:
        """Give up what is being read, leave all other questions without an answer, close the store, and wait for that."""
        self._ending.set()
        self._store.interrupt()
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _live(self) -> None:
        while (asked := self._queue.get()) is not None:
            ask, answered, answer = asked
            begun = perf_counter()
            if not self._ending.is_set():
                try:
                    answer = ask()
                except Exception as error:
                    self._failed(ask, error)
            self._from_thread(partial(self._answer, answered, answer))
            # The interpreter and the disk are for moves at least half of the time, however many questions wait.
            self._ending.wait(min(perf_counter() - begun, LONGEST_REST))
        self._store.close()

    def _failed(self, ask: "partial[Any]", error: Exception) -> None:
        if not self._ending.is_set():
            what = f"{ask.func.__name__} was not answered: {type(error).__name__}: {error}"
            self._from_thread(partial(self._warn, what))

    def _answer(self, answered: Callable[[Any], None], answer: Any) -> None:
        self.waiting -= 1
        answered(answer)
