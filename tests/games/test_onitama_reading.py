"""Actions of Onitama as the wires read them."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.position import Exchange, Move
from gamehost.games.onitama.reading import NO_CARD, read_exchange, read_move


class ReadingTests(SynchronousTestCase):
    """An action, or a reason."""

    def test_moves(self) -> None:
        """The card comes first, then the squares."""
        self.assertEqual(read_move("OX", 2, 7, "no square"), Move("ox", 2, 7))  # type: ignore[arg-type]
        self.assertEqual(read_move("cow", None, 7, "no square"), NO_CARD)
        for start, end in ((None, 7), (2, None)):
            self.assertEqual(read_move("ox", start, end, "no square"), "no square")

    def test_exchanges(self) -> None:
        """Of a card that there is."""
        self.assertEqual(read_exchange("eel"), Exchange("eel"))  # type: ignore[arg-type]
        self.assertEqual(read_exchange(""), NO_CARD)
