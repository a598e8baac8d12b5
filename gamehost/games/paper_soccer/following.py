"""
The view after an event, for programs that hear the events of a match. It applies no rules: the host has done so.
"""

from typing import Any

from msgspec.structs import replace

from gamehost.games.paper_soccer.face import EndedEvent, KickoffEvent, MovedEvent, View


def followed(view: Any, event: Any, seat: int | None) -> Any:
    """The view after an event of the same match: see `gamehost.client.views.followed`."""
    match view, event:
        case _, KickoffEvent(first):
            return View(first, [], first)
        case View(), MovedEvent(_, points, following):
            return replace(view, moves=[*view.moves, points], next=following)
        case View(), EndedEvent(points):
            return replace(view, moves=[*view.moves, points] if points else view.moves, next=None)
    return view
