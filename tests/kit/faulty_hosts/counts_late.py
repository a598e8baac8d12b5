"""
A host with a fault, for tests of the tests: it tells the end of a match of a championship, and counts the result then. The next
start does not look for what was not counted.
"""

from collections.abc import Callable
from typing import Any

from gamehost.__main__ import main
from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.lobby.championship import RESULT, ChampionshipRecords
from gamehost.storage.durable import DurableJournal, nothing

_append: Any = DurableJournal.append


def _tell_first(self: DurableJournal, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
    if entry.kind is not EntryKind.ACTED or RESULT.fullmatch(entry.notation.decode()) is None:
        _append(self, table, entry, durable)
        return
    from twisted.internet import reactor

    durable()
    later: Any = reactor
    later.callLater(0.05, _append, self, table, entry, nothing)


if __name__ == "__main__":
    DurableJournal.append = _tell_first  # type: ignore[method-assign]
    ChampionshipRecords.found_match = lambda self, record: None  # type: ignore[method-assign]
    main()
