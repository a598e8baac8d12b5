"""
Stratego as other programs see it. Squares are named `A1` to `J10`: a letter for x, and y + 1.

A board is 100 characters, `A1` first, then `B1`. Own pieces are the id of their kind, `#` is an enemy's piece, `.` an
empty square, `~` a lake. A watcher's board has `r` and `b` for the pieces of seats 0 and 1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from gamehost.games.base import Seat
from gamehost.games.messages import ActionMessage, EventMessage
from gamehost.games.stratego.rules import (
    SQUARE_NAMED,
    WIDTH,
    Action,
    Board,
    Event,
    Fought,
    Move,
    Moved,
    Opened,
    Phase,
    Place,
    Placed,
    PlacedAll,
    PlaceRows,
    Playing,
    Ready,
    ReadySet,
    Situation,
    Survivor,
    square_name,
)


class View(Struct, frozen=True):
    """The state of the match, as a seat or a watcher may see it. `turn` is the seat to move; `null` except in play."""

    phase: str
    squares: str
    ready: tuple[bool, bool]
    turn: int | None


class OpenedEvent(EventMessage, frozen=True, tag="opened"):
    """The match begins: both players place their pieces."""


class PlacedEvent(EventMessage, frozen=True, tag="placed"):
    """One of your own pieces stands on this square. To its player alone."""

    piece: str
    square: str


class PlacedAllEvent(EventMessage, frozen=True, tag="placed-all"):
    """All of your pieces are placed: four rows of ten, by ascending y. To their player alone."""

    rows: list[str]


class ReadyEvent(EventMessage, frozen=True, tag="ready"):
    """A seat has placed all its pieces."""

    seat: int


class PlayingEvent(EventMessage, frozen=True, tag="playing"):
    """Both are ready. `next` is the seat that moves first."""

    next: int | None


class BoardEvent(EventMessage, frozen=True, tag="board"):
    """The board after the event before, as its receiver may see it. To one player alone."""

    squares: str


class MovedEvent(EventMessage, frozen=True, tag="moved"):
    """A piece moved to an empty square. `next` is `null` when the match is over."""

    seat: int
    start: str = field(name="from")
    end: str = field(name="to")
    next: int | None = None


class FoughtEvent(EventMessage, frozen=True, tag="fought"):
    """
    A piece attacked another one. Both kinds are shown; the survivor is hidden again in the boards that follow.

    `winner` is `attacker`, `defender`, or `null` when both are gone.
    """

    seat: int
    attacker: str
    defender: str
    winner: str | None
    start: str = field(name="from")
    end: str = field(name="to")
    next: int | None = None


class PlaceAction(ActionMessage, frozen=True, tag="place"):
    """Put one piece on a square."""

    piece: str
    square: str


class PlaceAllAction(ActionMessage, frozen=True, tag="place-all"):
    """Put all pieces: four rows of ten, by ascending y."""

    rows: list[str]


class ReadyAction(ActionMessage, frozen=True, tag="ready"):
    """You have placed all pieces, and are ready to play."""


class MoveAction(ActionMessage, frozen=True, tag="move"):
    """Move a piece, or attack with it."""

    start: str = field(name="from")
    end: str = field(name="to")


_SURVIVORS: Mapping[str | None, Survivor] = {"attacker": "attacker", "defender": "defender", None: "tie"}


def _seat(number: int | None) -> Seat | None:
    return None if number is None else Seat(number)


def _place(square: str) -> tuple[int, int]:
    number = SQUARE_NAMED[square]
    return number % WIDTH, number // WIDTH


def is_move(told: Sequence[EventMessage]) -> bool:
    """Whether an entry is a move, and no part of a set-up (see `gamehost.games.play.is_move`)."""
    return any(isinstance(one, MovedEvent | FoughtEvent) for one in told)


class StrategoMessages:
    view_type = View
    action_type = PlaceAction | PlaceAllAction | ReadyAction | MoveAction
    rules: Mapping[str, Any] = {}
    event_type = (
        OpenedEvent | PlacedEvent | PlacedAllEvent | ReadyEvent | PlayingEvent | BoardEvent | MovedEvent | FoughtEvent
    )

    def view(self, situation: Situation) -> View:
        return View(situation.phase.value, situation.squares, situation.ready, situation.turn)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        """A situation from its message. The borders that a piece has crossed are not known."""
        return Situation(seat, Phase(view.phase), view.squares, view.ready, _seat(view.turn), None)

    def read_event(self, event: Any) -> Event | None:
        match event:
            case OpenedEvent():
                return Opened()
            case PlacedEvent(piece, square):
                return Placed(piece, *_place(square))
            case PlacedAllEvent(rows):
                return PlacedAll(tuple(rows))
            case ReadyEvent(seat):
                return ReadySet(Seat(seat))
            case PlayingEvent(following):
                return Playing(Seat(following or 0), _seat(following))
            case BoardEvent(squares):
                return Board(squares)
            case MovedEvent(seat, start, end, following):
                return Moved(Seat(seat), Move(*_place(start), *_place(end)), _seat(following))
            case FoughtEvent(seat, attacker, defender, winner, start, end, following):
                move, survivor = Move(*_place(start), *_place(end)), _SURVIVORS[winner]
                return Fought(Seat(seat), move, attacker, defender, survivor, _seat(following))
        return None

    def action(self, action: Action) -> ActionMessage:
        match action:
            case Move(x, y, to_x, to_y):
                return MoveAction(square_name(x, y), square_name(to_x, to_y))
            case Place(piece, x, y):
                return PlaceAction(piece, square_name(x, y))
            case PlaceRows(rows):
                return PlaceAllAction(list(rows))
            case Ready():
                return ReadyAction()

    def event(self, event: Any) -> EventMessage | None:
        """An event as a message; `None` for a situation and for the end, because all games have other messages for them."""
        match event:
            case Opened():
                return OpenedEvent()
            case Placed(piece, x, y):
                return PlacedEvent(piece, square_name(x, y))
            case PlacedAll(rows):
                return PlacedAllEvent(list(rows))
            case ReadySet(seat):
                return ReadyEvent(seat)
            case Playing():
                return PlayingEvent(event.next)
            case Board(squares):
                return BoardEvent(squares)
            case Moved(seat, move):
                start, end = square_name(move.x, move.y), square_name(move.to_x, move.to_y)
                return MovedEvent(seat, start, end, event.next)
            case Fought(seat, move):
                start, end = square_name(move.x, move.y), square_name(move.to_x, move.to_y)
                winner = None if event.winner == "tie" else event.winner
                return FoughtEvent(seat, event.attacker, event.defender, winner, start, end, event.next)
        return None


MESSAGES = StrategoMessages()
