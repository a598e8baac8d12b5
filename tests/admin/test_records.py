"""The records of a running host, as its owner reads them."""

from collections.abc import Callable, Sequence

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin import records as under_test
from gamehost.journal.records import TableId
from gamehost.storage.durable import DurableJournal
from gamehost.storage.row_codec import Row, row_from_json
from tests.kit.admin import AdminHost


def row(table: int, n: int) -> Row:
    """A row."""
    return Row(10 * table + n, table, n, 0, 0, None, b"body", b"hash")


@define(eq=False)
class Journal(DurableJournal):
    """Answers at once, from a list of rows."""

    kept: list[Row] = field(factory=list)
    asked: list[tuple[int, int]] = field(factory=list)

    def read_rows(self, table: TableId, found: Callable[[Sequence[Row]], None]) -> None:
        found([one for one in self.kept if one.game == table])

    def read_ends(self, low: int, below: int, found: Callable[[Sequence[Row]], None]) -> None:
        self.asked.append((low, below))
        found([one for one in self.kept if low <= one.game < below])


class RecordsTests(SynchronousTestCase):
    """Rows of tables."""

    def setUp(self) -> None:
        self.world = AdminHost()
        self.journal = Journal.__new__(Journal)
        self.journal.kept = [row(table, n) for table in (1, 2, 7) for n in (0, 3)]
        self.journal.asked = []
        self.journal._tables = 7

    def use(self) -> None:
        """The host has this journal."""
        self.world.host.store = self.journal

    def rows(self, command: str, **arguments: int) -> list[Row]:
        """The rows that are answered."""
        return [row_from_json(item["row"]) for item in self.world.items(command, **arguments)]

    def test_rows(self) -> None:
        """All of a table; none of a table that is not there."""
        self.use()
        self.assertEqual(self.rows("journal rows", table=2), [row(2, 0), row(2, 3)])
        for table in (3, 0, -1, 1 << 70):
            self.assertEqual(self.rows("journal rows", table=table), [])

    def test_ends(self) -> None:
        """Of all tables, some at a time."""
        self.use()
        self.patch(under_test, "_AT_ONCE", 3)
        self.assertEqual(self.rows("journal ends"), self.journal.kept)
        self.assertEqual(self.journal.asked, [(1, 4), (4, 7), (7, 10)])

    def test_no_journal(self) -> None:
        """A host with a store in memory says so."""
        self.assertIn("keeps its matches in memory", self.world.error("journal ends"))
