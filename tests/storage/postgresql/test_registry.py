"""The registry of a member of a cluster."""

from functools import partial
from typing import Any

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.games.base import Seat
from gamehost.journal.records import HOUSE_ADDRESS, SeatRecord, StoreUnusable, TableHeader, TableId, UnfinishedTable
from gamehost.storage.contents import AddAccount, StoreFailed, delete_account, put_ban
from gamehost.storage.durable import DurableJournal
from gamehost.storage.names import Answer, Claim, Registry, Release, Request, Rows, Transfer, Wait, WaitNoLonger
from gamehost.storage.postgresql import members, registry
from gamehost.storage.postgresql import registry as name_rows
from gamehost.storage.postgresql import store as under_test
from gamehost.storage.postgresql.members import (
    ClusterAddress,
    begin_taking_over,
    changing,
    finish_taking_over,
    lock_cluster,
    look,
    mark_lost,
    take_numbers,
    transaction,
)
from gamehost.storage.postgresql.registry import PostgresRegistry, carry_out_group, read_offers
from gamehost.storage.postgresql.session import LOCK_CLASS, LineLost, connect, schemas
from gamehost.storage.row_codec import Head
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_contract import END, MOVE, OPENING, PUT_AWAY, nothing
from tests.kit.postgresql import ClusterCase, PostgresCase, RegistryCase
from tests.kit.registry_contract import RecordingWatcher, RegistryContract


class PostgresRegistryTests(RegistryCase, RegistryContract, PropertyCase):
    tables = 0

    def open_table(self, registry: Registry, *names: str) -> TableId:
        self.tables += 1
        return self.living[registry.epoch].open_table(self.tables, *names)

    def put_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([AddAccount(account)])

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([delete_account(account.key)])

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.living[registry.epoch].store.commit([put_ban(ban)])


