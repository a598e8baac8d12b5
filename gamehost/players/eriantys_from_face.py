"""
What the open wire tells of Eriantys, as the events of the master that players hear. It undoes `gamehost.games.eriantys.face`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys import events, messages
from gamehost.games.eriantys.actions import RuleFault
from gamehost.games.eriantys.pieces import NO_STUDENTS, Character, Colour, Status, Students, Tower
from gamehost.games.eriantys.position import Card, Island, School

_COLOURS = {colour.name.lower(): colour for colour in Colour}
_TOWERS = {tower.name.lower(): tower for tower in Tower}


def heap_of(counts: Mapping[str, int]) -> Students:
    """Students by the names of their colours."""
    return tuple(counts.get(name, 0) for name in _COLOURS)


def heap_of_list(students: Iterable[str]) -> Students:
    """Students that are listed one by one."""
    heap = [0] * len(Colour)
    for name in students:
        heap[_COLOURS[name]] += 1
    return tuple(heap)


def _tower(name: str | None) -> Tower | None:
    return None if name is None else _TOWERS[name]


def _seat(number: int | None) -> Seat | None:
    return None if number is None else Seat(number)


def _school(player: messages.PlayerMessage) -> School:
    return School(
        tower=_TOWERS[player.tower],
        wizard=player.wizard,
        towers=player.towersLeft,
        tower_holder=player.towerHolder,
        entrance=heap_of(player.entrance),
        dining=heap_of(player.diningRoom),
        coins=player.coins or 0,
        assistants=player.assistantsLeft,
        played=player.playedAssistant,
    )


def _island(island: messages.IslandMessage) -> Island:
    members, students = tuple(island.members), heap_of(island.students)
    return Island(members, students, _tower(island.tower), island.towers, island.noEntryTiles)


def _card(card: messages.CharacterMessage) -> Card:
    students = NO_STUDENTS if card.students is None else heap_of(card.students)
    return Card(Character(card.character), card.cost, card.used, students, card.noEntryTiles or 0)


def board_from(board: messages.BoardMessage) -> events.Board:
    """A board from its message."""
    active = board.activeCharacter
    return events.Board(
        expert=board.coinsSupply is not None,
        round=board.round,
        schools=tuple(map(_school, board.players)),
        islands=tuple(map(_island, board.islands)),
        clouds=tuple(map(heap_of, board.clouds)),
        mother_nature=board.motherNature,
        professors=tuple(_seat(board.professors[name]) for name in _COLOURS),
        bag=board.bag,
        cards=tuple(map(_card, board.characters)),
        active_character=None if active is None else Character(active),
        supply=board.coinsSupply or 0,
        order=tuple(map(Seat, board.order)),
    )


def _teams(teams: Mapping[str, Sequence[int]]) -> tuple[tuple[Seat, ...], ...]:
    return tuple(tuple(map(Seat, teams[name])) for name in _TOWERS if name in teams)


def _played(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[Seat, int], ...]:
    return tuple((Seat(seat), assistant) for seat, assistant in pairs)


def _won(won: messages.WonEvent) -> events.Won:
    return events.Won(_tower(won.team), tuple(map(Seat, won.seats)), won.why)


#: By the class of the message. Other messages are of no use to a player.
_EVENTS: Mapping[type, Callable[[Any], Any]] = {
    messages.StartedEvent: lambda one: events.MatchStarted(one.seats, one.expert),
    messages.AskTowerEvent: lambda one: events.AskTower(
        Seat(one.seat),
        tuple(one.availableTowers[name] for name in _TOWERS if name in one.availableTowers),
        _teams(one.currentTeams),
    ),
    messages.AskWizardEvent: lambda one: events.AskWizard(Seat(one.seat), tuple(one.availableWizards)),
    messages.AskAssistantEvent: lambda one: events.AskAssistant(
        Seat(one.seat), tuple(one.availableAssistants), _played(one.playedAssistants)
    ),
    messages.AskStudentEvent: lambda one: events.AskStudent(Seat(one.seat), heap_of_list(one.students)),
    messages.AskDestinationEvent: lambda one: events.AskDestination(Seat(one.seat), one.islands, one.diningRoom),
    messages.AskStepsEvent: lambda one: events.AskSteps(Seat(one.seat), one.maxStepsAllowed),
    messages.AskCloudEvent: lambda one: events.AskCloud(Seat(one.seat), tuple(one.clouds)),
    messages.AskCardStudentEvent: lambda one: events.AskCardStudent(
        Seat(one.seat), heap_of_list(one.students), one.mayStop
    ),
    messages.AskColourEvent: lambda one: events.AskColour(Seat(one.seat)),
    messages.SuccessEvent: lambda one: events.Success(Seat(one.seat)),
    messages.DeniedEvent: lambda one: events.Denied(Seat(one.seat), RuleFault(one.error), one.detail),
    messages.BoardEvent: lambda one: board_from(one.board),
    messages.StartOfTurnEvent: lambda one: events.StartOfTurn(one.round, Seat(one.seat)),
    messages.PlayedAssistantEvent: lambda one: events.PlayedAssistant(Seat(one.seat), one.assistant),
    messages.PlayedCharacterEvent: lambda one: events.PlayedCharacter(Seat(one.seat), Character(one.character)),
    messages.LastRoundEvent: lambda one: events.LastRound(),
    messages.EndOfTurnEvent: lambda one: events.EndOfTurn(one.round, Seat(one.seat)),
    messages.WonEvent: _won,
}


class EriantysHearing:
    """How a player of Eriantys hears."""

    def event(self, event: Any) -> Any:
        """An event of the master; `None`: players need not hear it."""
        make = _EVENTS.get(type(event))
        return None if make is None else make(event)

    def view(self, view: messages.View, seat: Seat) -> Any:
        """A situation."""
        request = view.request
        return events.Situation(
            match=events.MatchStarted(view.seats, view.expert),
            board=None if view.board is None else board_from(view.board),
            request=None if request is None else self.event(request),
            won=None if view.won is None else _won(view.won),
            turn=_seat(view.turn),
            statuses=tuple(map(Status, view.statuses)),
            teams=_teams(view.teams),
        )

    def back(self, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
        """The assistants that were played, and the view: everything else is on the board."""
        played = [one for one in map(self.event, before) if isinstance(one, events.PlayedAssistant)]
        return [*played, self.view(view, seat)]


ERIANTYS = EriantysHearing()
