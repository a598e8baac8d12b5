"""Who of a cluster lives, and what is noted of the unfinished tables."""

from functools import partial
from typing import Any

from gamehost.games.base import Seat
from gamehost.journal.records import HOUSE_ADDRESS, SeatRecord, StoreUnusable, TableHeader, TableId, UnfinishedTable
from gamehost.storage.changes import StoreFailed
from gamehost.storage.durable import DurableJournal
from gamehost.storage.postgresql import lives
from gamehost.storage.postgresql import store as under_test
from gamehost.storage.postgresql.lives import (
    ClusterAddress,
    begin_inheriting,
    changing,
    finish_inheriting,
    lock_cluster,
    look,
    take_numbers,
    transaction,
)
from gamehost.storage.postgresql.session import LOCK_CLASS, LineLost, connect, schemas
from tests.kit.journal_contract import END, MOVE, OPENING, PUT_AWAY, nothing
from tests.kit.postgresql import PostgresCase
from tests.kit.postgresql_members import ClusterCase


class ReleaseTests(ClusterCase):
    """Members of two releases."""

    def test_an_older_release_runs(self) -> None:
        """The tables of the store are not changed under it. When it is gone, they are."""
        first = self.member(1)
        newest = len(schemas())
        self.sql(f"UPDATE gamehost_schema SET version = {newest - 1}")
        with self.assertRaises(StoreUnusable) as caught:
            self.member(2)
        self.assertIn("members of an older release have this journal open (", str(caught.exception))
        self.assertIn("tcp:10.0.0.1:8990", str(caught.exception))
        self.assertEqual(self.sql("SELECT version FROM gamehost_schema"), [(newest - 1,)])
        self.sql(f"UPDATE gamehost_schema SET version = {newest}")
        self.member(2)
        self.stop(first)


class LookTests(ClusterCase):
    """What members see of each other."""

    def test_who_lives(self) -> None:
        """From the start to the end of a life. One that has ended is seen until it is inherited."""
        first, second = self.member(1), self.member(2)
        one, other = look(self.session)
        self.assertEqual((one.epoch, one.address, one.token), (1, "tcp:10.0.0.1:8990", "token 1"))
        self.assertEqual((other.epoch, other.ended, other.locked), (2, False, True))
        self.assertNotIn("token", repr(one).replace("token=", ""))
        self.stop(first)
        self.wait_for_lock(1)  # the server ends the session in its own time
        self.kill(second)
        ended = [(1, True, False), (2, False, False)]
        self.assertEqual([(seen.epoch, seen.ended, seen.locked) for seen in look(self.session)], ended)
        self.member(3)
        self.assertEqual([seen.epoch for seen in look(self.session)], [3])


