"""
The words of the JSON of Eriantys for what a match says, written from the wire's page alone: each line as it must stand.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.position import Card, Island, School

COLORS = ("YELLOW", "BLUE", "GREEN", "RED", "PINK")
TOWERS = ("BLACK", "WHITE", "GREY")

Names = Sequence[str]


def line(kind: str, **arguments: Any) -> str:
    """A message as a line, its keys in the order given."""
    return msgspec.json.encode({"type": kind, **arguments}).decode("utf-8")


def said(communication: str) -> str:
    """One of the few words of a CommunicationMessage."""
    return line("CommunicationMessage", message=communication)


SUCCESS = said("SUCCESS")
CLOSING = said("CLOSING_GAME")


def status(word: str) -> str:
    """What a player is to do, or how it ended for them."""
    return line("PlayerStatusMessage", playerStatus=word)


def heap(students: Sequence[int]) -> Mapping[str, int]:
    """Students by colour."""
    return dict(zip(COLORS, students, strict=True))


def each(students: Sequence[int]) -> list[str]:
    """Students one by one."""
    return [color for color, count in zip(COLORS, students, strict=True) for _ in range(count)]


def _player(name: str, school: School, professors: list[str], expert: bool) -> Mapping[str, Any]:
    return {
        "nickname": name,
        "tower": TOWERS[school.tower],
        "wizard": school.wizard,
        "towersLeft": school.towers,
        "towerHolder": school.tower_holder,
        "entrance": heap(school.entrance),
        "diningRoom": heap(school.dining),
        "professors": professors,
        "coins": school.coins if expert else None,
        "assistantsLeft": school.assistants,
        "playedAssistant": school.played,
    }


def _island(number: int, island: Island) -> Mapping[str, Any]:
    return {
        "number": number,
        "members": island.members,
        "students": heap(island.students),
        "tower": None if island.tower is None else TOWERS[island.tower],
        "towers": island.towers,
        "noEntryTiles": island.no_entry_tiles,
    }


def _character(card: Card) -> Mapping[str, Any]:
    return {
        "character": int(card.character),
        "cost": card.cost,
        "used": card.used,
        "students": heap(card.students) if card.character in (1, 7, 11) else None,
        "noEntryTiles": card.no_entry_tiles if card.character == 5 else None,
    }


@lru_cache(64)
def _board(board: e.Board, names: tuple[str, ...]) -> str:
    holders = dict(zip(COLORS, board.professors, strict=True))
    return line(
        "UpdateBoard",
        players=[
            _player(name, school, [color for color, holder in holders.items() if holder == seat], board.expert)
            for seat, (name, school) in enumerate(zip(names, board.schools, strict=True))
        ],
        dashboard={
            "round": board.round,
            "islands": [_island(number, island) for number, island in enumerate(board.islands, 1)],
            "clouds": [heap(cloud) for cloud in board.clouds],
            "motherNature": board.mother_nature,
            "professors": {color: None if holder is None else names[holder] for color, holder in holders.items()},
            "bag": board.bag,
            "characters": [_character(card) for card in board.cards],
            "activeCharacter": None if board.active_character is None else int(board.active_character),
            "coinsSupply": board.supply if board.expert else None,
        },
        order=[names[seat] for seat in board.order],
    )


def _owner(event: e.IslandOwner, names: Names) -> str:
    nickname = "" if event.owner is None else names[event.owner]
    return line("IslandOwner", island=_island(event.number, event.island), nickname=nickname)


def _winner(event: e.Won, names: Names) -> str:
    return line(
        "CommunicateWinner",
        team=None if event.team is None else TOWERS[event.team],
        nickname="" if event.seat is None else names[event.seat],
        winReason=event.why[0].upper() + event.why[1:] + ".",
        nicknames=[names[seat] for seat in event.seats],
    )


def question(ask: e.Ask, names: Names) -> str:
    """What a player is asked."""
    match ask:
        case e.AskTower(_, left, teams):
            members = [[names[seat] for seat in team] for team in teams]
            return line(
                "AvailableTowers",
                availableTowers=dict(zip(TOWERS, left, strict=False)),
                currentTeams=dict(zip(TOWERS, members, strict=False)),
            )
        case e.AskWizard(_, wizards):
            return line("AvailableWizards", availableWizards=wizards)
        case e.AskAssistant(_, hand, played):
            by_name = {names[seat]: assistant for seat, assistant in played}
            return line("AvailableAssistants", availableAssistants=hand, playedAssistants=by_name)
        case e.AskStudent(_, students):
            return line("MovableStudents", students=each(students))
        case e.AskDestination(_, islands):
            return line("WhereToMove", islands=islands)
        case e.AskSteps(_, most):
            return line("MotherNatureSteps", maxStepsAllowed=most)
        case e.AskCloud(_, clouds):
            return line("SelectCloud", clouds=clouds)
        case e.AskCardStudent(_, students):
            return line("MovableStudentsChar", students=each(students))
        case e.AskColour():
            return line("SelectColor")


#: The types of messages that ask for something.
QUESTIONS = frozenset(
    (
        "AvailableTowers",
        "AvailableWizards",
        "AvailableAssistants",
        "MovableStudents",
        "WhereToMove",
        "MotherNatureSteps",
        "SelectCloud",
        "MovableStudentsChar",
        "SelectColor",
    )
)


def _started(event: e.MatchStarted, names: Names) -> str:
    order = {} if event.order is None else {"order": [names[seat] for seat in event.order]}
    return line("MatchStarted", players=list(names), numberOfPlayers=event.seats, expertMode=event.expert, **order)


#: How each event of the match is told to whom it is addressed.
_TOLD: Mapping[type, Callable[[Any, Names], str]] = {
    e.MatchStarted: _started,
    e.Success: lambda event, names: SUCCESS,
    e.PlayerStatus: lambda event, names: status(event.status),
    e.Board: lambda event, names: _board(event, tuple(names)),
    e.StartOfTurn: lambda event, names: line("StartOfPlayerRound", roundNumber=event.round, nickname=names[event.seat]),
    e.PlayedAssistant: lambda event, names: line(
        "PlayedAssistant", assistant=event.assistant, player=names[event.seat]
    ),
    e.PlayedCharacter: lambda event, names: line(
        "PlayedCharacter", character=int(event.character), player=names[event.seat]
    ),
    e.IslandOwner: _owner,
    e.NoEntryUsed: lambda event, names: said("NO_ENTRY_TILE_ON_ISLAND"),
    e.Unified: lambda event, names: said("UNIFIED_ISLANDS"),
    e.LastRound: lambda event, names: said("LAST_ROUND"),
    e.EndOfTurn: lambda event, names: line("EndOfPlayerRound", roundNumber=event.round, nickname=names[event.seat]),
    e.EndOfRound: lambda event, names: line("EndOfRound", roundNumber=event.round),
    e.Won: _winner,
    e.Closing: lambda event, names: CLOSING,
}

#: A destination that could not be had is an error, like any other; questions are told apart from the rest.
_UNTOLD = (e.Ask, e.Denied, *e.UNTOLD)


def told(event: object, names: Names) -> Sequence[str]:
    """How an event of the match is told, but for questions and errors."""
    return [] if isinstance(event, _UNTOLD) else [_TOLD[type(event)](event, names)]
