"""What somebody has changed in a database while no host ran is found at the start."""

from functools import partial
from typing import Any

from gamehost.journal.records import TableId
from gamehost.storage.durable import DurableJournal
from gamehost.storage.postgresql import store as under_test
from gamehost.storage.postgresql.lives import ClusterAddress, begin_inheriting
from gamehost.storage.postgresql.session import connect
from gamehost.testing.journal_contract import END, MOVE, OPENING, PUT_AWAY, nothing
from tests.kit.postgresql_store import PostgresCase

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
        assert one.life is not None and other.life is not None
        self.stop(other)
        session = connect(self.url)
        self.addCleanup(session.close)
        for _ in range(2):
            self.assertEqual(len(begin_inheriting(session, one.life.epoch, other.life.epoch) or ()), 2)
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
