"""The journal in memory does what every journal does, and so does the book of accounts."""

from gamehost.accounts.passwords import Accounts
from gamehost.journal.records import Entry, EntryKind, Journal, TableId, TableRecord
from gamehost.storage.memory import KEPT, MemoryAccounts, MemoryJournal
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journal_contract import END, OPENING, JournalContract, nothing
from tests.kit.accounts_contract import AccountsContract


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()

    def test_the_last_finished_matches_are_kept(self) -> None:
        """The memory does not grow with every match."""
        journal, loaded = MemoryJournal(wall=lambda: 12.5), list[TableRecord | str]()
        for _ in range(KEPT + 1):
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, END, nothing)
        for number in map(TableId, (1, 2)):
            journal.load(number, loaded.append)
        self.assertEqual(
            loaded, ["table 1: a journal in memory has no record of it", TableRecord(number, OPENING, (END,))]
        )
        found, _ = self.find(journal, 3, 2)
        self.assertEqual([(one.table, one.opened_ms) for one in found], [(2, 12_500)])

    def test_those_put_away_are_not_kept(self) -> None:
        """They have no result, and nobody asks for them."""
        journal, loaded = MemoryJournal(), list[TableRecord | str]()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.append(table, Entry(EntryKind.ARCHIVED, 0), nothing)
        journal.load(table, loaded.append)
        self.assertEqual(loaded, ["table 1: a journal in memory has no record of it"])


class MemoryAccountsTests(AccountsContract, PropertyCase):
    """`AccountsContract` for a book that ends with the host."""

    def new_book(self) -> Accounts:
        return MemoryAccounts()
