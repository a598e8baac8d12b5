"""
Counts and measures of the running host, for any reader. A count is a few additions, and allocates nothing. This module
does not know its readers.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from attrs import define, field

#: Upper bounds of the buckets of times, in seconds.
SECONDS: Sequence[float] = (
    *(0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025),
    *(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)

#: Upper bounds of the buckets of how many things are in a group.
SIZES: Sequence[float] = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Histogram:
    """
    How many values there were in each range. One thread adds them, and any thread may read.

    :param bounds: the upper bounds of the ranges, ascending; a value on a bound is in its range. The last range has none
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = bounds
        #: By range.
        self.counts = [0] * (len(bounds) + 1)
        #: The sum of all values.
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def observe_since(self, moments: Sequence[float], now: float) -> None:
        """Add the seconds from each of these moments until now; quicker than one after the other."""
        bounds, counts = self.bounds, self.counts
        for moment in moments:
            counts[bisect_left(bounds, now - moment)] += 1
        self.total += now * len(moments) - sum(moments)


class Count:
    """A number that only grows."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


#: No table has such a high number.
NONE = 2**63


@define(eq=False)
class MatchCounts:
    #: Matches that began, by the name of the game.
    begun: Counter[str] = field(factory=Counter)
    #: Matches that ended, by the name of the game, and whether they had a result.
    ended: Counter[tuple[str, bool]] = field(factory=Counter)
    #: The lowest number of a table with a match that has ended since the last call of `take_oldest`.
    _oldest: int = NONE
    #: Accepted moves, by the wire of the player and the name of the game.
    moves: dict[tuple[str, str], Count] = field(factory=dict)

    def end(self, table: int, game: str, with_result: bool) -> None:
        self.ended[game, with_result] += 1
        self._oldest = min(self._oldest, table)

    def take_oldest(self) -> int:
        """
        The lowest number of a table with a match that has ended since the last call; without one, a number that no
        table has.
        """
        oldest, self._oldest = self._oldest, NONE
        return oldest

    def moves_of(self, wire: str, game: str) -> Count:
        """The count of the accepted moves of one wire in one game, for the caller to store."""
        return self.moves.setdefault((wire, game), Count())


@define(eq=False)
class JournalMeasures:
    #: Seconds from the call of the journal with a change until its caller has its answer and the output is written.
    #: `None`: not measured.
    acknowledged: Histogram | None = None
    #: Seconds of each commit.
    commits: Histogram = field(factory=Histogram)
    #: Changes in each commit.
    groups: Histogram = field(factory=lambda: Histogram(SIZES))
