"""The journal in memory does what every journal does, and so does the book of accounts."""

from gamehost.accounts.passwords import Accounts
from gamehost.journal.records import Journal, TableRecord
from gamehost.storage.memory import MemoryAccounts, MemoryJournal
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journal_contract import END, OPENING, JournalContract, nothing
from tests.kit.accounts_contract import AccountsContract


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()

    def test_a_finished_table_is_not_kept(self) -> None:
        """It is refused with a reason."""
        journal, loaded = MemoryJournal(), list[TableRecord | str]()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        journal.load(table, loaded.append)
        journal.append(table, END, nothing)
        journal.load(table, loaded.append)
        why = "table 1: a journal in memory has no record of it"
        self.assertEqual(loaded, [TableRecord(table, OPENING, ()), why])


class MemoryAccountsTests(AccountsContract, PropertyCase):
    """`AccountsContract` for a book that ends with the host."""

    def new_book(self) -> Accounts:
        return MemoryAccounts()
