"""Stratego as other programs see it."""

import msgspec

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.events import Board, Fought, Moved, Opened, Placed, PlacedAll, Playing, ReadySet
from gamehost.games.stratego.messages import MESSAGES
from gamehost.testing.cases import PropertyCase
from tests.games.test_stratego_master import MasterTests
from tests.kit.drawn_matches import MessagesContract


class MessagesTests(MessagesContract, PropertyCase):
    """The contract, and each message to the letter."""

    messages = MESSAGES
    player = MasterTests()

    def test_messages(self) -> None:
        """Squares by name; a tie has no winner."""
        move = Move(0, 3, 0, 4)
        for event, text in (
            (Opened(), '{"kind":"opened"}'),
            (Placed("9", 0, 3), '{"kind":"placed","piece":"9","square":"A4"}'),
            (PlacedAll(("9" * 10,)), '{"kind":"placed-all","rows":["9999999999"]}'),
            (ReadySet(Seat(1)), '{"kind":"ready","seat":1}'),
            (Playing(Seat(0), Seat(0)), '{"kind":"playing","next":0}'),
            (Board("."), '{"kind":"board","squares":"."}'),
            (Moved(Seat(0), move, Seat(1)), '{"kind":"moved","seat":0,"from":"A4","to":"A5","next":1}'),
            (
                Fought(Seat(0), move, "9", "S", "attacker", Seat(1)),
                '{"kind":"fought","seat":0,"attacker":"9","defender":"S","winner":"attacker","from":"A4","to":"A5","next":1}',
            ),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)
        tie = MESSAGES.event(Fought(Seat(0), move, "9", "9", "tie", None))
        self.assertIn('"winner":null', msgspec.json.encode(tie).decode())


del MessagesContract, MasterTests
