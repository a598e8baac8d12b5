"""
The picture of a match, made from its record.

A record is carried out once more. While a match goes on, the picture shows what the one who asks may know. Everything is shown
when it is over.
"""

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from gamehost.games.base import Cause, Game, Seat, To
from gamehost.games.drawing import Scene, Turn
from gamehost.games.play import has_picture, picture_of
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableRecord
from gamehost.journal.replay import NotFollowed, replayed


class NoPicture(ValueError):
    """A match cannot be drawn. The message says why."""


def picture(
    game: Game[Any, Any],
    record: TableRecord,
    *,
    names: Sequence[str] | None = None,
    date: str = "",
    seat: Seat | None = None,
    until: int | None = None,
    moves: bool = True,
    reveal: bool = True,
) -> str:
    """
    A match as an SVG document.

    :param names: of the players; by default those of the record
    :param date: of the match, for people
    :param seat: whose knowledge is shown while the match goes on; `None`: a watcher's
    :param until: the number of the last entry that counts; `None`: all of them
    :param moves: whether all moves are listed
    :param reveal: whether everything is shown when the match is over
    :raises NoPicture: the game has no pictures, the match has not begun, or its record does not fit the rules
    """
    if not has_picture(game):
        raise NoPicture("the game has no pictures")
    scene = _scene(game, record.opening, record.entries[:until], seat, reveal)
    return picture_of(
        game,
        evolve(
            scene,
            names=scene.names if names is None else names,
            source=", ".join(filter(None, (f"table {record.table}", date))),
            moves=moves,
        ),
    )


def _scene(
    game: Game[Any, Any], opening: TableHeader, entries: Sequence[Entry], seat: Seat | None, reveal: bool
) -> Scene:
    """What a picture is made from."""
    if not entries:
        raise NoPicture("the match has not begun")
    if seat is not None and not 0 <= seat < len(opening.seats):
        raise NoPicture(f"there is no seat {seat}; expected 0 to {len(opening.seats) - 1}")
    turns: list[Turn] = []

    def note(number: int, told: Sequence[To[Any]]) -> None:
        heard = tuple(to.event for to in told if to.audience is None or seat in to.audience)
        turns.append(Turn(entries[number - 1].seat, heard))

    try:
        master = replayed(game, opening, entries, note)
    except NotFollowed as error:
        raise NoPicture(f"its record does not fit the rules: {error}") from error
    result, last = master.result, entries[-1]
    return Scene(
        names=[one.name for one in opening.seats],
        view=master.view(seat),
        seat=seat,
        views=[master.view(Seat(number)) for number in range(len(opening.seats))] if reveal and result else (),
        turns=turns,
        result=result,
        foul=_foul(game, last) if result is not None and result.cause is Cause.VIOLATION else None,
        standstill="The match was put away unfinished" if last.kind is EntryKind.ARCHIVED else "",
    )


def _foul(game: Game[Any, Any], entry: Entry) -> Any:
    return game.read(entry.notation) if entry.kind is EntryKind.ACTED else None
