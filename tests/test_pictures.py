"""The pictures of the docs."""

from gamehost.games.drawing import Drawable
from gamehost.journal.notation import read_notation, write_notation
from gamehost.plugins import GAMES
from gamehost.testing.cases import PropertyCase
from tests.kit.pictures import FOLDER, PICTURES, pictures
from tests.kit.sources import ROOT


class PictureTests(PropertyCase):
    """Each game's page begins with a picture that this version makes."""

    def test_they_are_current(self) -> None:
        """If this fails, run `make pictures` and look at what has changed."""
        for path, drawn in pictures():
            self.assertEqual(path.read_text("ascii"), drawn, f"{path.name}: run `make pictures`")

    def test_every_game_s_page_begins_with_one(self) -> None:
        """Before its first section."""
        for page in (ROOT / "docs" / "games").glob("*.rst"):
            if not isinstance(GAMES[page.stem], Drawable):
                continue  # the host does not know how a remote game looks
            self.assertIn(page.stem, PICTURES)
            text = page.read_text("utf-8")
            self.assertIn(f".. image:: pictures/{page.stem}.svg\n", text)
            self.assertLess(text.index(".. image::"), text.index("\n---"))

    def test_their_matches_are_in_the_notation(self) -> None:
        """What a person may write by hand is written in the same way."""
        for name in PICTURES:
            text = (FOLDER / f"{name}.txt").read_text("ascii")
            match = read_notation(text)
            self.assertEqual(write_notation(match.record, match.date), text)
