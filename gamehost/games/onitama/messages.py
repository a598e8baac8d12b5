"""
The messages of Onitama for other programs. Squares are named `a1` to `e5`. A board is 25 characters, in the order `a1`,
`b1`, ... `e5`. `K` and `P` are White's master and pupils, `k` and `p` Black's, and `.` is an empty square. Seat 0 is
White.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from gamehost.games.base import Seat
from gamehost.games.messages import TAKEN_BACK, ActionMessage, EventMessage
from gamehost.games.onitama.master import Action, Dealt, Event, Exchanged, Moved, Situation, TakenBack
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, VECTORS, Card, Move, Position, card_named

Hands = tuple[list[str], list[str]]


class View(Struct, frozen=True):
    """
    The state of the match. `hands` are the cards of seat 0 and of seat 1, `spare` is the fifth card, and `turn` is the
    seat that moves next.
    """

    board: str
    hands: Hands
    spare: str
    turn: int


class DealtEvent(EventMessage, frozen=True, tag="dealt"):
    """Event: the match begins with these cards. Seat 0 moves first."""

    hands: Hands
    spare: str


class MovedEvent(EventMessage, frozen=True, tag="moved"):
    """
    Event: a seat has played a card and moved a piece. The played card is the new spare card, and the old spare card is
    now in the seat's hand.
    """

    seat: int
    card: str
    start: str = field(name="from")
    end: str = field(name="to")


class ExchangedEvent(EventMessage, frozen=True, tag="exchanged"):
    """
    Event: a seat could not move. It has given the card `old` and taken the card `new` from the pack. If `new` was the
    spare card, `old` is the spare card now.
    """

    seat: int
    old: str
    new: str


class TakenBackEvent(EventMessage, frozen=True, tag=TAKEN_BACK):
    """
    Event: a seat has taken its last move back, as agreed. `moves` is the number of undone moves, and `view` is the
    state now.
    """

    seat: int
    moves: int
    view: View


class MoveAction(ActionMessage, frozen=True, tag="move"):
    """Action: play a card to move a piece."""

    card: str
    start: str = field(name="from")
    end: str = field(name="to")


class ExchangeAction(ActionMessage, frozen=True, tag="exchange"):
    """Action: give a card and get another one, because no move is possible."""

    card: str


def _hands(position: Position) -> Hands:
    white, black = position.hands
    return sorted(white), sorted(black)


def _view(position: Position) -> View:
    return View(position.board, _hands(position), position.spare, position.turn)


def _card(name: str) -> Card:
    """
    Returns the card with this name.

    :raises ValueError: no card of this version has the name
    """
    card = card_named(name)
    if card is None:
        raise ValueError("a card that this version does not know")
    return card


def _position(hands: Sequence[Sequence[str]], spare: str, *more: Any) -> Position:
    """
    Makes a position from the names of cards.

    :param more: the other arguments of `Position`: the board and the seat to move
    """
    (first, second), (third, fourth) = (map(_card, hand) for hand in hands)
    return Position(((first, second), (third, fourth)), _card(spare), *more)


class OnitamaMessages:
    """Translates between the values of Onitama and its messages. See `gamehost.games.messages.Messages`."""

    view_type = View
    event_type = DealtEvent | MovedEvent | ExchangedEvent | TakenBackEvent
    action_type = MoveAction | ExchangeAction
    rules: Mapping[str, Any] = {"cards": VECTORS}

    def view(self, situation: Situation) -> View:
        return _view(situation.position)

    def read_view(self, view: View, seat: Seat | None) -> Situation:
        return Situation(_position(view.hands, view.spare, view.board, view.turn))

    def read_event(self, event: Any) -> Event | None:
        """Translates a message back to an event; `None`: the message is not an event of the game."""
        match event:
            case DealtEvent(hands, spare):
                return Dealt(_position(hands, spare))
            case MovedEvent(seat, card, start, end):
                return Moved(Seat(seat), Move(_card(card), SQUARE_NAMED[start], SQUARE_NAMED[end]))
            case ExchangedEvent(seat, old, new):
                return Exchanged(Seat(seat), _card(old), _card(new))
            case TakenBackEvent(seat, moves, view):
                return TakenBack(Seat(seat), moves, self.read_view(view, None).position)
        # The message is none of these events.
        return None

    def action(self, action: Action) -> ActionMessage:
        if isinstance(action, Move):
            return MoveAction(action.card, SQUARES[action.start], SQUARES[action.end])
        return ExchangeAction(action.card)

    def event(self, event: Any) -> EventMessage | None:
        """Translates an event to a message; `None` for a view, which is sent as a `View`."""
        match event:
            case Dealt(position):
                return DealtEvent(_hands(position), position.spare)
            case Moved(seat, move):
                return MovedEvent(seat, move.card, SQUARES[move.start], SQUARES[move.end])
            case Exchanged(seat, old, new):
                return ExchangedEvent(seat, old, new)
            case TakenBack(seat, moves, position):
                return TakenBackEvent(seat, moves, _view(position))
        # A situation is sent as a view.
        return None


MESSAGES = OnitamaMessages()
