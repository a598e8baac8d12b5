"""The picture of Eriantys."""

from gamehost.games.eriantys.master import ERIANTYS
from gamehost.journal.pictures import picture
from gamehost.testing.cases import PropertyCase
from tests.games.test_eriantys_master import ExpertMasterTests
from tests.kit.drawn_matches import NAMES, PictureContract, record_of, words


class PictureTests(PictureContract, PropertyCase):
    """The contract, and what is in the picture."""

    player = ExpertMasterTests()
    seat_counts = (2, 3, 4)

    def test_before_the_deal(self) -> None:
        """There is nothing to draw yet, and that is said."""
        drawn = picture(ERIANTYS, record_of(self.player, 1, 1))
        self.assertIn("Nothing is dealt yet: the players choose teams and wizards.", words(drawn))
        self.assertIn("bob is to move.", words(drawn))

    def test_everything_visible(self) -> None:
        """Islands, clouds, the bag, characters and all players."""
        for seats in (2, 3, 4):
            shown = words(picture(ERIANTYS, record_of(self.player, seats, 60, seats)))
            for name in NAMES[:seats]:
                self.assertIn(name, shown)
            self.assertTrue(any("students in the bag" in line for line in shown))
            self.assertEqual(sum("coin" in line and ":" in line for line in shown), 3, "characters")
            self.assertIn("1", shown, "an island")

    def test_the_story(self) -> None:
        """Assistants, and what was done in each turn."""
        shown = words(picture(ERIANTYS, record_of(self.player, 2, 60)))
        self.assertTrue(any(": assistant " in line for line in shown))
        self.assertTrue(any("mother " in line for line in shown))

    def test_the_end(self) -> None:
        """Who won is said, and marked."""
        shown = words(picture(ERIANTYS, record_of(self.player, 2, 600)))
        self.assertTrue(any(" won: " in line for line in shown), shown)
        self.assertTrue(any(line.endswith(", won") for line in shown))


del PictureContract, ExpertMasterTests