class LineTests(RegistryCase):
    def setUp(self) -> None:
        super().setUp()
        self.first, self.watcher = self.join(), RecordingWatcher()
        self.first.start(self.watcher)
        self.until(lambda: bool(self.watcher.members))
        self.answers: list[Answer | None] = []

    def cut_registry(self) -> None:
        """Have the server end the session of the registry."""
        self.sql(f"SELECT pg_terminate_backend({self.first._session.connection.info.backend_pid}, 5000)")

    def are_answered(self, count: int) -> bool:
        """Whether so many claims are answered, and as many connections were lost and are back."""
        return len(self.answers) == count and len(self.warned) == 2 * count

    def lose_answer(self, name: str) -> None:
        """Have the connection break right after the next call of a function."""
        function = getattr(registry, name)

        def and_lose(*arguments: Any) -> Any:
            result = function(*arguments)
            if patched.__dict__.pop("armed", False):
                raise LineLost("planted")
            return result

        patched = self.patch(registry, name, and_lose)
        patched.__dict__["armed"] = True

    def test_everything_goes_on(self) -> None:
        """A lost connection is opened again, and requests wait. The log says so."""
        for number in range(3):
            self.cut_registry()
            self.first.claim(str(number), None, self.answers.append)
            self.until(partial(self.are_answered, number + 1))
        self.assertEqual(self.answers, [Answer(1)] * 3)
        self.assertIn("is lost; log-ins wait", self.warned[0])
        self.assertIn("is back", self.warned[1])
        self.assertEqual(self.sql("SELECT count(*) FROM session"), [(3,)])

    def test_restraint(self) -> None:
        self.begin_run()
        self.cut_registry()
        self.until(lambda: len(self.watcher.members) == 2 and len(self.warned) == 2)
        self.living[2].kill()
        looks = self.count_looks()
        self.until(lambda: looks[0] > 2)
        self.assertEqual((self.watcher.epochs, self.watcher.takeovers), ([1, 2], 0))
        self.first._judge._silent_until = 0.0
        self.until(lambda: self.watcher.epochs == [1] and self.watcher.takeovers == 1)

    def count_looks(self) -> list[int]:
        looks, look = [0], self.first._look

        def counted() -> None:
            look()
            looks[0] += 1
            self.pump.from_thread(lambda: None)

        self.patch(PostgresRegistry, "_look", lambda registry: counted())
        return looks

    def test_an_answer_is_lost(self) -> None:
        """What was carried out is carried out again, with the same answers."""
        for name in ("carry_out_group", "take_numbers"):
            self.lose_answer(name)
            numbers: list[range] = []
            self.first.claim("ann", None, self.answers.append)
            self.first.waits("ann", ("onitama", ""), True)
            self.first.new_numbers(2, numbers.append)
            self.until(lambda numbers=numbers: bool(numbers))  # type: ignore[misc]
        self.assertEqual((self.answers, len(self.warned)), ([Answer(1)] * 2, 4))
        self.assertEqual(self.sql("SELECT key, id FROM seeking"), [("ann", 1)])

    def test_an_answer_is_lost_while_somebody_is_taken_over(self) -> None:
        """The host is told once, with all tables. Then the names are confirmed."""
        for name in ("begin_taking_over", "finish_taking_over"):
            second = self.begin_run()
            epoch = second.run.epoch
            table = second.open_table(epoch, "Ann")
            self.sql(f"INSERT INTO session VALUES ('ann', {epoch})")
            self.lose_answer(name)
            self.first._judge._silent_until = 0.0
            second.kill()
            self.until(lambda table=table: self.watcher.tables[-1:] == [table])  # type: ignore[misc]
            self.until(lambda: self.sql("SELECT home, settled FROM session") == [(1, True)])
            self.sql("DELETE FROM session")
        self.assertEqual(self.watcher.takeovers, 2)

    def test_this_life_was_ended(self) -> None:
        self.sql("UPDATE member SET ended = now()")
        self.first.claim("ann", None, self.answers.append)
        self.pump.until(lambda: bool(self.broken))
        self.assertEqual((self.broken, self.answers), (["another host has taken the journal over"], []))
        stopped: list[bool] = []
        self.first.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))

    def test_this_life_is_over_while_the_host_stops(self) -> None:
        """Others take it over as soon as the journal is closed. That is no fault."""
        self.sql("UPDATE member SET ended = now()")
        self.first.claim("ann", None, self.answers.append)
        stopped: list[bool] = []
        self.first.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))
        self.assertEqual(self.broken, [])

    def test_another_error(self) -> None:
        self.sql("DROP TABLE seeking")
        self.pump.until(lambda: bool(self.broken))
        self.assertIn('relation "seeking" does not exist', self.broken[0])

    def test_a_table_that_has_lost_rows(self) -> None:
        """It is taken over, and the log says why nobody plays it on."""
        second = self.begin_run()
        table = second.open_table(1, "Ann")
        self.assertEqual(
            mark_lost(second.store.session, 2, {table: Head(3, b"hash"), 77: Head(0, b"hash")}), [table, 77]
        )
        second.kill()
        self.until(lambda: self.watcher.tables == [table] and len(self.warned) == 2)
        self.assertIn(
            "table 1 is suspended: players were told row 3, and the newest one in the database is row 0", self.warned[0]
        )
        self.assertEqual(self.sql("SELECT sum(tables), sum(numbers) FROM member"), [(2, 78)])

    def test_one_that_hangs(self) -> None:
        """The server ends its session when it is silent, and what it had is taken over. Who still starts may be silent."""
        second = self.begin_run()
        self.begin_run()
        table = second.open_table(1, "Ann")
        self.until(lambda: self.watcher.epochs == [1, 2, 3])
        self.patch(under_test, "_SILENCE", under_test._SILENCE.replace("3s", "1ms"))
        second.store.beat()
        self.until(lambda: self.watcher.tables == [table])
        self.until(lambda: self.watcher.epochs == [1, 3])
        self.assertRaises(LineLost, second.store.session.rows, "SELECT 1")


class OpeningTests(RegistryCase):
    def test_a_database_that_stays_away(self) -> None:
        now = [0.0]

        def connect() -> Any:
            raise LineLost("planted")

        def sleep(seconds: float) -> None:
            now[0] += seconds

        one = self.join()
        one._connect, one._clock, one._sleep = connect, lambda: now[0], sleep
        error = self.assertRaises(StoreFailed, one._reconnect)
        self.assertIn("was lost, and is not back: planted", str(error))
        self.assertGreater(now[0], 9.8)
        self.assertLess(now[0], 10.1)

    def test_a_database_that_is_not_there(self) -> None:
        url = self.server.url("nothing")
        error = self.assertRaises(StoreUnusable, registry.open_registry, url, 1, self.pump.from_thread, self.fail)
        self.assertIn(f"{url}: there is no connection to the database", str(error))

    def test_a_stop_before_the_start(self) -> None:
        stopped: list[bool] = []
        self.join().stop(lambda: stopped.append(True))
        self.assertEqual(stopped, [True])


