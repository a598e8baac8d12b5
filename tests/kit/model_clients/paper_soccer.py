"""A speaker of the XML of paper soccer."""

import random
import re
from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import Ended, Kickoff, Moved, Situation
from gamehost.games.paper_soccer.rules import Point, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient
from tests.kit.wires.paper_soccer_talk import ACCEPTED, login, message, move, over, state

_NEXT = re.compile('<nextPlayer nick="([^"]*)"/>')
_POINT = re.compile('<point x="(-?[0-9]+)" y="(-?[0-9]+)"/>')


class PaperSoccerClient(ModelClient):
    """Draws every line that it is told of."""

    wire = "paper-soccer"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._position: Position | None = None
        self._my_turn = False

    def connected(self) -> None:
        super().connected()
        self._position = None
        self._my_turn = False

    def log_in(self) -> Sequence[str]:
        return [login(self.name)]

    def hear(self, line: str) -> None:
        if line == ACCEPTED:
            self.inside = True
            self._position = None
        elif "<gameOver>" in line:
            self.inside = self._my_turn = False
            self._position = None
        elif (found := _NEXT.search(line)) is not None:
            position = self._position or Position()
            for x, y in _POINT.findall(line):
                position = position.step((int(x), int(y)))
            self._position = position
            self._my_turn = found[1] == self.name

    def move(self, rng: random.Random) -> Sequence[str]:
        position = self._position
        if position is None or not self._my_turn:
            return ()
        if rng.random() < 0.01:
            return [move((4, 4), (0, 0), game=None)]  # against the rules: it loses
        here, points = position, list[Point]()
        while here.turn == position.turn and here.ending is None:
            points.append(rng.choice(list(here.steps())))
            here = here.step(points[-1])
        return [move(*points, game=None)]

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [rng.choice((message("move"), message("gameState"), "<hello/>", login("b o b"), login("cid", "chess")))]

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
