"""Journals for tests: the recording one, one whose disk may be late, and real ones whose calls are carried out by the test."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, cast

from attrs import define, field

from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, KeptText, Leave, OpenedTable, OwnedMatch, TableHeader, TableId, TableRecord
from gamehost.storage.contents import OpenStore
from gamehost.storage.copying import copy_store
from gamehost.storage.durable import DurableJournal
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.row_codec import finishes
from gamehost.storage.sidecar import MARK_SUFFIX, sidecar_path
from gamehost.storage.sqlite import open_journal
from gamehost.storage.store import SqliteStore
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journals import RecordingJournal as RecordingJournal
from tests.kit.journal_contract import MOVE, OPENING, nothing

# Journals for tests: the recording one, and one whose disk may be late and whose host may die at any moment.


def _store(journal: DurableJournal) -> OpenStore:
    store: Any = journal._store
    return cast(OpenStore, store)


def records(journal: DurableJournal) -> list[TableRecord]:
    """The unfinished tables of a journal that was just opened, with their entries. They can be added to then."""
    loaded: list[TableRecord | str] = [_store(journal).read(found.table) for found in journal.unfinished()]
    whole = [record for record in loaded if isinstance(record, TableRecord)]
    assert len(whole) == len(loaded), loaded
    journal._open.update(one.table for one in whole if not (one.entries and finishes(one.entries[-1])))
    return whole


def rows(journal: DurableJournal, sql: str) -> list[Any]:
    """The rows of a query to the SQLite store of a journal."""
    assert isinstance(journal._store, SqliteStore)
    return journal._store.connection.execute(sql).fetchall()


_Change = TableHeader | Entry | Account | Callable[[], Any]


class InMemory(MemoryJournal):
    def find(self, key: str) -> None:
        pass

    def names(self) -> list[str]:
        return []


class CommittedJournal(RecordingJournal):
    """
    `openings`, `entries` and `people` hold what is durable, and nothing else: a crash loses what was not committed, and the
    callbacks of what was.
    """

    def __init__(self) -> None:
        super().__init__(late=True)
        self._queued: deque[tuple[TableId, _Change, Callable[[], None]]] = deque()
        #: The time, and the calls of those who have asked something. By default a commit answers them.
        self.clock: Callable[[], float] | None = None
        self.asked: deque[Callable[[], None]] = deque()
        #: When the changes came that were not called back for.
        self._since: deque[float] = deque()

    @property
    def age(self) -> float:
        """How many seconds the oldest change has waited. At ten of them a host ends, because its disk does not answer."""
        return self.clock() - self._since[0] if self.clock is not None and self._since else 0.0

    def _queue(self, change: tuple[TableId, _Change, Callable[[], None]]) -> None:
        self._queued.append(change)
        if self.clock is not None:
            self._since.append(self.clock())

    def _tell(self, answer: Callable[[], None]) -> None:
        if self.clock is None:
            super()._tell(answer)
        else:
            self.asked.append(answer)

    def release(self, number: int | None = None) -> int:
        released = super().release(number)
        for _ in range(min(released, len(self._since))):
            self._since.popleft()
        return released

    @property
    def queued(self) -> int:
        return len(self._queued)

    @property
    def unanswered(self) -> int:
        """Changes that are committed, and were not called back for."""
        return len(self._waiting)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._queue((table, opening, durable))

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        self._queue((table, entry, durable))

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        self._queue((table, partial(super().told, table, seat), lambda: None))

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        found: list[TableRecord | str] = []

        def read() -> None:
            found.append(self.record(table) if table in self.openings else "no such table")

        self._queue((table, read, lambda: loaded(found[0])))

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        self._queue((table, partial(self.since.update, {table: since}), durable))

    def wake(self, table: TableId) -> None:
        self._queue((table, partial(self.since.pop, table, None), lambda: None))

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        self._queue((opened.table, partial(self.opened_tables.update, {opened.table: opened}), durable))

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        self._queue((table, partial(self.opened_tables.pop, table, None), durable))

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        self._queue((TableId(0), partial(MemoryJournal.put_own, self, matches, lambda: None), durable))

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        self._queue((TableId(0), partial(MemoryJournal.drop_own, self, table, owner, lambda: None), durable))

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        matches: list[OwnedMatch] = []
        self._queue((TableId(0), partial(MemoryJournal.find_own, self, owner, matches.extend), lambda: found(matches)))

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        self._queue((TableId(0), partial(MemoryJournal.put_leave, self, leave, lambda: None), durable))

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        leaves: list[Leave] = []
        self._queue((TableId(0), partial(MemoryJournal.find_leaves, self, leaves.extend), lambda: found(leaves)))

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        self._queue((TableId(0), partial(MemoryJournal.put_kept, self, kept, lambda: None), durable))

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        texts: list[str] = []
        self._queue(
            (TableId(0), partial(MemoryJournal.find_kept, self, key, place, texts.append), lambda: found(texts[0]))
        )

    def find(self, key: str) -> Account | None:
        queued = [change for _, change, _ in self._queued if isinstance(change, Account) and change.key == key]
        return queued[-1] if queued else self.people.get(key)

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        self._queue((TableId(0), account, lambda: added(account)))

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        self._queue((TableId(0), account, durable))

    def commit(self, number: int | None = None) -> int:
        """Make so many changes (all) durable, oldest first, and call nobody back; how many were."""
        number = len(self._queued) if number is None else min(number, len(self._queued))
        for _ in range(number):
            table, change, durable = self._queued.popleft()
            if isinstance(change, Account):
                self.people[change.key] = change
            elif callable(change):
                change()
            elif isinstance(change, TableHeader):
                assert table not in self.openings
                self.openings[table] = change
                self.entries[table] = []
            else:
                assert not (self.entries[table] and self.entries[table][-1].outcome), "an entry after the end"
                self.entries[table].append(change)
            self._waiting.append(durable)
        return number

    def restarted(self) -> "CommittedJournal":
        """The journal of the host's next run: the same disk."""
        again = CommittedJournal()
        again.openings = self.openings
        again.entries = self.entries
        again.people = self.people
        again.told_tables, again.told_seats = self.told_tables, self.told_seats
        again.since = self.since
        again.opened_tables = self.opened_tables
        again.uptime = again.noted_uptime = self.noted_uptime
        again._tables = max([0, *self.openings, *self.opened_tables])
        return again