QUEUE = ("onitama", "")


class GroupTests(RegistryCase):
    def setUp(self) -> None:
        super().setUp()
        self.sessions = {number: self.begin_run().store.session for number in (1, 2)}

    def do(self, me: int, *requests: Request, gone: tuple[int, ...] = ()) -> list[int | bool | None]:
        return carry_out_group(self.sessions[me], requests, me, gone)[0]

    def rows(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        homes = self.sql("SELECT key, home, settled FROM session ORDER BY key")
        return homes, self.sql("SELECT key, game, pool, home, movable, id FROM seeking ORDER BY id")

    def test_groups_can_be_carried_out_again(self) -> None:
        for me, group in (
            (1, [Claim("ann", None), Claim("bob", QUEUE), Wait("ann", QUEUE, True), Release(["bob"])]),
            (2, [Claim("eve", QUEUE), Claim("ann", None), Claim("tom", None)]),
            (2, [Wait("tom", QUEUE, False)]),
            (1, [Wait("ann", QUEUE, False), WaitNoLonger("tom"), Release(["tom"])]),
            (2, [Transfer("tom", 1), Claim("tim", None), Transfer("tim", 7)]),
            (1, [Wait("tom", ("onitama", "final"), True)]),
        ):
            results = self.do(me, *group)
            rows = self.rows()
            self.assertEqual((self.do(me, *group), self.rows()), (results, rows))
        homes, offers = self.rows()
        self.assertEqual(homes, [("ann", 1, True), ("tim", 2, True), ("tom", 1, True)])
        waiting = [("ann", "onitama", "", 1, False, 1), ("tom", "onitama", "final", 1, True, 3)]
        self.assertEqual((offers, [offer.key for offer in read_offers(self.sessions[2])]), (waiting, ["ann", "tom"]))

    def test_who_lives(self) -> None:
        """A claim has no answer if the home has ended, or is known to be gone; nor is a name moved to such a member."""
        self.do(1, Claim("ann", None))
        self.assertEqual(self.do(2, Claim("ann", None), Claim("bob", None)), [1, 2])
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1), gone=(1,)), [None, False])
        self.sql("UPDATE member SET ended = now() WHERE epoch = 1")
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1)), [None, False])
        self.assertRaises(StoreFailed, self.do, 1, Claim("tom", None))
        self.assertEqual(self.rows()[0], [("ann", 1, True), ("bob", 2, True)])

    def test_a_row_that_was_not_read(self) -> None:
        """If somebody writes without the lock, the group is refused. Nothing of it is left."""
        read = name_rows._read

        def and_be_late(*arguments: object) -> Rows:
            rows = read(*arguments)  # type: ignore[arg-type]
            self.sql("INSERT INTO session VALUES ('ann', 2)")
            return rows

        self.patch(name_rows, "_read", and_be_late)
        self.assertRaises(StoreFailed, self.do, 1, Claim("bob", None), Claim("ann", None))
        self.assertEqual(self.rows()[0], [("ann", 2, True)])


class ReleaseTests(ClusterCase):
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


