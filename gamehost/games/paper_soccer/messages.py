"""
The messages of Paper Soccer for other programs. A point is `[x, y]`, and the centre is `[0, 0]`.

The seat that moves first attacks the goal at y = +6, and the other seat the goal at y = -6. A move is the list of all
points to which the ball is played in one turn.
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
    """
    The state of the match. `first` is the seat that moved first, `moves` has the points of each legal move so far, and
    `next` is the seat to move.
    """

    first: int
    moves: list[Points]
    next: int | None


class KickoffEvent(EventMessage, frozen=True, tag="kickoff"):
    """Event: the match begins. The seat `first` moves first."""

    first: int


class MovedEvent(EventMessage, frozen=True, tag="moved"):
    """Event: a seat has made a legal move, and the match continues with the seat `next`."""

    seat: int
    points: Points
    next: int


class EndedEvent(EventMessage, frozen=True, tag="ended"):
    """
    Event: the match is over. `points` is the legal move that ended it; the list is empty if the match ended in another
    way. `why` is the reason in words.
    """

    points: Points
    why: str


class TakenBackEvent(EventMessage, frozen=True, tag=TAKEN_BACK):
    """
    Event: a seat has taken its last move back, as agreed, and moves again. `moves` is the number of undone moves, and
    `left` has the points of each remaining move.
    """

    seat: int
    moves: int
    left: list[Points]


class MoveAction(ActionMessage, frozen=True, tag="move"):
    """Action: a move, or the beginning of one. `points` are all its points, without the point where the ball lies."""

    points: Points


def _points(points: Sequence[Point]) -> Points:
    return [(x, y) for x, y in points]


def moves_of(points: Sequence[Point]) -> list[Points]:
    """
    Cuts all points of a match into moves. A move ends where the turn passes to the other seat, or where the match ends.
    """
    moves: list[Points] = []
    position, mover = Position(), None
    for point in points:
        if position.turn is not mover or not moves:
            # The first point, or the turn has passed: a new move begins.
            moves.append([])
            mover = position.turn
        moves[-1].append((point[0], point[1]))
        position = position.step(point)
    return moves


def is_move(told: Sequence[EventMessage]) -> bool:
    """
    Whether an entry of the journal is a move (see `gamehost.games.play.is_move`). A match can also end by an entry that
    is not a move.
    """
    return any(isinstance(one, MovedEvent) or (isinstance(one, EndedEvent) and bool(one.points)) for one in told)


class PaperSoccerMessages:
    """Translates between the values of Paper Soccer and its messages. See `gamehost.games.messages.Messages`."""

    view_type = View
    event_type = KickoffEvent | MovedEvent | EndedEvent | TakenBackEvent
    action_type = MoveAction
    rules: Mapping[str, Any] = {}

    def view(self, situation: Situation) -> View:
        return View(situation.first, moves_of(situation.points), situation.next)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        """Translates a message back to a situation. The result of the match is missing."""
        points = tuple(point for move in view.moves for point in move)
        return Situation(Seat(view.first), points, None if view.next is None else Seat(view.next), None)

    def read_event(self, event: Any) -> Event | None:
        """
        Translates a message back to an event. The winner in `Ended` is not the real one, because the message does not
        contain it; the table sends the result separately.
        """
        match event:
            case KickoffEvent(first):
                return Kickoff(Seat(first))
            case MovedEvent(seat, points, following):
                return Moved(Seat(seat), tuple(points), Seat(following))
            case EndedEvent(points, why):
                # The message does not name the winner, so this is just any seat.
                return Ended(Seat(0), Seat(1), tuple(points), Cause.RULES, why)
            case TakenBackEvent(seat, moves, left):
                return TakenBack(Seat(seat), moves, tuple(point for move in left for point in move))
        return None

    def action(self, action: Move) -> ActionMessage:
        return MoveAction(_points(action.points))

    def event(self, event: Any) -> EventMessage | None:
        """Translates an event to a message; `None` for a view, which is sent as a `View`."""
        match event:
            case Kickoff(first):
                return KickoffEvent(first)
            case Moved(seat, points, following):
                return MovedEvent(seat, _points(points), following)
            case Ended():
                return EndedEvent(_points(event.points), event.why)
            case Drawn(result):
                # No move has ended the match.
                return EndedEvent([], result.why)
            case TakenBack(seat, moves, left):
                return TakenBackEvent(seat, moves, moves_of(left))
        return None


MESSAGES = PaperSoccerMessages()
