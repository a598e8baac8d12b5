"""The registry on PostgreSQL: what every registry does, and what a lost connection leads to."""

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import TableId
from gamehost.storage.changes import AddAccount, DeleteAccount, PutBan
from gamehost.storage.members import Registry
from gamehost.testing.cases import PropertyCase
from gamehost.testing.registry_contract import RegistryContract
from tests.kit.postgresql_registry import RegistryCase


class PostgresRegistryTests(RegistryCase, RegistryContract, PropertyCase):
    """`RegistryContract` for PostgreSQL."""

    tables = 0

    def open_table(self, registry: Registry, *names: str) -> TableId:
        self.tables += 1
        return self.living[registry.epoch].open_table(self.tables, *names)

    def put_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([AddAccount(account)])

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([DeleteAccount(account.key)])

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.living[registry.epoch].store.commit([PutBan(ban)])
