"""Paper soccer as other programs see it."""

import msgspec

from gamehost.games.base import Cause, Seat
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved
from gamehost.games.paper_soccer.messages import MESSAGES, moves_of
from gamehost.testing.cases import PropertyCase
from tests.games.test_paper_soccer_master import ContractTests
from tests.kit.drawn_matches import MessagesContract


class MessagesTests(MessagesContract, PropertyCase):
    """The contract, and each message to the letter."""

    messages = MESSAGES
    player = ContractTests()

    def test_messages(self) -> None:
        """Points as pairs of numbers."""
        for event, text in (
            (Kickoff(Seat(1)), '{"kind":"kickoff","first":1}'),
            (Moved(Seat(1), ((0, 1),), Seat(0)), '{"kind":"moved","seat":1,"points":[[0,1]],"next":0}'),
            (
                Ended(Seat(0), Seat(1), ((0, 6),), Cause.RULES, "goal"),
                '{"kind":"ended","points":[[0,6]],"why":"goal"}',
            ),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)

    def test_points_are_cut_into_moves(self) -> None:
        """A bounce stays in its move; the next side begins another one."""
        self.assertEqual(moves_of([]), [])
        self.assertEqual(moves_of([(0, 1), (1, 1), (0, 0), (-1, 0)]), [[(0, 1)], [(1, 1)], [(0, 0), (-1, 0)]])


del MessagesContract, ContractTests
