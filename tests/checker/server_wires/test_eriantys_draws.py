"""The numbers that lead to what a server has drawn."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.chance import ScriptedChance, shuffled
from gamehost.games.eriantys.pieces import Colour
from gamehost.games.eriantys.position import drawn
from gamehost.wires.eriantys.server_draws import Bag, colours, shuffle

FULL = (2, 0, 3, 1, 4)


class DrawsTests(SynchronousTestCase):
    """The rules draw the same again."""

    def test_students(self) -> None:
        """In any order, and the bag is emptied with them."""
        wanted = [Colour.PINK, Colour.YELLOW, Colour.PINK, Colour.GREEN, Colour.RED]
        bag = Bag(list(FULL))
        taken, left = drawn(FULL, 5, ScriptedChance(bag.draw(wanted, 5)))
        self.assertEqual(taken, (1, 0, 1, 1, 2))
        self.assertEqual(list(left), bag.counts)

    def test_what_the_rules_cannot_draw(self) -> None:
        """Other students are drawn, as many as must be; so the difference is found."""
        bag = Bag(list(FULL))
        taken, _ = drawn(FULL, 3, ScriptedChance(bag.draw([Colour.BLUE] * 7, 3)))
        self.assertEqual(sum(taken), 3)
        self.assertEqual(taken[Colour.BLUE], 0)
        self.assertEqual(len(list(Bag([1, 0, 0, 0, 0]).draw([], 4))), 1)

    def test_orders(self) -> None:
        """Every order of four can be reached."""
        for wanted in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
            self.assertEqual(shuffled(range(4), ScriptedChance(shuffle(range(4), wanted))), list(wanted))

    def test_colours(self) -> None:
        """One by one."""
        self.assertEqual(colours((1, 0, 0, 2, 0)), [Colour.YELLOW, Colour.RED, Colour.RED])
