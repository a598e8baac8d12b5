"""The checks of Stratego in lines: a sound client has no finding, and each planted fault has one."""

from twisted.trial.unittest import SynchronousTestCase

from tests.checker.wires.stratego_lines_clients import CRIPPLED, EndsAtTheFirstWinner, SoundClient
from tests.kit.checked_client import check, titles
from tests.kit.checker_contract import CheckerContract


class LinesChecks(CheckerContract, SynchronousTestCase):
    """What every wire's checks must do."""

    sound = SoundClient
    crippled = CRIPPLED

    def test_a_client_of_one_game(self) -> None:
        """It has no breach."""
        self.assertEqual(titles(check(EndsAtTheFirstWinner, ["two-games", "red"])), [])

    def test_passwords_are_hidden(self) -> None:
        """In every transcript."""
        report = check(SoundClient, ["red", "own-drop"])
        texts = [line.text for outcome in report.outcomes for line in outcome.tape.lines]
        self.assertIn("***", texts)
        self.assertNotIn("correct horse", texts)
