"""The checks of Eriantys: a sound client has no finding, and each planted fault has one."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Grade
from tests.checker.wires.eriantys_clients import (
    CRIPPLED,
    AcknowledgesEveryThird,
    NeverAcknowledges,
    SoundClient,
    SpellsKeysItsOwnWay,
)
from tests.kit.checked_client import check, titles
from tests.kit.checker_contract import CheckerContract


class EriantysChecks(CheckerContract, SynchronousTestCase):
    """What every wire's checks must do."""

    sound = SoundClient
    crippled = CRIPPLED

    def test_a_client_that_acknowledges_sometimes(self) -> None:
        """It is found, in short games and in long ones, whatever else the scenario is about."""
        title = "the client acknowledges some messages and not others"
        for scenario in ("creates", "loses", "three-players", "expert"):
            self.assertEqual(titles(check(AcknowledgesEveryThird, [scenario]), Grade.BREACH), [title])

    def test_a_client_that_never_acknowledges(self) -> None:
        """The host lets it play: a note."""
        report = check(NeverAcknowledges, ["creates"])
        self.assertEqual((titles(report), report.clean), ([], True))
        self.assertEqual(titles(report, Grade.NOTE), ["the client acknowledges nothing"])

    def test_a_misspelled_key(self) -> None:
        """The finding says which key came, and which one was expected."""
        (title,) = titles(check(SpellsKeysItsOwnWay, ["creates"]), Grade.BREACH)[:1]
        self.assertIn("SetGame was refused: the key number_of_players is unknown; expected numberOfPlayers", title)
