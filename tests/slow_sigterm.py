"""Ends by SIGTERM, and a host that ends badly. Not part of the suite: `python -m twisted.trial tests.slow_sigterm`."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.sigkill import Lost
from tests.kit.sigterm import BadEnd, stop_at_random


class StopTests(SynchronousTestCase):
    """`tests.kit.sigterm`, and its teeth."""

    timeout = 300

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def test_twenty_stops(self) -> None:
        """Nothing is lost, and nobody forfeits."""
        done = stop_at_random(20, seed=1, folder=self.folder)
        self.assertEqual(done.times, 20)
        self.assertGreater(done.moves, 20)

    def test_a_host_that_lets_them_forfeit_is_found_out(self) -> None:
        """Whoever is cut off by the host's own end has not left."""
        self.assertRaises((BadEnd, Lost), stop_at_random, 5, 1, self.folder, "tests.kit.faulty_hosts.forfeits_at_stop")

    def test_a_host_that_answers_first_is_found_out(self) -> None:
        """What was acknowledged and not committed may be gone even after a clean end."""
        self.assertRaises(
            (BadEnd, Lost), stop_at_random, 60, 1, self.folder, "tests.kit.faulty_hosts.stops_without_commit"
        )
