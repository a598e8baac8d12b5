"""The game master: what all games must do, and the results of this one."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Cause, Seat
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost_gomoku.master import GOMOKU, GomokuMaster
from gamehost_gomoku.position import Point, point_named

SIZE = 7
BOARD = [Point(column, row) for column in range(SIZE) for row in range(SIZE)]


class MasterTests(MasterContract, PropertyCase):
    """What all games do. The contract plays random matches; `illegal` says what is none."""

    game = GOMOKU
    settings = {"size": str(SIZE)}

    def illegal(self, master: GomokuMaster, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        turn = Seat(master.position.turn)
        taken = [(turn, point) for point in master.position.stones[:3]]
        return [*taken, (turn, Point(SIZE, 0)), (Seat(1 - turn), rng.choice(BOARD))]


class ResultTests(PropertyCase):
    """How a match ends."""

    def play(self, *names: str) -> GomokuMaster:
        """A match after these moves, on the smallest board."""
        master = GOMOKU.new_master(2, {"size": "5"})
        master.begin(0)
        for number, name in enumerate(names):
            point = point_named(name)
            assert point is not None
            master.act(Seat(number % 2), point, number)
        return master

    def test_five_in_a_row(self) -> None:
        """The player who placed the last stone wins."""
        result = self.play("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1").result
        assert result is not None
        self.assertEqual((result.winners, result.cause), ((Seat(0),), Cause.RULES))

    def test_full_board(self) -> None:
        """Nobody wins."""
        black = ("a1", "b1", "e1", "c2", "d2", "a3", "b3", "e3", "c4", "d4", "a5", "b5", "e5")
        white = ("c1", "d1", "a2", "b2", "e2", "c3", "d3", "a4", "b4", "e4", "c5", "d5")
        moves = [name for pair in zip(black, (*white, ""), strict=True) for name in pair if name]
        result = self.play(*moves).result
        assert result is not None
        self.assertEqual((result.winners, result.why), ((), "the board is full"))
