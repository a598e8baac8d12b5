"""Numbers of new tables in blocks."""

from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage import names as numbers
from gamehost.storage.names import BLOCK, TableNumbers


class TableNumbersTests(SynchronousTestCase):
    """Blocks that are asked for, and blocks that are taken at once because nothing is left."""

    def setUp(self) -> None:
        self.next = 1
        self.asked: list[tuple[int, Callable[[range], None]]] = []
        self.taken_now: list[int] = []
        self.numbers = TableNumbers(self.take_now)
        self.numbers.add(self.block(BLOCK))
        self.numbers.ask = lambda count, given: self.asked.append((count, given))

    def block(self, count: int) -> range:
        self.next += count
        return range(self.next - count, self.next)

    def take_now(self, count: int) -> range:
        self.taken_now.append(count)
        return self.block(count)

    def take(self, count: int) -> list[int]:
        return [self.numbers.take() for _ in range(count)]

    def answer(self) -> None:
        count, given = self.asked.pop()
        given(self.block(count))

    def test_the_next_block_comes_in_time(self) -> None:
        """It is asked for once, when fewer than 64 are left. Nobody waits."""
        self.assertEqual(self.take(40), list(range(1, 41)))
        self.assertEqual([count for count, _ in self.asked], [64])
        self.answer()
        self.assertEqual(self.take(24), list(range(41, 65)))
        self.assertEqual(self.asked, [])
        self.assertEqual(self.take(2), [65, 66])
        self.assertEqual([count for count, _ in self.asked], [64])
        self.assertEqual(self.taken_now, [])

    def test_the_next_block_comes_late(self) -> None:
        """One is taken at once, twice as large, and later ones are as large. The late one is used, too."""
        self.assertEqual(self.take(65), list(range(1, 66)))
        self.assertEqual(self.taken_now, [128])
        self.answer()
        self.assertEqual(self.take(192 - 65 + 64), list(range(66, 257)))
        self.assertEqual([count for count, _ in self.asked], [128])
        self.assertEqual(self.taken_now, [128])

    def test_nobody_to_ask(self) -> None:
        """As long as a host starts. Blocks do not grow without end."""
        self.patch(numbers, "LARGEST_BLOCK", 200)
        self.numbers.ask = None
        self.assertEqual(self.take(600), list(range(1, 601)))
        self.assertEqual(self.taken_now, [128, 200, 200, 200])
