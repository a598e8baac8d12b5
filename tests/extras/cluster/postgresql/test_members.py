"""The members of a database: their locks, one clock for all of them, and who takes another over."""

import time
from typing import Any

from msgspec.structs import replace as evolve_in

from gamehost.accounts.bans import Bans
from gamehost.accounts.names import name_of, place_of
from gamehost.accounts.proofs import ProvenLogins
from gamehost.extras.cluster.postgresql import members
from gamehost.extras.cluster.postgresql.members import ClusterAddress, look, take_over
from gamehost.extras.cluster.postgresql.session import LOCK_CLASS, lock_class_of
from gamehost.extras.cluster.postgresql.store import PostgresStore
from gamehost.games.base import Seat
from gamehost.journal.records import SLOW, OpenedTable, OwnedMatch, SeatRecord, TableHeader, TableId, UnfinishedTable
from gamehost.storage.contents import StoreFailed
from gamehost.storage.names import INTERFACE
from gamehost.storage.own import read_own_of
from tests.kit.accounts import account
from tests.kit.journal_contract import MOVE, nothing
from tests.kit.postgresql import ClusterCase, PostgresCase


class ClockTests(PostgresCase):
    """Bans, proofs and the times of matches go by the database's clock: no member can end the bans of all."""

    def test_a_machine_with_another_clock(self) -> None:
        journal, days = self.start(), 86_400
        bans = Bans(journal, journal.wall)
        bans.put("mallory", 3600, nothing)
        ann = account("ann")
        ProvenLogins(b"key", journal, journal.wall).note(ann, b"secret", "192.0.2.1")
        self.stop(journal)
        for ahead, words in ((40 * days, "is 3456000 seconds ahead of"), (-40 * days, "is 3456000 seconds behind")):
            again = self.start(machine=lambda ahead=ahead: time.time() + ahead)
            bans = Bans(again, again.wall)
            self.assertTrue(ProvenLogins(b"key", again, again.wall).fits(ann, b"secret"))
            self.play(again, 1)
            bans.all()
            self.until_idle(again)
            self.assertIn(f"this machine's clock {words} the database's", self.warned.pop())
            self.assertIsNotNone(bans.of_name(name_of("mallory")))
            self.stop(again)
        self.assertEqual(self.sql("SELECT (SELECT count(*) FROM ban), (SELECT count(*) FROM proof)"), [(1, 2)])
        late = "abs(extract(epoch FROM now()) * 1000 - at_ms) > 100000"
        self.assertEqual(self.sql(f"SELECT count(*) FROM event WHERE n = 0 AND {late}"), [(0,)])
        self.start()
        self.assertEqual(self.warned, [])

    def test_a_clock_that_jumps_while_the_host_runs(self) -> None:
        """Between two connections the host counts the seconds itself."""
        now = [1000.0]
        store = PostgresStore(self.url, self.warned.append, clock=lambda: now[0])
        self.addCleanup(lambda: store.session.close())
        store.begin(0.0)
        before = store.now()
        now[0] += 30.0
        self.assertEqual(store.now(), before + 30.0)
        store.session.close()
        store.resume()
        self.assertLess(abs(store.now() - time.time()), 25.0)


class SchemaLockTests(ClusterCase):
    """Stores in two schemas of one database are apart."""

    def test_each_store_has_locks_of_its_own(self) -> None:
        self.sql("CREATE SCHEMA other; CREATE SCHEMA third")
        first = self.member(1)
        for schema in ("other", "third"):
            url = f"{self.url}?options=-csearch_path%3D{schema}"
            found = [self.start(url, cluster=ClusterAddress(f"unix:/{number}", "token")) for number in (1, 2)]
            self.assertEqual([journal.epoch for journal in found], [1, 2])
            self.assertIn("the members of a cluster have this journal open", self.refusal(url, lock_patience=0.0))
            self.play(found[0], 1)
            for journal in found:
                self.stop(journal)
            alone = self.start(url)
            self.assertIn("another host (connected from", self.refusal(url, lock_patience=0.0))
            self.stop(alone)
        self.play(first, 1)
        self.until_idle(first)
        self.assertEqual((self.pump.broken, self.warned), ([], []))

    def test_a_lock_that_somebody_else_has(self) -> None:
        """A start never waits without a word, and never for ever."""
        self.session.rows("SELECT pg_advisory_lock(%s::int, 1)", (self.session.lock_class,))
        self.assertIn("the lock of this run, number 1, is taken (connected from", self.refusal())
        self.session.rows("SELECT pg_advisory_unlock_all()")
        first = self.start()
        self.refusal(lock_patience=0.1)
        self.assertRegex(
            self.warned[-1], r"another host \(connected from .*\) has this journal open: waiting up to 0 sec"
        )
        self.stop(first)

    def test_the_numbers_of_the_locks(self) -> None:
        """They are positive, and fit into four bytes."""
        self.assertEqual(lock_class_of("public"), LOCK_CLASS)
        numbers = {lock_class_of(f"schema_{number}") for number in range(1000)}
        self.assertGreater(len(numbers), 990)
        self.assertLess(max(numbers), 2**31)
        self.assertFalse(numbers & {LOCK_CLASS, LOCK_CLASS + 1})


