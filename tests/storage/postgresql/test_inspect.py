"""Reading a store in PostgreSQL: while a host plays, and on a standby."""

from pathlib import Path

from gamehost.journal.records import StoreUnusable, TableRecord
from gamehost.storage.copying import copy_store
from gamehost.storage.inspect import Summary
from gamehost.storage.postgresql import copying
from gamehost.storage.postgresql.inspect import prune_postgresql, reading_postgresql
from gamehost.storage.postgresql.urls import BACKUP
from gamehost.storage.row_codec import Undecodable
from gamehost.testing.journal_contract import END, MOVE, OPENING, nothing
from tests.kit.postgresql_cluster import ClusterCase
from tests.kit.postgresql_store import PostgresCase


class InspectTests(PostgresCase):
    """A journal with three tables, one of them finished, and a host that has it open."""

    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start()
        self.tables = [self.play(self.journal, moves) for moves in (0, 1, 2)]
        self.journal.append(self.tables[1], END, nothing)
        self.journal.told(self.tables[1])
        self.settle(self.journal)

    def test_lists_and_shows(self) -> None:
        """As it was when it was opened, whatever is played meanwhile."""
        with reading_postgresql(self.url) as journal:
            self.journal.append(self.tables[0], MOVE, nothing)
            self.settle(self.journal)
            found = [one for one in journal.tables() if isinstance(one, Summary)]
            self.assertEqual(
                [(one.table, one.entries, one.state) for one in found][:2], [(1, 0, "unfinished"), (2, 2, "finished")]
            )
            opened_ms, record = journal.table(self.tables[1])
            self.assertEqual(
                (opened_ms, record), (found[1].opened_ms, TableRecord(self.tables[1], OPENING, (MOVE, END)))
            )
            error = self.assertRaises(StoreUnusable, journal.table, 99)
            self.assertIn("there is no table 99", str(error))
            findings = journal.verify()
            self.assertEqual((findings.tables, findings.rows, findings.faults), (3, 7, []))
        error = self.assertRaises(StoreUnusable, self.back_up)
        self.assertEqual(str(error), f"{self.url}: {BACKUP}")

    def back_up(self) -> None:
        with reading_postgresql(self.url) as journal:
            journal.back_up(Path("copy"))

    def test_faults(self) -> None:
        """A changed row, a missing row 0, a table that is not listed, and one whose rows are missing."""
        self.sql("UPDATE event SET body = 'x' WHERE game = 1")
        self.sql("DELETE FROM event WHERE game = 2 AND n = 0")
        self.sql("DELETE FROM live WHERE game = 3")
        self.sql("INSERT INTO live(game, owner) VALUES (7, 1)")
        with reading_postgresql(self.url) as journal:
            self.assertEqual(
                journal.verify().faults,
                [
                    "table 1: row 0 does not match its hash",
                    "table 2: row 0 is missing",
                    "table 3: it is not finished, and not listed as unfinished",
                    "table 7: all of its rows are missing",
                ],
            )
            unreadable = [str(one) for one in journal.tables() if isinstance(one, Undecodable)]
            self.assertIn("table 2: row 0 is missing", unreadable)

    def test_no_journal(self) -> None:
        """An empty database, and one of an older release."""
        empty = self.server.new_database()
        self.addCleanup(self.server.drop, empty)
        self.assertIn("there is no journal in this database", self.unread(self.server.url(empty)))
        self.sql("UPDATE gamehost_schema SET version = -1")
        self.assertIn("written by an older release", self.unread(self.url))

    def unread(self, url: str) -> str:
        with self.assertRaises(StoreUnusable) as caught, reading_postgresql(url):
            pass
        return str(caught.exception)


class MemberTests(ClusterCase):
    """The members of a cluster play meanwhile."""

    def test_all_tables(self) -> None:
        """Whoever has them. Finished ones can be moved to an archive, and nothing can be copied."""
        members = [self.member(1), self.member(2)]
        tables = [self.play(member, 1) for member in members * 2]
        for member, table in zip(members, tables, strict=False):
            member.append(table, END, nothing)
            member.told(table)
            self.settle(member)
        self.kill(members.pop())
        with reading_postgresql(self.url) as journal:
            found = [(one.table, one.state) for one in journal.tables() if isinstance(one, Summary)]
            self.assertEqual(found, [(1, "finished"), (2, "unfinished"), (65, "finished"), (66, "unfinished")])
            self.assertEqual([journal.table(table)[1].table for table in tables], tables)
            findings = journal.verify()
            self.assertEqual((findings.tables, findings.faults), (4, []))
        archive = Path(self.mktemp()).absolute()
        self.assertEqual(prune_postgresql(self.url, 2**50, archive).tables, 2)
        self.play(members[0], 1)
        self.patch(copying, "LOCK_PATIENCE", 0.0)
        error = self.assertRaises(StoreUnusable, copy_store, self.url, str(archive) + "2")
        self.assertIn("has this journal open; stop it first", str(error))


class StandbyTests(PostgresCase):
    """A server that follows another one."""

    def test_a_standby(self) -> None:
        """It follows the first server. It can be read, and it is refused as a store."""
        journal = self.start()
        for _ in range(3):
            self.play(journal, 1)
        standby = self.server.standby()
        self.addCleanup(standby.remove)
        url = standby.url(self.database)
        self.play(journal, 1)
        tables = 0
        while tables < 4:
            with reading_postgresql(url) as follower:
                tables = len(list(follower.tables()))
        self.assertIn("this server is a standby; name the server that can be written to", self.refusal(url))
