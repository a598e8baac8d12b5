"""
Makes the messages by which other programs see Eriantys. A message has what the game's event has, and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys import actions, events, messages
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.pieces import Colour, Students, Tower
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


def _board(board: events.Board) -> messages.BoardMessage:
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
    events.Board: lambda event: messages.BoardEvent(_board(event)),
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
            board=None if situation.board is None else _board(situation.board),
            turn=situation.turn,
            statuses=[status.value for status in situation.statuses],
            teams=_teams(situation.teams),
            request=None if request is None else _REQUESTS[type(request)](request),
            won=None if situation.won is None else _won(situation.won),
        )

    def action(self, action: actions.Action) -> messages.Action:
        """An action as a message."""
        return _ACTIONS[type(action)](action)

    def event(self, event: Any) -> EventMessage | None:
        """An event as a message; a situation is no event."""
        make = _EVENTS.get(type(event))
        return None if make is None else make(event)


FACE = EriantysFace()
