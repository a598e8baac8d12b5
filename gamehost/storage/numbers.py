"""
The numbers of new tables, where several hosts open tables in one store: each host takes them in blocks.
"""

from collections import deque
from collections.abc import Callable

from attrs import define, field

from gamehost.journal.records import TableId

#: How many numbers are asked for at once, at first and at most.
BLOCK, LARGEST_BLOCK = 64, 8192


@define(eq=False)
class TableNumbers:
    """
    Blocks of numbers, and whoever gives the next one.

    :param _take_now: gives a block of so many numbers, and blocks until it has one
    """

    _take_now: Callable[[int], range]
    #: Asks for so many numbers, which are given later, on the same thread; `None`: there is nobody to ask yet.
    ask: Callable[[int, Callable[[range], None]], None] | None = None
    _blocks: deque[range] = field(factory=deque)
    _left: int = 0
    _size: int = BLOCK
    _asked: bool = False

    def take(self) -> TableId:
        """A number that no table has."""
        if not self._left:
            # Numbers were used up before the next ones came, so more are asked for from now on.
            self._size = min(2 * self._size, LARGEST_BLOCK)
            self.add(self._take_now(self._size))
        block = self._blocks.popleft()
        number, rest = block[0], block[1:]
        if rest:
            self._blocks.appendleft(rest)
        self._left -= 1
        if self._left < self._size and self.ask is not None and not self._asked:
            self._asked = True
            self.ask(self._size, self._given)
        return TableId(number)

    def add(self, block: range) -> None:
        """Use these numbers, too."""
        self._blocks.append(block)
        self._left += len(block)

    def _given(self, block: range) -> None:
        self._asked = False
        self.add(block)
