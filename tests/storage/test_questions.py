"""What people ask an SQLite store: it is found in the index and behind it; rows that cannot be read are left out."""

import sqlite3
from functools import partial
from typing import Any

from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.storage import questions
from gamehost.storage.database import connect
from gamehost.storage.match_lists import LIST, MATCH, list_faults
from gamehost.storage.questions import FindFinished, FindMatch, Load, ReadEntriesAfter, ReadRecord
from gamehost.storage.sqlite_reader import open_reader
from gamehost.storage.store import SqliteStore, open_store
from gamehost.testing.journal_contract import BEGAN, END, MOVE, OPENING
from tests.storage.test_sqlite import StoreCase


class StoreAndReaderCase(StoreCase):
    """A store, and a reader beside it."""

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
        """A match, finished if nothing else is said."""
        number = TableId(table)
        self.store.commit([(number, opening), *((number, entry) for entry in entries or (MOVE, END))])


class QuestionTests(StoreAndReaderCase):
    """What was committed, and nothing else."""

    def ask(self, below: int | None, count: int) -> list[tuple[int, int]]:
        """The number and the length of each match that is found."""
        question = FindFinished(below, count)
        question.ask(self.reader)
        return [(one.table, one.entries) for one in question.answer]

    def test_placed_or_not(self) -> None:
        """A match is found when its end is committed, wherever the index of rows ends."""
        for table in map(TableId, range(1, 8)):
            self.store.commit([(table, OPENING), (table, BEGAN), (table, MOVE)])
            self.assertEqual(self.ask(None, 99), [(one, 3) for one in range(table - 1, 0, -1)])
            self.store.commit([(table, END)])
            self.assertEqual(self.ask(table + 1, 1), [(table, 3)])
        self.assertEqual(self.ask(6, 3), [(5, 3), (4, 3), (3, 3)])

    def test_no_more_matches_than_can_be_read_at_once(self) -> None:
        """The answer says where to go on."""
        self.patch(questions, "MOST_MATCHES", 2)
        for table in (1, 2, 3):
            self.play(table)
        question = FindFinished(None, 99)
        question.ask(self.reader)
        self.assertEqual(([one.table for one in question.answer], question.low), ([3, 2], 2))

    def test_when_it_was_opened(self) -> None:
        """By the wall clock, in milliseconds since 1970."""
        store = open_store(self.connect(), None, wall=lambda: 12.5)
        store.commit([(TableId(1), OPENING), (TableId(1), END)])
        question = FindMatch(TableId(1))
        question.ask(self.reader)
        assert question.answer is not None
        self.assertEqual(question.answer.opened_ms, 12_500)

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
        """To be played on, it has what was added before, and not what follows."""
        self.store.commit([(TableId(1), OPENING), (TableId(1), BEGAN), load := Load(TableId(1)), (TableId(1), MOVE)])
        assert not isinstance(load.answer, str)
        self.assertEqual(load.answer.entries[:1], (BEGAN,))

    def test_the_newest_entries(self) -> None:
        """Those behind the known ones, table by table. What another release wrote has a reason, and the others are read."""
        for table in (1, 2, 3):
            self.play(table, OPENING, BEGAN, MOVE)
        question = ReadEntriesAfter({TableId(3): 2, TableId(2): 1, TableId(1): 0, TableId(9): 0})
        question.ask(self.reader)
        self.assertEqual(question.answer, {1: [BEGAN, MOVE], 2: [MOVE]})
        self.connection.execute("UPDATE event SET kind = 63 WHERE game = 1 AND n = 2")
        self.store.commit([(TableId(3), END)])
        again = ReadEntriesAfter({TableId(1): 1, TableId(3): 2})
        again.ask(self.reader)
        self.assertEqual(again.answer, {1: "table 1: row 2 is of kind 63, which this release does not know", 3: [END]})

    def test_no_more_than_can_be_read_at_once(self) -> None:
        """The rest is for the next question."""
        self.patch(questions, "MOST_ROWS", 3)
        for table in (1, 2):
            self.play(table, OPENING, BEGAN, MOVE)
        question = ReadEntriesAfter({TableId(1): 0, TableId(2): 0})
        question.ask(self.reader)
        self.assertEqual(question.answer, {1: [BEGAN, MOVE], 2: [BEGAN]})

    def test_a_record_to_which_nothing_is_added(self) -> None:
        """It is checked, and the table stays as it was."""
        self.play(1, OPENING, BEGAN)
        asked = [ReadRecord(TableId(number)) for number in (1, 2)]
        for question in asked:
            question.ask(self.reader)
        self.assertEqual(
            [question.answer for question in asked],
            [TableRecord(TableId(1), OPENING, (BEGAN,)), "table 2: all of its rows are missing"],
        )
        self.connection.execute("UPDATE event SET at_ms = 7 WHERE n = 1")
        damaged = ReadRecord(TableId(1))
        damaged.ask(self.reader)
        self.assertEqual(damaged.answer, "table 1: row 1 does not match its hash")


