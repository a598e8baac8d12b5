"""Copies of a whole journal between a file and a database, both ways."""

from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage.copying import copy_store
from gamehost.storage.postgresql import copying
from tests.kit.postgresql_store import PostgresCase
from tests.storage.test_copying import contents, fill


class CopyingTests(PostgresCase):
    """A database with one of everything."""

    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.file = str(self.folder / "copy.sqlite")
        self.other = self.server.new_database()
        self.addCleanup(self.server.drop, self.other)

    def test_there_and_back_and_on(self) -> None:
        """Each store has everything, and takes more."""
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
        self.patch(copying, "LOCK_PATIENCE", 0.0)
        journal = self.start()
        self.play(journal, 1)
        file = self.pump.open(Path(self.file))
        fill(file)
        self.pump.stop(file)
        for ends in ((self.url, self.file + "2"), (self.file, self.url)):
            self.assertIn("has this journal open; stop it first", self.refused(*ends))
        self.stop(journal)
        self.patch(copying, "LOCK_PATIENCE", 2.0)
        self.assertIn("there is something in this store", self.refused(self.file, self.url))
        other = self.server.url(self.other)
        self.patch(copying, "write_note", lambda note, session: None)
        self.assertIn("is not equal", self.refused(self.file, other))
        self.assertEqual(self.server.execute("SELECT count(*) FROM event", self.other), [(0,)])

    def refused(self, source: str, target: str) -> str:
        return str(self.assertRaises(StoreUnusable, copy_store, source, target))
