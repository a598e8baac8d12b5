"""What people ask a database: through a session of its own, which is opened again when it is lost."""

from typing import Any

from gamehost.journal.records import Pressure, TableId, TableRecord
from gamehost.storage.changes import StoreFailed
from gamehost.storage.postgresql.lists import LIST, MATCH, list_faults
from gamehost.storage.postgresql.reader import PostgresReader, open_session
from gamehost.storage.postgresql.session import LineLost, connect
from gamehost.testing.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.postgresql_store import PostgresCase


class PlanTests(PostgresCase):
    """However large the store is, a list is a range of an index, and a match is looked up."""

    def test_no_table_is_scanned(self) -> None:
        """Neither for a list, nor for one match."""
        journal = self.start()
        for _ in range(30):
            table = self.play(journal, 3)
            journal.append(table, END, nothing)
            journal.told(table)
        self.settle(journal)
        self.stop(journal)
        # So small a store is read as a whole. What counts is what the server does if that costs much.
        self.sql("ANALYZE; ALTER DATABASE " + self.database + " SET enable_seqscan = off")
        session = connect(self.url)
        self.addCleanup(session.close)
        for sql, parameters in ((LIST, ("ann", "onitama", 99, 51)), (MATCH, (7,))):
            plan = [row[0] for row in session.rows(f"EXPLAIN {sql}", parameters)]
            self.assertEqual([step for step in plan if "Seq Scan" in step], [], plan)
        self.assertIn("Index", str(session.rows(f"EXPLAIN {LIST}", ("ann", "onitama", 99, 51))))


class ReaderTests(PostgresCase):
    """The session for reading."""

    def test_it_cannot_write(self) -> None:
        """Whatever is asked of it."""
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
            self.settle(journal)
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
        self.settle(journal)
        reader._connect = opening
        journal.read(table, found.append)
        self.settle(journal)
        away = f"table {table}: the store cannot be read now"
        self.assertEqual(found, [away, TableRecord(table, OPENING, (MOVE,))])
        self.assertEqual(self.warned, ["ReadRecord was not answered: LineLost: planted"])
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
        self.settle(journal)
        self.stop(journal)
        journal = self.start()
        journal.load(tables[1], lambda record: None)
        journal.wake(tables[2])
        self.settle(journal)
        for table in tables[1:]:
            journal.append(table, END, nothing)
        self.settle(journal)
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
        found = list_faults(session)
        session.run("COMMIT")
        return found

    def test_one_match(self) -> None:
        """The first and the last row; none of a table that does not exist."""
        journal = self.start()
        table = self.play(journal, 5)
        reader = PostgresReader(self.url, 1)
        self.addCleanup(reader.close)
        ends = reader.finished(table)
        assert ends is not None
        self.assertEqual((ends.first.n, ends.last.n), (0, 5))
        self.assertIs(reader.finished(TableId(99)), None)
