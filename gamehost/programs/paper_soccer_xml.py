"""A program on the wire of Paper Soccer. Its player is seat 0, whoever moves first."""

from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Moved, Situation
from gamehost.games.paper_soccer.position import Foul, Position
from gamehost.programs.wire_player import ProgramError, WirePlayer, won
from gamehost.wires.paper_soccer_xml import messages as m

_GAME_TYPE = "paper soccer"
_OWN, _OTHER = Seat(0), Seat(1)


class PaperSoccerPlayer(WirePlayer):
    """Logs in, and follows the ball."""

    GAME = PAPER_SOCCER
    _game_id = ""
    #: Who makes the next move.
    _next = _OWN

    def begin(self) -> Sequence[Any]:
        return (m.PlayerLogin(self.name, _GAME_TYPE),)

    def again(self) -> Sequence[Any]:
        super().again()
        return (m.ThankYou(self._game_id), m.PlayerLogin(self.name, _GAME_TYPE))

    def hear(self, message: Any) -> Sequence[Any]:
        match message:
            case m.LoginResponse(error, reason) if error is not None:
                raise ProgramError(f"the server refuses the log-in: {reason or error.name}")
            case m.GameState(game_id, following, points):
                self._go_on(game_id, _OWN if following == self.name else _OTHER, points)
            case m.GameOver(_, winner):
                self.end(won(winner))
            case m.Error(text) if self.match is not None:
                self.refused(text)
            case m.Error(text):
                raise ProgramError(f"the server says: {text}")
            case m.ServerShutdown():
                raise ProgramError("the server stops")
        return ()

    def _go_on(self, game_id: str, following: Seat, points: tuple[tuple[int, int], ...]) -> None:
        if self.match is None:
            self._game_id = game_id
            self.sit_down(_OWN)
            self.tell(Situation(_first(points, following), points, following, None))
        else:
            self.tell(Moved(self._next, points, following))
        self._next = following

    def act(self, action: Any) -> Sequence[Any]:
        return (m.Move(action.points, self._game_id),)


def _first(points: Sequence[tuple[int, int]], following: Seat) -> Seat:
    """Who has made the first move, from all points so far and the next player."""
    position = Position()
    try:
        for point in points:
            position = position.step(point)
    except Foul as foul:
        raise ProgramError(f"the server tells of an illegal move: {foul}") from None
    return following if position.turn == 0 else Seat(1 - following)
