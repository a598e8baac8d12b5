"""
The view after an event, for programs that hear the events of a match. It applies no rules: the host has done so.

To follow everything would take the rules. `request` and `won` follow the events. `board` is the last one that was told; it may
lack an assistant or a character that was played since. `turn`, `statuses` and `teams` are as in the last view that the host has
shown.
"""

from typing import Any, get_args

from msgspec.structs import replace

from gamehost.games.eriantys.messages import (
    BoardEvent,
    EndOfTurnEvent,
    Request,
    StartedEvent,
    SuccessEvent,
    View,
    WonEvent,
)

_REQUESTS = get_args(Request)


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """The view after an event of the same match: see `gamehost.client.views.followed`."""
    match view, event:
        case _, StartedEvent(seats, expert):
            return View(seats, expert, None, None, [], {})
        case View(), BoardEvent(board):
            return replace(view, board=board)
        case View(), SuccessEvent() | EndOfTurnEvent():
            return replace(view, request=None)
        case View(), WonEvent():
            return replace(view, request=None, won=event)
        case View(), _ if isinstance(event, _REQUESTS):
            return replace(view, request=event)
    return view
