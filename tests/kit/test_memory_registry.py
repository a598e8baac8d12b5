"""The cluster in memory."""

from collections.abc import Callable
from itertools import count

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import Leave, SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.storage.names import Registry
from tests.kit.memory_registry import MemoryCluster, MemoryRegistry
from tests.kit.registry_contract import RegistryContract


def table(number: int, *names: str) -> UnfinishedTable:
    return UnfinishedTable(
        TableId(number), TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names)), True, 0
    )


class ContractTests(RegistryContract, SynchronousTestCase):
    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.numbers = count(1)

    def join(self) -> Registry:
        return self.cluster.join()

    def kill(self, registry: Registry) -> None:
        assert isinstance(registry, MemoryRegistry)
        registry.kill()

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            self.cluster.advance(0.01)
        self.fail("this takes more than ten seconds")

    def open_table(self, registry: Registry, *names: str) -> TableId:
        opened = table(next(self.numbers), *names)
        self.cluster.open_table(registry.epoch, opened)
        return opened.table

    def put_account(self, registry: Registry, account: Account) -> None:
        self.cluster.put_account(account)

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.cluster.drop_account(account.key)

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.cluster.put_ban(ban)

    def put_leave(self, registry: Registry, leave: Leave) -> None:
        self.cluster.put_leave(leave)
