"""What a start reads of the tables that are unfinished."""

from gamehost.games.base import Seat
from gamehost.storage import store
from gamehost.testing.journal_contract import END, nothing
from tests.storage.test_damage import DamageCase


class UnfinishedTests(DamageCase):
    """`SqliteStore.unfinished`."""

    def test_notes_are_read_with_their_tables(self) -> None:
        """A start reads the notes of some tables at once, and each table has its own."""
        self.patch(store, "_LISTED_AT_ONCE", 2)
        journal = self.start()
        tables = [self.play(journal, 1) for _ in range(5)]
        for number, table in enumerate(tables):
            journal.sleep(table, 100 + number)
        for table in tables[3:]:
            journal.wake(table)
            journal.append(table, END, nothing)
            journal.told(table, Seat(table % 2))
        self.pump.settle(journal)
        self.stop(journal)
        noted = [(one.table, one.since, set(one.told)) for one in self.start().unfinished()]
        self.assertEqual(noted, [(1, 100, set()), (2, 101, set()), (3, 102, set()), (4, 0, {0}), (5, 0, {1})])