class TakeOverTests(ClusterCase):
    """A member has ended: the leader takes everything."""

    def setUp(self) -> None:
        super().setUp()
        self.first, self.second = self.member(1), self.member(2)
        self.own = self.seated(self.first, "Eve", "Fay")
        self.tables = [self.seated(self.second, "Ann", "Bob"), self.seated(self.second, "Cid", "Dan", moves=0)]
        self.sql("INSERT INTO session VALUES ('gus', 2)")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('gus', 'onitama', '', 2, true)")

    def take_over(self, me: int = 1, dead: int = 2) -> list[UnfinishedTable] | None:
        return begin_taking_over(self.session, me, dead)

    def test_in_two_phases(self) -> None:
        """First everything is the successor's, and no name is confirmed. Then those with seats are, and the others are free."""
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
        names = [(key, 1, False) for key in ("ann", "bob", "cid", "dan")]
        own = [("eve", 1, True), ("fay", 1, True)]
        self.assertEqual(self.sessions(), [*names, *own, ("gus", 1, False)])
        self.assertEqual(self.sql("SELECT * FROM seeking"), [])
        self.assertEqual([seen.epoch for seen in look(self.session)], [1])
        self.assertEqual(self.take_over(), found)
        finish_taking_over(self.session, 1, ["ann", "bob"])
        self.assertEqual(self.sessions(), [("ann", 1, True), ("bob", 1, True), *own])
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
        """Between the phases. Its own successor gets what it had taken, and no name is confirmed."""
        third = self.member(3)
        self.kill(self.second)
        self.take_over()
        self.kill(self.first)
        self.assertEqual([one.table for one in self.take_over(3, 1) or ()], [self.own, *self.tables])
        self.assertEqual({(home, settled) for _, home, settled in self.sessions()}, {(3, False)})
        finish_taking_over(self.session, 3, ["ann", "eve"])
        self.assertEqual(self.sessions(), [("ann", 3, True), ("eve", 3, True)])
        self.stop(third)

    def test_names_that_were_not_noted(self) -> None:
        """A seat that is kept has its name here. A name whose home is at another member stays there."""
        self.kill(self.second)
        self.sql("DELETE FROM session WHERE key = 'ann'; UPDATE session SET home = 7 WHERE key = 'bob'")
        self.take_over()
        finish_taking_over(self.session, 1, ["ann", "bob"])
        self.assertEqual(self.sessions()[:2], [("ann", 1, True), ("bob", 7, True)])

    def test_who_has_ended_changes_nothing(self) -> None:
        """A member that was taken over does not know it yet."""
        self.kill(self.second)
        self.take_over()
        before = self.sessions()
        for call in (lambda: self.take_over(2, 1), lambda: finish_taking_over(self.session, 2, ["ann"])):
            error = self.assertRaises(StoreFailed, call)
            self.assertEqual(str(error), members.TAKEN_OVER)
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


