"""The cluster in memory."""

from collections.abc import Callable
from itertools import count

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.storage.members import Answer, Registry
from gamehost.testing.cases import PropertyCase
from gamehost.testing.registry import MemoryCluster, MemoryRegistry
from gamehost.testing.registry_contract import RecordingWatcher, RegistryContract


def table(number: int, *names: str) -> UnfinishedTable:
    """An unfinished table."""
    return UnfinishedTable(
        TableId(number), TableHeader("onitama", 1, tuple(SeatRecord(name, "onitama") for name in names)), True, 0
    )


class ContractTests(RegistryContract, PropertyCase):
    """`RegistryContract` for the cluster in memory."""

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


class MemoryRegistryTests(SynchronousTestCase):
    """Faults of members."""

    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.broken: list[str] = []

    def join(self) -> tuple[MemoryRegistry, RecordingWatcher]:
        """A new member that watches."""
        registry, host = self.cluster.join(broken=self.broken.append), RecordingWatcher()
        registry.start(host)
        self.cluster.advance(0)
        return registry, host

    def test_a_member_hangs(self) -> None:
        """It is cut off after three seconds, its names and tables are inherited, and it ends when it wakes up."""
        first, _ = self.join()
        second, host = self.join()
        answers: list[Answer | None] = []
        first.claim("ann", None, answers.append)
        self.cluster.advance(0)
        self.cluster.open_table(1, table(7))
        first.hang()
        second.claim("ann", None, answers.append)
        self.cluster.advance(2.9)
        self.assertEqual(host.epochs, [1, 2])
        second.claim("ann", None, answers.append)
        self.cluster.advance(1)
        self.assertEqual((host.epochs, host.tables), ([2], [7]))
        self.assertEqual(answers, [Answer(1), Answer(1), Answer(1)])
        second.claim("ann", None, answers.append)
        self.cluster.advance(0)
        self.assertEqual((answers[3], self.broken), (Answer(2), []))
        first.wake()
        self.assertEqual(self.broken, ["another host has taken the journal over"])
