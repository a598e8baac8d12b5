"""The journal in memory does what every journal does."""

from gamehost.journal import Journal
from gamehost.storage.memory import MemoryJournal
from tests.journal_contract import JournalContract
from tests.properties import PropertyCase


class MemoryJournalTests(JournalContract, PropertyCase):
    """`JournalContract` for a journal without a disk."""

    def new_journal(self) -> Journal:
        return MemoryJournal()
