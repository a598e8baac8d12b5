"""What all games and their messages must do."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract, SeededChance
from gamehost.testing.messages_contract import MessagesContract
from gamehost_kuhn.master import KUHN, KuhnMaster
from gamehost_kuhn.messages import MESSAGES, Say


class MasterTests(MasterContract, PropertyCase):
    game = KUHN

    def illegal(self, master: KuhnMaster, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        turn = master.to_move()
        if turn is None:
            return [(Seat(0), Say("check")), (Seat(1), Say("check"))]
        after_bet = master.view_of_all.said[-1:] == ("bet",)
        return [(Seat(1 - turn), Say("check")), (turn, Say("check" if after_bet else "fold"))]

    def twins(self, master: KuhnMaster, seat: Seat, rng: random.Random) -> Sequence[Any]:
        return [KUHN.determinized(master.view(seat), seat, SeededChance(rng.randrange(100)))]


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = MasterTests()


del MasterContract, MessagesContract
