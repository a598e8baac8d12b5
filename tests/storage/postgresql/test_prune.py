"""Moving finished tables from a database into an archive, while a host plays."""

from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.postgresql.inspect import prune_postgresql, reading_postgresql
from gamehost.storage.prune import Pruned
from gamehost.testing.journal_contract import END, nothing
from tests.kit.postgresql_store import PostgresCase


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
        self.assertEqual(prune_postgresql(self.url, 2500, self.archive), Pruned(1, 4))
        other = self.archive.with_name("second")
        self.assertEqual(prune_postgresql(self.url, 99_000, other), Pruned(1, 4))
        self.assertEqual(prune_postgresql(self.url, 99_000, other.with_name("third")), Pruned(0, 0))
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
        self.assertIn("Not a directory", self.refused(self.archive / "no" / "folder"))
        self.sql("UPDATE event SET body = 'x' WHERE game = 3 AND n = 1")
        self.assertIn(
            "table 3: row 1 does not match its hash; nothing was moved", self.refused(self.archive.with_name("b"))
        )
        self.assertEqual(self.sql("SELECT count(DISTINCT game) FROM event"), [(5,)])

    def refused(self, archive: Path) -> str:
        return str(self.assertRaises(StoreUnusable, prune_postgresql, self.url, 99_000, archive))
