"""Commands about matches."""

from collections.abc import Callable, Sequence

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin import matches as under_test
from gamehost.journal.records import TableId
from gamehost.storage.durable import DurableJournal
from gamehost.storage.row_codec import Row, row_from_json
from tests.kit.admin import AdminHost

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class TablesTests(SynchronousTestCase):
    """The list."""

    def test_tables(self) -> None:
        """The oldest first, with who is there."""
        world = AdminHost(DEAL)
        _, bob = world.match()
        world.match("carl", "dora")
        bob.transport.hang_up()
        world.settle()
        first, second = world.items("tables")
        self.assertEqual((first["table"], first["game"], first["entries"], first["watchers"]), (1, "onitama", 1, 0))
        self.assertEqual([(seat["name"], seat["here"]) for seat in first["seats"]], [("ann", True), ("bob", False)])
        self.assertEqual(first["seats"][1]["kept_seconds"], 60)
        self.assertEqual(second["table"], 2)


class ShowTests(SynchronousTestCase):
    """One match."""

    def test_show(self) -> None:
        """The board, and who is to move; it changes with the match."""
        world = AdminHost(DEAL)
        ann, _ = world.match()
        before = world.ask("show", table=1)
        self.assertEqual(before["entries"], 1)
        self.assertIn("ann", before["awaited"])
        ann.ask("MAKE_MOVE|ox|c1|c2")
        after = world.ask("show", table=1)
        self.assertEqual(after["entries"], 2)
        self.assertNotEqual(before["board"], after["board"])
        self.assertIn("bob", after["awaited"])

    def test_no_secret_is_shown(self) -> None:
        """In Stratego the ranks of the pieces on the board are the players' own: two set-ups look the same."""
        boards = []
        for ranks in ("FBBBBBBS12/3344455556/6667777888/8899999999", "9BBBBBBS12/3344455556/6667777888/889999999F"):
            world = AdminHost()
            players = [world.connect("open") for _ in range(2)]
            for name, player in zip(("ann", "bob"), players, strict=True):
                player.ask(f'{{"do":"enter","name":"{name}"}}', '{"do":"seek","game":"stratego"}')
            rows = ranks.split("/")
            for own, player in zip((rows, rows[::-1]), players, strict=True):
                answer = "".join(player.ask(f'{{"do":"act","table":1,"action":"{"/".join(own)}"}}'))
                self.assertIn("placed-all", answer)
            shown = world.ask("show", table=1)
            self.assertEqual(shown["entries"], 3)
            boards.append(shown["board"])
        self.assertEqual(*boards)

    def test_what_is_not_played(self) -> None:
        """It says why."""
        world = AdminHost(DEAL)
        self.assertIn("no match with the number 1 is played", world.error("show", table=1))
        self.assertIn("table: expected a whole number", world.error("show", table="1"))
        self.assertIn("no match with the number 1000", world.error("show", table=10**20))
        self.assertIn("no match with the number -1000", world.error("show", table=-(10**20)))
        ann, bob = world.match()
        ann.ask("MAKE_MOVE|ox|c1|c2")
        for one in (ann, bob):
            one.transport.hang_up()
        world.settle()
        self.assertIn("table 1 sleeps", world.error("show", table=1))
        self.assertEqual(world.items("tables"), [])


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
        self.patch(under_test, "_TABLES_AT_ONCE", 3)
        self.assertEqual(self.rows("journal ends"), self.journal.kept)
        self.assertEqual(self.journal.asked, [(1, 4), (4, 7), (7, 10)])

    def test_no_journal(self) -> None:
        """A host with a store in memory says so."""
        self.assertIn("keeps its matches in memory", self.world.error("journal ends"))
