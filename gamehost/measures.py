"""
Counters and histograms of the running host, for metrics and other readers. Counting takes a few additions and no
memory. This module depends on no reader.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from attrs import define, field

#: The upper bounds of the ranges of a histogram of times, in seconds.
SECONDS: Sequence[float] = (
    *(0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025),
    *(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)

#: The upper bounds of the ranges of a histogram of sizes of groups.
SIZES: Sequence[float] = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Histogram:
    """
    Counts how many values were in each range. One thread adds values, and any thread may read.

    :param bounds: the upper bounds of the ranges, ascending; a value on a bound is in its range. The last range has none
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        """
        Make an empty histogram.

        :param bounds: the upper bounds of the ranges; one more range has all larger values
        """
        self.bounds = bounds
        #: The counts of values, in the order of the ranges.
        self.counts = [0] * (len(bounds) + 1)
        #: The sum of all values.
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Add a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def observe_since(self, moments: Sequence[float], now: float) -> None:
        """Add the seconds from each of these moments until now. This is faster than single calls of `observe`."""
        bounds, counts = self.bounds, self.counts
        for moment in moments:
            counts[bisect_left(bounds, now - moment)] += 1
        # The sum of all `now - moment`.
        self.total += now * len(moments) - sum(moments)


class Count:
    """A number that only grows."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


#: A number that is higher than that of any table.
NONE = 2**63


@define(eq=False)
class MatchCounts:
    """How many matches have begun and ended, and how many moves were accepted."""

    #: Matches that began, by the name of the game.
    begun: Counter[str] = field(factory=Counter)
    #: Matches that ended, by the name of the game, and whether they had a result.
    ended: Counter[tuple[str, bool]] = field(factory=Counter)
    #: The lowest number of a table with a match that has ended since the last call of `take_oldest`.
    _oldest: int = NONE
    #: Accepted moves, by the wire of the player and the name of the game.
    moves: dict[tuple[str, str], Count] = field(factory=dict)

    def end(self, table: int, game: str, with_result: bool) -> None:
        """Count a match that has ended."""
        self.ended[game, with_result] += 1
        self._oldest = min(self._oldest, table)

    def take_oldest(self) -> int:
        """
        The lowest number of a table with a match that has ended since the last call; without one, a number that no
        table has.
        """
        oldest = self._oldest
        self._oldest = NONE
        return oldest

    def moves_of(self, wire: str, game: str) -> Count:
        """
        The counter of accepted moves on one wire in one game. The caller stores it, so that counting a move needs no
        look-up.
        """
        return self.moves.setdefault((wire, game), Count())


@define(eq=False)
class JournalMeasures:
    """Measures of the journal: times and sizes of commits."""

    #: The times from giving a change to the journal until the answers about it are written, in seconds. `None`: not
    #: measured.
    acknowledged: Histogram | None = None
    #: The durations of commits, in seconds.
    commits: Histogram = field(factory=Histogram)
    #: The numbers of changes in commits.
    groups: Histogram = field(factory=lambda: Histogram(SIZES))
