"""The journal in memory does what every journal does, and so does the book of accounts."""

from gamehost.accounts.passwords import Accounts
from gamehost.journal.records import Journal
from gamehost.storage.memory import MemoryAccounts, MemoryJournal
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journal_contract import JournalContract
from tests.kit.accounts_contract import AccountsContract


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()


class MemoryAccountsTests(AccountsContract, PropertyCase):
    """`AccountsContract` for a book that ends with the host."""

    def new_book(self) -> Accounts:
        return MemoryAccounts()
