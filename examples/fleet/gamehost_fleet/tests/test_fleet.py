"""What all games and their messages must do."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract, SeededChance
from gamehost.testing.messages_contract import MessagesContract
from gamehost_fleet.master import FLEET, FleetMaster
from gamehost_fleet.messages import MESSAGES, Place, Shoot


class MasterTests(MasterContract, PropertyCase):
    game = FLEET
    settings = {"size": "4"}

    def illegal(self, master: FleetMaster, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        turn = master.public.turn
        return [
            (Seat(1 - turn), Shoot("a1")),
            (Seat(turn), Shoot("e5")),
            (Seat(turn), Place("a1 d1")),
        ]

    def twins(self, master: FleetMaster, seat: Seat, rng: random.Random) -> Sequence[Any]:
        if master.result is not None:
            return []
        return [FLEET.determinized(master.view(seat), seat, SeededChance(rng.randrange(100)))]


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = MasterTests()


del MasterContract, MessagesContract
