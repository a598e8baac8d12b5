"""
Translates the game's events and requests into messages of the wire. No function here has a state of its own.

The messages number islands as the events do. Clouds and seats keep their order, and seats become nicknames. Most parts of a
board are the same as on the board before. So counts of students are made once and cached, and school boards and islands
are made again only if they have changed.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from msgspec import UNSET, Raw
from msgspec.json import decode, encode
from msgspec.structs import astuple

from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.messages import JsonSpelling
from gamehost.games.eriantys.rules import Island, School, Students
from gamehost.wires.eriantys import messages as m

T = TypeVar("T")
Names = Sequence[str]

_heap: Callable[[Students], m.Students] = lru_cache(4096)(lambda heap: m.Students(*heap))

#: Translates the values of the game to the words of this wire, and back.
SPELLING = JsonSpelling(
    m.Color,
    m.Tower,
    (
        *(m.ChosenTower, m.ChosenWizard, m.PlayAssistant, m.ChosenStudent),
        *(m.ChosenDestination, m.ChosenSteps, m.ChosenCloud, m.UseCharacterEffect),
    ),
    player=m.Player,
    island=m.Island,
    character=m.Character,
    heap=_heap,
    counts=astuple,
)


#: An empty board and its message. They stand for the board before the first board of a table.
_NO_BOARD: Any = (
    e.Board(
        False,
        0,
        (),
        islands=(),
        clouds=(),
        mother_nature=0,
        professors=(),
        bag=0,
        cards=(),
        active_character=None,
        supply=0,
        order=(),
    ),
    m.UpdateBoard(
        (),
        m.Dashboard(
            0, (), (), motherNature=0, professors={}, bag=0, characters=(), activeCharacter=None, coinsSupply=None
        ),
    ),
)


def board_of(
    board: e.Board, names: Names, strict: bool, last: tuple[e.Board, m.UpdateBoard] | None = None
) -> m.UpdateBoard:
    """
    Returns the message with everything visible on the board; in strict mode without the order around the table.

    School boards and islands are in it as encoded JSON. They are most of a board, and few of them change from one board
    to the next.

    :param last: the last board of the table, and its message
    """
    # Without a last board, everything is made anew.
    before, told = last or _NO_BOARD
    # A school board shows its professors, so all school boards are made again when a professor has moved.
    # If a value is the same object as on the last board, its part of the message is used again.
    if board.professors is before.professors:
        schools, players, professors = before.schools, told.players, told.dashboard.professors
    else:
        # No old school board can be used.
        schools, players = (), ()
        holders = (None if holder is None else names[holder] for holder in board.professors)
        professors = dict(zip(SPELLING.colours, holders, strict=True))

    def player(seat: int, school: School) -> Any:
        return Raw(encode(SPELLING.school(seat, school, board, names[seat])))

    dashboard = SPELLING.table(
        m.Dashboard, board, professors, _pieces(board.islands, _island, before.islands, told.dashboard.islands)
    )
    order = UNSET if strict else tuple(names[seat] for seat in board.order)
    return m.UpdateBoard(_pieces(board.schools, player, schools, players), dashboard, order)


def as_read(board: m.UpdateBoard) -> m.UpdateBoard:
    """Returns a board of `board_of` as a client reads it: the parts that are encoded JSON are decoded."""
    return decode(encode(board), type=m.UpdateBoard)


def _island(place: int, island: Island) -> Any:
    return Raw(encode(SPELLING.island(place + 1, island)))


def _pieces(things: Sequence[T], make: Callable[[int, T], Any], before: Sequence[T], made: Sequence[Any]) -> Any:
    """
    Returns the encoded piece of each of these values. If a value is the same object as before, its old piece is used
    again.

    :param things: the values on this board
    :param make: makes the piece of a value at this place
    :param before: the values on the last board
    :param made: the pieces on the last board
    """
    # Nothing has changed at all.
    if things is before:
        return made
    # Islands were joined, or there is no last board: the places do not match.
    if len(things) != len(before):
        return tuple(make(place, thing) for place, thing in enumerate(things))
    return tuple(
        [
            piece if thing is old else make(place, thing)
            for place, (thing, old, piece) in enumerate(zip(things, before, made, strict=True))
        ]
    )


def owner_of(event: e.IslandOwner, names: Names) -> m.IslandOwner:
    """Returns the message about the owner of an island after influence was counted."""
    island = SPELLING.island(event.number, event.island)
    return m.IslandOwner(island, "" if event.owner is None else names[event.owner])


def winner_of(event: e.Won, names: Names, strict: bool) -> m.CommunicateWinner:
    """Returns the message about the end of the match; in strict mode without the list of all winners."""
    return m.CommunicateWinner(
        team=SPELLING.tower(event.team),
        nickname="" if event.seat is None else names[event.seat],
        winReason=f"{event.why[:1].upper()}{event.why[1:]}.",
        nicknames=UNSET if strict else tuple(names[seat] for seat in event.seats),
    )


def _towers(ask: e.AskTower, names: Names, strict: bool) -> m.ServerMessage:
    teams = (tuple(names[seat] for seat in team) for team in ask.teams)
    return m.AvailableTowers(SPELLING.by_tower(ask.left), SPELLING.by_tower(teams))


def _assistants(ask: e.AskAssistant, names: Names, strict: bool) -> m.ServerMessage:
    return m.AvailableAssistants(ask.hand, {names[seat]: assistant for seat, assistant in ask.played})


_REQUESTS: Mapping[type, Callable[[Any, Names, bool], m.ServerMessage]] = {
    e.AskTower: _towers,
    e.AskWizard: lambda ask, names, strict: m.AvailableWizards(ask.wizards),
    e.AskAssistant: _assistants,
    e.AskStudent: lambda ask, names, strict: m.MovableStudents(SPELLING.one_by_one(ask.students)),
    e.AskDestination: lambda ask, names, strict: m.WhereToMove(UNSET if strict else ask.islands),
    e.AskSteps: lambda ask, names, strict: m.MotherNatureSteps(ask.most),
    e.AskCloud: lambda ask, names, strict: m.SelectCloud(UNSET if strict else ask.clouds),
    e.AskCardStudent: lambda ask, names, strict: m.MovableStudentsChar(SPELLING.one_by_one(ask.students)),
    e.AskColour: lambda ask, names, strict: m.SelectColor(),
}


def request_of(ask: e.Ask, names: Names, strict: bool) -> m.ServerMessage:
    """Returns the message of a request; in strict mode without keys that are not in the document."""
    return _REQUESTS[type(ask)](ask, names, strict)
