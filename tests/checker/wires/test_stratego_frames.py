"""The checks of Stratego in frames: a sound client has no finding, and each planted fault has one."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.stratego_frames.checks import printed
from gamehost.wires.stratego_frames.messages import Move, Setup
from tests.checker.wires.stratego_frames_clients import CRIPPLED, SoundClient
from tests.kit.checked_client import check, titles
from tests.kit.checker_contract import CheckerContract


class FramesChecks(CheckerContract, SynchronousTestCase):
    """What every wire's checks must do."""

    sound = SoundClient
    crippled = CRIPPLED

    def test_a_match_that_ends_while_the_host_stops(self) -> None:
        """The client cannot know of the end, so it may try to reach the host for as long as in any other match."""
        self.assertEqual(titles(check(SoundClient, ["host-stops"], seed=7)), [])

    def test_frames_are_printed_by_their_fields(self) -> None:
        """And their first bytes."""
        self.assertEqual(printed(Move(0, 3, 0, 4), b"\x2a\x04"), "Move(x=0, y=3, to_x=0, to_y=4)  [2A 04]")
        self.assertNotIn("\x1b", printed(Setup("\x1b", 0, 0), b"\x2a"))
