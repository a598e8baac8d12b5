"""
The game as it is chosen: its settings.
"""

from gamehost.games.stratego import STRATEGO
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase


class SettingTests(PropertyCase):
    """What can be set."""

    def test_bad_values(self) -> None:
        """A value that cannot be used is refused and named."""
        for name, text in (
            ("two_squares", "4"),
            ("two_squares", ""),
            ("max_plies", "0"),
            ("max_plies", "100001"),
            ("max_plies", "many"),
            ("setup_time", "-1"),
            ("setup_time", "later"),
        ):
            error = self.assertRaises(BadOption, STRATEGO.check, {name: text})
            self.assertIn(name, str(error))

    def test_every_setting_together(self) -> None:
        """All settings can be given at once, and the game names them."""
        settings = {"move_time": "30", "setup_time": "600", "two_squares": "5", "max_plies": "500"}
        STRATEGO.check(settings)
        self.assertEqual(set(STRATEGO.options), set(settings))
        self.assertEqual((STRATEGO.name, STRATEGO.least_seats, STRATEGO.most_seats), ("stratego", 2, 2))
