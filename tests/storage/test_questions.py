"""What people ask a store: what is found, and the thread that answers."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attrs import define, field
from msgspec.structs import replace

from gamehost.journal.records import (
    Entry,
    EntryKind,
    FinishedMatch,
    Pressure,
    SeatRecord,
    TableHeader,
    TableId,
    TableRecord,
)
from gamehost.storage import questions
from gamehost.storage.contents import Reading, put_uptime
from gamehost.storage.database import SqliteDatabase, connect
from gamehost.storage.durable import DurableJournal
from gamehost.storage.sqlite import open_reader
from gamehost.storage.store import SqliteStore, open_store
from tests.kit.journal_contract import BEGAN, END, MOVE, OPENING, nothing
from tests.kit.journals import JournalCase, by_rows
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase


class StoreAndReaderCase(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.now = 0.0
        self.connection = self.connect()
        self.store = self.open_store(index_step=6)
        self.reader = open_reader(self.path, lambda: self.now)
        self.addCleanup(self.reader.close)

    def connect(self) -> sqlite3.Connection:
        connection = connect(self.path)
        self.addCleanup(connection.close)
        return connection

    def open_store(self, **more: Any) -> SqliteStore:
        return open_store(self.connection, None, **more)

    def play(self, table: int, opening: TableHeader = OPENING, *entries: Entry) -> None:  # type: ignore[override]
        number = TableId(table)
        self.store.commit([(number, opening), *((number, entry) for entry in entries or (MOVE, END))])


class QuestionTests(StoreAndReaderCase):
    def ask(self, below: int | None, count: int) -> list[tuple[int, int]]:
        return [(one.table, one.entries) for one in questions.find_finished(self.reader.tables, below, count)[0]]

    def test_placed_or_not(self) -> None:
        """A match is found when its end is committed, wherever the index of rows ends."""
        for table in map(TableId, range(1, 8)):
            self.store.commit([(table, OPENING), (table, BEGAN), (table, MOVE)])
            self.assertEqual(self.ask(None, 99), [(one, 3) for one in range(table - 1, 0, -1)])
            self.store.commit([(table, END)])
            self.assertEqual(self.ask(table + 1, 1), [(table, 3)])
        self.assertEqual(self.ask(6, 3), [(5, 3), (4, 3), (3, 3)])

    def test_no_more_matches_than_can_be_read_at_once(self) -> None:
        self.patch(questions, "MOST_MATCHES", 2)
        for table in (1, 2, 3):
            self.play(table)
        matches, low = questions.find_finished(self.reader.tables, None, 99)
        self.assertEqual(([one.table for one in matches], low), ([3, 2], 2))

    def test_when_it_was_opened(self) -> None:
        store = open_store(self.connect(), None, wall=lambda: 12.5)
        store.commit([(TableId(1), OPENING), (TableId(1), END)])
        match = questions.find_match(self.reader.tables, TableId(1))
        assert match is not None
        self.assertEqual(match.opened_ms, 12_500)

    def test_what_cannot_be_read_is_left_out(self) -> None:
        """A row that another release wrote, and a table whose first row is missing, do not stop the host."""
        for table in (1, 2, 3):
            self.play(table)
        self.connection.execute("UPDATE event SET body = x'00' WHERE game = 1 AND n = 0")
        self.connection.execute("UPDATE event SET kind = 63 WHERE game = 2 AND n = 2")
        self.assertEqual(self.ask(None, 9), [(3, 2)])
        self.connection.execute("DELETE FROM event WHERE game = 3 AND n = 0")
        self.assertEqual(self.ask(None, 9), [])

    def test_a_record_between_changes(self) -> None:
        self.store.commit(
            [
                (TableId(1), OPENING),
                (TableId(1), BEGAN),
                load := Reading(lambda store: store.read(TableId(1))),
                (TableId(1), MOVE),
            ]
        )
        assert not isinstance(load.answer, str)
        self.assertEqual(load.answer.entries[:1], (BEGAN,))

    def test_the_newest_entries(self) -> None:
        for table in (1, 2, 3):
            self.play(table, OPENING, BEGAN, MOVE)
        found = questions.read_entries_after(
            self.reader.tables, {TableId(3): 2, TableId(2): 1, TableId(1): 0, TableId(9): 0}
        )
        self.assertEqual(found, {1: [BEGAN, MOVE], 2: [MOVE]})
        self.store.commit([(TableId(1), replace(MOVE, kind=63)), (TableId(3), END)])
        again = questions.read_entries_after(self.reader.tables, {TableId(1): 2, TableId(3): 2})
        self.assertEqual(again, {1: "table 1: row 3 is of kind 63, which this release does not know", 3: [END]})

    def test_no_more_than_can_be_read_at_once(self) -> None:
        self.patch(questions, "MOST_ROWS", 3)
        for table in (1, 2):
            self.play(table, OPENING, BEGAN, MOVE)
        found = questions.read_entries_after(self.reader.tables, {TableId(1): 0, TableId(2): 0})
        self.assertEqual(found, {1: [BEGAN, MOVE], 2: [BEGAN]})

    def test_a_record_to_which_nothing_is_added(self) -> None:
        self.play(1, OPENING, BEGAN)
        self.assertEqual(
            [questions.read_record(self.reader.tables, TableId(number)) for number in (1, 2)],
            [TableRecord(TableId(1), OPENING, (BEGAN,)), "table 2: all of its rows are missing"],
        )
        [(body,)] = self.connection.execute("SELECT body FROM recent").fetchall()
        for spoilt in (body + b"\0", body[:-1] + b"\xc4"):
            self.connection.execute("UPDATE recent SET body = ?", (spoilt,))
            expected = "table 1: row 1 is in a commit that does not match its hash"
            self.assertEqual(questions.read_record(self.reader.tables, TableId(1)), expected)


class PlanTests(StoreAndReaderCase):
    """However large the store is, a list is a range of an index, and a match is looked up."""

    def test_no_table_is_scanned(self) -> None:
        """Neither for a list, nor for one match; also when SQLite knows how the tables are filled."""
        for number in range(1, 40):
            self.play(number)
        for _ in range(2):
            for sql, parameters in ((questions.LIST, ("ann", "onitama", 99, 51)), (questions.MATCH, (7,))):
                plan = [row[3] for row in self.connection.execute(f"EXPLAIN QUERY PLAN {sql.sqlite}", parameters)]
                scans = [
                    step
                    for step in plan
                    if step.startswith("SCAN") and step not in ("SCAN chosen", "SCAN CONSTANT ROW")
                ]
                self.assertEqual(scans, [], plan)
            self.connection.execute("ANALYZE")

    def test_work_does_not_grow(self) -> None:
        """A list of a rare name takes as many steps of SQLite's machine in a store of 400 matches as in one of 20."""
        steps = []
        for low, below in ((1, 20), (20, 400)):
            for number in range(low, below):
                self.play(number)
            counted: list[None] = []
            connection: Any = self.reader.connection
            connection.set_progress_handler(partial(counted.append, None), 1)
            questions.find_finished(self.reader.tables, None, 50, name="nobody")
            questions.find_finished(self.reader.tables, None, 5, "onitama", "ann")
            questions.find_match(self.reader.tables, TableId(3))
            steps.append(len(counted))
        self.assertLess(steps[1], 1.2 * steps[0])