class LookTests(ClusterCase):
    def test_who_lives(self) -> None:
        """From the start to the end of a run. One that has ended is seen until it is taken over."""
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


class InterfaceTests(ClusterCase):
    """Members of different releases speak with each other in the same way, or not at all."""

    def test_a_member_of_another_release(self) -> None:
        first = self.member(1)
        self.patch(members, "INTERFACE", INTERFACE + 1)
        refusal = self.refusal(cluster=ClusterAddress("tcp:10.0.0.2:8990", "token 2"))
        self.assertIn("at tcp:10.0.0.1:8990 is of another release", refusal)
        self.assertIn(f"it has interface {INTERFACE} between members, and this release has {INTERFACE + 1};", refusal)
        self.play(first, 1)
        self.stop(first)
        self.wait_for_lock(1)
        self.start(cluster=ClusterAddress("tcp:10.0.0.2:8990", "token 2"))
        self.assertEqual(self.sql("SELECT interface FROM member ORDER BY epoch"), [(INTERFACE,), (INTERFACE + 1,)])


class TakeTests(ClusterCase):
    """One table that sleeps goes to the member where its player is."""

    def test_a_table_that_sleeps(self) -> None:
        first, second = self.member(1), self.member(2)
        table, other = self.seated(first, "Ann", "Bob"), self.seated(first, "Ann", "Cid")
        self.assertIs(members.take(self.session, 2, table), False, "somebody is there")
        slept: list[bool] = []
        first.sleep(table, 5, 1000, lambda: slept.append(True))
        self.pump.until_idle(first)
        self.assertEqual(slept, [True])
        busy = self.new_session()
        busy.run("BEGIN")
        busy.run("SELECT 1 FROM member WHERE epoch = 1 FOR UPDATE")
        self.assertIsNone(members.take(self.session, 2, table), "nobody waits for others")
        busy.run("ROLLBACK")
        taken: list[object] = []
        second.take(table, taken.append)
        second.take(TableId(999), taken.append)
        second.load(table, taken.append)
        self.pump.until_idle(second)
        self.assertEqual(taken[:2], [True, True])
        self.assertEqual(self.owners(), [(table, 2), (other, 1)])
        self.assertEqual(members.list_faults(self.session), [])
        second.append(table, MOVE, nothing)
        self.pump.until_idle(second)
        self.assertEqual(self.sql(f"SELECT max(n) FROM event WHERE game = {table}"), [(2,)])
        self.sql("UPDATE member SET ended = now() WHERE epoch = 2; UPDATE live SET since = 1")
        self.assertRaises(StoreFailed, members.take, self.session, 2, other)

    def test_others_read_what_has_changed(self) -> None:
        """The slow matches of all members, with their owners, and what is in the lists of their players."""
        first = self.member(1)
        tables = [first.new_table() for _ in range(2)]
        for table, settings in zip(tables, ({SLOW: "5", "move_days": "3"}, {}), strict=True):
            seats = tuple(SeatRecord(name, "open", account=True) for name in ("Ann", "Bob"))
            first.open(table, TableHeader("onitama", 1, seats, settings), nothing)
            first.put_own([("ann", OwnedMatch(table, "onitama", ("Ann", "Bob"), 0, "turn"))], nothing)
        self.pump.until_idle(first)
        found = members.slow_matches(self.session)
        self.assertEqual([(owner, one.table, one.opening.slow) for owner, one in found], [(1, tables[0], 5)])
        self.assertEqual(members.slow_matches(self.session, [tables[1]]), [])
        changed = self.sql("SELECT kind, key FROM change ORDER BY id")
        self.assertEqual(changed, [("own", str(table)) for table in tables])
        rows = read_own_of(self.session, tables)
        self.assertEqual([(owner, one.table) for owner, one in rows], [("ann", table) for table in tables])


