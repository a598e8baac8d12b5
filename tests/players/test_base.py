"""Budgets and the random numbers of players."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Budget, OutOfBudget, SeededChance


class BudgetTests(SynchronousTestCase):
    """How long a search may go on."""

    def test_nodes(self) -> None:
        """As many nodes as were given, and no more."""
        budget = Budget(3)
        for _ in range(3):
            budget.spend()
        self.assertRaises(OutOfBudget, budget.spend)

    def test_seconds(self) -> None:
        """A clock that has run too far ends the search soon, although there are nodes left."""
        now = [5.0]
        budget = Budget(10_000, 0.5, lambda: now[0])
        for _ in range(100):
            budget.spend()
        now[0] = 5.6
        with self.assertRaises(OutOfBudget):
            for _ in range(32):
                budget.spend()


class SeededChanceTests(SynchronousTestCase):
    """Numbers that follow from the seed."""

    def test_same_on_every_machine(self) -> None:
        """The first numbers of a seed never change, so a recorded game can be played again."""
        chance = SeededChance(1)
        self.assertEqual([chance.below(1000) for _ in range(5)], [566, 745, 971, 444, 444])

    def test_fair(self) -> None:
        """Every number comes about as often."""
        chance = SeededChance(2)
        counts = [0] * 6
        for _ in range(6_000):
            counts[chance.below(6)] += 1
        self.assertTrue(all(900 < count < 1_100 for count in counts), counts)

    def test_one_of(self) -> None:
        """An item of the list."""
        self.assertEqual({SeededChance(seed).one_of("abc") for seed in range(50)}, set("abc"))
