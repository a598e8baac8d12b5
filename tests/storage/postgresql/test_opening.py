"""Opening a store in a database, and following what other hosts play."""

from functools import partial
from typing import Any

from twisted.internet.task import Clock

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableElsewhere, TableHeader, TableId, TableRecord
from gamehost.lobby.watching import LIST_IDLE, READ_EVERY
from gamehost.storage.changes import StoreFailed
from gamehost.storage.durable import DurableJournal
from gamehost.storage.postgresql import store as opening
from gamehost.storage.postgresql.lives import TAKEN_OVER, ClusterAddress, begin_inheriting, look
from gamehost.storage.postgresql.session import Session
from gamehost.tables.interfaces import Look
from tests.kit.example_game import Counted
from tests.kit.journal_contract import END, MOVE, nothing
from tests.kit.postgresql import PostgresCase
from tests.kit.postgresql_members import ClusterCase
from tests.kit.watching import Watcher, following


class OwnershipTests(PostgresCase):
    """One host a store."""

    def test_a_second_host_is_refused_and_the_first_unharmed(self) -> None:
        """The message names the store and what can be done."""
        journal = self.start()
        words = self.refusal(lock_patience=0.0)
        self.assertRegex(
            words, rf"^{self.url}: another host \(connected from 127.0.0.1 since [^)]+\) has this journal open; "
        )
        self.assertIn("--store=second.sqlite", words)
        self.play(journal, 2)
        self.assertEqual(self.warned, [])

    def test_each_life_has_a_number(self) -> None:
        """Its rows have it, its tables belong to it, and its end is noted."""
        for _ in range(2):
            journal = self.start()
            self.play(journal, 1)
            self.stop(journal)
        self.assertEqual(self.sql("SELECT game, epoch FROM event WHERE n = 0"), [(1, 1), (2, 2)])
        self.assertEqual(self.sql("SELECT count(*) FROM member WHERE ended IS NOT NULL"), [(2,)])
        self.assertEqual(self.sql("SELECT DISTINCT owner FROM live"), [(2,)])

    def test_the_lock_is_taken_again(self) -> None:
        """After a lost connection no other host can begin. One that does not take its lock again is found out."""
        self.assert_locked_after_a_cut()
        self.stop_all()
        self.patch(Session, "lock", lambda *arguments, **more: True)
        self.assertRaises(self.failureException, self.assert_locked_after_a_cut)

    def assert_locked_after_a_cut(self) -> None:
        journal = self.start()
        self.cut()
        self.play(journal, 1)
        self.refusal(lock_patience=0.0)

    def test_a_host_that_was_lost_does_not_come_back(self) -> None:
        """Another host has the lock, or had it: the first one confirms nothing more, and ends."""
        self.patch(opening, "PATIENCE", 0.2)
        for stopped in (False, True):
            self.pump.broken.clear()
            first = self.start()
            table = self.play(first, 1)
            self.cut()
            second = self.start()
            if stopped:
                self.stop(second)
            first.append(table, MOVE, self.fail)
            self.pump.until(lambda: bool(self.pump.broken))
            self.assertRegex(self.pump.broken[0], "another host.* has taken the journal over")
            self.stop_all()

    def test_a_database_that_stays_away(self) -> None:
        """The host gives up after a while, and confirms nothing."""
        now = [0.0]

        def sleep(seconds: float) -> None:
            now[0] += seconds

        life = opening.Life(self.server.url("no_such_database"), self.warned.append, lambda: now[0], sleep)
        error = self.assertRaises(StoreFailed, life.resume)
        self.assertIn("was lost, and is not back", str(error))
        self.assertGreater(now[0], opening.PATIENCE - 2 * opening.PAUSE)

    def test_a_database_from_before_this_life(self) -> None:
        """It was put back to an older state."""
        journal = self.start()
        table = self.play(journal, 1)
        self.cut()
        self.sql("DELETE FROM member")
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("the database has lost this host's life", self.pump.broken[0])


