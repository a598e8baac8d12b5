"""
The events and views of each game as structs, and views that follow the events. Pure.

The structs are those of the game: `gamehost.games.<game>.messages`. A view shows what its seat may know, as the host would
show it now. A view holds no rules: positions in `gamehost.games` know which moves are legal.

Messages say less than a game's own views, so two things are as in the last view that the host has shown: in Eriantys `turn` and
`statuses`.
"""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import ValidationError, convert

from gamehost.games.base import Game, Seat
from gamehost.games.installed import installed
from gamehost.games.messages import Messages
from gamehost.games.paper_soccer.rules import Foul
from gamehost.games.play import messages_of

#: The installed games that have messages, which know what an event changes.
GAMES: Mapping[str, Game[Any, Any]] = {
    name: game for name, game in installed().games.items() if messages_of(game) is not None
}
#: Their messages.
MESSAGES: Mapping[str, Messages] = {
    name: messages for name, game in GAMES.items() if (messages := messages_of(game)) is not None
}

#: The game of an event, by its struct.
_GAME_OF: Mapping[type, str] = {
    kind: name for name, messages in MESSAGES.items() for kind in get_args(messages.event_type)
}


def read_event(game: str, event: Any) -> Any:
    """
    An event as a struct of the game.

    :param event: as it was read from JSON
    :return: the same value if the game or the event is not known here, as of a later host
    """
    messages = MESSAGES.get(game)
    return event if messages is None else _converted(event, messages.event_type)


def read_view(game: str, view: Any) -> Any:
    """A view as a struct of the game; otherwise as `read_event`."""
    messages = MESSAGES.get(game)
    return view if messages is None else _converted(view, messages.view_type)


def read_action(game: str, parts: Any) -> Any:
    """An action in parts as a struct of the game; otherwise as `read_event`."""
    messages = MESSAGES.get(game)
    return parts if messages is None else _converted(parts, messages.action_type)


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
    :return: the view before it if the event changes nothing, or is of rules that are not known here; `None` while too little
        is known
    """
    name = _GAME_OF.get(type(event))
    if name is None:
        return view
    messages, eye = MESSAGES[name], None if seat is None else Seat(seat)
    try:
        before = messages.read_view(view, eye) if isinstance(view, messages.view_type) else None
        after = GAMES[name].follow(before, messages.read_event(event), eye)
        return view if after is before else messages.view(after)
    except (LookupError, ValueError, Foul):
        return view
