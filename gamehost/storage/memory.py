"""
A journal that ends with the process, for tests and for `--store=memory`.

Every change counts as durable at once. The last finished matches can be looked up. It is no SQLite database in
memory, because a row of that costs 28 us, and an entry here 0.6 us.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter

from attrs import define, evolve, field

from gamehost.accounts.names import key_of
from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    EntryKind,
    FinishedMatch,
    Pressure,
    Room,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
)
from gamehost.storage.contents import Note
from gamehost.storage.questions import list_key, lists_of
from gamehost.storage.row_codec import finishes

#: So many finished matches are kept.
KEPT = 500


@define(eq=False)
class MemoryJournal:
    """A journal without a disk. It keeps the records of unfinished tables, and of some finished ones."""

    _tables: int = 0
    #: Seconds since 1970.
    _wall: Callable[[], float] = time.time
    _unfinished: dict[TableId, tuple[TableHeader, list[Entry]]] = field(factory=dict)
    _opened: dict[TableId, int] = field(factory=dict)
    _finished: dict[TableId, tuple[FinishedMatch, TableRecord]] = field(factory=dict)
    #: Finished matches whose end not all players have been told.
    _untold: dict[TableId, TableRecord] = field(factory=dict)
    # As of `Store`.
    pressure: Pressure = Pressure.NONE
    room: Room = Room.ENOUGH
    skipped: Sequence[str] = ()
    all_checked: bool = True
    uptime: int = 0

    def new_table(self) -> TableId:
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._unfinished[table] = (opening, [])
        self._opened[table] = int(self._wall() * 1000)
        durable()

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        record = self._unfinished.get(table)
        if record is None:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        record[1].append(entry)
        if finishes(entry):
            del self._unfinished[table]
            self._keep(TableRecord(table, record[0], tuple(record[1])), self._opened.pop(table))
        durable()

    def _keep(self, record: TableRecord, opened_ms: int) -> None:
        last = record.entries[-1]
        if last.kind is not EntryKind.ARCHIVED:
            match = FinishedMatch(record.table, opened_ms, record.opening, len(record.entries), last)
            self._finished[record.table] = match, record
        if len(self._finished) > KEPT:
            del self._finished[next(iter(self._finished))]

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        if seat is None:
            self._untold.pop(table, None)
        elif table in self._untold or table in self._finished:
            record = self._untold.get(table) or self._finished[table][1]
            self._untold[table] = evolve(record, told=record.told | {seat})

    def close(self) -> None:
        pass

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        checked((), True)

    def stop(self, stopped: Callable[[], None]) -> None:
        stopped()

    def note_uptime(self, seconds: int) -> None:
        pass

    def unfinished(self) -> Iterable[UnfinishedTable]:
        return ()

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        record = self._unfinished.get(table)
        if table in self._untold:
            loaded(self._untold[table])
        elif table in self._finished:
            loaded(self._finished[table][1])
        elif record is None:
            loaded(f"table {table}: a journal in memory has no record of it")
        else:
            loaded(TableRecord(table, record[0], tuple(record[1])))

    def read(self, table: TableId, found: Callable[[TableRecord | str], None]) -> None:
        self.load(table, found)

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        found((), 0)

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        records: list[TableRecord | str] = []
        for table in last:
            self.load(table, records.append)
        behind = {one.table: list(one.entries[last[one.table] :]) for one in records if isinstance(one, TableRecord)}
        found({table: entries for table, entries in behind.items() if entries})

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        newest = sorted((match for match, _ in self._finished.values()), key=attrgetter("table"), reverse=True)
        found(*finished_among(newest, below, count, game, name))

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        kept = self._finished.get(table)
        found(None if kept is None else kept[0])

    def accounts(self) -> Iterable[Account]:
        return ()

    def also(self, note: Note, durable: Callable[[], None]) -> None:
        durable()

    def sleep(self, table: TableId, since: int) -> None:
        pass

    def wake(self, table: TableId) -> None:
        pass


def finished_among(
    matches: Iterable[FinishedMatch], below: int | None, count: int, game: str, name: str
) -> tuple[Sequence[FinishedMatch], int]:
    """
    What `Journal.finished` answers, for a journal that has no index.

    :param matches: all of them, the newest first
    """
    wanted = list_key(key_of(name)), list_key(game)
    fitting = (
        match for match in matches if (below is None or match.table < below) and wanted in lists_of(match.opening)
    )
    some = list(islice(fitting, count))
    return some, some[-1].table if next(fitting, None) is not None else 1
