"""
Makes the messages by which other programs see Eriantys. A message has what the game's event has, and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys import actions, events, messages
from gamehost.games.eriantys.actions import RuleFault
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.pieces import NO_STUDENTS, Character, Colour, Status, Students, Tower
from gamehost.games.eriantys.position import Card, Island, School
from gamehost.games.face import EventMessage

_COLOURS = tuple(colour.name.lower() for colour in Colour)
_TOWERS = tuple(tower.name.lower() for tower in Tower)


def _heap(students: Students) -> messages.Heap:
    return dict(zip(_COLOURS, students, strict=True))


def _listed(students: Students) -> list[str]:
    return [colour for colour, count in zip(_COLOURS, students, strict=True) for _ in range(count)]


def _teams(teams: Sequence[Sequence[Seat]]) -> dict[str, list[int]]:
    return {tower: list(seats) for tower, seats in zip(_TOWERS, teams, strict=False)}


def _player(seat: int, school: School, board: events.Board) -> messages.PlayerMessage:
    return messages.PlayerMessage(
        tower=_TOWERS[school.tower],
        wizard=school.wizard,
        towersLeft=school.towers,
        towerHolder=school.tower_holder,
        entrance=_heap(school.entrance),
        diningRoom=_heap(school.dining),
        professors=[colour for colour, holder in zip(_COLOURS, board.professors, strict=True) if holder == seat],
        coins=school.coins if board.expert else None,
        assistantsLeft=school.assistants,
        playedAssistant=school.played,
    )


def _island(number: int, island: Island) -> messages.IslandMessage:
    return messages.IslandMessage(
        number=number,
        members=list(island.members),
        students=_heap(island.students),
        tower=None if island.tower is None else _TOWERS[island.tower],
        towers=island.towers,
        noEntryTiles=island.no_entry_tiles,
    )


def _character(card: Card) -> messages.CharacterMessage:
    effect = EFFECTS[card.character]
    return messages.CharacterMessage(
        character=card.character.value,
        cost=card.cost,
        used=card.used,
        students=_heap(card.students) if effect.students else None,
        noEntryTiles=card.no_entry_tiles if effect.no_entry_tiles else None,
    )


def board_message(board: events.Board) -> messages.BoardMessage:
    """A board as a message."""
    return messages.BoardMessage(
        round=board.round,
        players=[_player(seat, school, board) for seat, school in enumerate(board.schools)],
        islands=[_island(number, island) for number, island in enumerate(board.islands, 1)],
        clouds=[_heap(cloud) for cloud in board.clouds],
        motherNature=board.mother_nature,
        professors=dict(zip(_COLOURS, board.professors, strict=True)),
        bag=board.bag,
        characters=[_character(card) for card in board.cards],
        activeCharacter=None if board.active_character is None else board.active_character.value,
        coinsSupply=board.supply if board.expert else None,
        order=list(board.order),
    )


def _won(won: events.Won) -> messages.WonEvent:
    return messages.WonEvent(None if won.team is None else _TOWERS[won.team], list(won.seats), won.why)


#: Requests and other events, by the class of the game's event. `Closing` is not told: the end of the match says the same.
_REQUESTS: Mapping[type, Callable[[Any], messages.Request]] = {
    events.AskTower: lambda ask: messages.AskTowerEvent(
        ask.seat, dict(zip(_TOWERS, ask.left, strict=False)), _teams(ask.teams)
    ),
    events.AskWizard: lambda ask: messages.AskWizardEvent(ask.seat, list(ask.wizards)),
    events.AskAssistant: lambda ask: messages.AskAssistantEvent(ask.seat, list(ask.hand), list(ask.played)),
    events.AskStudent: lambda ask: messages.AskStudentEvent(ask.seat, _listed(ask.students)),
    events.AskDestination: lambda ask: messages.AskDestinationEvent(ask.seat, ask.islands, ask.dining_room),
    events.AskSteps: lambda ask: messages.AskStepsEvent(ask.seat, ask.most),
    events.AskCloud: lambda ask: messages.AskCloudEvent(ask.seat, list(ask.clouds)),
    events.AskCardStudent: lambda ask: messages.AskCardStudentEvent(ask.seat, _listed(ask.students), ask.may_stop),
    events.AskColour: lambda ask: messages.AskColourEvent(ask.seat),
}
_EVENTS: Mapping[type, Callable[[Any], EventMessage]] = {
    **_REQUESTS,
    events.MatchStarted: lambda event: messages.StartedEvent(event.seats, event.expert),
    events.Success: lambda event: messages.SuccessEvent(event.seat),
    events.Denied: lambda event: messages.DeniedEvent(event.seat, event.fault.value, event.detail),
    events.PlayerStatus: lambda event: messages.StatusEvent(event.seat, event.status.value),
    events.Board: lambda event: messages.BoardEvent(board_message(event)),
    events.StartOfTurn: lambda event: messages.StartOfTurnEvent(event.round, event.seat),
    events.PlayedAssistant: lambda event: messages.PlayedAssistantEvent(event.seat, event.assistant),
    events.PlayedCharacter: lambda event: messages.PlayedCharacterEvent(event.seat, event.character.value),
    events.IslandOwner: lambda event: messages.IslandOwnerEvent(_island(event.number, event.island), event.owner),
    events.NoEntryUsed: lambda event: messages.NoEntryUsedEvent(event.number),
    events.Unified: lambda event: messages.UnifiedEvent(),
    events.LastRound: lambda event: messages.LastRoundEvent(),
    events.EndOfTurn: lambda event: messages.EndOfTurnEvent(event.round, event.seat),
    events.EndOfRound: lambda event: messages.EndOfRoundEvent(event.round),
    events.Won: _won,
}


_ACTIONS: Mapping[type, Callable[[Any], messages.Action]] = {
    actions.ChooseTower: lambda action: messages.TowerAction(_TOWERS[action.tower]),
    actions.ChooseWizard: lambda action: messages.WizardAction(action.wizard),
    actions.PlayAssistant: lambda action: messages.AssistantAction(action.assistant),
    actions.ChooseStudent: lambda action: messages.StudentAction(
        None if action.colour is None else _COLOURS[action.colour]
    ),
    actions.ChooseDestination: lambda action: messages.DestinationAction(action.destination),
    actions.ChooseSteps: lambda action: messages.StepsAction(action.steps),
    actions.ChooseCloud: lambda action: messages.CloudAction(action.cloud),
    actions.UseCharacter: lambda action: messages.CharacterAction(action.character),
}


# Messages read back

_COLOUR_NAMED = dict(zip(_COLOURS, Colour, strict=True))
_TOWER_NAMED = dict(zip(_TOWERS, Tower, strict=True))


def _read_heap(counts: Mapping[str, int]) -> Students:
    """Students by the names of their colours."""
    return tuple(counts.get(name, 0) for name in _COLOURS)


def _read_list(students: Iterable[str]) -> Students:
    """Students that are listed one by one."""
    heap = [0] * len(Colour)
    for name in students:
        heap[_COLOUR_NAMED[name]] += 1
    return tuple(heap)


def _read_tower(name: str | None) -> Tower | None:
    return None if name is None else _TOWER_NAMED[name]


def _read_seat(number: int | None) -> Seat | None:
    return None if number is None else Seat(number)


def _read_school(player: messages.PlayerMessage) -> School:
    return School(
        tower=_TOWER_NAMED[player.tower],
        wizard=player.wizard,
        towers=player.towersLeft,
        tower_holder=player.towerHolder,
        entrance=_read_heap(player.entrance),
        dining=_read_heap(player.diningRoom),
        coins=player.coins or 0,
        assistants=player.assistantsLeft,
        played=player.playedAssistant,
    )


def _read_island(island: messages.IslandMessage) -> Island:
    members, students = tuple(island.members), _read_heap(island.students)
    return Island(members, students, _read_tower(island.tower), island.towers, island.noEntryTiles)


def _read_card(card: messages.CharacterMessage) -> Card:
    students = NO_STUDENTS if card.students is None else _read_heap(card.students)
    return Card(Character(card.character), card.cost, card.used, students, card.noEntryTiles or 0)


def _read_board(board: messages.BoardMessage) -> events.Board:
    """A board from its message."""
    active = board.activeCharacter
    return events.Board(
        expert=board.coinsSupply is not None,
        round=board.round,
        schools=tuple(map(_read_school, board.players)),
        islands=tuple(map(_read_island, board.islands)),
        clouds=tuple(map(_read_heap, board.clouds)),
        mother_nature=board.motherNature,
        professors=tuple(_read_seat(board.professors[name]) for name in _COLOURS),
        bag=board.bag,
        cards=tuple(map(_read_card, board.characters)),
        active_character=None if active is None else Character(active),
        supply=board.coinsSupply or 0,
        order=_order(board),
    )


def _order(board: messages.BoardMessage) -> tuple[Seat, ...]:
    return tuple(map(Seat, board.order))


def _read_teams(teams: Mapping[str, Sequence[int]]) -> tuple[tuple[Seat, ...], ...]:
    return tuple(tuple(map(Seat, teams[name])) for name in _TOWERS if name in teams)


def _read_played(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[Seat, int], ...]:
    return tuple((Seat(seat), assistant) for seat, assistant in pairs)


def _read_won(won: messages.WonEvent) -> events.Won:
    return events.Won(_read_tower(won.team), tuple(map(Seat, won.seats)), won.why)


#: By the class of the message. Other messages change no view, and are of no use to a player.
_READ: Mapping[type, Callable[[Any], Any]] = {
    messages.StartedEvent: lambda one: events.MatchStarted(one.seats, one.expert),
    messages.AskTowerEvent: lambda one: events.AskTower(
        Seat(one.seat),
        tuple(one.availableTowers[name] for name in _TOWERS if name in one.availableTowers),
        _read_teams(one.currentTeams),
    ),
    messages.AskWizardEvent: lambda one: events.AskWizard(Seat(one.seat), tuple(one.availableWizards)),
    messages.AskAssistantEvent: lambda one: events.AskAssistant(
        Seat(one.seat), tuple(one.availableAssistants), _read_played(one.playedAssistants)
    ),
    messages.AskStudentEvent: lambda one: events.AskStudent(Seat(one.seat), _read_list(one.students)),
    messages.AskDestinationEvent: lambda one: events.AskDestination(Seat(one.seat), one.islands, one.diningRoom),
    messages.AskStepsEvent: lambda one: events.AskSteps(Seat(one.seat), one.maxStepsAllowed),
    messages.AskCloudEvent: lambda one: events.AskCloud(Seat(one.seat), tuple(one.clouds)),
    messages.AskCardStudentEvent: lambda one: events.AskCardStudent(
        Seat(one.seat), _read_list(one.students), one.mayStop
    ),
    messages.AskColourEvent: lambda one: events.AskColour(Seat(one.seat)),
    messages.SuccessEvent: lambda one: events.Success(Seat(one.seat)),
    messages.DeniedEvent: lambda one: events.Denied(Seat(one.seat), RuleFault(one.error), one.detail),
    messages.BoardEvent: lambda one: _read_board(one.board),
    messages.StartOfTurnEvent: lambda one: events.StartOfTurn(one.round, Seat(one.seat)),
    messages.PlayedAssistantEvent: lambda one: events.PlayedAssistant(Seat(one.seat), one.assistant),
    messages.PlayedCharacterEvent: lambda one: events.PlayedCharacter(Seat(one.seat), Character(one.character)),
    messages.LastRoundEvent: lambda one: events.LastRound(),
    messages.EndOfTurnEvent: lambda one: events.EndOfTurn(one.round, Seat(one.seat)),
    messages.WonEvent: _read_won,
}


class EriantysFace:
    """The face of Eriantys."""

    view_type = messages.View
    event_type = messages.Event
    action_type = messages.Action
    rules: Mapping[str, Any] = {}

    def view(self, situation: events.Situation) -> messages.View:
        """A situation as a message."""
        request = situation.request
        return messages.View(
            seats=situation.match.seats,
            expert=situation.match.expert,
            board=None if situation.board is None else board_message(situation.board),
            turn=situation.turn,
            statuses=[status.value for status in situation.statuses],
            teams=_teams(situation.teams),
            request=None if request is None else _REQUESTS[type(request)](request),
            won=None if situation.won is None else _won(situation.won),
        )

    def read_view(self, view: messages.View, seat: Seat | None) -> events.Situation:
        """A situation from its message."""
        return events.Situation(
            match=events.MatchStarted(view.seats, view.expert, None if view.board is None else _order(view.board)),
            board=None if view.board is None else _read_board(view.board),
            request=None if view.request is None else self.read_event(view.request),
            won=None if view.won is None else _read_won(view.won),
            turn=_read_seat(view.turn),
            statuses=tuple(map(Status, view.statuses)),
            teams=_read_teams(view.teams),
        )

    def read_event(self, event: Any) -> Any:
        """An event from its message."""
        make = _READ.get(type(event))
        return None if make is None else make(event)

    def action(self, action: actions.Action) -> messages.Action:
        """An action as a message."""
        return _ACTIONS[type(action)](action)

    def event(self, event: Any) -> EventMessage | None:
        """An event as a message; a situation is no event."""
        make = _EVENTS.get(type(event))
        return None if make is None else make(event)


FACE = EriantysFace()
