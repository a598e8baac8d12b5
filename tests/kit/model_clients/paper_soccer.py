"""A speaker of the XML of paper soccer."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved, Situation
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.paper_soccer import messages as m
from tests.kit.model_clients.base import ProgramClient
from tests.kit.wires.paper_soccer_talk import login, message, move, over, state


class PaperSoccerClient(ProgramClient):
    wire = "paper-soccer"
    inside_after = ("GameState",)
    senseless = (message("move"), message("gameState"), "<hello/>", login("b o b"), login("cid", "chess"))

    def take(self, message: Any) -> None:
        super().take(message)
        if isinstance(message, m.LoginResponse):
            self.inside = message.error is None

    def move(self, rng: random.Random) -> Sequence[str]:
        if self.program.match is not None and rng.random() < 0.01:
            return [move((4, 4), (0, 0), game=None)]  # against the rules: it loses
        return super().move(rng)

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Kickoff(first):
                return [state(names[first], game=table)]
            case Moved(_, points, following):
                return [state(names[following], *points, game=table)]
            case Ended(winner, loser, points):
                return [over(names[winner], names[loser], *points, game=table)]
            case Back(back, Situation(_, points, following, result)):
                if back != seat:
                    return ()
                if following is not None:
                    return [state(names[following], *points, game=table)]
                assert result is not None
                winner = result.winners[0]
                return [over(names[winner], names[1 - winner], *points, game=table)]
            case Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return "gameState" not in line or line.startswith('<message type="error">')

    @staticmethod
    def waits(line: str) -> bool:
        return False
