"""The checks of Onitama: a sound client has no finding, and each planted fault has one."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import Grade
from tests.checker.wires.onitama_clients import (
    CRIPPLED,
    GuessesItsCards,
    MirrorsRowsOnly,
    NeedsTheExtension,
    SoundClient,
)
from tests.kit.checked_client import check, titles
from tests.kit.checker_contract import CheckerContract


class FailsInTheMiddle(SoundClient):
    """Ends at its third move."""

    count = 0

    def move(self) -> None:
        self.count += 1
        if self.count > 4:
            self.end(1, "ValueError: no such card: 'tiger'")
        else:
            super().move()


class OnitamaChecks(CheckerContract, SynchronousTestCase):
    """What every wire's checks must do."""

    sound = SoundClient
    crippled = CRIPPLED

    def test_a_client_that_cannot_know_its_cards(self) -> None:
        """It is told so once, as White and as Black, and is not accused."""
        for client in (NeedsTheExtension, GuessesItsCards):
            report = check(client, ["first-mover", "strict", "strict-drop"])
            self.assertEqual((titles(report), report.clean), ([], True), client)
            ((finding, names),) = report.findings
            self.assertEqual((finding.grade, names), (Grade.NOTE, ["strict", "strict-drop"]))
            self.assertIn("this client needs the extension of START", finding.title)

    def test_a_client_that_knows_its_cards_and_fails(self) -> None:
        """The strict scenarios find that as all others do."""
        self.assertIn("the client ended in the middle: ValueError", titles(check(FailsInTheMiddle, ["strict"])))

    def test_columns_that_are_not_turned(self) -> None:
        """The advice is about columns, and not about cards."""
        finding, _ = check(MirrorsRowsOnly, ["second-mover"]).findings[0]
        self.assertIn("that card does not lead there", finding.title)
        self.assertIn("For Black both are turned", finding.law.do)
        self.assertNotIn("card", finding.law.do)
