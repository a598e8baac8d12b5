"""A member of a cluster follows the tables of another one in the database."""

from twisted.internet.task import Clock

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableElsewhere, TableHeader, TableId, TableRecord
from gamehost.lobby.following import LIST_IDLE, READ_EVERY, FollowedTables
from gamehost.storage.durable import DurableJournal
from gamehost.storage.postgresql.lives import begin_inheriting
from gamehost.tables.interfaces import Look
from gamehost.tables.slices import Slices
from gamehost.testing.journal_contract import nothing
from tests.kit.example_game import TOY, Counted
from tests.kit.postgresql_cluster import ClusterCase
from tests.kit.watching_contract import Watcher

OPENING = TableHeader("toy", 1, (SeatRecord("Ann", "toy"), SeatRecord("Bob", "toy")), {"goal": "9"})
BEGAN = Entry(EntryKind.BEGAN, 0, drawn=(9,))
MOVES = [Entry(EntryKind.ACTED, 1000 * number, Seat((number + 1) % 2), b"+1", (9,)) for number in range(1, 6)]


class FollowingTests(ClusterCase):
    """The first member looks, and the second one plays."""

    def setUp(self) -> None:
        super().setUp()
        self.leader, self.other = self.member(1), self.member(2)
        self.table = self.other.new_table()
        self.other.open(self.table, OPENING, nothing)
        self.append(self.other, BEGAN, MOVES[0])

    def append(self, journal: DurableJournal, *entries: Entry) -> None:
        for entry in entries:
            journal.append(self.table, entry, nothing)
        self.settle(journal)

    def elsewhere(self, journal: DurableJournal, *known: TableId) -> list[TableElsewhere]:
        found: list[TableElsewhere] = []
        journal.elsewhere(known, 9, lambda tables, count: found.extend(tables))
        self.settle(journal)
        return found

    def test_which_tables_there_are(self) -> None:
        """Those of the other member, with their openings if these are not known."""
        one = TableElsewhere(self.table, 2, 1000, OPENING)
        self.assertEqual((self.elsewhere(self.leader), self.elsewhere(self.other)), ([one], []))
        self.assertEqual(self.elsewhere(self.leader, self.table), [TableElsewhere(self.table, 2, 1000, None)])
        self.sql("UPDATE event SET body = 'x' WHERE n = 0")
        self.assertEqual(self.elsewhere(self.leader), [], "another release wrote it")

    def test_reading_changes_nothing(self) -> None:
        """The record of another member is read, and this one cannot add to it."""
        found: list[object] = []
        self.leader.read(self.table, found.append)
        self.settle(self.leader)
        self.assertEqual(found, [TableRecord(self.table, OPENING, (BEGAN, MOVES[0]))])
        self.assertRaises(ValueError, self.leader.append, self.table, MOVES[1], nothing)
        self.assertEqual(self.store(self.leader)._heads, {})

    def test_a_match_is_followed(self) -> None:
        """What the other member commits is told here, and then what this member adds when it has inherited the table."""
        clock = Clock()
        followed = FollowedTables(clock, self.leader, Slices(clock), {"toy": TOY}, {})
        self.settle(self.leader)
        table, watcher = followed.get(self.table), Watcher()
        assert table is not None

        def pass_time(seconds: float = READ_EVERY) -> None:
            clock.advance(seconds)
            self.settle(self.leader)

        table.watch(watcher)
        pass_time()
        self.assertEqual(watcher.read(), [Look(2, None, Counted(1, 9))])
        self.append(self.other, *MOVES[1:3])
        pass_time()
        self.assertEqual(watcher.read(), [(3, Counted(2, 9)), (4, Counted(3, 9))])
        self.kill(self.other)
        begin_inheriting(self.session, 1, 2)
        pass_time(LIST_IDLE)
        self.assertEqual((list(followed.newest(9)), watcher.read()), ([], []))
        self.leader.load(self.table, lambda record: None)
        self.settle(self.leader)
        self.append(self.leader, MOVES[3])
        pass_time()
        self.assertEqual(watcher.read(), [(5, Counted(4, 9))])
        followed.halt()


del ClusterCase
