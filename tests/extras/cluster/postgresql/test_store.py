"""An open store in a database: how groups are written, and what people ask."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.adapt import PyFormat, Transformer
from psycopg.types.numeric import Int2, Int4, Int8
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import BanStore
from gamehost.accounts.passwords import Account
from gamehost.accounts.remembered import RememberedStore
from gamehost.extras.cluster.postgresql import members, store
from gamehost.extras.cluster.postgresql.members import TAKEN_OVER, ClusterAddress, look, take_over
from gamehost.extras.cluster.postgresql.session import LineLost, Session, connect
from gamehost.extras.cluster.postgresql.store import (
    bytea_array,
    int2_array,
    int4_array,
    int8,
    int8_array,
    open_session,
    write_group,
)
from gamehost.games.base import Seat
from gamehost.journal.records import (
    Entry,
    EntryKind,
    Journal,
    Pressure,
    SeatRecord,
    TableElsewhere,
    TableHeader,
    TableId,
    TableRecord,
)
from gamehost.lobby.played import LIST_IDLE, READ_EVERY
from gamehost.storage.contents import StoreFailed, Told, UnreadableRow
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.questions import ENDS, FIRST_TABLE, LIST, MATCH, NEWEST, MatchLists, Sql
from gamehost.storage.remembered import StoredRemembered
from gamehost.tables.interfaces import Look
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import BansContract, RememberedContract, StoredAccountsContract, account, nobody
from tests.kit.example_game import Counted
from tests.kit.journal_contract import END, MOVE, OPENING, DurableJournalContract, histories, nothing
from tests.kit.postgresql import ClusterCase, PostgresCase
from tests.kit.watching import Watcher, following
from tests.storage.test_row_codec import ONE, TWO, build


def _fewer(test: Any, *strategies: Any) -> Any:
    """A property of the contract with fewer examples: a run on a server takes longer than one on a file."""
    return settings(max_examples=4)(given(*strategies)(test.hypothesis.inner_test))


class PostgresJournalTests(DurableJournalContract, PostgresCase):
    test_everything_is_called_back_once_and_in_order = _fewer(
        DurableJournalContract.test_everything_is_called_back_once_and_in_order, histories
    )
    test_the_next_life_finds_what_was_unfinished = _fewer(
        DurableJournalContract.test_the_next_life_finds_what_was_unfinished, histories, histories
    )
    test_a_number_is_never_used_twice = _fewer(
        DurableJournalContract.test_a_number_is_never_used_twice, st.integers(1, 5)
    )

    def new_journal(self) -> Journal:
        self.stop_all()
        self.empty()
        return self.start()

    def until_idle(self, journal: Any) -> None:
        PostgresCase.until_idle(self, journal)
        self.assertEqual(journal.unreadable, [])

    def next_run(self, journal: Journal) -> Journal:
        assert isinstance(journal, DurableJournal)
        self.stop(journal)
        return self.start()


class PostgresAccountsTests(PostgresCase, StoredAccountsContract, PropertyCase):
    def until_idle(self, journal: Any = None) -> None:
        PostgresCase.until_idle(self, self.journal)


class PostgresRememberedTests(RememberedContract, PostgresCase, PropertyCase):
    def new_store(self) -> RememberedStore:
        self.journal = self.start()
        return StoredRemembered(self.journal)

    def until_idle(self, journal: Any = None) -> None:
        PostgresCase.until_idle(self, self.journal)


class PostgresBansTests(BansContract, PostgresCase, PropertyCase):
    def new_store(self) -> BanStore:
        self.journal = self.start()
        return self.journal

    def restarted(self) -> BanStore:
        self.stop(self.journal)
        return self.new_store()

    def until_idle(self, journal: Any = None) -> None:
        PostgresCase.until_idle(self, self.journal)


class RowsTests(PostgresCase):
    def test_damage_is_refused_or_given_up(self) -> None:
        """A row that was changed, and a table without rows. The rows of others are not touched."""
        journal = self.start()
        tables = [self.play(journal, 2) for _ in range(3)]
        self.stop(journal)
        self.sql("UPDATE event SET body = 'x' WHERE game = 1 AND n = 1")
        self.sql("DELETE FROM event WHERE game = 3")
        self.assertIn("table 1: row 1 does not match its hash, and 1 more tables", self.refusal())
        journal = self.start(accept_loss=True)
        self.assertEqual([one.table for one in journal.unfinished()], [tables[1]])
        self.assertEqual(
            journal.unreadable,
            [
                UnreadableRow(TableId(1), "table 1: row 1 does not match its hash"),
                UnreadableRow(TableId(3), "table 3: all of its rows are missing"),
            ],
        )
        self.stop(journal)
        self.start()

    def test_large_groups_and_every_kind_of_value(self) -> None:
        """Long notations, numbers drawn, no seat, and more rows than fit into any buffer."""
        journal = self.start()
        table = journal.new_table()
        journal.open(table, OPENING, nothing)
        entries = [Entry(EntryKind.ACTED, 2**40 + n, None, bytes(range(256)) * 40, (n, 2**33)) for n in range(500)]
        for entry in entries:
            journal.append(table, entry, nothing)
        self.until_idle(journal)
        loaded: list[TableRecord | str] = []
        journal.load(table, loaded.append)
        self.until_idle(journal)
        self.assertEqual(loaded, [TableRecord(table, OPENING, tuple(entries))])

    def test_opened_and_put_away_in_one_group(self) -> None:
        """Also a table that falls asleep and wakes up there."""
        turns: list[Any] = []
        journal = self.start(after_turn=turns.append)
        gone, kept = journal.new_table(), journal.new_table()
        for table in (gone, kept):
            journal.open(table, OPENING, nothing)
            journal.append(table, MOVE, nothing)
        journal.append(gone, Entry(EntryKind.ARCHIVED, 9), nothing)
        journal.sleep(kept, 5)
        journal.wake(kept)
        journal.append(kept, MOVE, nothing)
        turns.pop()()
        self.until_idle(journal)
        self.assertEqual(self.sql("SELECT game, since FROM live"), [(kept, None)])
        self.assertEqual(self.sql("SELECT max(n) FROM event WHERE game = 2"), [(2,)])


class LineTests(PostgresCase):
    def test_everything_goes_on(self) -> None:
        """Nothing is lost, nothing is there twice, and the log says what has happened."""
        journal, called = self.start(), list[int]()
        table = self.play(journal, 1)
        for number in range(4):
            self.cut()
            journal.append(table, MOVE, partial(called.append, number))
            if number % 2:
                journal.note_uptime(number)
            self.until_idle(journal)
        self.assertEqual(called, [0, 1, 2, 3])
        self.assertEqual(self.sql("SELECT count(*), max(n) FROM event"), [(6, 5)])
        self.assertEqual(len(self.warned), 8)
        self.assertIn("is lost", self.warned[0])
        self.assertIn("is back", self.warned[1])
        book = StoredAccounts(journal)
        self.cut()
        book.add(account("ann"), nobody)
        loaded: list[object] = []
        self.cut()
        journal.load(table, loaded.append)
        self.until_idle(journal)
        self.assertEqual(loaded, [TableRecord(table, OPENING, (MOVE,) * 5)])

    def test_a_commit_whose_answer_is_lost(self) -> None:
        """It is not written again, whether it has notes or not; the owner of a key is asked for."""
        journal = self.start()
        table = self.play(journal, 1)
        book, owners, ann = StoredAccounts(journal), list[Account](), account("ann")
        self.lose_answers(journal)
        book.add(ann, owners.append)
        self.until_idle(journal)
        book.delete(ann, nothing)
        book.add(account("ANN"), nobody)
        journal.append(table, MOVE, nothing)
        self.until_idle(journal)
        journal.append(table, MOVE, nothing)
        self.until_idle(journal)
        self.assertEqual((owners, self.sql("SELECT name FROM account")), ([ann], [("ANN",)]))
        self.assertEqual(self.sql("SELECT count(*) FROM event"), [(4,)])

    def lose_answers(self, journal: DurableJournal) -> None:
        """Have the connection break right after each commit of rows."""
        committed = store.write_group

        def and_lose(*group: Any) -> None:
            committed(*group)
            raise LineLost("planted")

        self.patch(store, "write_group", and_lose)

    def test_a_row_of_somebody_else(self) -> None:
        """Another row stands where ours was to be: the host ends, and confirms nothing."""
        journal = self.start()
        table = self.play(journal, 1)
        self.sql("INSERT INTO event VALUES (1, 2, 1, 0, 2, 0, '', 'another')")
        self.cut()
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, ["StoreFailed: table 1: row 2 was written by another host"])

    def test_a_database_that_has_forgotten(self) -> None:
        """Rows of which players were told are missing, as after a bad fail-over: the host ends."""
        journal = self.start()
        table, other = self.play(journal, 3), self.play(journal, 1)
        self.sql(f"DELETE FROM event WHERE game = {table} AND n > 1")
        self.cut()
        journal.append(other, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("has lost the newest rows of 1 tables", self.pump.broken[0])
        self.assertEqual(self.sql("SELECT count(*) FROM event WHERE game = 2"), [(2,)])

    def test_a_second_writer_is_stopped_by_the_key(self) -> None:
        """Behind the lock there is the primary key. Nothing is tried again after an error that is no lost connection."""
        journal = self.start()
        table = self.play(journal, 1)
        self.sql("INSERT INTO event VALUES (1, 2, 1, 0, 2, 0, '', 'another')")
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("duplicate key", self.pump.broken[0])
        self.assertEqual(self.warned, [])
        store: Any = journal._store
        self.assertRaises(StoreFailed, store.commit, [])


def by_psycopg(value: Any) -> bytes:
    return bytes(Transformer().get_dumper(value, PyFormat.BINARY).dump(value) or b"")


def marked(array: bytes) -> bytes:
    """An array that says that an element may be NULL."""
    return array[:4] + b"\0\0\0\1" + array[8:]


class ArrayTests(SynchronousTestCase):
    def test_numbers(self) -> None:
        for values in ([1], [0, -1, 2**31 - 1, -(2**31)], list(range(300))):
            self.assertEqual(int8_array(values), marked(by_psycopg([Int8(value) for value in values])))
            self.assertEqual(int4_array(values), marked(by_psycopg([Int4(value) for value in values])))
        self.assertEqual(int8_array([2**63 - 1]), marked(by_psycopg([Int8(2**63 - 1)])))
        self.assertEqual(int2_array([1, 64]), marked(by_psycopg([Int2(1), Int2(64)])))
        self.assertEqual(int2_array([None, 3]), by_psycopg([None, Int2(3)]))
        self.assertEqual(int8(-7), by_psycopg(Int8(-7)))

    def test_bytes(self) -> None:
        values = [b"", b"\0\xff", b"a" * 1000]
        self.assertEqual(bytea_array(values), marked(by_psycopg(values)))


REMOVED = members.REMOVE_ALL
NOTED = "UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL"


class GroupTests(SynchronousTestCase):
    def test_one_statement_if_possible(self) -> None:
        """Rows and new tables take one round trip. Nothing takes none."""
        for changes, expected in (
            ([], []),
            ([(TWO, MOVE)], [b"rows"]),
            ([(ONE, OPENING), (TWO, MOVE)], [b"rows_and_tables"]),
            ([(TWO, MOVE), Told(ONE, None)], ["BEGIN", b"rows", REMOVED, NOTED, "COMMIT"]),
        ):
            session: Any = Recorded()
            write_group(session, build(*changes), 3, 1)
            self.assertEqual(session.done, expected)


class Recorded:
    def __init__(self) -> None:
        self.done: list[str | bytes] = []

    def run(self, sql: str, parameters: object = ()) -> int:
        self.done.append(sql)
        return 1

    def run_prepared(self, name: bytes, parameters: object) -> None:
        self.done.append(name)


class PlanTests(PostgresCase):
    """However large the store is, a list is a range of an index, and a match is looked up."""

    def test_no_table_is_scanned(self) -> None:
        journal = self.start()
        for _ in range(30):
            table = self.play(journal, 3)
            journal.append(table, END, nothing)
            journal.told(table)
        self.until_idle(journal)
        self.stop(journal)
        # So small a store is read as a whole. What counts is what the server does if that costs much.
        self.sql("ANALYZE; ALTER DATABASE " + self.database + " SET enable_seqscan = off")
        session = connect(self.url)
        self.addCleanup(session.close)
        questions: Sequence[tuple[Sql, Sequence[Any]]] = (
            (LIST, ("ann", "onitama", 99, 51)),
            (MATCH, (7,)),
            (NEWEST, (9,)),
            (FIRST_TABLE, ()),
            (ENDS, (1, 20)),
        )
        for sql, parameters in questions:
            plan = [row[0] for row in session.rows(f"EXPLAIN {sql.postgresql}", parameters)]
            self.assertEqual([step for step in plan if "Seq Scan" in step or "Aggregate" in step], [], plan)
        self.assertIn("Index", str(session.rows(f"EXPLAIN {LIST.postgresql}", ("ann", "onitama", 99, 51))))

    def test_a_list_needs_no_statistics(self) -> None:
        """As after a copy, or after an upgrade of the server: it takes so many matches, and does not sort all of them."""
        self.stop(self.start())
        self.sql("ALTER TABLE listed SET (fillfactor = 10)")  # as many pages as a large store has
        self.sql("INSERT INTO listed SELECT '', '', game FROM generate_series(1, 40000) AS new(game)")
        session = connect(self.url)
        self.addCleanup(session.close)
        plan = [row[0] for row in session.rows(f"EXPLAIN {LIST.postgresql}", ("", "", 2**63 - 1, 51))]
        self.assertEqual([step for step in plan if "Bitmap" in step or "Seq Scan" in step], [], plan)


class ReaderTests(PostgresCase):
    def test_it_cannot_write(self) -> None:
        session = open_session(self.url)
        self.addCleanup(session.close)
        for sql in ("DELETE FROM event", "CREATE TABLE a(b int)"):
            self.assertRaises(StoreFailed, session.run, sql)

    def test_a_session_that_is_lost(self) -> None:
        """It is opened again for the question, and the writer does not notice."""
        journal = self.start()
        table = self.play(journal, 2)
        found: list[TableRecord | str] = []
        for _ in range(3):
            journal.read(table, found.append)
            self.until_idle(journal)
            self.sql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'gamehost' "
                f"AND datname = '{self.database}' AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
            )
        self.assertEqual(found, [TableRecord(table, OPENING, (MOVE, MOVE))] * 3)
        self.assertEqual(self.warned, [])

    def test_a_database_that_is_away(self) -> None:
        """A question finds nothing, the log says so, and the next one finds everything. The host is not ended."""
        journal = self.start()
        table = self.play(journal, 1)
        reader: Any = journal._reader._store
        opening = reader._connect

        def lost(store: str) -> Any:
            raise LineLost("planted")

        reader._connect = lost
        found: list[TableRecord | str] = []
        journal.read(table, found.append)
        self.until_idle(journal)
        reader._connect = opening
        journal.read(table, found.append)
        self.until_idle(journal)
        away = f"table {table}: the store cannot be read now"
        self.assertEqual(found, [away, TableRecord(table, OPENING, (MOVE,))])
        self.assertEqual(self.warned, ["read_record was not answered: LineLost: planted"])
        self.assertEqual((self.pump.broken, journal.pressure), ([], Pressure.NONE))

    def test_a_reader_that_waits(self) -> None:
        """Moves go on while the database holds an answer back, and a stop has the server give it up."""
        journal = self.start()
        table = self.play(journal, 1)
        session = connect(self.url)
        self.addCleanup(session.close)
        session.run("BEGIN")
        session.run("LOCK TABLE listed IN ACCESS EXCLUSIVE MODE")
        found: list[object] = []
        for _ in range(100):
            journal.finished(None, 5, lambda matches, low: found.append(matches))
        for _ in range(20):
            journal.append(table, MOVE, nothing)
            self.pump.until(lambda: not journal.backlog.waiting)
        self.assertEqual((found, journal.unanswered, journal.pressure), ([], 100, Pressure.NONE))
        self.stop(journal)
        self.assertEqual(len(found), 100)


class ListTests(PostgresCase):
    """The index is of the matches that have a result."""

    def test_it_is_right(self) -> None:
        """Also for tables that were loaded, and it is verified."""
        journal = self.start()
        tables = [self.play(journal, 1) for _ in range(3)]
        journal.append(tables[0], END, nothing)
        self.until_idle(journal)
        self.stop(journal)
        journal = self.start()
        journal.load(tables[1], lambda record: None)
        journal.wake(tables[2])
        self.until_idle(journal)
        for table in tables[1:]:
            journal.append(table, END, nothing)
        self.until_idle(journal)
        session = connect(self.url)
        self.addCleanup(session.close)
        self.assertEqual(self.faults(session), [])
        for change in (
            "DELETE FROM listed WHERE name = 'ann' AND game = 3",
            "INSERT INTO listed VALUES ('eve', '', 2)",
        ):
            self.sql(change)
            [fault] = self.faults(session)
            self.assertIn("the index of finished matches has", fault)

    def faults(self, session: Any) -> list[str]:
        session.run("BEGIN")
        found = MatchLists(session, has_ends=False).faults()
        session.run("COMMIT")
        return found


class OwnershipTests(PostgresCase):
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
        self.patch(store, "PATIENCE", 0.2)
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

        run = store.PostgresStore(
            self.server.url("no_such_database"), self.warned.append, clock=lambda: now[0], sleep=sleep
        )
        error = self.assertRaises(StoreFailed, run.resume)
        self.assertIn("was lost, and is not back", str(error))
        self.assertGreater(now[0], store.PATIENCE - 2 * store.PAUSE)

    def test_a_database_from_before_this_life(self) -> None:
        """It does not know this run, whether tables have lost rows or not. Their numbers are not given again."""
        for lost in (False, True):
            self.pump.broken.clear()
            journal = self.start()
            table, epoch = self.play(journal, 1), journal.epoch
            self.cut()
            self.sql("DELETE FROM member")
            self.sql(f"DELETE FROM event WHERE {lost}; DELETE FROM live WHERE {lost}")
            self.sql("ALTER SEQUENCE member_epoch_seq RESTART")
            journal.append(table, MOVE, self.fail)
            self.pump.until(lambda: bool(self.pump.broken))
            words = "has lost the newest rows of 1 tables" if lost else "does not know this run of the host"
            self.assertIn(words, self.pump.broken[0])
            self.stop_all()
            if not lost:
                self.empty()
                self.sql("ALTER SEQUENCE member_epoch_seq RESTART WITH 9")
        again = self.start()
        self.assertEqual((again.epoch, again.new_table()), (epoch + 1, table + 1))


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
        """It finds a lost line, and tables of other members; a member that was taken over ends by it."""
        first, second = self.member(1), self.member(2)
        done: list[int] = []
        for expected in (1, 2):
            first.beat(partial(done.append, expected))
            self.until_idle(first)
            self.assertEqual(done[-1:], [expected])
        table = self.play(second, 1)
        self.assertEqual(first.last_table, 0)
        self.cut_off(1)
        first.beat(nothing)
        self.until_idle(first)
        self.assertEqual((first.last_table, len(self.warned)), (table, 2))
        self.cut_off(1)
        self.assertEqual(take_over(self.session, 2, 1), ([], []))
        first.beat(self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertEqual(self.pump.broken, [f"StoreFailed: {TAKEN_OVER}"])
        self.stop(second)
        second.beat(self.fail)

    def test_silence(self) -> None:
        """From the first beat on the server ends the session if it is silent, and so does that of the next connection."""
        first = self.member(1)

        def limits() -> list[str]:
            shown = ("idle_session_timeout", "idle_in_transaction_session_timeout")
            return [self.store(first).session.rows(f"SHOW {name}")[0][0] for name in shown]

        self.play(first, 1)
        self.assertEqual(limits(), ["0", "0"])
        first.beat(nothing)
        self.until_idle(first)
        self.assertEqual(limits(), ["3s", "3s"])
        self.cut_off(1)
        self.play(first, 1)
        self.assertEqual(limits(), ["3s", "3s"])

    def test_a_server_that_is_too_old(self) -> None:
        """A host alone needs nothing of it."""
        self.patch(store, "_OLDEST_FOR_CLUSTERS", 1000)
        self.assertIn("--cluster needs PostgreSQL 1000 or newer", self.refusal(cluster=ClusterAddress("a", "b")))
        self.play(self.start(), 1)

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
            self.until_idle(journal)
        first, second = members
        self.assertEqual([one.table for one in first.unfinished()], [2])
        self.assertEqual([one.table for one in second.unfinished()], [66])
        self.assertEqual(self.sql("SELECT game, since FROM live ORDER BY game"), [(2, 100), (66, 100)])
        first.beat(nothing)
        found: list[Any] = []
        for journal in members:
            journal.finished(None, 99, lambda matches, low: found.append(([one.table for one in matches], low)))
            self.until_idle(journal)
        self.assertEqual(found, [([65, 1], 1), ([65, 1], 1)])

    def test_a_table_of_another_member(self) -> None:
        """It can be read, and is forgotten then: its rows may be moved to an archive before this host asks again."""
        first, second = self.member(1), self.member(2)
        table = self.play(first, 1)
        loaded: list[Any] = []
        second.load(table, loaded.append)
        self.until_idle(second)
        self.assertEqual(len(loaded[0].entries), 1)
        self.sql("DELETE FROM event")
        self.cut_off(2)
        second.beat(nothing)
        self.until_idle(second)

    def test_numbers_are_used_up(self) -> None:
        """More of them are taken, twice as many, also while the line is lost."""
        first, second = self.member(1), self.member(2)
        numbers = [first.new_table() for _ in range(64)]
        self.cut_off(1)
        numbers += [first.new_table() for _ in range(128)]
        self.assertEqual(numbers, [*range(1, 65), *range(129, 257)])
        self.assertEqual(second.new_table(), 65)

    def test_damage(self) -> None:
        first = self.member(1)
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {self.play(first, 1)} AND n = 1")
        self.stop(self.member(2))
        self.stop(first)
        self.assertIn("table 1: row 1 does not match its hash", self.refusal(cluster=ClusterAddress("a", "b")))


class MessageTests(PostgresCase):
    def test_no_connection(self) -> None:
        words = self.refusal(f"postgresql://gamehost:canary@127.0.0.1:{self.server.port}/nothing_here")
        self.assertIn("gamehost:***@", words)
        self.assertIn("there is no connection to the database", words)
        self.assertIn('database "nothing_here" does not exist', words)
        self.assertNotIn("canary", words)

    def test_an_owner_without_rights(self) -> None:
        self.sql("DROP ROLE IF EXISTS stranger")
        self.sql("CREATE ROLE stranger LOGIN")
        words = self.refusal(self.server.url(self.database, "stranger"))
        self.assertIn("the database refuses this (permission denied for", words)

    def test_what_was_refused_leaves_no_session(self) -> None:
        self.patch(store, "make_tables", self.break_down)
        self.assertRaises(ZeroDivisionError, self.start)
        hosts: list[Any] = []
        while hosts != [(0,)]:
            hosts = self.sql(
                f"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gamehost' AND datname = '{self.database}'"
            )

    def break_down(self, session: Any) -> None:
        raise ZeroDivisionError


TOY = TableHeader("toy", 1, (SeatRecord("Ann", "toy"), SeatRecord("Bob", "toy")), {"goal": "9"})
BEGAN = Entry(EntryKind.BEGAN, 0, drawn=(9,))
MOVES = [Entry(EntryKind.ACTED, 1000 * number, Seat((number + 1) % 2), b"+1", (9,)) for number in range(1, 6)]


class FollowingTests(ClusterCase):
    """The first member looks, and the second one plays."""

    def setUp(self) -> None:
        super().setUp()
        self.leader, self.other = self.member(1), self.member(2)
        self.table = self.other.new_table()
        self.other.open(self.table, TOY, nothing)
        self.append(self.other, BEGAN, MOVES[0])

    def append(self, journal: DurableJournal, *entries: Entry) -> None:
        for entry in entries:
            journal.append(self.table, entry, nothing)
        self.until_idle(journal)

    def elsewhere(self, journal: DurableJournal, *known: TableId) -> list[TableElsewhere]:
        found: list[TableElsewhere] = []
        journal.elsewhere(known, 9, lambda tables, count: found.extend(tables))
        self.until_idle(journal)
        return found

    def test_which_tables_there_are(self) -> None:
        """Those of the other member, with their openings if these are not known."""
        one = TableElsewhere(self.table, 2, 1000, TOY)
        self.assertEqual((self.elsewhere(self.leader), self.elsewhere(self.other)), ([one], []))
        self.assertEqual(self.elsewhere(self.leader, self.table), [TableElsewhere(self.table, 2, 1000, None)])
        self.sql("UPDATE event SET body = 'x' WHERE n = 0")
        self.assertEqual(self.elsewhere(self.leader), [], "another release wrote it")

    def test_reading_changes_nothing(self) -> None:
        """The record of another member is read, and this one cannot add to it."""
        found: list[object] = []
        self.leader.read(self.table, found.append)
        self.until_idle(self.leader)
        self.assertEqual(found, [TableRecord(self.table, TOY, (BEGAN, MOVES[0]))])
        self.assertRaises(ValueError, self.leader.append, self.table, MOVES[1], nothing)
        self.assertEqual(self.store(self.leader)._heads, {})

    def test_a_match_is_followed(self) -> None:
        """What the other member commits is told here, and then what this member adds when it has taken the table over."""
        clock = Clock()
        followed = following(clock, self.leader)
        self.until_idle(self.leader)
        table, watcher = followed.get(self.table), Watcher()
        assert table is not None

        def pass_time(seconds: float = READ_EVERY) -> None:
            clock.advance(seconds)
            self.until_idle(self.leader)

        table.watch(watcher)
        pass_time()
        self.assertEqual(watcher.read(), [Look(2, None, Counted(1, 9))])
        self.append(self.other, *MOVES[1:3])
        pass_time()
        self.assertEqual(watcher.read(), [(3, Counted(2, 9)), (4, Counted(3, 9))])
        self.kill(self.other)
        take_over(self.session, 1, 2)
        pass_time(LIST_IDLE)
        self.assertEqual((list(followed.newest(9)), watcher.read()), ([], []))
        self.leader.load(self.table, lambda record: None)
        self.until_idle(self.leader)
        self.append(self.leader, MOVES[3])
        pass_time()
        self.assertEqual(watcher.read(), [(5, Counted(4, 9))])
        followed.halt()


del ClusterCase
