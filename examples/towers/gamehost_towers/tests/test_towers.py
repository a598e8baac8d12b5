"""What all games and their messages must do, and the rules of this one."""

import random
from collections.abc import Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.testing.messages_contract import MessagesContract
from gamehost_towers.master import TOWERS, TowersMaster
from gamehost_towers.messages import MESSAGES, Move, Moved, Passed, View


class MasterTests(MasterContract, PropertyCase):
    game = TOWERS
    settings = {"size": "5"}

    def illegal(self, master: TowersMaster, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        turn = master.known.turn
        return [(Seat(1 - turn), Move("a1 a2")), (Seat(turn), Move("a1 a1")), (Seat(turn), Move("h8 h7"))]


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = MasterTests()


class RulesTests(SynchronousTestCase):
    """On a board of four. The rows of colours from below: 1234, 4123, 3412, 2341."""

    def after(self, board: str, turn: int, tower: str, way: str) -> tuple[TowersMaster, list[Any]]:
        master = TowersMaster(View(tuple(board.split()), turn, tower), 0)
        return master, [to.event for to in master.act(Seat(turn), Move(way), 0)]

    def test_the_colour_of_the_square_is_the_next_tower(self) -> None:
        master, told = self.after("BCDA 3412 4123 abcd", 0, "", "b1 b2")
        self.assertEqual((told, master.known.turn, master.known.tower), ([Moved(0, "b1 b2")], 1, "A"))

    def test_a_tower_on_the_other_side_wins(self) -> None:
        master, _ = self.after("2C4A 34a2 4123 1bcd", 0, "a", "c3 c4")
        assert master.result is not None
        self.assertEqual((master.result.winners, master.result.why), ((Seat(0),), "a tower has reached the other side"))
        self.assertEqual(list(TOWERS.legal(master.known, Seat(1))), [])

    def test_a_tower_that_cannot_move_stays(self) -> None:
        """The square below it says which tower of the other player is next."""
        master, told = self.after("2341 3412 A123 abcd", 0, "c", "c1 b2")
        self.assertEqual(told, [Moved(0, "c1 b2"), Passed(1, "A")])
        self.assertEqual((master.known.turn, master.known.tower), (0, "d"))

    def test_if_no_tower_can_move_the_last_mover_loses(self) -> None:
        master, told = self.after("23C1 3412 DcAB ab3d", 0, "c", "b2 b3")
        self.assertEqual(told[1:], [Passed(1, "D"), Passed(0, "d")])
        assert master.result is not None
        self.assertEqual((master.result.winners, master.result.why), ((Seat(1),), "no tower can move"))


del MasterContract, MessagesContract
