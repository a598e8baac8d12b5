"""Looks at matches: the list, and one position without its secrets."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.console.factory import SHOWN
from gamehost.wires.console.screens import SCREENS
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

    def test_every_game_can_be_shown(self) -> None:
        """Each game with a screen has a face."""
        self.assertEqual({played.game.name for played in SHOWN}, set(SCREENS))
