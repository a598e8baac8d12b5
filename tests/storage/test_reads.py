"""Reading the rows of tables from a store of either engine: many tables with few queries."""

from collections.abc import Sequence
from typing import Any

from gamehost.journal.records import TableId
from gamehost.storage import reads
from gamehost.storage.database import SqliteDatabase, connect
from gamehost.storage.durable import DurableJournal
from gamehost.storage.reads import Readable, Sql, TableRows
from tests.kit.journal_contract import END, MOVE
from tests.kit.journals import JournalCase
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase


class Counted:
    """Something that is asked, and how often."""

    def __init__(self, readable: Readable) -> None:
        self.readable = readable
        self.queries = 0

    def rows(self, sql: Sql | str, parameters: Sequence[Any] = ()) -> list[Any]:
        self.queries += 1
        return self.readable.rows(sql, parameters)


class ReadsContract(JournalCase):
    """Six tables with two rows each, and one that is finished."""

    asked: Counted
    tables: TableRows

    def fill(self, journal: DurableJournal) -> None:
        self.numbers = [self.play(journal, 1) for _ in range(6)]
        done = self.play(journal, 0)
        journal.append(done, END, lambda: None)
        journal.told(done)
        self.pump.settle(journal)

    def read(self, readable: Readable) -> None:
        self.asked = Counted(readable)
        self.tables = TableRows(self.asked)

    def test_all_unfinished_tables(self) -> None:
        """In order, so many with one query, and no more of their rows than is asked for."""
        for name in ("LISTED_AT_ONCE", "READ_AT_ONCE"):
            self.patch(reads, name, 4)
        for first, after, expected, rows in ((9, 0, self.numbers, 2), (1, 0, self.numbers, 1), (9, 4, [5, 6], 2)):
            self.asked.queries = 0
            found = list(self.tables.unfinished(first, after))
            self.assertEqual(([table for table, _ in found], {len(own) for _, own in found}), (expected, {rows}))
            self.assertEqual(self.asked.queries, 3 if len(found) > 4 else 2)
        self.assertEqual(self.tables.notes_between(2, 4), [(0, 0)] * 3)

    def test_some_tables(self) -> None:
        """By their numbers."""
        self.assertEqual(self.tables.unfinished_between(2, 6, 3), [2, 3, 4])
        self.assertEqual([row.n for row in self.tables.first_and_last(6, 9)], [0, 1, 0, 1])
        self.assertEqual([row.n for row in self.tables.rows(1)], [0, 1])
        self.assertEqual(self.tables.rows(99), [])
        self.assertEqual(self.tables.last_table, 7)

    def test_newest_rows(self) -> None:
        """Those behind a number, table by table and in order, and no more than asked for."""
        last = {TableId(3): 0, TableId(2): -1, TableId(1): 1, TableId(99): 0}
        for epoch in (None, 1):
            tables = TableRows(self.asked, epoch if isinstance(self, PostgresCase) else None)
            for most, expected in ((9, [(2, 0), (2, 1), (3, 1)]), (2, [(2, 0), (2, 1)])):
                self.assertEqual([(row.game, row.n) for row in tables.rows_after(last, most)], expected)

    def test_one_match(self) -> None:
        """Its first and its last row; none of a table that does not exist, and none of one that goes on."""
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
        self.connection = connect(self.path)
        self.addCleanup(self.connection.close)
        self.read(SqliteDatabase(self.connection))


class PlacedTests(SqliteTests):
    """Half of the rows are placed."""

    def setUp(self) -> None:
        super().setUp()
        self.connection.execute("INSERT INTO placed SELECT game, n, seq FROM event WHERE seq < 8")
        self.connection.execute("UPDATE placed_to SET seq = 7")


class PostgresTests(PostgresCase, ReadsContract):
    """In a database."""

    def setUp(self) -> None:
        super().setUp()
        from gamehost.storage.postgresql.session import connect as connect_to

        journal = self.start()
        self.fill(journal)
        self.stop(journal)
        session = connect_to(self.url)
        self.addCleanup(session.close)
        self.read(session)

    def test_tables_of_others(self) -> None:
        """Those of other lives that do not sleep and have begun, the newest ones, and how many there are."""
        [(epoch,)] = self.sql("SELECT epoch FROM member")
        tables = TableRows(self.asked, epoch)
        self.assertEqual(tables.elsewhere(9), ([], 0))
        self.sql("UPDATE live SET owner = owner + 1 WHERE game < 6; UPDATE live SET since = 7 WHERE game = 2")
        self.sql("DELETE FROM event WHERE game = 3 AND n = 1")
        self.assertEqual(tables.elsewhere(9), ([(1, 1, MOVE.at), (4, 1, MOVE.at), (5, 1, MOVE.at)], 4))
        self.assertEqual(tables.elsewhere(1), ([(5, 1, MOVE.at)], 4))
        self.assertEqual([(row.game, row.n) for row in tables.openings([TableId(4), TableId(99)])], [(4, 0)])
        own = TableRows(self.asked, epoch, own=True)
        self.assertEqual([table for table, _ in own.unfinished()], [6])


del ReadsContract
