"""
What all players share: levels, budgets, and the two searches.
"""

from collections.abc import Hashable, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Budget, OutOfBudget, SeededChance, Thinking
from gamehost.players.search import WIN, Search, Strength, best_on_average, choose


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


class Matches:
    """Who takes the last match wins. So a multiple of four is lost for the side to move."""

    def outcome(self, position: int) -> int | None:
        return -WIN if position == 0 else None

    def moves(self, position: int) -> Sequence[int]:
        return [taken for taken in (1, 2, 3) if taken <= position]

    def forcing(self, position: int) -> Sequence[int]:
        return []

    def after(self, position: int, move: int) -> int:
        return position - move

    def evaluate(self, position: int) -> int:
        return 0

    def key(self, position: int) -> Hashable:
        return position


class Captures(Matches):
    """Positions are numbers of points at stake; the forcing move takes them, and the other side takes back."""

    def outcome(self, position: int) -> int | None:
        return None

    def moves(self, position: int) -> Sequence[int]:
        return [0, 1]

    def forcing(self, position: int) -> Sequence[int]:
        return [1] if position in (10, 11) else []

    def after(self, position: int, move: int) -> int:
        return position + move

    def evaluate(self, position: int) -> int:
        return {10: 0, 11: -500, 12: -300}.get(position, 0)


RULES = Matches()
LARGE = 100_000


class SearchTests(SynchronousTestCase):
    """Values, moves and limits."""

    def test_solves(self) -> None:
        """Every heap is judged right, and the winning move leaves a multiple of four."""
        for heap in range(1, 25):
            found = Search(RULES, Budget(LARGE)).best(heap, RULES.moves(heap), 25)
            if heap % 4:
                self.assertGreater(found.value, 0, heap)
                self.assertEqual((heap - found.move) % 4, 0, heap)
            else:
                self.assertLess(found.value, 0, heap)

    def test_distance(self) -> None:
        """The value says in how many plies the game is won."""
        self.assertEqual(Search(RULES, Budget(LARGE)).best(3, [1, 2, 3], 9).value, WIN - 1)
        self.assertEqual(Search(RULES, Budget(LARGE)).best(7, [1, 2, 3], 9).value, WIN - 3)
        self.assertEqual(Search(RULES, Budget(LARGE)).best(8, [1, 2, 3], 9).value, 4 - WIN)

    def test_same_as_without_pruning(self) -> None:
        """The values of all moves agree with those of plain minimax."""

        def plain(heap: int, depth: int) -> int:
            if heap == 0:
                return -WIN
            if depth == 0:
                return 0
            best = max(-plain(heap - move, depth - 1) for move in RULES.moves(heap))
            return best - 1 if best > 1_000 else best + 1 if best < -1_000 else best

        for heap in range(1, 16):
            for depth in range(1, 8):
                moves = RULES.moves(heap)
                self.assertEqual(
                    max(Search(RULES, Budget(LARGE)).values(heap, moves, depth)), plain(heap, depth), (heap, depth)
                )

    def test_budget(self) -> None:
        """With few nodes the search stops early and still has a move; the sure plies are complete all the same."""
        found = Search(RULES, Budget(5)).best(20, [1, 2, 3], 20)
        self.assertLess(found.depth, 20)
        found = Search(RULES, Budget(0)).best(7, [1, 2, 3], 20, sure=3)
        self.assertEqual((found.move, found.value), (3, WIN - 3))
        with self.assertRaises(OutOfBudget):
            Search(RULES, Budget(3)).value(20, 20)

    def test_forcing_moves(self) -> None:
        """The last ply is not the end of an exchange: a piece that can be taken back was not won."""
        rules = Captures()
        self.assertEqual(Search(rules, Budget(LARGE)).value(10, 0), 0)
        self.assertEqual(Search(rules, Budget(LARGE)).value(11, 0), 300)


class ChooseTests(SynchronousTestCase):
    """What a level does with a search."""

    def test_seed_decides_among_equals(self) -> None:
        """In a lost position all moves are equal; each is chosen by some seed, and always the same by one seed."""
        strength = Strength(depth=2, sure=1, nodes=LARGE, seconds=1)

        def chosen(seed: int) -> int:
            return choose(RULES, 12, [1, 2, 3], strength, Thinking(SeededChance(seed)))

        self.assertEqual({chosen(seed) for seed in range(30)}, {1, 2, 3})
        self.assertEqual([chosen(seed) for seed in range(30)], [chosen(seed) for seed in range(30)])

    def test_noise_spares_forced_wins(self) -> None:
        """Noise changes quiet moves; a win in one is worth too much to be missed."""
        strength = Strength(depth=1, sure=1, nodes=LARGE, seconds=1, noise=50)
        for seed in range(30):
            self.assertEqual(choose(RULES, 3, [1, 2, 3], strength, Thinking(SeededChance(seed))), 3)


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