class ReaderTests(StoreAndReaderCase):
    def test_it_cannot_write(self) -> None:
        for sql in ("DELETE FROM event", "CREATE TABLE a(b)"):
            self.assertRaises(sqlite3.OperationalError, self.reader.connection.execute, sql)

    def test_what_takes_too_long_is_given_up(self) -> None:
        self.play(1, OPENING, *[replace(MOVE, drawn=(2**70,))] * 9000)  # so that each has a row
        before, self.reader._clock = self.reader._clock, iter(range(0, 10**9, 4)).__next__
        self.assertRaises(sqlite3.OperationalError, self.reader.tables.rows, TableId(1))
        connection: Any = self.reader.connection
        self.assertFalse(connection.in_transaction)
        self.reader._clock = before
        self.assertEqual(len(self.reader.tables.rows(TableId(1))), 9001)

    def test_the_log_does_not_grow_with_reading(self) -> None:
        """Between two answers nothing is held: the writer begins its log anew as if nobody read."""
        wal = self.path.with_name(self.path.name + "-wal")
        sizes = []
        for asking in (False, True):
            for number in range(1, 1000):
                self.store.commit([(TableId(2 * number + asking), OPENING)])
                if asking and number % 10 == 0:
                    questions.find_finished(self.reader.tables, None, 5)
                    self.reader.tables.rows(TableId(number))
            sizes.append(wal.stat().st_size)
        self.assertLess(sizes[1], 1.1 * sizes[0])


