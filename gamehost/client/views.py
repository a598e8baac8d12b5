"""
The events and views of each game as structs, and views that follow the events. Pure.

The structs are those of the game's face: `gamehost.games.<game>.face`. A view shows what its seat may know, as the host would
show it now. A view holds no rules: positions in `gamehost.games` know which moves are legal.

Messages say less than a game's own views, so two things are as in the last view that the host has shown: in Eriantys `turn` and
`statuses`.
"""

from collections.abc import Mapping
from typing import Any, get_args

from msgspec import ValidationError, convert

from gamehost.games.base import Game, Seat
from gamehost.games.eriantys import face as eriantys
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.face import Face
from gamehost.games.onitama import face as onitama
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.paper_soccer import face as paper_soccer
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.paper_soccer.position import Foul
from gamehost.games.stratego import face as stratego
from gamehost.games.stratego.game import STRATEGO

#: The games whose events and views are known here, by name.
FACES: Mapping[str, Face] = {
    "onitama": onitama.FACE,
    "stratego": stratego.FACE,
    "paper-soccer": paper_soccer.FACE,
    "eriantys": eriantys.FACE,
}

#: The same games, which know what an event changes.
GAMES: Mapping[str, Game[Any, Any]] = {
    "onitama": ONITAMA,
    "stratego": STRATEGO,
    "paper-soccer": PAPER_SOCCER,
    "eriantys": ERIANTYS,
}

#: The game of an event, by its struct.
_GAME_OF: Mapping[type, str] = {kind: name for name, face in FACES.items() for kind in get_args(face.event_type)}


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
    :return: the view before it if the event changes nothing, or is of rules that are not known here; `None` while too little
        is known
    """
    name = _GAME_OF.get(type(event))
    if name is None:
        return view
    face, eye = FACES[name], None if seat is None else Seat(seat)
    try:
        before = face.read_view(view, eye) if isinstance(view, face.view_type) else None
        after = GAMES[name].follow(before, face.read_event(event), eye)
        return view if after is before else face.view(after)
    except (LookupError, ValueError, Foul):
        return view
