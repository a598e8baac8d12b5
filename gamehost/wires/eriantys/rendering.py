"""
Turns the game's events into the wire's values and requests, without any state.

Islands keep the numbers of the event, clouds and seats keep their order, and seats become nicknames. A board shares most of its
parts with the one before, so sets of students and islands are made once and kept in a cache.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import UNSET

from gamehost.games.base import Seat
from gamehost.games.eriantys import rules
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import (
    Ask,
    AskAssistant,
    AskCardStudent,
    AskCloud,
    AskColour,
    AskDestination,
    AskSteps,
    AskStudent,
    AskTower,
    AskWizard,
    Board,
    IslandOwner,
    Won,
)
from gamehost.games.eriantys.rules import Card, School
from gamehost.games.eriantys.rules import Island as Group
from gamehost.wires.eriantys import messages
from gamehost.wires.eriantys.messages import (
    Character,
    Color,
    Dashboard,
    Island,
    Player,
    ServerMessage,
    Students,
    Tower,
    UpdateBoard,
)

#: In the order of the game's own enumerations.
COLORS = tuple(Color[colour.name] for colour in rules.Colour)
TOWERS = tuple(Tower[tower.name] for tower in rules.Tower)

Names = Sequence[str]

heap_of: Callable[[rules.Students], Students] = lru_cache(4096)(lambda heap: Students(*heap))


def tower_of(tower: rules.Tower | None) -> Tower | None:
    """A tower's colour, or `None`."""
    return None if tower is None else TOWERS[tower]


def listed(heap: rules.Students) -> tuple[Color, ...]:
    """The students one by one."""
    return tuple(color for color, count in zip(COLORS, heap, strict=True) for _ in range(count))


@lru_cache(1024)
def island_of(number: int, group: Group) -> Island:
    """A group of islands."""
    return Island(
        number=number,
        members=group.members,
        students=heap_of(group.students),
        tower=tower_of(group.tower),
        towers=group.towers,
        noEntryTiles=group.no_entry_tiles,
    )


def _player(name: str, school: School, professors: Sequence[Seat | None], seat: int, expert: bool) -> Player:
    return Player(
        nickname=name,
        tower=TOWERS[school.tower],
        wizard=school.wizard,
        towersLeft=school.towers,
        towerHolder=school.tower_holder,
        entrance=heap_of(school.entrance),
        diningRoom=heap_of(school.dining),
        professors=tuple(color for color, holder in zip(COLORS, professors, strict=True) if holder == seat),
        coins=school.coins if expert else None,
        assistantsLeft=school.assistants,
        playedAssistant=school.played,
    )


def _character(card: Card) -> Character:
    effect = EFFECTS[card.character]
    return Character(
        character=card.character.value,
        cost=card.cost,
        used=card.used,
        students=heap_of(card.students) if effect.students else None,
        noEntryTiles=card.no_entry_tiles if effect.no_entry_tiles else None,
    )


def board_of(board: Board, names: Names, strict: bool) -> UpdateBoard:
    """Everything visible; in strict mode without the order around the table."""
    players = tuple(
        _player(names[seat], school, board.professors, seat, board.expert) for seat, school in enumerate(board.schools)
    )
    dashboard = Dashboard(
        round=board.round,
        islands=tuple(island_of(number, group) for number, group in enumerate(board.islands, 1)),
        clouds=tuple(map(heap_of, board.clouds)),
        motherNature=board.mother_nature,
        professors={
            color: None if holder is None else names[holder]
            for color, holder in zip(COLORS, board.professors, strict=True)
        },
        bag=board.bag,
        characters=tuple(map(_character, board.cards)),
        activeCharacter=None if board.active_character is None else board.active_character.value,
        coinsSupply=board.supply if board.expert else None,
    )
    return UpdateBoard(players, dashboard, UNSET if strict else tuple(names[seat] for seat in board.order))


def owner_of(event: IslandOwner, names: Names) -> messages.IslandOwner:
    """Who owns the island after the count."""
    island = island_of(event.number, event.island)
    return messages.IslandOwner(island, "" if event.owner is None else names[event.owner])


def winner_of(event: Won, names: Names, strict: bool) -> messages.CommunicateWinner:
    """Who won; in strict mode without the list of all winners."""
    return messages.CommunicateWinner(
        team=tower_of(event.team),
        nickname="" if event.seat is None else names[event.seat],
        winReason=f"{event.why[:1].upper()}{event.why[1:]}.",
        nicknames=UNSET if strict else tuple(names[seat] for seat in event.seats),
    )


def _towers(ask: AskTower, names: Names, strict: bool) -> ServerMessage:
    return messages.AvailableTowers(
        availableTowers=dict(zip(TOWERS, ask.left, strict=False)),
        currentTeams={
            tower: tuple(names[seat] for seat in team) for tower, team in zip(TOWERS, ask.teams, strict=False)
        },
    )


def _assistants(ask: AskAssistant, names: Names, strict: bool) -> ServerMessage:
    return messages.AvailableAssistants(ask.hand, {names[seat]: assistant for seat, assistant in ask.played})


_REQUESTS: Mapping[type, Callable[[Any, Names, bool], ServerMessage]] = {
    AskTower: _towers,
    AskWizard: lambda ask, names, strict: messages.AvailableWizards(ask.wizards),
    AskAssistant: _assistants,
    AskStudent: lambda ask, names, strict: messages.MovableStudents(listed(ask.students)),
    AskDestination: lambda ask, names, strict: messages.WhereToMove(UNSET if strict else ask.islands),
    AskSteps: lambda ask, names, strict: messages.MotherNatureSteps(ask.most),
    AskCloud: lambda ask, names, strict: messages.SelectCloud(UNSET if strict else ask.clouds),
    AskCardStudent: lambda ask, names, strict: messages.MovableStudentsChar(listed(ask.students)),
    AskColour: lambda ask, names, strict: messages.SelectColor(),
}


def request_of(ask: Ask, names: Names, strict: bool) -> ServerMessage:
    """A request; in strict mode without the keys that the document does not know."""
    return _REQUESTS[type(ask)](ask, names, strict)