# What stands for the reactor in the journal's tests: a queue of calls, carried out by whoever waits for something.


@define(eq=False)
class Pump:
    """Calls from other threads, carried out on this one."""

    broken: list[str] = field(factory=list)
    _calls: "SimpleQueue[Callable[[], None]]" = field(factory=SimpleQueue)

    def from_thread(self, call: Callable[[], None]) -> None:
        self._calls.put(call)

    def until(self, done: Callable[[], bool], patience: float = 20.0) -> None:
        """Carry calls out until something is so, or none has come for so many seconds."""
        while not done():
            try:
                self._calls.get(timeout=patience)()
            except Empty:
                raise AssertionError(f"nothing happened for {patience:.0f} seconds") from None

    def open(self, path: Path, **more: Any) -> DurableJournal:
        return open_journal(path, self.from_thread, self.broken.append, **more)

    def until_idle(self, journal: DurableJournal) -> None:
        """Wait until everything is durable, and every question is answered."""
        self.until(lambda: bool(not (journal.backlog.waiting or journal.unanswered) or self.broken))
        assert not self.broken, self.broken

    def stop(self, journal: DurableJournal) -> None:
        stopped: list[bool] = []
        journal.stop(lambda: stopped.append(True))
        self.until(lambda: bool(stopped))


def by_rows(path: Path) -> None:
    """Give each entry of a store that nobody has open a row of its own, as every entry of a copy has."""
    part = sidecar_path(path, ".rows")
    copy_store(str(path), str(part))
    for suffix in ("", MARK_SUFFIX):
        sidecar_path(part, suffix).replace(sidecar_path(path, suffix))


# Test cases with journals that are closed at the end.


class JournalCase(PropertyCase):
    """A test case that adds the journals it opens to `alive`."""

    def setUp(self) -> None:
        self.pump = Pump()
        self.alive: list[DurableJournal] = []
        self.addCleanup(self.stop_all)

    def stop(self, journal: DurableJournal) -> None:
        self.alive.remove(journal)
        self.pump.stop(journal)

    def stop_all(self) -> None:
        while self.alive:
            self.stop(self.alive[-1])

    def play(self, journal: DurableJournal, moves: int) -> TableId:
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        for _ in range(moves):
            journal.append(table, MOVE, nothing)
        self.pump.until_idle(journal)
        return table
