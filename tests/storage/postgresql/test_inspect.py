"""Reading, copying and pruning a database."""

from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage.archives import Pruned
from gamehost.storage.copying import copy_store, prune
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.postgresql import inspect
from gamehost.storage.postgresql.inspect import reading_postgresql
from tests.kit.journal_contract import END, nothing
from tests.kit.postgresql import PostgresCase
from tests.kit.postgresql_members import ClusterCase
from tests.storage.test_inspect import contents, fill


class SchemaTests(PostgresCase):
    """What is no journal of this release is not read."""

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
        self.assertEqual(prune(self.url, 2**50, archive).tables, 2)
        self.play(members[0], 1)
        self.patch(inspect, "LOCK_PATIENCE", 0.0)
        error = self.assertRaises(StoreUnusable, copy_store, self.url, str(archive) + "2")
        self.assertIn("has this journal open; stop it first", str(error))


class StandbyTests(PostgresCase):
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


class CopyingTests(PostgresCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.file = str(self.folder / "copy.sqlite")
        self.other = self.server.new_database()
        self.addCleanup(self.server.drop, self.other)

    def test_there_and_back_and_on(self) -> None:
        journal = self.start()
        fill(journal)
        self.stop(journal)
        other = self.server.url(self.other)
        copies = {copy_store(*ends) for ends in ((self.url, self.file), (self.file, other), (other, self.file + "2"))}
        self.assertEqual([(one.tables, one.rows, one.accounts) for one in copies], [(4, 14, 2)])
        journal = self.start()
        expected = contents(journal)
        journals = [self.start(other), self.pump.open(Path(self.file)), self.pump.open(Path(self.file + "2"))]
        self.alive += journals[1:]
        for copy in journals:
            self.assertEqual(contents(copy), expected)
            self.assertEqual(self.play(copy, 1), 5)

    def test_stores_that_are_left_alone(self) -> None:
        """A source in use, a target in use, one that is not empty, and one that does not become equal."""
        self.patch(inspect, "LOCK_PATIENCE", 0.0)
        journal = self.start()
        self.play(journal, 1)
        file = self.pump.open(Path(self.file))
        fill(file)
        self.pump.stop(file)
        for ends in ((self.url, self.file + "2"), (self.file, self.url)):
            self.assertIn("has this journal open; stop it first", self.refused(*ends))
        self.stop(journal)
        self.patch(inspect, "LOCK_PATIENCE", 2.0)
        self.assertIn("there is something in this store", self.refused(self.file, self.url))
        other = self.server.url(self.other)
        self.patch(inspect, "copy_notes", lambda source, target: None)
        self.assertIn("is not equal", self.refused(self.file, other))
        self.assertEqual(self.server.execute("SELECT count(*) FROM event", self.other), [(0,)])

    def refused(self, source: str, target: str) -> str:
        return str(self.assertRaises(StoreUnusable, copy_store, source, target))


class PruneTests(PostgresCase):
    """Five tables, of which the second, the third and the last are finished."""

    def setUp(self) -> None:
        super().setUp()
        times = iter(range(1, 100))
        self.journal = self.start(wall=lambda: next(times))
        for number in range(1, 6):
            table = self.play(self.journal, 2)
            if number in (2, 3, 5):
                self.journal.append(table, END, nothing)
                self.journal.told(table)
                self.settle(self.journal)
        self.archive = Path(self.mktemp()).absolute()

    def test_finished_tables_are_moved(self) -> None:
        """Those from before the moment, and never the newest, from which new numbers are counted."""
        self.assertEqual(prune(self.url, 2500, self.archive), Pruned(1, 4))
        other = self.archive.with_name("second")
        self.assertEqual(prune(self.url, 99_000, other), Pruned(1, 4))
        self.assertEqual(prune(self.url, 99_000, other.with_name("third")), Pruned(0, 0))
        for archive, table in ((self.archive, 2), (other, 3)):
            with reading(archive) as kept:
                self.assertEqual(kept.verify().faults, [])
                [summary] = kept.tables()
                assert isinstance(summary, Summary)
                self.assertEqual((summary.table, summary.state), (table, "finished"))
        with reading_postgresql(self.url) as journal:
            self.assertEqual(journal.verify().faults, [])
        self.assertEqual(self.sql("SELECT DISTINCT game FROM event ORDER BY game"), [(1,), (4,), (5,)])
        self.assertEqual(self.play(self.journal, 1), 6)

    def test_nothing_is_moved(self) -> None:
        """If the archive exists or cannot be written, and if a row is damaged."""
        self.archive.touch()
        self.assertIn("this file exists", self.refused(self.archive))
        self.assertIn("the folder does not exist", self.refused(self.archive / "no" / "folder"))
        self.sql("UPDATE event SET body = 'x' WHERE game = 3 AND n = 1")
        self.assertIn(
            "table 3: row 1 does not match its hash; nothing was moved", self.refused(self.archive.with_name("b"))
        )
        self.assertEqual(self.sql("SELECT count(DISTINCT game) FROM event"), [(5,)])

    def refused(self, archive: Path) -> str:
        return str(self.assertRaises(StoreUnusable, prune, self.url, 99_000, archive))
