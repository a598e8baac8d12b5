"""
A journal and accounts that end with the process, for tests and for `--store=memory`.

Every change counts as durable at once.
"""

from collections.abc import Callable, Iterable, Sequence

from attrs import define, field

from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import Entry, Pressure, Room, TableHeader, TableId, TableRecord, UnfinishedTable
from gamehost.storage.row_codec import finishes


@define(eq=False)
class MemoryJournal:
    """A journal without a disk. It keeps the records of unfinished tables, so that a table can be loaded again."""

    _tables: int = 0
    _unfinished: dict[TableId, tuple[TableHeader, list[Entry]]] = field(factory=dict)

    def new_table(self) -> TableId:
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self._unfinished[table] = (opening, [])
        durable()

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: the table was not opened, or is finished
        """
        record = self._unfinished.get(table)
        if record is None:
            raise ValueError(f"table {table} is not open: nothing can be added to its record")
        if finishes(entry):
            del self._unfinished[table]
        else:
            record[1].append(entry)
        durable()

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        pass

    @property
    def pressure(self) -> Pressure:
        return Pressure.NONE

    @property
    def room(self) -> Room:
        return Room.ENOUGH

    def close(self) -> None:
        pass

    @property
    def skipped(self) -> Sequence[str]:
        return ()

    def stop(self, stopped: Callable[[], None]) -> None:
        stopped()

    @property
    def uptime(self) -> int:
        return 0

    def note_uptime(self, seconds: int) -> None:
        pass

    def unfinished(self) -> Iterable[UnfinishedTable]:
        return ()

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        record = self._unfinished.get(table)
        if record is None:
            loaded(f"table {table}: a journal in memory has no record of it")
        else:
            loaded(TableRecord(table, record[0], tuple(record[1])))

    def sleep(self, table: TableId, since: int) -> None:
        pass

    def wake(self, table: TableId) -> None:
        pass


@define(eq=False)
class MemoryAccounts:
    """Accounts that end with the host."""

    _accounts: dict[str, Account] = field(factory=dict)

    def find(self, key: str) -> Account | None:
        return self._accounts.get(key)

    def add(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: an account has this key
        """
        if account.key in self._accounts:
            raise ValueError("there is an account of this name")
        self._accounts[account.key] = account
        durable()

    def change(self, account: Account, durable: Callable[[], None]) -> None:
        """
        :raises ValueError: no account has this key
        """
        if account.key not in self._accounts:
            raise ValueError("there is no account of this name")
        self._accounts[account.key] = account
        durable()
