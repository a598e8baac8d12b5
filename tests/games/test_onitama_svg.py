"""The picture of Onitama."""

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.rules import START
from gamehost.journal.pictures import picture
from gamehost.testing.cases import PropertyCase
from tests.games.test_onitama_master import MasterTests
from tests.kit.drawn_matches import PictureContract, parsed, record_of, titles, words


class PictureTests(PictureContract, PropertyCase):
    """The contract, and what is in the picture."""

    player = MasterTests()

    def test_the_start(self) -> None:
        """All pieces, both colours, the five cards, coordinates, and who is to move."""
        drawn = picture(ONITAMA, record_of(self.player, 1, 0, deal="tiger,crab/ox,eel/frog"))
        self.assertEqual(len([title for title in titles(drawn) if " on " in title]), START.count("p") * 2 + 2)
        self.assertIn("master on c1", titles(drawn))
        shown = words(drawn)
        for word in ("tiger", "crab", "ox", "eel", "frog", "next", "a", "e", "1", "5", "ann is to move."):
            self.assertIn(word, shown)
        self.assertNotIn('class="last"', drawn)

    def test_the_last_move(self) -> None:
        """Both of its squares are marked, and it is the last one of the list."""
        record = record_of(self.player, 2, 3)
        drawn = picture(ONITAMA, record)
        self.assertEqual(drawn.count('class="last"'), 2)
        self.assertEqual(words(drawn)[-1], f"3. {record.entries[-1].notation.decode()}")

    def test_the_asking_seat_sits_below(self) -> None:
        """Black's own picture is turned."""
        record = record_of(self.player, 1, 0)
        upper = [parsed(picture(ONITAMA, record, seat=seat)) for seat in (None, Seat(0), Seat(1))]
        texts = [
            ["".join(text.itertext()) for text in root.iter() if "name" in text.attrib.get("class", "")]
            for root in upper
        ]
        self.assertEqual(texts, [["bobBlack", "annWhite"], ["bobBlack", "annWhite"], ["annWhite", "bobBlack"]])

    def test_the_end(self) -> None:
        """Who won is marked, and said."""
        drawn = picture(ONITAMA, record_of(self.player, 3, 200))
        self.assertIn("won", words(drawn))
        self.assertTrue(any(" won: the master " in line for line in words(drawn)))


del PictureContract, MasterTests