class ListTests(StoreAndReaderCase):
    """The index is of the matches that have a result."""

    def faults(self) -> list[str]:
        return questions.MatchLists(SqliteDatabase(self.connection), has_ends=True).faults()

    def test_it_is_right(self) -> None:
        """Behind every commit, also for tables that were opened, slept, woken or loaded before. And it is verified."""
        private = TableHeader("onitama", 1, OPENING.seats, {"code": "SECRET"})
        self.play(1)
        self.play(2, private)
        self.play(3, OPENING, MOVE)
        self.play(4, OPENING, MOVE, Entry(EntryKind.ARCHIVED, 5))
        self.assertEqual(self.faults(), [])
        self.store._heads.clear()
        self.store.commit([(TableId(3), END)])
        self.assertEqual(self.faults(), [])
        for table in (1, 2, 3):
            found = questions.find_match(self.reader.tables, TableId(table))
            assert found is not None
            self.assertEqual(found.table, table)
        for change in (
            "DELETE FROM listed WHERE name = 'ann' AND game = 3",
            "INSERT INTO listed VALUES ('', '', 2)",
            "UPDATE finished SET last = last - 1 WHERE game = 2",
            "INSERT INTO finished VALUES (4, 1, 2)",
        ):
            self.connection.execute("BEGIN")
            self.connection.execute(change)
            [fault] = self.faults()
            self.assertIn("the index of finished matches has", fault)
            self.connection.execute("ROLLBACK")

    def test_texts_that_no_database_keeps(self) -> None:
        """A name or a game that is long, or has a null or half of a pair of surrogates, ends nothing."""
        self.play(1, TableHeader("x\0y", 1, (SeatRecord("n" * 5000, "open"),)))
        self.assertEqual(self.faults(), [])
        matches, _ = questions.find_finished(self.reader.tables, None, 9, "x\0y", "N" * 5000)
        self.assertEqual([one.table for one in matches], [1])
        self.play(2, TableHeader("onitama", 1, (SeatRecord("\ud800", "open"),)))


#: Long enough for any machine; reached only when a test fails.
PATIENCE = 20.0


