"""A host on PostgreSQL over real sockets: the database restarts under play, and the host is killed."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.postgresql import the_server
from tests.kit.postgresql_restarts import restart_under_play


class PlayTests(SynchronousTestCase):
    """Once; `tests.slow_postgresql` does it more often, and with a host that answers before the commit."""

    def test_the_database_restarts_under_play(self) -> None:
        """The players notice a pause. After kill -9, the next host knows every move."""
        server = the_server()
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        seen = restart_under_play(1, 5, folder, server)
        self.assertGreater(seen.moves, 2)
        self.assertLess(seen.longest, 10.0)