class InheritTests(ClusterCase):
    """A member has ended: the leader takes everything."""

    def setUp(self) -> None:
        super().setUp()
        self.first, self.second = self.member(1), self.member(2)
        self.own = self.seated(self.first, "Eve", "Fay")
        self.tables = [self.seated(self.second, "Ann", "Bob"), self.seated(self.second, "Cid", "Dan", moves=0)]
        self.sql("INSERT INTO session VALUES ('gus', 2)")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('gus', 'onitama', '', 2, true)")

    def inherit(self, me: int = 1, dead: int = 2) -> list[UnfinishedTable] | None:
        return begin_inheriting(self.session, me, dead)

    def test_in_two_phases(self) -> None:
        """First everything is the heir's, and the names are not settled. Then those with seats are, and the others are free."""
        self.sql(f"UPDATE live SET told = 2, since = 5 WHERE game = {self.tables[1]}")
        self.sql("UPDATE uptime SET seconds = 70")
        self.kill(self.second)
        found = self.inherit()
        assert found is not None
        self.assertEqual(
            [(one.table, one.begun, one.since, one.told) for one in found],
            [(self.tables[0], True, 70, frozenset()), (self.tables[1], False, 5, frozenset({Seat(1)}))],
        )
        self.assertEqual(found[0].opening.seats[0].name, "Ann")
        self.assertEqual(self.owners(), [(table, 1) for table in sorted([self.own, *self.tables])])
        names = [(key, 1, False) for key in ("ann", "bob", "cid", "dan")]
        own = [("eve", 1, True), ("fay", 1, True)]
        self.assertEqual(self.sessions(), [*names, *own, ("gus", 1, False)])
        self.assertEqual(self.sql("SELECT * FROM seeking"), [])
        self.assertEqual([seen.epoch for seen in look(self.session)], [1])
        self.assertEqual(self.inherit(), found)
        finish_inheriting(self.session, 1, ["ann", "bob"])
        self.assertEqual(self.sessions(), [("ann", 1, True), ("bob", 1, True), *own])
        self.assertEqual(
            self.sql("SELECT ended IS NOT NULL, heir FROM member ORDER BY epoch"), [(False, None), (True, 1)]
        )
        loaded: list[Any] = []
        self.first.load(self.tables[0], loaded.append)
        self.settle(self.first)
        self.assertEqual(len(loaded[0].entries), 1)
        self.first.append(self.tables[0], MOVE, nothing)
        self.settle(self.first)
        self.assertEqual(
            self.sql(f"SELECT epoch FROM event WHERE game = {self.tables[0]} ORDER BY n"), [(2,), (2,), (1,)]
        )

    def test_the_living_are_not_inherited(self) -> None:
        """Whoever holds the lock of the life lives."""
        before = self.owners(), self.sessions(), look(self.session)
        self.assertIsNone(self.inherit())
        self.assertEqual((self.owners(), self.sessions(), look(self.session)), before)
        self.play(self.second, 1)

    def test_an_end_in_order(self) -> None:
        """It is inherited, although nobody holds its lock and its end is noted."""
        self.stop(self.second)
        self.assertEqual([(seen.epoch, seen.ended) for seen in look(self.session)], [(1, False), (2, True)])
        self.assertEqual([one.table for one in self.inherit() or ()], self.tables)

    def test_the_heir_dies(self) -> None:
        """Between the phases. Its own heir gets what it had taken, and no name is settled."""
        third = self.member(3)
        self.kill(self.second)
        self.inherit()
        self.kill(self.first)
        self.assertEqual([one.table for one in self.inherit(3, 1) or ()], [self.own, *self.tables])
        self.assertEqual({(home, settled) for _, home, settled in self.sessions()}, {(3, False)})
        finish_inheriting(self.session, 3, ["ann", "eve"])
        self.assertEqual(self.sessions(), [("ann", 3, True), ("eve", 3, True)])
        self.stop(third)

    def test_names_that_were_not_noted(self) -> None:
        """A seat that is kept has its name here. A name whose home is at another member stays there."""
        self.kill(self.second)
        self.sql("DELETE FROM session WHERE key = 'ann'; UPDATE session SET home = 7 WHERE key = 'bob'")
        self.inherit()
        finish_inheriting(self.session, 1, ["ann", "bob"])
        self.assertEqual(self.sessions()[:2], [("ann", 1, True), ("bob", 7, True)])

    def test_who_has_ended_changes_nothing(self) -> None:
        """A member that was inherited does not know it yet."""
        self.kill(self.second)
        self.inherit()
        before = self.sessions()
        for call in (lambda: self.inherit(2, 1), lambda: finish_inheriting(self.session, 2, ["ann"])):
            error = self.assertRaises(StoreFailed, call)
            self.assertEqual(str(error), lives.TAKEN_OVER)
        self.assertEqual(self.sessions(), before)

    def test_tables_that_cannot_be_read(self) -> None:
        """They are not played on. Their rows stay, and belong to the heir."""
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {self.tables[0]} AND n = 0")
        self.kill(self.second)
        self.assertEqual([one.table for one in self.inherit() or ()], self.tables[1:])
        self.assertEqual(dict(self.owners())[self.tables[0]], 1)

    def test_one_that_hangs(self) -> None:
        """Its session is ended. It commits nothing more, and ends."""
        self.cut_off(2)
        self.assertEqual(len(self.inherit() or ()), 2)
        self.second.append(self.tables[0], MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, [f"StoreFailed: {lives.TAKEN_OVER}"])
        self.pump.broken.clear()
        self.play(self.first, 1)