@define(eq=False)
class StuckStore:
    """What is read from: every answer waits until it is let through, or the end comes."""

    rows_of: Callable[[], list[Any]] = list
    began: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    gate: threading.Semaphore = field(factory=partial(threading.Semaphore, 0))
    closed: bool = False

    @property
    def tables(self) -> questions.TableRows:
        return questions.TableRows(self)

    def rows(self, sql: questions.Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        self.began.release()
        assert self.gate.acquire(timeout=PATIENCE)
        return self.rows_of()

    def interrupt(self) -> None:
        self.gate.release()

    def close(self) -> None:
        self.closed = True


class ReaderCase(StoreCase):
    def setUp(self) -> None:
        super().setUp()
        self.stuck = StuckStore()
        self.warned: list[str] = []

    def reader(self) -> questions.Reader:
        store: Any = self.stuck
        reader = questions.Reader(store, self.pump.from_thread, self.warned.append)
        reader.start()
        self.addCleanup(reader.end)
        return reader

    def note(self, answered: list[int], number: int, record: TableRecord | str) -> None:
        answered.append(number)


class ReaderReaderTests(ReaderCase):
    def test_one_at_a_time_and_in_order(self) -> None:
        reader, answered = self.reader(), list[int]()
        for number in (1, 2, 3):
            reader.put(partial(self.note, answered, number), "", partial(questions.read_record, table=TableId(number)))
        assert self.stuck.began.acquire(timeout=PATIENCE)
        self.assertFalse(self.stuck.began.acquire(blocking=False))
        self.assertEqual(reader.waiting, 3)
        for _ in range(3):
            self.stuck.gate.release()
        self.pump.until(lambda: len(answered) == 3)
        self.assertEqual((answered, reader.waiting), ([1, 2, 3], 0))

    def test_a_store_that_cannot_be_read(self) -> None:
        def fail() -> list[Any]:
            raise OSError("planted")

        self.stuck.rows_of = fail
        reader, answered = self.reader(), list[object]()
        reader.put(answered.append, "not now", partial(questions.read_record, table=TableId(7)))
        reader.put(answered.append, None, partial(questions.find_match, table=TableId(7)))
        self.stuck.gate.release(2)
        self.pump.until(lambda: len(answered) == 2)
        self.assertEqual(answered, ["not now", None])
        self.assertEqual(self.warned[0], "read_record was not answered: OSError: planted")

    def test_the_end(self) -> None:
        reader, answered = self.reader(), list[int]()
        for number in (1, 2, 3):
            reader.put(partial(self.note, answered, number), "", partial(questions.read_record, table=TableId(number)))
        assert self.stuck.began.acquire(timeout=PATIENCE)
        reader.end()
        self.assertTrue(self.stuck.closed)
        self.pump.until(lambda: len(answered) == 3)
        self.assertFalse(self.stuck.began.acquire(blocking=False))
        self.assertEqual(self.warned, [])


class BesideTests(ReaderCase):
    """A journal whose reader is stuck, as when thousands ask."""

    def test_moves_go_on(self) -> None:
        """Questions delay no callback, and are no part of how far the disk is behind: the host is not ended for them."""
        now = [0.0]
        journal = self.start(reactor_clock=lambda: now[0])
        table = self.play(journal, 1)
        self.pump.until(lambda: not journal.unanswered)
        journal._reader = self.reader()
        answered: list[TableRecord | str] = []
        for _ in range(5000):
            journal.read(table, answered.append)
        now[0] = 3600.0
        self.assertEqual(journal.pressure, Pressure.NONE)
        durable: list[int] = []
        for number in range(20):
            journal.append(table, MOVE, partial(durable.append, number))
            self.pump.until(partial(durable.__contains__, number))
        self.assertEqual((answered, journal.unanswered, journal.pressure), ([], 5000, Pressure.NONE))
        self.assertEqual(self.pump.broken, [])

    def test_what_was_confirmed_is_found(self) -> None:
        journal = self.start()
        table = journal.new_table()
        seen: list[int] = []

        def found(record: TableRecord | str) -> None:
            assert isinstance(record, TableRecord)
            seen.append(len(record.entries))

        journal.open(table, OPENING, partial(journal.read, table, found))
        for _ in range(200):
            journal.append(table, MOVE, partial(journal.read, table, found))
        self.pump.until_idle(journal)
        self.assertEqual(len(seen), 201)
        for least, number in enumerate(seen):
            self.assertGreaterEqual(number, least)

    def test_a_stop_waits_for_no_question(self) -> None:
        journal = self.start()
        table = self.play(journal, 1)
        journal.append(table, END, nothing)
        matches: list[FinishedMatch | None] = []
        for _ in range(500):
            journal.match(table, matches.append)
        ended: list[int] = []
        journal.stop(lambda: ended.append(len(matches)))
        self.alive.clear()
        self.pump.until(lambda: bool(ended))
        self.assertEqual(ended, [500])
        self.assertRaises(ValueError, journal.match, table, matches.append)

    def test_a_failed_write_ends_the_reader(self) -> None:
        journal = self.start()
        no_number: Any = "seven"
        journal.also(put_uptime(no_number), nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop(journal)
        thread = journal._reader._thread
        assert thread is not None
        self.assertFalse(thread.is_alive())


class Counted:
    def __init__(self, readable: questions.Readable) -> None:
        self.readable = readable
        self.queries = 0

    def rows(self, sql: questions.Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        self.queries += 1
        return self.readable.rows(sql, parameters)


class ReadsContract(JournalCase):
    """Six tables with two rows each, and one that is finished."""

    asked: Counted
    tables: questions.TableRows

    def fill(self, journal: DurableJournal) -> None:
        self.numbers = [self.play(journal, 1) for _ in range(6)]
        done = self.play(journal, 0)
        journal.append(done, END, lambda: None)
        journal.told(done)
        self.pump.until_idle(journal)

    def read(self, readable: questions.Readable) -> None:
        self.asked = Counted(readable)
        self.tables = questions.TableRows(self.asked)

    def test_all_unfinished_tables(self) -> None:
        for name in ("LISTED_AT_ONCE", "READ_AT_ONCE"):
            self.patch(questions, name, 4)
        for first, after, expected, rows in ((9, 0, self.numbers, 2), (1, 0, self.numbers, 1), (9, 4, [5, 6], 2)):
            self.asked.queries = 0
            found = list(self.tables.unfinished(first, after))
            self.assertEqual(([table for table, _ in found], {len(own) for _, own in found}), (expected, {rows}))
            self.assertEqual(self.asked.queries, 3 if len(found) > 4 else 2)
        self.assertEqual(self.tables.notes_between(2, 4), [(0, 0, None)] * 3)

    def test_some_tables(self) -> None:
        self.assertEqual(self.tables.unfinished_between(2, 6, 3), [2, 3, 4])
        self.assertEqual([row.n for row in self.tables.first_and_last(6, 9)], [0, 1, 0, 1])
        self.assertEqual([row.n for row in self.tables.rows(1)], [0, 1])
        self.assertEqual(self.tables.rows(99), [])
        self.assertEqual(self.tables.last_table, 7)

    def test_newest_rows(self) -> None:
        """Those behind a number, table by table and in order, and no more than asked for."""
        last = {TableId(3): 0, TableId(2): -1, TableId(1): 1, TableId(99): 0}
        for epoch in (None, 1):
            tables = questions.TableRows(self.asked, epoch if isinstance(self, PostgresCase) else None)
            for most, expected in ((9, [(2, 0), (2, 1), (3, 1)]), (2, [(2, 0), (2, 1)])):
                self.assertEqual([(row.game, row.n) for row in tables.rows_after(last, most)], expected)

    def test_one_match(self) -> None:
        ends = self.tables.finished(TableId(7))
        assert ends is not None
        self.assertEqual((ends.first.n, ends.last.n), (0, 1))
        self.assertIs(self.tables.finished(TableId(99)), None)
        self.assertEqual(self.tables.listed("", "", 99, 9), [ends])


class SqliteTests(StoreCase, ReadsContract):
    """In a file, of which no row is placed, and then all are."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start()
        self.fill(journal)
        self.stop(journal)
        by_rows(self.path)
        self.connection = connect(self.path)
        self.addCleanup(self.connection.close)
        self.connection.execute("DELETE FROM placed")
        self.connection.execute("UPDATE placed_to SET seq = 0")
        self.read(SqliteDatabase(self.connection))


class PlacedTests(SqliteTests):
    def setUp(self) -> None:
        super().setUp()
        self.connection.execute("INSERT INTO placed SELECT game, n, seq FROM event WHERE seq < 8")
        self.connection.execute("UPDATE placed_to SET seq = 7")


class PostgresTests(PostgresCase, ReadsContract):
    def setUp(self) -> None:
        super().setUp()
        from gamehost.extras.cluster.postgresql.session import connect as connect_to

        journal = self.start()
        self.fill(journal)
        self.stop(journal)
        session = connect_to(self.url)
        self.addCleanup(session.close)
        self.read(session)

    def test_tables_of_others(self) -> None:
        [(epoch,)] = self.sql("SELECT epoch FROM member")
        tables = questions.TableRows(self.asked, epoch)
        self.assertEqual(tables.elsewhere(9), ([], 0))
        self.sql("UPDATE live SET owner = owner + 1 WHERE game < 6; UPDATE live SET since = 7 WHERE game = 2")
        self.sql("DELETE FROM event WHERE game = 3 AND n = 1")
        self.assertEqual(tables.elsewhere(9), ([(1, 1, MOVE.at), (4, 1, MOVE.at), (5, 1, MOVE.at)], 4))
        self.assertEqual(tables.elsewhere(1), ([(5, 1, MOVE.at)], 4))
        self.assertEqual([(row.game, row.n) for row in tables.openings([TableId(4), TableId(99)])], [(4, 0)])
        own = questions.TableRows(self.asked, epoch, own=True)
        self.assertEqual([table for table, _ in own.unfinished()], [6])


del ReadsContract
