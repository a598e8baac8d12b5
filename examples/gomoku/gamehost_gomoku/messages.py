"""Gomoku as other programs see it: views, events and actions as JSON. Points have names such as `h8`. Seat 0 is Black."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.messages import ActionMessage, EventMessage
from gamehost_gomoku.master import Begun, Event, Played, Situation
from gamehost_gomoku.position import Point, Position, point_named


class View(Struct, frozen=True):
    """Where the match stands: rows from the top down, with `x` for a black stone and `o` for a white one; and all moves."""

    board: list[str]
    moves: list[str]
    #: The seat that moves next.
    turn: int


class BegunEvent(EventMessage, frozen=True, tag="begun"):
    """The match begins on an empty board with so many points on each side."""

    size: int


class PlayedEvent(EventMessage, frozen=True, tag="played"):
    """A seat placed a stone."""

    seat: int
    point: str


class PlaceAction(ActionMessage, frozen=True, tag="place"):
    """Place a stone."""

    point: str


def _point(name: str) -> Point:
    point = point_named(name)
    if point is None:
        raise ValueError("not the name of a point")
    return point


class GomokuMessages:
    """Makes the messages, and reads them."""

    view_type = View
    event_type = BegunEvent | PlayedEvent
    action_type = PlaceAction
    rules: Mapping[str, Any] = {}

    def view(self, situation: Situation) -> View:
        position = situation.position
        marks = {stone: "xo"[number % 2] for number, stone in enumerate(position.stones)}
        numbers = range(position.size)
        board = ["".join(marks.get(Point(column, row), ".") for column in numbers) for row in reversed(numbers)]
        return View(board, list(map(str, position.stones)), position.turn)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        return Situation(Position(len(view.board), tuple(map(_point, view.moves))))

    def event(self, event: Any) -> EventMessage | None:
        match event:
            case Begun(size):
                return BegunEvent(size)
            case Played(seat, point):
                return PlayedEvent(seat, str(point))
        return None

    def read_event(self, event: Any) -> Event | None:
        match event:
            case BegunEvent(size):
                return Begun(size)
            case PlayedEvent(seat, point):
                return Played(Seat(seat), _point(point))
        return None

    def action(self, action: Point) -> PlaceAction:
        return PlaceAction(str(action))


MESSAGES = GomokuMessages()
