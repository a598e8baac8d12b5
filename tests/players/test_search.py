"""The alpha-beta search, on a game that can be solved by hand: take one to three matches, the last one wins."""

from collections.abc import Hashable, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Budget, OutOfBudget, SeededChance, Thinking
from gamehost.players.search import WIN, Search, Strength, choose


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