class MemberTests(ClusterCase):
    """Members of a cluster share a store. A host alone does not."""

    def test_members_and_a_host_alone(self) -> None:
        """Each is refused while the other has the store, and the message says who has it. The others play on."""
        first, second = self.member(1), self.member(2)
        words = self.refusal(lock_patience=0.0)
        self.assertIn("the members of a cluster have this journal open (", words)
        self.assertRegex(
            words, r" at tcp:10.0.0.1:8990, .* at tcp:10.0.0.2:8990\); start this host with --cluster, too, or stop"
        )
        for journal in (first, second):
            self.play(journal, 1)
            self.stop(journal)
        alone = self.start()
        words = self.refusal(lock_patience=0.0, cluster=ClusterAddress("tcp:10.0.0.4:8990", "token"))
        self.assertRegex(
            words, r"a host without --cluster \(connected from 127.0.0.1 since [^)]+\) has this journal open"
        )
        self.play(alone, 1)
        self.assertEqual(self.warned, [])

    def test_a_lost_line(self) -> None:
        """Each member takes its locks again and goes on. A host alone cannot come between them."""
        members = [self.member(1), self.member(2)]
        self.cut()
        for journal in members:
            self.play(journal, 1)
        self.assertEqual(len(self.warned), 4)
        self.assertIn("the members of a cluster have this journal open", self.refusal(lock_patience=0.0))
        self.assertEqual([(seen.locked, seen.ended) for seen in look(self.new_session())], [(True, False)] * 2)

    def test_a_beat(self) -> None:
        """Each is noted. It finds a lost line, and tables of other members; a member that was inherited ends by it."""
        first, second = self.member(1), self.member(2)
        done: list[int] = []
        for expected in (1, 2):
            first.beat(partial(done.append, expected))
            self.settle(first)
            self.assertEqual(done[-1:] + [seen.noted for seen in look(self.session)], [expected, expected, 0])
        table = self.play(second, 1)
        self.assertEqual(first.last_table, 0)
        self.cut_off(1)
        first.beat(nothing)
        self.settle(first)
        self.assertEqual((first.last_table, len(self.warned)), (table, 2))
        self.cut_off(1)
        self.assertEqual([one.table for one in begin_inheriting(self.session, 2, 1) or ()], [])
        first.beat(self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, [f"StoreFailed: {TAKEN_OVER}"])
        self.stop(second)
        second.beat(self.fail)

    def test_tables_of_all_members(self) -> None:
        """Numbers are unique. Each member has its own unfinished tables, and all finished ones."""
        members = [self.member(1), self.member(2)]
        tables = [self.play(journal, 1) for journal in members * 2]
        self.assertEqual(tables, [1, 65, 2, 66])
        for journal, table in zip(members, tables, strict=False):
            journal.append(table, END, nothing)
            journal.told(table)
            journal.note_uptime(100 // table)
            journal.beat(nothing)
            self.settle(journal)
        first, second = members
        self.assertEqual([one.table for one in first.unfinished()], [2])
        self.assertEqual([one.table for one in second.unfinished()], [66])
        self.assertEqual(self.sql("SELECT game, since FROM live ORDER BY game"), [(2, 100), (66, 100)])
        first.beat(nothing)
        found: list[Any] = []
        for journal in members:
            journal.finished(None, 99, lambda matches, low: found.append(([one.table for one in matches], low)))
            self.settle(journal)
        self.assertEqual(found, [([65, 1], 1), ([65, 1], 1)])

    def test_a_table_of_another_member(self) -> None:
        """It can be read, and is forgotten then: its rows may be moved to an archive before this host asks again."""
        first, second = self.member(1), self.member(2)
        table = self.play(first, 1)
        loaded: list[Any] = []
        second.load(table, loaded.append)
        self.settle(second)
        self.assertEqual(len(loaded[0].entries), 1)
        self.sql("DELETE FROM event")
        self.cut_off(2)
        second.beat(nothing)
        self.settle(second)

    def test_numbers_are_used_up(self) -> None:
        """More of them are taken, twice as many, also while the line is lost."""
        first, second = self.member(1), self.member(2)
        numbers = [first.new_table() for _ in range(64)]
        self.cut_off(1)
        numbers += [first.new_table() for _ in range(128)]
        self.assertEqual(numbers, [*range(1, 65), *range(129, 257)])
        self.assertEqual(second.new_table(), 65)

    def test_damage(self) -> None:
        """What the others have is theirs to check."""
        first = self.member(1)
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {self.play(first, 1)} AND n = 1")
        self.stop(self.member(2))
        self.stop(first)
        self.assertIn("table 1: row 1 does not match its hash", self.refusal(cluster=ClusterAddress("a", "b")))


class MessageTests(PostgresCase):
    """What the owner of a host reads."""

    def test_no_connection(self) -> None:
        """The store is named, without a password."""
        words = self.refusal(f"postgresql://gamehost:canary@127.0.0.1:{self.server.port}/nothing_here")
        self.assertIn("gamehost:***@", words)
        self.assertIn("there is no connection to the database", words)
        self.assertIn('database "nothing_here" does not exist', words)
        self.assertNotIn("canary", words)

    def test_an_owner_without_rights(self) -> None:
        """The database's own words are passed on."""
        self.sql("DROP ROLE IF EXISTS stranger")
        self.sql("CREATE ROLE stranger LOGIN")
        words = self.refusal(self.server.url(self.database, "stranger"))
        self.assertIn("the database refuses this (permission denied for", words)

    def test_what_was_refused_leaves_no_session(self) -> None:
        """So the lock is free for the next try."""
        self.patch(opening, "migrate", self.break_down)
        self.assertRaises(ZeroDivisionError, self.start)
        hosts: list[Any] = []
        while hosts != [(0,)]:
            hosts = self.sql(
                f"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gamehost' AND datname = '{self.database}'"
            )

    def break_down(self, session: Any) -> None:
        raise ZeroDivisionError


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
        followed = following(clock, self.leader)
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
