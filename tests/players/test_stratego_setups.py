"""The library of set-ups."""

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import PlaceRows
from gamehost.games.stratego.game import STRATEGO
from gamehost.games.stratego.pieces import KINDS
from gamehost.players.base import SeededChance
from gamehost.players.stratego_setups import LIBRARY, any_set_up, set_up


class SetUpTests(SynchronousTestCase):
    """All forty pieces, the flag behind."""

    def test_library(self) -> None:
        """Each has exactly the pieces of a side."""
        box = Counter({kind.id: kind.count for kind in KINDS.values()})
        for rows in LIBRARY:
            self.assertEqual(Counter("".join(rows)), box)
            self.assertEqual({len(row) for row in rows}, {10})

    def test_accepted(self) -> None:
        """The referee takes every set-up of either seat, and the flag stands in the last row."""
        for seed in range(20):
            for seat, last in ((0, 0), (1, 3)):
                master = STRATEGO.new_master(2, {}, SeededChance(1))
                master.begin(0)
                rows = set_up(seat, SeededChance(seed))
                master.act(Seat(seat), PlaceRows(rows), 0)
                self.assertIn("F", rows[last])
                master = STRATEGO.new_master(2, {}, SeededChance(1))
                master.begin(0)
                master.act(Seat(seat), PlaceRows(any_set_up(SeededChance(seed))), 0)

    def test_varied(self) -> None:
        """Seeds give different set-ups."""
        self.assertGreater(len({set_up(0, SeededChance(seed)) for seed in range(50)}), 40)
