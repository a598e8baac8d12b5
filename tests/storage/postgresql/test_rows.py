"""Reading the rows of tables: many tables with few queries."""

from gamehost.journal.records import TableId
from gamehost.storage.postgresql import rows as under_test
from gamehost.storage.postgresql.rows import TableRows
from gamehost.storage.postgresql.session import connect
from gamehost.testing.journal_contract import END, MOVE
from tests.kit.postgresql_store import PostgresCase


class RowsTests(PostgresCase):
    """Six tables with two rows each, and one that is finished."""

    def setUp(self) -> None:
        super().setUp()
        journal = self.start()
        self.numbers = [self.play(journal, 1) for _ in range(6)]
        done = self.play(journal, 0)
        journal.append(done, END, lambda: None)
        journal.told(done)
        self.stop(journal)
        session = connect(self.url)
        self.addCleanup(session.close)
        self.queries = 0

        def query(sql: str, *parameters: object) -> list[object]:
            self.queries += 1
            return session.rows(sql, parameters)

        self.tables = TableRows(query)

    def test_all_unfinished_tables(self) -> None:
        """In order, so many with one query, and no more of their rows than is asked for."""
        for name in ("_LISTED_AT_ONCE", "_READ_AT_ONCE"):
            self.patch(under_test, name, 4)
        for first, after, expected, rows in ((9, 0, self.numbers, 2), (1, 0, self.numbers, 1), (9, 4, [5, 6], 2)):
            self.queries = 0
            found = list(self.tables.unfinished(first, after))
            self.assertEqual(([table for table, _ in found], {len(own) for _, own in found}), (expected, {rows}))
            self.assertEqual(self.queries, 3 if len(found) > 4 else 2)
        self.assertEqual([table for table, *_ in self.tables.listed()], self.numbers)

    def test_some_tables(self) -> None:
        """By their numbers."""
        self.assertEqual(self.tables.unfinished_between(2, 6, 3), [2, 3, 4])
        self.assertEqual([row.n for row in self.tables.first_and_last(6, 9)], [0, 1, 0, 1])
        self.assertEqual([row[2] for row in self.tables.rows(1)], [0, 1])
        self.assertEqual(self.tables.rows(99), [])
        self.assertEqual(self.tables.last_table, 7)

    def test_newest_rows(self) -> None:
        """Those behind a number, table by table and in order, and no more than asked for."""
        last = {TableId(3): 0, TableId(2): -1, TableId(1): 1, TableId(99): 0}
        for most, expected in ((9, [(2, 0), (2, 1), (3, 1)]), (2, [(2, 0), (2, 1)])):
            self.assertEqual([(row.game, row.n) for row in self.tables.rows_after(last, most)], expected)

    def test_tables_of_others(self) -> None:
        """Those of other lives that do not sleep and have begun, the newest ones, and how many there are."""
        [(epoch,)] = self.sql("SELECT epoch FROM member")
        self.assertEqual(self.tables.elsewhere(epoch, 9), ([], 0))
        self.sql("UPDATE live SET owner = owner + 1 WHERE game < 6; UPDATE live SET since = 7 WHERE game = 2")
        self.sql("DELETE FROM event WHERE game = 3 AND n = 1")
        self.assertEqual(self.tables.elsewhere(epoch, 9), ([(1, 1, MOVE.at), (4, 1, MOVE.at), (5, 1, MOVE.at)], 4))
        self.assertEqual(self.tables.elsewhere(epoch, 1), ([(5, 1, MOVE.at)], 4))
        self.assertEqual(
            [(row.game, row.n) for row in self.tables.openings(list(map(TableId, (4, 5, 99))))], [(4, 0), (5, 0)]
        )
