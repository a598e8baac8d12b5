"""The cluster in memory."""

from collections.abc import Callable, Collection, Mapping, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import TableHeader, TableId, UnfinishedTable
from gamehost.storage.members import Answer, Member, Offer
from gamehost.testing.registry import MemoryCluster, MemoryRegistry


class Host:
    """A host that notes what its registry says, and knows all names that it inherits."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def members_are(self, members: Sequence[Member]) -> None:
        self.told.append([member.epoch for member in members])

    def offers_are(self, offers: Sequence[Offer]) -> None:
        self.told.append([offer.key for offer in offers])

    def inherited(self, tables: Sequence[UnfinishedTable], taken: Callable[[Collection[str]], None]) -> None:
        self.told.append(("inherited", [one.table for one in tables]))
        taken([seat.name.lower() for one in tables for seat in one.opening.seats])

    def changed(self, accounts: Mapping[str, Account | None], bans: Sequence[Ban] | None) -> None:
        self.told.append(("changed", list(accounts), bans))


class MemoryRegistryTests(SynchronousTestCase):
    """Faults of members."""

    def setUp(self) -> None:
        self.cluster = MemoryCluster()
        self.broken: list[str] = []

    def join(self) -> tuple[MemoryRegistry, Host]:
        """A new member that watches."""
        registry, host = self.cluster.join(broken=self.broken.append), Host()
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
        self.cluster.open_table(1, UnfinishedTable(TableId(7), TableHeader("onitama", 1, ()), True, 0))
        first.hang()
        second.claim("ann", None, answers.append)
        self.cluster.advance(2.9)
        self.assertEqual(host.told, [[1, 2]])
        second.claim("ann", None, answers.append)
        self.cluster.advance(1)
        self.assertEqual(host.told, [[1, 2], [2], ("inherited", [7])])
        self.assertEqual(answers, [Answer(1), Answer(1), Answer(1)])
        second.claim("ann", None, answers.append)
        self.cluster.advance(0)
        self.assertEqual((answers[3], self.broken), (Answer(2), []))
        first.wake()
        self.assertEqual(self.broken, ["another host has taken the journal over"])
