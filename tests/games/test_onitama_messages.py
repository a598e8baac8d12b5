"""Onitama as other programs see it."""

import msgspec

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved
from gamehost.games.onitama.messages import MESSAGES
from gamehost.games.onitama.rules import Card, Move, Position
from gamehost.testing.cases import PropertyCase
from tests.games.test_onitama_master import MasterTests
from tests.kit.drawn_matches import MessagesContract


class MessagesTests(MessagesContract, PropertyCase):
    """The contract, and each message to the letter."""

    messages = MESSAGES
    player = MasterTests()

    def test_messages(self) -> None:
        """Squares by name, cards in alphabetical order, `from` and `to`."""
        position = Position(((Card("ox"), Card("boar")), (Card("eel"), Card("crab"))), Card("tiger"))
        for event, text in (
            (Dealt(position), '{"kind":"dealt","hands":[["boar","ox"],["crab","eel"]],"spare":"tiger"}'),
            (Moved(Seat(0), Move(Card("ox"), 2, 7)), '{"kind":"moved","seat":0,"card":"ox","from":"c1","to":"c2"}'),
            (Exchanged(Seat(1), Card("eel"), Card("rat")), '{"kind":"exchanged","seat":1,"old":"eel","new":"rat"}'),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)

    def test_view(self) -> None:
        """The board as it is dealt."""
        master = ONITAMA.new_master(2, {"deal": "boar,ox/crab,eel/tiger"}, None)  # type: ignore[arg-type]
        master.begin(0)
        board = "PPKPP" + "." * 15 + "ppkpp"
        expected = {"board": board, "hands": (["boar", "ox"], ["crab", "eel"]), "spare": "tiger", "turn": 0}
        self.assertEqual(self.shown(master), expected)


del MessagesContract, MasterTests
