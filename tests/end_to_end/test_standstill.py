"""A host that is frozen under play."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.standstill import freeze


class StandstillTests(SynchronousTestCase):
    """A longer one is `make test-standstill`."""

    def test_nobody_pays_for_a_standstill(self) -> None:
        """Grace, moves and log-ins have two seconds, and the host is frozen for three."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        logged = freeze(3.0, folder)
        self.assertTrue(2.5 <= logged <= 10.0, logged)
