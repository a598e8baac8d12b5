"""Test cases with journals that are closed at the end."""

from gamehost.journal.records import TableId
from gamehost.storage.durable import DurableJournal
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journal_contract import MOVE, OPENING, nothing
from tests.kit.fake_reactor import Pump


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
        """A table with so many moves, durable."""
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        for _ in range(moves):
            journal.append(table, MOVE, nothing)
        self.pump.settle(journal)
        return table