class PlanTests(StoreAndReaderCase):
    """However large the store is, a list is a range of an index, and a match is looked up."""

    def test_no_table_is_scanned(self) -> None:
        """Neither for a list, nor for one match; also when SQLite knows how the tables are filled."""
        for number in range(1, 40):
            self.play(number)
        for _ in range(2):
            for sql, parameters in ((LIST, ("ann", "onitama", 99, 51)), (MATCH, (7,))):
                plan = [row[3] for row in self.connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)]
                scans = [
                    step
                    for step in plan
                    if step.startswith("SCAN") and step not in ("SCAN chosen", "SCAN CONSTANT ROW")
                ]
                self.assertEqual(scans, [], plan)
            self.connection.execute("ANALYZE")

    def test_work_does_not_grow(self) -> None:
        """A list of a rare name takes as many steps of SQLite's machine in a store of 2,000 matches as in one of 20."""
        steps = []
        for low, below in ((1, 20), (20, 2000)):
            for number in range(low, below):
                self.play(number)
            counted: list[None] = []
            connection: Any = self.reader._connection
            connection.set_progress_handler(partial(counted.append, None), 1)
            FindFinished(None, 50, name="nobody").ask(self.reader)
            FindFinished(None, 5, "onitama", "ann").ask(self.reader)
            FindMatch(TableId(3)).ask(self.reader)
            steps.append(len(counted))
        self.assertLess(steps[1], 1.2 * steps[0])


class ReaderTests(StoreAndReaderCase):
    """The connection for reading."""

    def test_it_cannot_write(self) -> None:
        """Whatever is asked of it."""
        for sql in ("DELETE FROM event", "CREATE TABLE a(b)"):
            self.assertRaises(sqlite3.OperationalError, self.reader._connection.execute, sql)

    def test_what_takes_too_long_is_given_up(self) -> None:
        """The next question is answered."""
        self.play(1, OPENING, *[MOVE] * 9000)
        before, self.reader._clock = self.reader._clock, iter(range(0, 10**9, 4)).__next__
        self.assertRaises(sqlite3.OperationalError, self.reader.rows, TableId(1))
        connection: Any = self.reader._connection
        self.assertFalse(connection.in_transaction)
        self.reader._clock = before
        self.assertEqual(len(self.reader.rows(TableId(1))), 9001)

    def test_the_log_does_not_grow_with_reading(self) -> None:
        """Between two answers nothing is held: the writer begins its log anew as if nobody read."""
        wal = self.path.with_name(self.path.name + "-wal")
        sizes = []
        for reads in (False, True):
            for number in range(1, 4000):
                self.store.commit([(TableId(2 * number + reads), OPENING)])
                if reads and number % 10 == 0:
                    FindFinished(None, 5).ask(self.reader)
                    self.reader.rows(TableId(number))
            sizes.append(wal.stat().st_size)
        self.assertLess(sizes[1], 1.1 * sizes[0])


class ListTests(StoreAndReaderCase):
    """The index is of the matches that have a result."""

    def faults(self) -> list[str]:
        return list_faults(self.connection)

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
            found = FindMatch(TableId(table))
            found.ask(self.reader)
            assert found.answer is not None
            self.assertEqual(found.answer.table, table)
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
        question = FindFinished(None, 9, "x\0y", "N" * 5000)
        question.ask(self.reader)
        self.assertEqual([one.table for one in question.answer], [1])
        self.play(2, TableHeader("onitama", 1, (SeatRecord("\ud800", "open"),)))
