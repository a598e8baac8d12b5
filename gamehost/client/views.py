"""
The events and views of each game as structs, and views that follow the events. Pure.

The structs are those of the game's face: `gamehost.games.<game>.face`. A view shows what its seat may know, as the host would
show it now. A view holds no rules: positions in `gamehost.games` know which moves are legal.

Eriantys is an exception, because following it would take its rules: see `gamehost.games.eriantys.following`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import ValidationError, convert

from gamehost.games.eriantys import face as eriantys
from gamehost.games.eriantys import following as eriantys_following
from gamehost.games.face import Face
from gamehost.games.onitama import face as onitama
from gamehost.games.onitama import following as onitama_following
from gamehost.games.paper_soccer import face as paper_soccer
from gamehost.games.paper_soccer import following as paper_soccer_following
from gamehost.games.stratego import face as stratego
from gamehost.games.stratego import following as stratego_following

#: The games whose events and views are known here, by name.
FACES: Mapping[str, Face] = {
    "onitama": onitama.FACE,
    "stratego": stratego.FACE,
    "paper-soccer": paper_soccer.FACE,
    "eriantys": eriantys.FACE,
}

#: What follows the events of each game. Each leaves a view as it is when the event is another game's.
_FOLLOWED: Sequence[Callable[[Any, Any, int | None], Any]] = (
    onitama_following.followed,
    stratego_following.followed,
    paper_soccer_following.followed,
    eriantys_following.followed,
)


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


def read_action(game: str, parts: Any) -> Any:
    """An action in parts as a struct of the game's face; otherwise as `read_event`."""
    face = FACES.get(game)
    return parts if face is None else _converted(parts, face.action_type)


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
    for follow in _FOLLOWED:
        view = follow(view, event, seat)
    return view
