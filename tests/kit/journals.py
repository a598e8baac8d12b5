"""Journals for tests: the recording one, and one whose disk may be late and whose host may die at any moment."""

from collections import deque
from collections.abc import Callable

from gamehost.accounts.passwords import Account
from gamehost.journal.records import Entry, TableHeader, TableId
from gamehost.testing.journals import RecordingJournal as RecordingJournal


class CommittedJournal(RecordingJournal):
    """
    `openings`, `entries` and `accounts` hold what is durable, and nothing else: a crash loses what was not committed, and the
    callbacks of what was.
    """

    def __init__(self) -> None:
        super().__init__(late=True)
        self._queued: deque[tuple[TableId, TableHeader | Entry | Account | None, Callable[[], None]]] = deque()

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

    def told(self, table: TableId) -> None:
        self._queued.append((table, None, lambda: None))

    def find(self, key: str) -> Account | None:
        queued = [change for _, change, _ in self._queued if isinstance(change, Account) and change.key == key]
        return queued[-1] if queued else self.accounts.get(key)

    def add(self, account: Account, durable: Callable[[], None]) -> None:
        self._queued.append((TableId(0), account, durable))

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        self._queued.append((TableId(0), account, durable))

    def commit(self, number: int | None = None) -> int:
        """Make so many changes (all) durable, oldest first, and call nobody back; how many were."""
        number = len(self._queued) if number is None else min(number, len(self._queued))
        for _ in range(number):
            table, change, durable = self._queued.popleft()
            if change is None:
                self.told_tables.add(table)
            elif isinstance(change, Account):
                self.accounts[change.key] = change
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
        again.told_tables = self.told_tables
        again._tables = max(self.openings, default=0)
        return again
