"""
The table of a championship: everybody plays everybody once, and who has won how often.

Pure: it knows names and results. `gamehost.lobby.championship_run` has the players and the games.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from attrs import define, field

#: Two players by their numbers, in the order in which they logged in.
Pair = tuple[int, int]

#: So many idle players are paired as well as possible. More are paired in their order, which leaves few without a game.
PAIRED_WELL = 10


@define(eq=False)
class Championship:
    """
    A championship.

    :param names: the players, in the order in which they logged in
    """

    names: Sequence[str]
    won: list[int] = field(init=False)
    lost: list[int] = field(init=False)
    #: The pairs that have not played, in order.
    open: list[Pair] = field(init=False)
    #: Players who have lost all games to come.
    gone: set[int] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        count = len(self.names)
        self.won, self.lost = [0] * count, [0] * count
        self.open = list(combinations(range(count), 2))

    def note(self, pair: Pair, winners: Collection[int]) -> bool:
        """Count a result. `False`: this pair has one."""
        if pair not in self.open:
            return False
        self.open.remove(pair)
        for player in pair:
            counts = self.won if player in winners else self.lost
            counts[player] += 1
        return True

    def forfeited(self, running: Collection[Pair]) -> list[tuple[Pair, tuple[int, ...]]]:
        """The pairs of players who are gone, as far as they do not play now, and who wins each: the other one, or nobody."""
        found = [pair for pair in self.open if pair not in running and self.gone & set(pair)]
        return [(pair, tuple(set(pair) - self.gone)) for pair in found]

    def next_pairs(self, idle: Collection[int]) -> list[Pair]:
        """As many games as these players can begin now, the pairs that come first in order."""
        pairs = [pair for pair in self.open if pair[0] in idle and pair[1] in idle]
        if len(idle) > PAIRED_WELL:
            return list(_in_order(pairs))
        return list(_most(tuple(pairs)))

    def standing(self) -> list[tuple[str, int, int]]:
        """Each player with games won and lost, the best one first."""
        places = sorted(range(len(self.names)), key=lambda player: (-self.won[player], self.lost[player], player))
        return [(self.names[player], self.won[player], self.lost[player]) for player in places]


def _in_order(pairs: Iterable[Pair]) -> Iterable[Pair]:
    taken: set[int] = set()
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            yield pair


@lru_cache(4096)
def _most(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """As many of these pairs as can play at once; of several such choices the one that comes first."""
    if not pairs:
        return ()
    first, rest = pairs[0], pairs[1:]
    apart = tuple(pair for pair in rest if not set(first) & set(pair))
    with_first = (first, *_most(apart))
    # Both players of the first pair can have one game each at most without it.
    if len(with_first) * 2 >= len({player for pair in pairs for player in pair}) - 1:
        return with_first
    without = _most(rest)
    return with_first if len(with_first) >= len(without) else without
