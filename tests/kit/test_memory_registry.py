"""The cluster in memory."""

from collections.abc import Callable
from itertools import count

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.storage.names import Answer, Registry
from tests.kit.memory_registry import MemoryCluster, MemoryRegistry
from tests.kit.registry_contract import RecordingWatcher, RegistryContract


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


class MemoryRegistryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.broken: list[str] = []

    def join(self) -> tuple[MemoryRegistry, RecordingWatcher]:
        registry, host = self.cluster.join(broken=self.broken.append), RecordingWatcher()
        registry.start(host)
        self.cluster.advance(0)
        return registry, host

    def test_a_claim_without_an_answer(self) -> None:
        """If nobody knows the home for ten seconds, the claim is given up."""
        self.patch(MemoryCluster, "take_over", lambda *dead: None)
        first, _ = self.join()
        second, _ = self.join()
        answers: list[Answer | None] = []
        second.claim("ann", None, answers.append)
        self.cluster.advance(0)
        second.kill()
        self.cluster.advance(0.3)
        first.claim("ann", None, answers.append)
        self.cluster.advance(9.9)
        self.assertEqual(answers, [Answer(2)])
        self.cluster.advance(0.2)
        self.assertEqual(answers, [Answer(2), None])

    def test_the_database_is_away(self) -> None:
        """Nobody acts meanwhile. When it is back, nobody is judged for five seconds, and the living go on."""
        (first, host), (second, _), (third, _) = self.join(), self.join(), self.join()
        for registry in (first, second, third):
            registry.lose_line()
        third.kill()
        answers: list[Answer | None] = []
        second.claim("ann", None, answers.append)
        self.cluster.advance(9)
        self.assertEqual(answers, [])
        first.find_line()
        self.cluster.advance(0.5)
        second.find_line()
        self.cluster.advance(4.4)
        self.assertEqual((host.epochs, answers, host.taken), ([1, 2, 3], [Answer(2)], []))
        self.cluster.advance(1)
        self.assertEqual((host.epochs, host.taken, self.broken), ([1, 2], [[]], []))
