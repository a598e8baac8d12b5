"""
The view after an event, for programs that hear the events of a match. It applies no rules: the host has done so.
"""

from typing import Any

from gamehost.games.onitama.cards import SQUARES
from gamehost.games.onitama.face import DealtEvent, ExchangedEvent, MovedEvent, View
from gamehost.games.onitama.position import START


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """The view after an event of the same match: see `gamehost.client.views.followed`."""
    match view, event:
        case _, DealtEvent(hands, spare):
            return View(START, hands, spare, 0)
        case View(), MovedEvent() | ExchangedEvent():
            return _moved(view, event)
    return view


def _moved(view: View, event: MovedEvent | ExchangedEvent) -> View:
    board, spare = view.board, view.spare
    if isinstance(event, MovedEvent):
        start, end = SQUARES.index(event.start), SQUARES.index(event.end)
        squares = list(board)
        squares[end], squares[start] = squares[start], "."
        board, old, new, spare = "".join(squares), event.card, spare, event.card
    else:
        old, new = event.old, event.new
        spare = old if new == spare else spare
    white, black = (
        sorted(new if card == old else card for card in hand) if seat == event.seat else hand
        for seat, hand in enumerate(view.hands)
    )
    return View(board, (white, black), spare, 1 - event.seat)
