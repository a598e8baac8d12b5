"""
The view after an event, for programs that hear the events of a match. It applies no rules: the host has done so.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gamehost.games.stratego.actions import square_name
from gamehost.games.stratego.events import Phase
from gamehost.games.stratego.face import (
    BoardEvent,
    FoughtEvent,
    MovedEvent,
    OpenedEvent,
    PlacedAllEvent,
    PlacedEvent,
    PlayingEvent,
    ReadyEvent,
    View,
)
from gamehost.games.stratego.position import BARE, WIDTH
from gamehost.games.stratego.setup import HOME

#: The number of each square by its name.
SQUARE_NAMED: Mapping[str, int] = {square_name(x, y): y * WIDTH + x for y in range(WIDTH) for x in range(WIDTH)}
#: How a watcher sees the pieces of each side.
SIDES = "rb"


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """The view after an event of the same match: see `gamehost.client.views.followed`."""
    match view, event:
        case _, OpenedEvent():
            return View(Phase.SETUP.value, BARE.decode("ascii"), (False, False), None)
        case View(), MovedEvent() | FoughtEvent():
            return replace(view, squares=_moved(view.squares, event), turn=event.next)
        case View(), _:
            return _set_up(view, event, seat)
    return view


def _moved(squares: str, event: MovedEvent | FoughtEvent) -> str:
    board = list(squares)
    start, end = SQUARE_NAMED[event.start], SQUARE_NAMED[event.end]
    winner = event.winner if isinstance(event, FoughtEvent) else "attacker"
    if winner != "defender":
        board[end] = "." if winner is None else board[start]
    board[start] = "."
    return "".join(board)


def _set_up(view: View, event: Struct, seat: int | None) -> View:
    match event:
        case PlacedEvent(piece, square):
            return replace(view, squares=_with(view.squares, SQUARE_NAMED[square], piece))
        case PlacedAllEvent(rows) if seat is not None:
            return replace(view, squares=_with(view.squares, HOME[seat] * WIDTH, "".join(rows)))
        case ReadyEvent(ready):
            return replace(view, ready=(view.ready[0] or ready == 0, view.ready[1] or ready == 1))
        case PlayingEvent():
            squares = view.squares
            for side, piece in enumerate(SIDES) if seat is None else ():
                squares = _with(squares, HOME[side] * WIDTH, piece * 4 * WIDTH)
            return replace(view, phase=Phase.PLAY.value, squares=squares, ready=(True, True), turn=event.next)
        case BoardEvent(squares):
            return replace(view, squares=squares)
    return view


def _with(squares: str, at: int, pieces: str) -> str:
    return squares[:at] + pieces + squares[at + len(pieces) :]
