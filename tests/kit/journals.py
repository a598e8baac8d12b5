"""Journals for tests: the recording one, and one whose disk may be late and whose host may die at any moment."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, TableHeader, TableId, TableRecord
from gamehost.storage.durable import DurableJournal
from gamehost.storage.questions import OrderedStore
from gamehost.storage.row_codec import finishes
from gamehost.storage.store import SqliteStore
from gamehost.testing.journals import RecordingJournal as RecordingJournal


def _store(journal: DurableJournal) -> OrderedStore:
    store: Any = journal._store
    return cast(OrderedStore, store)


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


class CommittedJournal(RecordingJournal):
    """
    `openings`, `entries` and `accounts` hold what is durable, and nothing else: a crash loses what was not committed, and the
    callbacks of what was.
    """

    def __init__(self) -> None:
        super().__init__(late=True)
        self._queued: deque[tuple[TableId, _Change, Callable[[], None]]] = deque()

    @property
    def queued(self) -> int:
        """Changes that are not committed."""
        return len(self._queued)

    @property
    def unanswered(self) -> int:
        """Changes that are committed, and were not called back for."""
        return len(self._waiting)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._queued.append((table, opening, durable))

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        self._queued.append((table, entry, durable))

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        self._queued.append((table, partial(super().told, table, seat), lambda: None))

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        found: list[TableRecord] = []

        def read() -> None:
            found.append(self.record(table))

        self._queued.append((table, read, lambda: loaded(found[0])))

    def sleep(self, table: TableId, since: int) -> None:
        self._queued.append((table, partial(self.since.update, {table: since}), lambda: None))

    def wake(self, table: TableId) -> None:
        self._queued.append((table, partial(self.since.pop, table, None), lambda: None))

    def find(self, key: str) -> Account | None:
        queued = [change for _, change, _ in self._queued if isinstance(change, Account) and change.key == key]
        return queued[-1] if queued else self.accounts.get(key)

    def add(self, account: Account, added: Callable[[Account], None]) -> None:
        self._queued.append((TableId(0), account, lambda: added(account)))

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        self._queued.append((TableId(0), account, durable))

    def commit(self, number: int | None = None) -> int:
        """Make so many changes (all) durable, oldest first, and call nobody back; how many were."""
        number = len(self._queued) if number is None else min(number, len(self._queued))
        for _ in range(number):
            table, change, durable = self._queued.popleft()
            if isinstance(change, Account):
                self.accounts[change.key] = change
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
        """The journal of the host's next life: the same disk."""
        again = CommittedJournal()
        again.openings = self.openings
        again.entries = self.entries
        again.accounts = self.accounts
        again.told_tables, again.told_seats = self.told_tables, self.told_seats
        again.since = self.since
        again.uptime = again.noted_uptime = self.noted_uptime
        again._tables = max(self.openings, default=0)
        return again
