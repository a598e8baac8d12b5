"""Bans on disk: what all stores of bans do."""

from gamehost.accounts.bans import BanStore
from gamehost.storage.accounts import StoredBans
from gamehost.testing.cases import PropertyCase
from tests.kit.bans_contract import BansContract
from tests.storage.test_sqlite import StoreCase


class StoredBansTests(BansContract, StoreCase, PropertyCase):
    """`BansContract` for SQLite."""

    def new_store(self) -> BanStore:
        self.journal = self.start()
        return StoredBans(self.journal)

    def restarted(self) -> BanStore:
        self.stop(self.journal)
        return self.new_store()

    def settle(self) -> None:
        self.pump.settle(self.journal)
        self.assertEqual(self.pump.broken, [])
