"""Hosts that are killed or stopped under play, on SQLite and PostgreSQL: `python -m twisted.trial tests.slow_kills`."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.kills import BadEnd, Lost, OpenPair, kill_at_random, restart_under_play, stop_at_random
from tests.kit.postgresql import new_server, require_postgresql

# kill -9 on the open wire, and a host that answers too early. `python -m twisted.trial tests.slow_kills` runs it.


class KillTests(SynchronousTestCase):
    """`tests.kit.kills`, and its teeth."""

    timeout = 600

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_thirty_kills(self) -> None:
        """No acknowledged move is lost, and none is told twice."""
        self.assertGreater(kill_at_random(30, 2, self.folder, new_pair=OpenPair), 30)

    def test_a_host_that_answers_first_is_found_out(self) -> None:
        """It acknowledges before it commits."""
        for seed in range(10):
            folder = self.folder / str(seed)
            folder.mkdir()
            try:
                kill_at_random(20, seed, folder, "tests.kit.altered_hosts:acknowledges_early", OpenPair)
            except Lost:
                return
        self.fail("200 kills found nothing")


# Ends by SIGTERM, and a host that ends badly. Not part of the suite: `python -m twisted.trial tests.slow_kills`.


class StopTests(SynchronousTestCase):
    """`tests.kit.kills`, and its teeth."""

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
        self.assertRaises((BadEnd, Lost), stop_at_random, 5, 1, self.folder, "tests.kit.altered_hosts:forfeits_at_stop")

    def test_a_host_that_answers_first_is_found_out(self) -> None:
        """What was acknowledged and not committed may be gone even after a clean end."""
        self.assertRaises(
            (BadEnd, Lost), stop_at_random, 60, 1, self.folder, "tests.kit.altered_hosts:stops_without_commit"
        )


# Kills and restarts under play on PostgreSQL, about two minutes. `make test-cluster` runs it.


KILLS, RESTARTS = int(os.environ.get("GAMEHOST_KILLS", "30")), int(os.environ.get("GAMEHOST_RESTARTS", "20"))


class PlayTests(SynchronousTestCase):
    """As in `tests.end_to_end.test_cluster`, more often."""

    timeout = 1800

    def setUp(self) -> None:
        require_postgresql()
        self.server = new_server()
        self.addCleanup(self.server.remove)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_kills(self) -> None:
        """No acknowledged move is lost, and none is told twice."""
        store = self.server.url(self.server.new_database())
        self.assertGreater(kill_at_random(KILLS, 2, self.folder, new_pair=OpenPair, store=store), KILLS)

    def test_restarts(self) -> None:
        """A move takes as long as the database is away, and a moment."""
        seen = restart_under_play(RESTARTS, 2, self.folder, self.server)
        self.assertGreater(seen.moves, RESTARTS)
        self.assertLess(seen.longest, seen.away + 2.0)

    def test_a_host_that_answers_first_is_found_out(self) -> None:
        """It tells a move while the database is away."""
        early = "tests.kit.altered_hosts:acknowledges_early"
        self.assertRaises(Lost, restart_under_play, 1, 5, self.folder, self.server, early)
