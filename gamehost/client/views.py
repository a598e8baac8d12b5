"""
The events and views of each game as structs, and views that follow the events. Pure.

The structs are those of the game's face: `gamehost.games.<game>.face`. A view shows what its seat may know, as the host would
show it now. A view holds no rules: positions in `gamehost.games` know which moves are legal.

Eriantys is an exception, because following it would take its rules. `request` and `won` follow the events. `board` is the last
one that was told; it may lack an assistant or a character that was played since. `turn`, `statuses` and `teams` are as in the
last view that the host has shown.
"""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from gamehost.games.eriantys import face as eriantys_face
from gamehost.games.eriantys import messages as eriantys
from gamehost.games.face import Face
from gamehost.games.onitama import face as onitama
from gamehost.games.onitama.cards import SQUARES
from gamehost.games.onitama.position import START
from gamehost.games.paper_soccer import face as paper_soccer
from gamehost.games.stratego import face as stratego
from gamehost.games.stratego.actions import square_name
from gamehost.games.stratego.events import Phase
from gamehost.games.stratego.position import BARE
from gamehost.games.stratego.setup import HOME

#: The games whose events and views are known here, by name.
FACES: Mapping[str, Face] = {
    "onitama": onitama.FACE,
    "stratego": stratego.FACE,
    "paper-soccer": paper_soccer.FACE,
    "eriantys": eriantys_face.FACE,
}

_WIDTH = 10
_STRATEGO_SQUARES: Mapping[str, int] = {square_name(x, y): y * _WIDTH + x for y in range(_WIDTH) for x in range(_WIDTH)}
_ONITAMA_SQUARES: Mapping[str, int] = {name: number for number, name in enumerate(SQUARES)}
#: How a watcher sees the pieces of each side.
_SIDES = "rb"
_REQUESTS = get_args(eriantys.Request)


def read_event(game: str, event: Any) -> Any:
    """
    An event as a struct of the game's face.

    :param event: as it was read from JSON
    :return: the same value if the game or the event is not known here, as of a later host
    """
    face = FACES.get(game)
    return event if face is None else _converted(event, face.event_type)


def read_view(game: str, view: Any) -> Any:
    """A view as a struct of the game's face; otherwise as `read_event`."""
    face = FACES.get(game)
    return view if face is None else _converted(view, face.view_type)


def _converted(value: Any, kind: Any) -> Any:
    try:
        return convert(value, kind)
    except ValidationError:
        return value


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """
    The view after an event of the same match.

    :param view: the view before it; `None`: none is known yet
    :param event: as `read_event` gives it
    :param seat: whose view it is; `None`: a watcher's
    :return: the view before it if the event changes nothing; `None` while too little is known
    """
    match view, event:
        case _, onitama.DealtEvent(hands, spare):
            return onitama.View(START, hands, spare, 0)
        case onitama.View(), onitama.MovedEvent() | onitama.ExchangedEvent():
            return _onitama(view, event)
        case _, paper_soccer.KickoffEvent(first):
            return paper_soccer.View(first, [], first)
        case paper_soccer.View(), paper_soccer.MovedEvent(_, points, following):
            return replace(view, moves=[*view.moves, points], next=following)
        case paper_soccer.View(), paper_soccer.EndedEvent(points):
            return replace(view, moves=[*view.moves, points] if points else view.moves, next=None)
        case _, stratego.OpenedEvent():
            return stratego.View(Phase.SETUP.value, BARE.decode("ascii"), (False, False), None)
        case stratego.View(), stratego.MovedEvent() | stratego.FoughtEvent():
            return replace(view, squares=_stratego_moved(view.squares, event), turn=event.next)
        case stratego.View(), _:
            return _stratego_set_up(view, event, seat)
        case _, eriantys.StartedEvent(seats, expert):
            return eriantys.View(seats, expert, None, None, [], {})
        case eriantys.View(), _:
            return _eriantys(view, event)
    return view


def _onitama(view: onitama.View, event: onitama.MovedEvent | onitama.ExchangedEvent) -> onitama.View:
    board, spare = view.board, view.spare
    if isinstance(event, onitama.MovedEvent):
        start, end = _ONITAMA_SQUARES[event.start], _ONITAMA_SQUARES[event.end]
        squares = list(board)
        squares[end], squares[start] = squares[start], "."
        board, old, new, spare = "".join(squares), event.card, spare, event.card
    else:
        old, new = event.old, event.new
    white, black = (
        sorted(new if card == old else card for card in hand) if seat == event.seat else hand
        for seat, hand in enumerate(view.hands)
    )
    return onitama.View(board, (white, black), spare, 1 - event.seat)


def _stratego_moved(squares: str, event: stratego.MovedEvent | stratego.FoughtEvent) -> str:
    board = list(squares)
    start, end = _STRATEGO_SQUARES[event.start], _STRATEGO_SQUARES[event.end]
    winner = event.winner if isinstance(event, stratego.FoughtEvent) else "attacker"
    if winner != "defender":
        board[end] = "." if winner is None else board[start]
    board[start] = "."
    return "".join(board)


def _stratego_set_up(view: stratego.View, event: Struct, seat: int | None) -> stratego.View:
    match event:
        case stratego.PlacedEvent(piece, square):
            return replace(view, squares=_with(view.squares, _STRATEGO_SQUARES[square], piece))
        case stratego.PlacedAllEvent(rows) if seat is not None:
            return replace(view, squares=_with(view.squares, HOME[seat] * _WIDTH, "".join(rows)))
        case stratego.ReadyEvent(ready):
            return replace(view, ready=(view.ready[0] or ready == 0, view.ready[1] or ready == 1))
        case stratego.PlayingEvent():
            squares = view.squares
            for side, piece in enumerate(_SIDES) if seat is None else ():
                squares = _with(squares, HOME[side] * _WIDTH, piece * 4 * _WIDTH)
            return replace(view, phase=Phase.PLAY.value, squares=squares, ready=(True, True), turn=event.next)
        case stratego.BoardEvent(squares):
            return replace(view, squares=squares)
    return view


def _eriantys(view: eriantys.View, event: Any) -> eriantys.View:
    match event:
        case eriantys.BoardEvent(board):
            return replace(view, board=board)
        case eriantys.SuccessEvent() | eriantys.EndOfTurnEvent():
            return replace(view, request=None)
        case eriantys.WonEvent():
            return replace(view, request=None, won=event)
    return replace(view, request=event) if isinstance(event, _REQUESTS) else view


def _with(squares: str, at: int, pieces: str) -> str:
    return squares[:at] + pieces + squares[at + len(pieces) :]
