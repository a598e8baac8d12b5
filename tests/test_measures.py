"""Counts and histograms."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.measures import SECONDS, SIZES, Histogram, MatchCounts


class HistogramTests(SynchronousTestCase):
    """`Histogram`."""

    def test_ranges(self) -> None:
        """A value on a bound is in the range that ends there; one above all bounds is in the last."""
        histogram = Histogram((1, 2))
        for value in (0, 1, 1.5, 2, 2.5, 100):
            histogram.observe(value)
        self.assertEqual((histogram.counts, histogram.total), ([2, 2, 2], 107.0))

    def test_many_at_once(self) -> None:
        """The same as one after the other."""
        one, other = Histogram(), Histogram()
        moments = [100.0, 100.25, 100.5, 100.75, 101.0]
        for moment in moments:
            one.observe(101.0 - moment)
        other.observe_since(moments, 101.0)
        self.assertEqual((one.counts, one.total), (other.counts, other.total))

    def test_bounds_are_ascending(self) -> None:
        """Those that are used."""
        for bounds in (SECONDS, SIZES):
            self.assertEqual(sorted(set(bounds)), list(bounds))


class MatchCountsTests(SynchronousTestCase):
    """`MatchCounts`."""

    def test_one_count_for_each_wire_and_game(self) -> None:
        """All who count for them share it."""
        counts = MatchCounts()
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("open", "onitama").value += 1
        counts.moves_of("onitama", "onitama")
        self.assertEqual(
            {key: count.value for key, count in counts.moves.items()},
            {("open", "onitama"): 2, ("onitama", "onitama"): 0},
        )