class TakeOverTests(ClusterCase):
    """A member has ended: another one takes everything."""

    def setUp(self) -> None:
        super().setUp()
        self.first, self.second = self.member(1), self.member(2)
        self.own = self.seated(self.first, "Eve", "Fay")
        self.tables = [self.seated(self.second, "Ann", "Bob"), self.seated(self.second, "Cid", "Dan", moves=0)]
        self.sql("INSERT INTO session VALUES ('gus', 2)")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('gus', 'onitama', '', 2, true)")

    def take_over(self, me: int = 1, dead: int = 2) -> list[UnfinishedTable] | None:
        found = take_over(self.session, me, dead, {"onitama"})
        return None if found is None else found[0]

    def test_everything(self) -> None:
        """Everything is the successor's. Names without a seat are free, and so is one whose player was told the end."""
        self.sql(f"UPDATE live SET told = 2, since = 5 WHERE game = {self.tables[1]}")
        self.sql("UPDATE uptime SET seconds = 70")
        self.kill(self.second)
        found = self.take_over()
        assert found is not None
        self.assertEqual(
            [(one.table, one.begun, one.since, one.told) for one in found],
            [(self.tables[0], True, 70, frozenset()), (self.tables[1], False, 5, frozenset({Seat(1)}))],
        )
        self.assertEqual(found[0].opening.seats[0].name, "Ann")
        self.assertEqual(self.owners(), [(table, 1) for table in sorted([self.own, *self.tables])])
        self.assertEqual(self.sessions(), [(key, 1) for key in ("ann", "bob", "cid", "eve", "fay")])
        self.assertEqual(self.sql("SELECT * FROM seeking"), [])
        self.assertEqual([seen.epoch for seen in look(self.session)], [1])
        self.assertEqual(self.take_over(), found)
        self.assertEqual(
            self.sql("SELECT ended IS NOT NULL, heir FROM member ORDER BY epoch"), [(False, None), (True, 1)]
        )
        loaded: list[Any] = []
        self.first.load(self.tables[0], loaded.append)
        self.until_idle(self.first)
        self.assertEqual(len(loaded[0].entries), 1)
        self.first.append(self.tables[0], MOVE, nothing)
        self.until_idle(self.first)
        self.assertEqual(
            self.sql(f"SELECT epoch FROM event WHERE game = {self.tables[0]} ORDER BY n"), [(2,), (2,), (1,)]
        )

    def test_tables_that_wait(self) -> None:
        """They go to who takes over, with the names of their players."""
        waiting = OpenedTable(
            TableId(77),
            "onitama",
            2,
            {"move_time": "60"},
            "K7",
            (SeatRecord("Olga", "open", "x", False, "~1"),),
            False,
            5,
        )
        self.second.put_opened(waiting, nothing)
        self.second.put_opened(evolve_in(waiting, table=TableId(78)), nothing)
        self.second.drop_opened(TableId(78), nothing)
        self.until_idle(self.second)
        self.assertEqual((list(self.first.opened()), list(self.second.opened())), ([], [waiting]))
        self.kill(self.second)
        self.take_over()
        found: list[Any] = []
        self.first.find_opened(found.extend)
        self.until_idle(self.first)
        self.assertEqual(found, [waiting])
        homes = dict(self.sql("SELECT key, home FROM session"))
        self.assertEqual((homes["olga"], homes[place_of(TableId(77))]), (1, 1))

    def test_the_living_are_not_taken_over(self) -> None:
        before = self.owners(), self.sessions(), look(self.session)
        self.assertIsNone(self.take_over())
        self.assertEqual((self.owners(), self.sessions(), look(self.session)), before)
        self.play(self.second, 1)

    def test_an_end_in_order(self) -> None:
        """It is taken over, although nobody holds its lock and its end is noted."""
        self.stop(self.second)
        self.assertEqual([(seen.epoch, seen.ended) for seen in look(self.session)], [(1, False), (2, True)])
        self.assertEqual([one.table for one in self.take_over() or ()], self.tables)

    def test_the_successor_dies(self) -> None:
        """Before it knows what it has taken. Its own successor gets all that."""
        third = self.member(3)
        self.kill(self.second)
        self.take_over()
        self.kill(self.first)
        self.assertEqual([one.table for one in self.take_over(3, 1) or ()], [self.own, *self.tables])
        self.assertEqual(self.sessions(), [(key, 3) for key in ("ann", "bob", "cid", "dan", "eve", "fay")])
        self.stop(third)

    def test_names_that_were_not_noted(self) -> None:
        """A seat that is kept has its name here. A name whose home is at another member stays there."""
        self.kill(self.second)
        self.sql("DELETE FROM session WHERE key = 'ann'; UPDATE session SET home = 7 WHERE key = 'bob'")
        for _ in range(2):
            found = take_over(self.session, 1, 2)
            assert found is not None
            self.assertEqual(sorted(found[1]), ["#wire onitama", "ann", "cid", "dan"])
        self.assertEqual(self.sessions()[1:3], [("ann", 1), ("bob", 7)])

    def test_who_has_ended_changes_nothing(self) -> None:
        """A member that was taken over does not know it yet."""
        self.kill(self.second)
        self.take_over()
        before = self.sessions()
        self.assertEqual(str(self.assertRaises(StoreFailed, self.take_over, 2, 1)), members.TAKEN_OVER)
        self.assertEqual(self.sessions(), before)

    def test_tables_that_cannot_be_read(self) -> None:
        """They are not played on. Their rows stay, and belong to the successor."""
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {self.tables[0]} AND n = 0")
        self.kill(self.second)
        self.assertEqual([one.table for one in self.take_over() or ()], self.tables[1:])
        self.assertEqual(dict(self.owners())[self.tables[0]], 1)

    def test_one_that_hangs(self) -> None:
        """Its session is ended. It commits nothing more, and ends."""
        self.cut_off(2)
        self.assertEqual(len(self.take_over() or ()), 2)
        self.second.append(self.tables[0], MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, [f"StoreFailed: {members.TAKEN_OVER}"])
        self.pump.broken.clear()
        self.play(self.first, 1)
