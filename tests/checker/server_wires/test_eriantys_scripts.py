"""What is tried with servers of Eriantys."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.checked_server import check_server


def messages(scenario: str, name: str) -> list[str]:
    """The messages of one name in a scenario with the host, as they are printed."""
    (outcome,) = check_server("eriantys", [scenario]).outcomes
    return [line.text for line in outcome.tape.lines if f'"{name}"' in line.text]


class ScriptsTests(SynchronousTestCase):
    """The scenarios come to what they should try."""

    def test_errors(self) -> None:
        """Nearly all errors of the document are met."""
        met = {
            text.split('"error":"')[1].split('"')[0]
            for scenario in ("lobby", "refusals", "refusals-expert", "out-of-turn")
            for text in messages(scenario, "ErrorMessage")
        }
        self.assertLessEqual(
            {
                "TAKEN_NICKNAME",
                "INVALID_SETTINGS",
                "GAME_NOT_FOUND",
                "TOWER_NOT_AVAILABLE",
                "WIZARD_NOT_AVAILABLE",
                "INVALID_ASSISTANT",
                "UNAVAILABLE_ASSISTANT",
                "STUDENT_NOT_AVAILABLE",
                "EMPTY_CLOUD",
                "WRONG_TURN",
                "INVALID_ACTION",
                "INVALID_INPUT",
                "NOT_ENOUGH_COINS",
                "ALREADY_PLAYED_CHARACTER",
                "CHARACTER_NOT_IN_GAME",
                "NOT_EXPERT_MODE",
            },
            met,
        )

    def test_whole_games(self) -> None:
        """They have an end, merged islands and characters."""
        self.assertEqual(len(messages("whole-game", "CommunicateWinner")), 2)
        self.assertNotEqual(messages("whole-game", "UNIFIED_ISLANDS"), [])
        self.assertGreaterEqual(len(messages("expert", "PlayedCharacter")), 8)
