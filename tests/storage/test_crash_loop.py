"""The guard against a loop of restarts counts what it should, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.journal.records import StoreUnusable
from gamehost.storage.crash_loop import MOST, WITHIN, Starts, read_starts
from gamehost.testing.cases import PropertyCase


class StartsTests(PropertyCase):
    """What `gamehost.storage.crash_loop` says of itself."""

    def dying(self, *times: float) -> Starts:
        """After starts at these times, none of them ended."""
        starts = Starts()
        for now in times:
            starts = starts.started(now)
        return starts

    def test_five_restarts_and_no_more(self) -> None:
        """The first start is no restart; five in a minute are allowed, and the next says when to come back."""
        starts = self.dying(0, 10, 20, 30, 40, 50)
        error = self.assertRaises(StoreUnusable, starts.started, 55.0)
        self.assertIn("may be started again in 15 seconds", str(error))
        self.assertRaises(StoreUnusable, starts.started, 69.9)
        self.assertEqual(starts.started(70.0).unclean, (20, 30, 40, 50, 70))

    def test_clean_ends_are_not_counted(self) -> None:
        """A host may be stopped and started as often as its owner likes."""
        starts = Starts()
        for now in range(50):
            starts = starts.started(now).ended()
        self.assertEqual(starts, Starts())

    def test_a_clock_that_was_set_back_locks_nobody_out(self) -> None:
        """Starts that lie in the future are forgotten."""
        starts = self.dying(1000, 1010, 1020, 1030, 1040, 1050)
        self.assertEqual(starts.started(0.0), Starts(True, (0.0,)))

    @given(st.booleans(), st.lists(st.floats(0, 1e10)).map(tuple))
    def test_the_file_reads_back(self, running: bool, times: tuple[float, ...]) -> None:
        """What is written is read."""
        starts = Starts(running, times)
        self.assertEqual(read_starts(starts.write()), starts)

    def test_a_file_that_says_nothing_counts_nothing(self) -> None:
        """A guard that cannot be read does not keep a host down."""
        for text in (
            None,
            "",
            "{}",
            "[]",
            "null",
            '{"running": true}',
            '{"running": 1, "unclean": ["x"]}',
            "[" * 99999,
        ):
            self.assertEqual(read_starts(text), Starts())

    def test_the_documented_numbers(self) -> None:
        """Five within a minute."""
        self.assertEqual((MOST, WITHIN), (5, 60.0))