class StartTests(ClusterCase):
    """A member begins, and nobody else lives."""

    def test_everything_is_inherited(self) -> None:
        """Also from a host that was alone: each name with a seat is noted, those of house players too."""
        alone = self.start()
        table = alone.new_table()
        house = SeatRecord("easy.1", "open", HOUSE_ADDRESS)
        alone.open(table, TableHeader("onitama", 1, (SeatRecord("\u017dofie", "onitama"), house)), nothing)
        gone = self.play(alone, 0)
        self.pump.settle(alone)
        self.stop(alone)
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {gone}")
        self.sql("INSERT INTO session VALUES ('old', 1); INSERT INTO change(kind, key) VALUES ('ban', 'x')")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('old', 'onitama', '', 1, true)")
        epoch = lives.begin_life(self.session, "machine", ClusterAddress("a", "b"))
        self.assertEqual(self.owners(), [(table, epoch), (gone, epoch)])
        self.assertEqual(self.sessions(), [("easy.1", epoch, True), ("\u017eofie", epoch, True)])
        self.assertEqual(self.sql("SELECT (SELECT count(*) FROM change), (SELECT count(*) FROM seeking)"), [(0, 0)])
        self.assertEqual([seen.epoch for seen in look(self.session)], [epoch])
        self.assertEqual(take_numbers(self.session, 3), range(3, 6))

    def test_others_live(self) -> None:
        """Nothing is taken, also of those who have ended: that is the leader's."""
        first, second = self.member(1), self.member(2)
        own, table = self.seated(first, "Eve", "Fay"), self.seated(second, "Ann", "Bob")
        self.kill(second)
        third = self.member(3)
        self.assertEqual(self.owners(), [(own, 1), (table, 2)])
        self.assertEqual([seen.epoch for seen in look(self.session)], [1, 2, 3])
        self.assertEqual(list(third.unfinished()), [])

    def test_a_host_alone(self) -> None:
        """It takes all tables, and needs no names."""
        first, second = self.member(1), self.member(2)
        tables = [self.seated(one, "Ann", "Bob") for one in (first, second)]
        self.kill(first)
        self.stop(second)
        alone = self.start()
        self.assertEqual(([one.table for one in alone.unfinished()], self.sessions()), (sorted(tables), []))
        self.assertEqual([seen.epoch for seen in look(self.session)], [3])


class LockTests(ClusterCase):
    """The lock of the cluster, and the numbers of tables."""

    def test_one_at_a_time(self) -> None:
        """Whoever changes homes keeps all others from that."""
        epoch = lives.begin_life(self.session, "machine", ClusterAddress("a", "b"))
        other = self.new_session()
        other.run("SET lock_timeout = 1")
        with changing(self.session, epoch), self.assertRaises(StoreFailed), transaction(other):
            lock_cluster(other)
        with changing(other, epoch):
            pass

    def test_who_says_nothing(self) -> None:
        """A member that hangs while it has the lock is ended by the server."""
        self.patch(lives, "_SILENCE", lives._SILENCE.replace("3s", "1ms"))
        with self.assertRaises(LineLost), transaction(self.session):
            lock_cluster(self.session)
            other = self.new_session()
            with transaction(other):
                other.rows("SELECT pg_advisory_xact_lock(%s::int, %s::int)", (LOCK_CLASS, lives.CLUSTER_LOCK))
            self.session.rows("SELECT 1")

    def test_numbers_of_tables(self) -> None:
        """Each is given once, whoever asks for how many, and also if the first journal counted without the sequence."""
        self.assertEqual(
            [take_numbers(self.session, count) for count in (1, 64, 2)], [range(1, 2), range(2, 66), range(66, 68)]
        )
        self.stop(self.start())
        self.member(2)
        self.assertEqual(take_numbers(self.new_session(), 2), range(132, 134))


COUNTED = "SELECT sum(tables), sum(numbers) FROM member"
LISTED = "SELECT count(*), sum(game) FROM live"


