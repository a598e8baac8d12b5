"""
A process to be killed: opens the journal named on its command line, and plays as fast as it can. It says every
acknowledgement on its standard output, one line each: the table's number and how many of its entries are durable.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, StoreUnusable, TableHeader, TableId, TableRecord
from gamehost.storage.durable import DurableJournal
from gamehost.storage.sqlite import open_journal
from tests.kit.journals import records


def ended(record: TableRecord) -> bool:
    """Whether nothing can be added: the run before ended between an end and the telling of it."""
    return bool(record.entries and record.entries[-1].outcome)


def main(path: Path, look: Callable[[DurableJournal], None] = lambda journal: None) -> None:
    """Play until killed, and look at the journal again and again. Every fiftieth entry is a table's last."""
    calls: SimpleQueue[partial[None]] = SimpleQueue()
    journal = open_journal(path, lambda call: calls.put(partial(call)), lambda reason: os._exit(9))
    counts = {record.table: len(record.entries) for record in records(journal) if not ended(record)}

    def told(table: TableId, number: int) -> None:
        os.write(1, b"%d %d\n" % (table, number))

    while True:
        while journal.backlog.waiting > 40:
            calls.get()()
        look(journal)
        if len(counts) < 4:
            table = journal.new_table()
            counts[table] = 0
            opening = TableHeader("onitama", 1, (SeatRecord("Ann", "onitama"), SeatRecord("Bob", "onitama")))
            journal.open(table, opening, partial(told, table, 0))
        for table in list(counts):
            counts[table] += 1
            last = counts[table] % 50 == 0
            entry = Entry(EntryKind.ACTED, counts[table], Seat(0), b"%d" % counts[table], (), "over" if last else "")
            journal.append(table, entry, partial(told, table, counts[table]))
            if last:
                journal.told(table)
                del counts[table]


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except StoreUnusable as error:
        sys.exit(f"refused: {error}")
