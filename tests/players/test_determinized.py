"""The mean over sampled worlds."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import OutOfBudget, SeededChance
from gamehost.players.determinized import best_on_average


class BestOnAverageTests(SynchronousTestCase):
    """Which action wins."""

    def test_mean(self) -> None:
        """A die is worth 3.5 on average: more than a sure 3, less than a sure 4."""

        def chosen(sure: int) -> str:
            chance = SeededChance(3)
            return best_on_average(
                ["die", "sure"],
                lambda: chance.below(6) + 1,
                lambda world, action: world if action == "die" else sure,
                worlds=200,
            )

        self.assertEqual(chosen(3), "die")
        self.assertEqual(chosen(4), "sure")

    def test_first_of_equals(self) -> None:
        """Equal actions: the first."""
        self.assertEqual(best_on_average([2, 1, 3], lambda: 0, lambda world, action: 0, worlds=3), 2)

    def test_an_unfinished_world_does_not_count(self) -> None:
        """The budget ends in the second world, in which the first action looks bad."""
        calls = []

        def value(world: int, action: int) -> float:
            calls.append(action)
            if len(calls) == 4:
                raise OutOfBudget
            return -100 if len(calls) == 3 else -action

        self.assertEqual(best_on_average([1, 2], lambda: 0, value, worlds=9), 1)

    def test_no_world(self) -> None:
        """Without any world the first action is as good as the others."""

        def value(world: int, action: int) -> float:
            raise OutOfBudget

        self.assertEqual(best_on_average([5, 6], lambda: 0, value, worlds=9), 5)

    def test_the_worse_half_is_left_out(self) -> None:
        """After half of the worlds only the better actions are tried."""
        tried: list[int] = []

        def value(world: int, action: int) -> float:
            tried.append(action)
            return action

        best_on_average(list(range(8)), lambda: 0, value, worlds=4)
        self.assertEqual(len(tried), 2 * 8 + 2 * 4)
        self.assertEqual(set(tried[16:]), {4, 5, 6, 7})
