"""A host on PostgreSQL over real sockets: killed, and its database restarted under play."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.postgresql import new_server, the_server
from tests.kit.postgresql_restarts import restart_under_play
from tests.kit.sigkill import Lost, kill_at_random

EARLY = "tests.kit.faulty_hosts.acknowledges_early"


class PlayTests(SynchronousTestCase):
    """A few times; `tests.slow_postgresql` does it more often."""

    def setUp(self) -> None:
        self.server = the_server()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_kills_lose_nothing(self) -> None:
        """Every move that was acknowledged is there afterwards, and none twice."""
        database = self.server.new_database()
        self.addCleanup(self.server.drop, database)
        self.assertGreater(kill_at_random(2, 3, self.folder, store=self.server.url(database)), 5)

    def test_the_database_restarts_under_play(self) -> None:
        """The players notice a pause. A host that answers before the commit is found out."""
        server = new_server()
        self.addCleanup(server.remove)
        seen = restart_under_play(2, 5, self.folder, server)
        self.assertGreater(seen.moves, 2)
        self.assertLess(seen.longest, 10.0)
        self.assertRaises(Lost, restart_under_play, 1, 5, self.folder, server, EARLY)
