"""Kills and restarts under play on PostgreSQL, about two minutes. `make test-cluster` runs it."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.postgresql import new_server, require_postgresql
from tests.kit.postgresql_restarts import restart_under_play
from tests.kit.sigkill import Lost, kill_at_random
from tests.kit.sigkill_open import OpenPair

KILLS, RESTARTS = int(os.environ.get("GAMEHOST_KILLS", "30")), int(os.environ.get("GAMEHOST_RESTARTS", "20"))


class PlayTests(SynchronousTestCase):
    """As in `tests.end_to_end.test_postgresql`, more often."""

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
        early = "tests.kit.faulty_hosts.acknowledges_early"
        self.assertRaises(Lost, restart_under_play, 1, 5, self.folder, self.server, early)