class StartTests(ClusterCase):
    def test_everything_is_taken_over(self) -> None:
        """Also from a host that was alone: each name with a seat is noted, those of house players too."""
        alone = self.start()
        table = alone.new_table()
        house = SeatRecord("easy.1", "open", HOUSE_ADDRESS)
        alone.open(table, TableHeader("onitama", 1, (SeatRecord("\u017dofie", "onitama"), house)), nothing)
        gone = self.play(alone, 0)
        self.pump.until_idle(alone)
        self.stop(alone)
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {gone}")
        self.sql("INSERT INTO session VALUES ('old', 1); INSERT INTO change(kind, key) VALUES ('ban', 'x')")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('old', 'onitama', '', 1, true)")
        epoch = members.begin_run(self.session, "machine", ClusterAddress("a", "b"))
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
        epoch = members.begin_run(self.session, "machine", ClusterAddress("a", "b"))
        other = self.new_session()
        other.run("SET lock_timeout = 1")
        with changing(self.session, epoch), self.assertRaises(StoreFailed), transaction(other):
            lock_cluster(other)
        with changing(other, epoch):
            pass

    def test_who_says_nothing(self) -> None:
        """A member that hangs while it has the lock is ended by the server."""
        self.patch(members, "_SILENCE", members._SILENCE.replace("3s", "1ms"))
        with self.assertRaises(LineLost), transaction(self.session):
            lock_cluster(self.session)
            other = self.new_session()
            with transaction(other):
                other.rows("SELECT pg_advisory_xact_lock(%s::int, %s::int)", (LOCK_CLASS, members.CLUSTER_LOCK))
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
    def next_run(self, **more: Any) -> DurableJournal:
        """A host with a match of two moves, one whose end nobody was told, and one that is over."""
        journal = self.start(**more)
        tables = [self.play(journal, 2) for _ in range(3)]
        for table in tables[1:]:
            journal.append(table, END, nothing)
        journal.told(tables[2])
        self.until_idle(journal)
        return journal

    def after_a_life(self) -> None:
        self.empty()
        self.sql("ALTER SEQUENCE member_epoch_seq RESTART")
        self.stop(self.next_run())

    def test_nothing_was_changed(self) -> None:
        """In every way in which tables begin, end, sleep, are taken over and given up, the numbers stay right."""
        clusters = [ClusterAddress(f"tcp:10.0.0.{number}:8990", "token") for number in (1, 2)]
        for cluster in (None, clusters[0], None):
            journal = self.next_run(cluster=cluster)
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, PUT_AWAY, nothing)
            self.until_idle(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
            self.stop(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
        one, other = (self.next_run(cluster=cluster) for cluster in clusters)
        self.stop(other)
        session = connect(self.url)
        self.addCleanup(session.close)
        for _ in range(2):
            self.assertEqual(len(begin_taking_over(session, one.epoch, other.epoch) or ()), 2)
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
            self.until_idle(journal)
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
        self.sql("UPDATE live SET lost = false")  # as if it was killed before it could note this
        self.assertIn(f"table {tables[1]}: row 1 was durable", self.refusal())

    def test_a_table_that_is_loaded_later(self) -> None:
        """The records that a start leaves out are compared when a player comes."""
        self.after_a_life()
        journal = self.start()
        self.sql("DELETE FROM event WHERE game = 1 AND n = 2")
        found: list[Any] = []
        journal.load(TableId(1), partial(found.append))
        self.until_idle(journal)
        self.assertEqual(found, ["table 1: row 2 was durable, and is missing or was changed"])


class LostTests(PostgresCase):
    """Rows that players were told of are missing when the database is back: their tables are suspended."""

    def test_an_end_that_was_forgotten(self) -> None:
        """A match has ended a moment ago, or sleeps: what its players were told is remembered for a while."""
        journal = self.start()
        ended, asleep, other = (self.play(journal, 2) for _ in range(3))
        journal.append(ended, END, nothing)
        journal.told(ended)
        journal.sleep(asleep, 1)
        self.until_idle(journal)
        self.sql(f"DELETE FROM event WHERE game = {ended} AND n = 3; DELETE FROM event WHERE game = {asleep} AND n = 2")
        self.find_loss(journal, other)
        self.assertIn(f"Suspended: {ended}, {asleep}", self.pump.broken[0])
        self.assertEqual(self.sql("SELECT game FROM live WHERE lost ORDER BY game"), [(ended,), (asleep,)])

    def find_loss(self, journal: DurableJournal, table: TableId) -> None:
        """The connection is lost, and the host finds out what is missing when it plays on at some table."""
        self.cut()
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop_all()

    def lost(self, journal: DurableJournal) -> list[tuple[int, int, int | None]]:
        found: list[Any] = []
        journal.ask_store(lambda store: store.lost(), found.extend)
        self.until_idle(journal)
        return [(one.table, one.told, one.held) for one in found]

    def test_what_was_lost_is_suspended(self) -> None:
        """From the next start on, until somebody decides. A table whose rows are all gone can only be given up."""
        journal = self.start()
        table, gone, other = (self.play(journal, moves) for moves in (3, 1, 1))
        self.sql(f"DELETE FROM event WHERE game = {table} AND n > 0; DELETE FROM event WHERE game = {gone}")
        self.sql(f"DELETE FROM live WHERE game = {gone}; UPDATE member SET tables = 2, numbers = numbers - {gone}")
        self.find_loss(journal, other)
        self.pump.broken.clear()
        self.warned.clear()
        again = self.start()
        why = f"table {table} is suspended: players were told row 3, and the newest one in the database is row 0; "
        self.assertEqual(self.warned[0], why + "gamehost admin lost decides")
        self.assertIn("is no row; ", self.warned[1])
        found = list(again.unfinished())
        self.assertEqual([(one.table, one.begun) for one in found], [(table, True), (other, True)])
        self.assertEqual(self.lost(again), [(table, 3, 0), (gone, 1, None)])
        answers: list[Any] = []
        again.load(table, answers.append)
        for ask in (
            lambda store: store.go_on(gone),
            lambda store: store.go_on(other),
            lambda store: store.end_lost(other),
            lambda store: store.go_on(table).table,
            lambda store: store.end_lost(gone),
        ):
            again.ask_store(ask, answers.append)
        again.load(table, answers.append)
        self.until_idle(again)
        self.assertEqual(answers[:-1], [self.warned[0], None, None, False, table, True])
        self.assertEqual((answers[-1].entries, self.lost(again)), ((), []))
        again.append(table, MOVE, nothing)
        self.until_idle(again)
        self.stop(again)
        self.warned.clear()
        self.stop(self.start())
        self.assertEqual(self.warned, [])
