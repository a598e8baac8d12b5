"""
Journals for tests: one that remembers all it was given, and answers when it is told to; and one whose disk may be late, and
whose host may die at any moment.
"""

from collections import deque
from collections.abc import Callable, Iterable

from gamehost.accounts.passwords import Account
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId, TableRecord


class RecordingJournal:
    """
    Keeps every record, as a file would; and the accounts in the same file.

    :param late: do not call back until `release`
    """

    def __init__(self, late: bool = False) -> None:
        self.late = late
        self.openings: dict[TableId, TableHeader] = {}
        self.entries: dict[TableId, list[Entry]] = {}
        self.accounts: dict[str, Account] = {}
        self._waiting: list[Callable[[], None]] = []
        self._tables = 0

    def new_table(self) -> TableId:
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        assert table not in self.openings
        self.openings[table] = opening
        self.entries[table] = []
        self._answer(durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        self.entries[table].append(entry)
        self._answer(durable)

    def _answer(self, durable: Callable[[], None]) -> None:
        if self.late:
            self._waiting.append(durable)
        else:
            durable()

    def find(self, key: str) -> Account | None:
        return self.accounts.get(key)

    def add(self, account: Account, durable: Callable[[], None]) -> None:
        assert account.key not in self.accounts
        self.accounts[account.key] = account
        self._answer(durable)

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        assert account.key in self.accounts
        self.accounts[account.key] = account
        self._answer(durable)

    def release(self, number: int | None = None) -> int:
        """Let so many entries (all) become durable, oldest first; how many did."""
        ready = self._waiting[:number]
        del self._waiting[:number]
        for durable in ready:
            durable()
        return len(ready)

    def unfinished(self) -> Iterable[TableRecord]:
        for table, opening in self.openings.items():
            entries = tuple(self.entries[table])
            if not entries or not (entries[-1].outcome or entries[-1].kind is EntryKind.ARCHIVED):
                yield TableRecord(table, opening, entries)

    def restarted(self) -> "RecordingJournal":
        """The journal of the host's next life: nothing that was not durable is lost in this one, callbacks are."""
        again = RecordingJournal(self.late)
        again.openings = dict(self.openings)
        again.entries = {table: list(entries) for table, entries in self.entries.items()}
        again.accounts = dict(self.accounts)
        again._tables = self._tables
        return again


class CommittedJournal(RecordingJournal):
    """
    `openings`, `entries` and `accounts` hold what is durable, and nothing else: a crash loses what was not committed, and the
    callbacks of what was.
    """

    def __init__(self) -> None:
        super().__init__(late=True)
        self._queued: deque[tuple[TableId, TableHeader | Entry | Account, Callable[[], None]]] = deque()

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
            if isinstance(change, Account):
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
        again._tables = max(self.openings, default=0)
        return again
