"""The checks of Eriantys: a sound client has no finding, and each planted fault has one."""

from twisted.trial.unittest import SynchronousTestCase

from tests.checker.wires.eriantys_clients import CRIPPLED, SoundClient
from tests.kit.checker_contract import CheckerContract


class EriantysChecks(CheckerContract, SynchronousTestCase):
    """What every wire's checks must do."""

    sound = SoundClient
    crippled = CRIPPLED
