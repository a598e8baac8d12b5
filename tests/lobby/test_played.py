"""The matches that can be watched at a host: its own, and at the leader of a cluster those of other hosts."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby.following import LIST_IDLE, READ_EVERY
from gamehost.lobby.watching import EVERY, PlayedTable
from gamehost.tables.followed import FollowedTable
from gamehost.tables.table import Table
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.following import Pair
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.watching_contract import Watcher
from tests.lobby.test_board import Reader, Words


def come(host: MemoryHost, *names: str) -> list[Client]:
    """Players who play each other, two by two."""
    clients = [host.connect("toy") for _ in names]
    for client, name in zip(clients, names, strict=True):
        client.say(f"hi {name}")
    return clients


class AloneTests(SynchronousTestCase):
    """A host that is no member of a cluster."""

    def test_nothing_is_asked(self) -> None:
        """Only its own tables are there, and no timer is set for others."""
        host = MemoryHost(wires=(TOY_WIRE,))
        tables = host.lobby.spectators.tables
        tables.look()
        self.assertEqual((len(tables), tables.newest(9), host.clock.getDelayedCalls()), (0, [], []))
        come(host, "ann", "bob")
        own = host.lobby.tables[TableId(1)]
        self.assertEqual((len(tables), tables.newest(9), tables.get(own.id)), (1, [own], own))
        tables.halt()
        tables.follow({TOY.name: TOY})
        self.assertEqual(host.clock.getDelayedCalls(), [], "the host has stopped")


class LeaderTests(SynchronousTestCase):
    """Two hosts on one store."""

    def setUp(self) -> None:
        self.pair = Pair()
        self.leader, self.first = self.pair.leader, self.pair.first
        self.lobby = self.leader.lobby
        self.tables = self.lobby.spectators.tables

    def kinds(self, count: int = 9) -> list[tuple[int, type]]:
        return [(table.id, type(table)) for table in self.tables.newest(count)]

    def test_all_tables(self) -> None:
        """In the order of their numbers, the newest first, and no more than asked for."""
        come(self.first, *"abcd")
        come(self.leader, *"efgh")
        self.pair.wait(LIST_IDLE)
        everything = [(1002, Table), (1001, Table), (2, FollowedTable), (1, FollowedTable)]
        self.assertEqual([self.kinds(count) for count in (9, 3, 1)], [everything, everything[:3], everything[:1]])
        self.assertEqual(len(self.tables), 4)
        self.assertEqual(
            [type(self.tables.get(TableId(number))) for number in (1, 1001, 9)][:2], [FollowedTable, Table]
        )
        self.assertIsNone(self.tables.get(TableId(9)))

    def test_the_lists(self) -> None:
        """Those of the console and of the open wire, and how many matches there are."""
        ann, _ = come(self.first, "ann", "bob")
        come(self.leader, "carl", "dora")
        self.pair.wait(LIST_IDLE)
        ann.say("+1")
        self.pair.wait(LIST_IDLE)
        directory = self.lobby.directory
        played = [
            PlayedTable(TableId(1), "toy", ("ann", "bob"), ("toy", "toy"), 2, 0),
            PlayedTable(TableId(1001), "toy", ("carl", "dora"), ("toy", "toy"), 1, 0),
        ]
        self.assertEqual((directory.tables(), directory.counts().tables), (played, 2))

    def test_the_board(self) -> None:
        """It shows matches of both hosts, and tells what changes."""
        ann, bob = come(self.first, "ann", "bob")
        come(self.leader, "carl", "dora")
        self.pair.wait(LIST_IDLE)
        reader = Reader()
        self.lobby.spectators.board.look(reader, Words([]))
        self.assertEqual(reader.read(), ["all; 1001 carl+dora at 1: 0"])
        self.pair.wait(EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 1: 0"])
        ann.say("+2")
        bob.say("+2")
        self.pair.wait(READ_EVERY)
        self.pair.wait(READ_EVERY)
        self.assertEqual(reader.read(), ["1 ann+bob at 3: 4"])
        ann.say("bye")
        for _ in range(4):
            self.pair.wait(EVERY)
        self.assertEqual(reader.read()[-1], "1 gone")
        self.lobby.spectators.board.look_away(reader)
        self.assertEqual([one.watched for one in self.tables.newest(9) if isinstance(one, FollowedTable)], [])

    def test_the_host_inherits(self) -> None:
        """Each match is in the list once: as the followed table as long as somebody watches it."""
        come(self.first, *"abcd")
        self.pair.wait(LIST_IDLE)
        table, watcher = self.tables.get(TableId(1)), Watcher()
        assert table is not None
        table.watch(watcher)
        self.pair.wait()
        self.pair.inherit()
        for name in "ac":
            come(self.leader, name)
        self.assertEqual(self.kinds(), [(2, Table), (1, FollowedTable)])
        self.pair.wait(LIST_IDLE)
        self.assertEqual((self.kinds(), len(self.tables)), ([(2, Table), (1, FollowedTable)], 2))
        self.assertIs(self.tables.get(TableId(1)), table)
        table.unwatch(watcher)
        self.assertEqual(self.kinds(), [(2, Table), (1, Table)])

    def test_it_is_switched_on_once(self) -> None:
        """A second call changes nothing."""
        come(self.first, "ann", "bob")
        self.pair.wait(LIST_IDLE)
        table = self.tables.get(TableId(1))
        self.lobby.spectators.follow({TOY.name: TOY})
        self.assertIs(self.tables.get(TableId(1)), table)
        self.lobby.close()
        self.assertEqual(self.leader.clock.getDelayedCalls(), [])
