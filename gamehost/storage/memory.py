"""The journal that keeps nothing: every entry is as durable as it will ever be at once."""

from collections.abc import Callable, Iterable

from gamehost.journal import Entry, Opening, TableId, TableRecord


class MemoryJournal:
    """For hosts that may forget (`--store=memory`), and for tests."""

    def __init__(self) -> None:
        self._tables = 0

    def new_table(self) -> TableId:
        """The next number."""
        self._tables += 1
        return TableId(self._tables)

    def open(self, table: TableId, opening: Opening, durable: Callable[[], None]) -> None:
        """Call back at once."""
        durable()

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """Call back at once."""
        durable()

    def unfinished(self) -> Iterable[TableRecord]:
        """None: nothing outlives the host."""
        return ()
