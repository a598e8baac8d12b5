"""More simulated contests than `make test` has time for."""

from tests.contest import test_ratings


class SimulatedTests(test_ratings.SimulatedTests):
    def test_intervals_hold_the_truth(self) -> None:
        share = self.share_of_true_intervals(100)
        print(f"{share:.3f} of 800 intervals hold the truth")
        self.assertTrue(0.90 <= share <= 0.98, share)
