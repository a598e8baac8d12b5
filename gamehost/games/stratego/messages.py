"""
The messages of Stratego for other programs. Squares are named `A1` to `J10`: a letter for x, then y + 1.

A board is 100 characters, in the order `A1`, `B1`, ... `J10`. A piece of the receiver is the id of its kind, `#` is an
enemy's piece, `.` an empty square, and `~` a lake. On a watcher's board, `r` and `b` are the pieces of seats 0 and 1.
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
    """
    The state of the match, as a seat or a watcher may see it. `turn` is the seat to move; it is `null` before the play
    begins, and after its end.
    """

    phase: str
    squares: str
    ready: tuple[bool, bool]
    turn: int | None


class OpenedEvent(EventMessage, frozen=True, tag="opened"):
    """Event: the match begins. Both players place their pieces."""


class PlacedEvent(EventMessage, frozen=True, tag="placed"):
    """Event: you have placed one of your pieces on this square. Only the player of this piece receives it."""

    piece: str
    square: str


class PlacedAllEvent(EventMessage, frozen=True, tag="placed-all"):
    """
    Event: you have placed all your pieces: four rows of ten, by ascending y. Only the player of these pieces receives
    it.
    """

    rows: list[str]


class ReadyEvent(EventMessage, frozen=True, tag="ready"):
    """Event: a seat has placed all its pieces, and is ready to play."""

    seat: int


class PlayingEvent(EventMessage, frozen=True, tag="playing"):
    """Event: both seats are ready. `next` is the seat that moves first."""

    next: int | None


class BoardEvent(EventMessage, frozen=True, tag="board"):
    """
    Event: the board after the event before, as the receiver may see it. Each player receives a board of their own.
    """

    squares: str


class MovedEvent(EventMessage, frozen=True, tag="moved"):
    """Event: a piece has moved to an empty square. `next` is the seat to move; it is `null` if the match is over."""

    seat: int
    start: str = field(name="from")
    end: str = field(name="to")
    next: int | None = None


class FoughtEvent(EventMessage, frozen=True, tag="fought"):
    """
    Event: a piece has attacked another one. `attacker` and `defender` are the kinds of both pieces. The surviving piece
    is hidden again in the boards that follow.

    `winner` is `attacker`, `defender`, or `null` if both pieces are removed.
    """

    seat: int
    attacker: str
    defender: str
    winner: str | None
    start: str = field(name="from")
    end: str = field(name="to")
    next: int | None = None


class PlaceAction(ActionMessage, frozen=True, tag="place"):
    """Action: place one piece on a square."""

    piece: str
    square: str


class PlaceAllAction(ActionMessage, frozen=True, tag="place-all"):
    """Action: place all pieces at once: four rows of ten, by ascending y."""

    rows: list[str]


class ReadyAction(ActionMessage, frozen=True, tag="ready"):
    """Action: say that you have placed all your pieces, and are ready to play."""


class MoveAction(ActionMessage, frozen=True, tag="move"):
    """Action: move a piece, or attack with it."""

    start: str = field(name="from")
    end: str = field(name="to")


_SURVIVORS: Mapping[str | None, Survivor] = {"attacker": "attacker", "defender": "defender", None: "tie"}


def _seat(number: int | None) -> Seat | None:
    return None if number is None else Seat(number)


def _place(square: str) -> tuple[int, int]:
    """Returns x and y of a square, each from 0."""
    number = SQUARE_NAMED[square]
    return number % WIDTH, number // WIDTH


def is_move(told: Sequence[EventMessage]) -> bool:
    """Whether an entry of the journal is a move, not a part of the set-up (see `gamehost.games.play.is_move`)."""
    return any(isinstance(one, MovedEvent | FoughtEvent) for one in told)


class StrategoMessages:
    """Translates between the values of Stratego and its messages. See `gamehost.games.messages.Messages`."""

    view_type = View
    action_type = PlaceAction | PlaceAllAction | ReadyAction | MoveAction
    rules: Mapping[str, Any] = {}
    event_type = (
        OpenedEvent | PlacedEvent | PlacedAllEvent | ReadyEvent | PlayingEvent | BoardEvent | MovedEvent | FoughtEvent
    )

    def view(self, situation: Situation) -> View:
        return View(situation.phase.value, situation.squares, situation.ready, situation.turn)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        """
        Translates a message back to a situation. The lines that each piece has crossed lately (for the two-squares
        rule) are missing.
        """
        return Situation(seat, Phase(view.phase), view.squares, view.ready, _seat(view.turn), None)

    def read_event(self, event: Any) -> Event | None:
        """Translates a message back to an event; `None`: the message is not an event of the game."""
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
                # `None`: there is no legal first move. The first seat would have moved.
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
        """Translates an action to a message. Squares are written by their names."""
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
        """
        Translates an event to a message; `None` for a situation and for the end of the match, because other messages of
        the wire contain these for all games.
        """
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
