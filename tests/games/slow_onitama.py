"""
Longer checks of Onitama, run by name: `python -m twisted.trial tests.games.slow_onitama`. Under a minute.
"""

import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.chance import SystemChance
from gamehost.games.onitama.master import Action
from gamehost.games.onitama.rules import Exchange
from tests.kit.games.onitama import PERFT, begun, dealt, perft


class LongPerftTests(SynchronousTestCase):
    """Legal moves, counted to depth 5."""

    def test_counts(self) -> None:
        """The numbers of move sequences of length 5 from four deals."""
        for deal, counts in PERFT:
            self.assertEqual(perft(dealt(deal), 5), counts[4], deal)


class ManyGamesTests(SynchronousTestCase):
    """Far more games than the suite plays."""

    def test_ten_thousand_games(self) -> None:
        """10,000 random games all come to an end, and always with five different cards on the table."""
        rng = random.Random(1)
        for _ in range(10_000):
            master = begun(chance=SystemChance(rng.randrange))
            while master.result is None:
                position = master.position
                moves: list[Action] = list(position.moves())
                hand = position.hands[position.turn]
                action = rng.choice(moves or [Exchange(card) for card in hand])
                master.act(Seat(position.turn), action, 0)
                self.assertEqual(len({*position.hands[0], *position.hands[1], position.spare}), 5)
