"""Members of a cluster: who lives, and how the tables and names of a member that has ended are inherited."""

from typing import Any

from gamehost.games.base import Seat
from gamehost.journal.records import HOUSE_ADDRESS, SeatRecord, StoreUnusable, TableHeader, UnfinishedTable
from gamehost.storage.changes import StoreFailed
from gamehost.storage.postgresql import lives
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
from gamehost.storage.postgresql.schema import schemas
from gamehost.storage.postgresql.session import LOCK_CLASS, LineLost
from gamehost.testing.journal_contract import MOVE, nothing
from tests.kit.postgresql_cluster import ClusterCase


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
