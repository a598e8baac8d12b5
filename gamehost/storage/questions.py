"""
What people can ask an open store.

It is in no change's way: it waits for a thread of its own, which answers one question at a time. The answer holds what was
durable when it was asked. The thread reads beside the writer, through a connection of its own. If the store cannot be
read, nothing is found, and the log says so. That never ends the host: the writer finds out whether the disk is gone.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter
from queue import SimpleQueue
from time import perf_counter
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from attrs import define, field

from gamehost.accounts.names import key_of
from gamehost.journal.records import Entry, FinishedMatch, TableElsewhere, TableId, TableRecord
from gamehost.storage.match_lists import HIGHEST, list_key, match_of
from gamehost.storage.reads import TableRows
from gamehost.storage.row_codec import Damaged, Undecodable, chain_of, read_entry, read_opening, record_of

T = TypeVar("T")
P = ParamSpec("P")

#: Rows of one answer to `read_entries_after`: about 10 ms.
MOST_ROWS = 2000
#: Matches of one answer to `find_finished`. They take about 2 ms.
MOST_MATCHES = 100


def read_record(tables: TableRows, table: TableId) -> TableRecord | str:
    """The record of a table to which nothing is added, or why it cannot be read."""
    rows = tables.rows(table)
    try:
        return f"table {table}: all of its rows are missing" if chain_of(rows) is None else record_of(rows)
    except (Damaged, Undecodable) as error:
        return str(error)


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
            found[TableId(game)] = [read_entry(row) for row in rows]
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
    """The finished match with this number."""
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
        """Start the thread."""
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
        """The thread."""
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