class UnfinishedTests(PostgresCase):
    """Unfinished tables, and their newest rows."""

    def life(self, **more: Any) -> DurableJournal:
        """A host with a match of two moves, one whose end nobody was told, and one that is over."""
        journal = self.start(**more)
        tables = [self.play(journal, 2) for _ in range(3)]
        for table in tables[1:]:
            journal.append(table, END, nothing)
        journal.told(tables[2])
        self.settle(journal)
        return journal

    def after_a_life(self) -> None:
        """A store that was closed in order."""
        self.empty()
        self.sql("ALTER SEQUENCE member_epoch_seq RESTART")
        self.stop(self.life())

    def test_nothing_was_changed(self) -> None:
        """In every way in which tables begin, end, sleep, are inherited and given up, the numbers stay right."""
        clusters = [ClusterAddress(f"tcp:10.0.0.{number}:8990", "token") for number in (1, 2)]
        for cluster in (None, clusters[0], None):
            journal = self.life(cluster=cluster)
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, PUT_AWAY, nothing)
            self.settle(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
            self.stop(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
        one, other = (self.life(cluster=cluster) for cluster in clusters)
        self.stop(other)
        session = connect(self.url)
        self.addCleanup(session.close)
        for _ in range(2):
            self.assertEqual(len(begin_inheriting(session, one.epoch, other.epoch) or ()), 2)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
        self.stop(one)
        self.stop(self.start())
        self.sql("UPDATE event SET at_ms = at_ms + 1 WHERE game = 1")
        self.stop(self.start(accept_loss=True))
        self.assertEqual(self.sql(COUNTED), self.sql(LISTED))

    def test_what_was_changed(self) -> None:
        """A row that was taken away or changed, and a table that was taken from the list or brought back to it."""
        durable = "row {} was durable, and is missing or was changed"
        for change, words in (
            ("DELETE FROM event WHERE game = 1 AND n = 2", "table 1: " + durable.format(2)),
            ("DELETE FROM event WHERE game = 1 AND n > 0", "table 1: " + durable.format(2)),
            ("DELETE FROM event WHERE game = 2 AND n = 3", "table 2: " + durable.format(3)),
            ("UPDATE event SET body = '' WHERE game = 1 AND n = 2", "table 1: row 2 does not match its hash"),
            (
                "DELETE FROM live WHERE game = 1",
                "list of unfinished tables was changed: it has 1 tables, and 2 were durable",
            ),
            ("DELETE FROM live", "it has 0 tables, and 2 were durable"),
            ("INSERT INTO live(game, owner) VALUES (3, 1)", "it has 3 tables, and 2 were durable"),
            ("UPDATE live SET game = 3 WHERE game = 2", "was changed: other tables are in it"),
        ):
            self.after_a_life()
            self.assertEqual(len(self.sql("SELECT n FROM live WHERE h IS NOT NULL")), 2)
            self.sql(change)
            for cluster in (None, ClusterAddress("tcp:10.0.0.1:8990", "token")):
                refusal = self.refusal(cluster=cluster)
                self.assertIn(words, refusal, change)
                self.assertIn("start once with --accept-loss", refusal)
            self.stop(self.start(accept_loss=True))
            self.stop(self.start())

    def test_a_killed_host(self) -> None:
        """It has noted the newest rows about once a second, some tables at a time, those that waited longest first."""
        self.patch(under_test, "NOTED_AT_ONCE", 2)
        self.patch(under_test, "NOTE_EVERY", 0.0)
        now = [0.0]
        journal = self.start(clock=lambda: now[0])
        tables = [self.play(journal, 1) for _ in range(3)]
        for _ in range(4):  # each commit behind the time of the next mark writes one
            now[0] += 1.0
            journal.append(tables[0], MOVE, nothing)
            self.settle(journal)
        noted = dict(self.sql("SELECT game, n FROM live"))
        self.assertEqual(noted[tables[1]], 1)
        self.assertGreaterEqual(noted[tables[0]], 1)
        self.cut()
        self.sql(f"DELETE FROM event WHERE game = {tables[1]} AND n = 1")
        journal.append(tables[0], MOVE, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("the database has lost the newest rows of 1 tables", self.pump.broken[0])
        self.stop(journal)
        self.pump.broken.clear()
        self.cut()
        self.assertIn(f"table {tables[1]}: row 1 was durable", self.refusal())

    def test_a_table_that_is_loaded_later(self) -> None:
        """The records that a start leaves out are compared when a player comes."""
        self.after_a_life()
        journal = self.start()
        self.sql("DELETE FROM event WHERE game = 1 AND n = 2")
        found: list[Any] = []
        journal.load(TableId(1), partial(found.append))
        self.settle(journal)
        self.assertEqual(found, ["table 1: row 2 was durable, and is missing or was changed"])
