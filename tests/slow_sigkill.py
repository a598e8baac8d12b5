"""kill -9 on the open wire, and a host that answers too early. `python -m twisted.trial tests.slow_sigkill` runs it."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.sigkill import Lost, kill_at_random
from tests.kit.sigkill_open import OpenPair


class KillTests(SynchronousTestCase):
    """`tests.kit.sigkill_open`, and its teeth."""

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
                kill_at_random(20, seed, folder, "tests.kit.faulty_hosts.acknowledges_early", OpenPair)
            except Lost:
                return
        self.fail("200 kills found nothing")
