"""The journal in memory does what every journal does, and so does the book of accounts."""

from gamehost.accounts import Accounts
from gamehost.journal import Journal
from gamehost.storage.memory import MemoryAccounts, MemoryJournal
from tests.accounts_contract import AccountsContract
from tests.journal_contract import JournalContract
from tests.properties import PropertyCase


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()


class MemoryAccountsTests(AccountsContract, PropertyCase):
    """`AccountsContract` for a book that ends with the host."""

    def new_book(self) -> Accounts:
        return MemoryAccounts()
