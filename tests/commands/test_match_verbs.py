"""The verbs about matches, and how their answers are shown."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.match_verbs import MATCH_VERBS as VERBS
from tests.kit.admin import AdminHost


class ShownTests(SynchronousTestCase):
    """Each answer of a host, as text."""

    def setUp(self) -> None:
        self.world = AdminHost("--set=onitama.deal=boar,ox/crab,eel/tiger")
        _, bob = self.world.match()
        bob.transport.hang_up()
        self.world.settle()

    def test_tables(self) -> None:
        """One line each."""
        [line] = [line for item in self.world.items("tables") for line in VERBS["tables"].item(item)]
        self.assertEqual(line, "1  onitama  ann (onitama), bob (onitama, away)  1 entry")
        [item] = self.world.items("tables")
        [line] = VERBS["tables"].item({**item, "private": True, "phase": "suspended", "entries": 2, "watchers": 3})
        self.assertTrue(line.endswith("2 entries  3 watch  (private, suspended)"))

    def test_show(self) -> None:
        """The seats, the board, and who is to move."""
        shown = self.world.ask("show", table=1)
        lines = list(VERBS["show"].end(shown))
        self.assertEqual(lines[0], "table 1: onitama, playing, after entry 1")
        self.assertEqual(lines[1], "seat 0: ann (onitama)")
        self.assertIn("seat 1: bob (onitama, away), the seat is kept for 60 s", lines)
        self.assertIn("boar", "".join(lines))
        [first, _] = shown["seats"]
        timed = list(VERBS["show"].end({**shown, "seats": [{**first, "clock_seconds": 59.5, "house": True}]}))
        self.assertEqual(timed[1], "seat 0: ann (onitama), a house player, 59.5 s on the clock")
        without = VERBS["show"].end({**shown, "board": None, "awaited": None, "private": True})
        self.assertIn("this game has no picture in text", list(without))
