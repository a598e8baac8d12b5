"""
Paper soccer as other programs see it. A point is `[x, y]` with the centre at `[0, 0]`.

The seat that moves first attacks the goal at y = +6, the other one the goal at y = -6. A move is the list of all points
that the ball is played to in one turn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from gamehost.games.base import Cause, Seat
from gamehost.games.messages import TAKEN_BACK, ActionMessage, EventMessage
from gamehost.games.paper_soccer.master import Drawn, Ended, Event, Kickoff, Move, Moved, Situation, TakenBack
from gamehost.games.paper_soccer.rules import Point, Position

Points = list[tuple[int, int]]


class View(Struct, frozen=True):
    """The state of the match: the points of each legal move so far. `next` is the seat to move."""

    first: int
    moves: list[Points]
    next: int | None


class KickoffEvent(EventMessage, frozen=True, tag="kickoff"):
    """The match begins."""

    first: int


class MovedEvent(EventMessage, frozen=True, tag="moved"):
    """A legal move. The match continues."""

    seat: int
    points: Points
    next: int


class EndedEvent(EventMessage, frozen=True, tag="ended"):
    """The match is over. `points` is the legal move that ended it; it is empty if the match ended otherwise."""

    points: Points
    why: str


class TakenBackEvent(EventMessage, frozen=True, tag=TAKEN_BACK):
    """
    A seat took its last move back, as agreed, and moves again. `moves` is the number of undone moves, and `left` has the
    points of each remaining move.
    """

    seat: int
    moves: int
    left: list[Points]


class MoveAction(ActionMessage, frozen=True, tag="move"):
    """A move, or its beginning: all points, without the point where the ball lies."""

    points: Points


def _points(points: Sequence[Point]) -> Points:
    return [(x, y) for x, y in points]


def moves_of(points: Sequence[Point]) -> list[Points]:
    """All points of a match cut into moves: a move ends where the turn passes, or where the match ends."""
    moves: list[Points] = []
    position, mover = Position(), None
    for point in points:
        if position.turn is not mover or not moves:
            moves.append([])
            mover = position.turn
        moves[-1].append((point[0], point[1]))
        position = position.step(point)
    return moves


def is_move(told: Sequence[EventMessage]) -> bool:
    """Whether an entry is a move; as of `gamehost.games.play`. A match can end without one."""
    return any(isinstance(one, MovedEvent) or (isinstance(one, EndedEvent) and bool(one.points)) for one in told)


class PaperSoccerMessages:
    view_type = View
    event_type = KickoffEvent | MovedEvent | EndedEvent | TakenBackEvent
    action_type = MoveAction
    rules: Mapping[str, Any] = {}

    def view(self, situation: Situation) -> View:
        return View(situation.first, moves_of(situation.points), situation.next)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        """A situation from its message, without the result."""
        points = tuple(point for move in view.moves for point in move)
        return Situation(Seat(view.first), points, None if view.next is None else Seat(view.next), None)

    def read_event(self, event: Any) -> Event | None:
        """An event from its message. The table sends the winner."""
        match event:
            case KickoffEvent(first):
                return Kickoff(Seat(first))
            case MovedEvent(seat, points, following):
                return Moved(Seat(seat), tuple(points), Seat(following))
            case EndedEvent(points, why):
                return Ended(Seat(0), Seat(1), tuple(points), Cause.RULES, why)
            case TakenBackEvent(seat, moves, left):
                return TakenBack(Seat(seat), moves, tuple(point for move in left for point in move))
        return None

    def action(self, action: Move) -> ActionMessage:
        return MoveAction(_points(action.points))

    def event(self, event: Any) -> EventMessage | None:
        match event:
            case Kickoff(first):
                return KickoffEvent(first)
            case Moved(seat, points, following):
                return MovedEvent(seat, _points(points), following)
            case Ended():
                return EndedEvent(_points(event.points), event.why)
            case Drawn(result):
                return EndedEvent([], result.why)
            case TakenBack(seat, moves, left):
                return TakenBackEvent(seat, moves, moves_of(left))
        return None


MESSAGES = PaperSoccerMessages()
