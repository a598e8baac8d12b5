"""
The messages by which other programs see Eriantys. The keys are those of the documented messages, which
`docs/wires/eriantys.rst` explains.

Three things differ from the documented messages. Players are seats, from 0. Colours of students and towers are written as in
actions, in lower case: an answer to `"students": ["red"]` is `student red`. Islands count from 1, clouds from 0.
Requests (`ask-...`) are told to the seat that is asked, and to nobody else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import RuleFault
from gamehost.games.eriantys.rules import NO_STUDENTS, Card, Character, Colour, Island, School, Status, Students, Tower
from gamehost.games.messages import ActionMessage, EventMessage

#: By colour, in lower case.
Heap: TypeAlias = dict[str, int]


class PlayerMessage(Struct, frozen=True):
    """A player's school board, and what lies beside it. `playedAssistant` is that of this round."""

    tower: str
    wizard: int
    towersLeft: int
    towerHolder: bool
    entrance: Heap
    diningRoom: Heap
    professors: list[str]
    coins: int | None
    assistantsLeft: int
    playedAssistant: int | None


class IslandMessage(Struct, frozen=True):
    """A group of merged islands. `members` are the numbers that its islands had at first."""

    number: int
    members: list[int]
    students: Heap
    tower: str | None
    towers: int
    noEntryTiles: int


class CharacterMessage(Struct, frozen=True):
    """A character on the table, and what using it costs now."""

    character: int
    cost: int
    used: bool
    students: Heap | None
    noEntryTiles: int | None


class BoardMessage(Struct, frozen=True):
    """
    Everything visible. `professors` has the holder of each colour, and `order` the seats around the table, clockwise.

    `bag` is a number of students. `coinsSupply` is `null` in the normal game, which has no characters.
    """

    round: int
    players: list[PlayerMessage]
    islands: list[IslandMessage]
    clouds: list[Heap]
    motherNature: int
    professors: dict[str, int | None]
    bag: int
    characters: list[CharacterMessage]
    activeCharacter: int | None
    coinsSupply: int | None
    order: list[int]


class StartedEvent(EventMessage, frozen=True, tag="started"):
    """The match begins: each player chooses a team and a wizard, in the order of the seats."""

    seats: int
    expert: bool


class AskTowerEvent(EventMessage, frozen=True, tag="ask-tower"):
    """Which team? The places left in each, and who is in it. Answer: `tower black`."""

    seat: int
    availableTowers: dict[str, int]
    currentTeams: dict[str, list[int]]


class AskWizardEvent(EventMessage, frozen=True, tag="ask-wizard"):
    """Which wizard? Answer: `wizard 1`."""

    seat: int
    availableWizards: list[int]


class AskAssistantEvent(EventMessage, frozen=True, tag="ask-assistant"):
    """Which assistant of the hand? What was played in this round, as pairs of seat and assistant. Answer: `assistant 1`."""

    seat: int
    availableAssistants: list[int]
    playedAssistants: list[tuple[int, int]]


class AskStudentEvent(EventMessage, frozen=True, tag="ask-student"):
    """Which student of the entrance? Repeats are listed. Answer: `student red`."""

    seat: int
    students: list[str]


class AskDestinationEvent(EventMessage, frozen=True, tag="ask-destination"):
    """Where to? There are so many islands; 0 is the dining room, if that is a choice. Answer: `destination 0`."""

    seat: int
    islands: int
    diningRoom: bool


class AskStepsEvent(EventMessage, frozen=True, tag="ask-steps"):
    """How far does Mother Nature move, from 1 on? Answer: `steps 1`."""

    seat: int
    maxStepsAllowed: int


class AskCloudEvent(EventMessage, frozen=True, tag="ask-cloud"):
    """Which cloud of those with students? Answer: `cloud 0`."""

    seat: int
    clouds: list[int]


class AskCardStudentEvent(EventMessage, frozen=True, tag="ask-card-student"):
    """Which of these students, for a character? Answer: `student red`; `student none` if `mayStop`."""

    seat: int
    students: list[str]
    mayStop: bool


class AskColourEvent(EventMessage, frozen=True, tag="ask-colour"):
    """Which colour, for a character? Answer: `student red`."""

    seat: int


class SuccessEvent(EventMessage, frozen=True, tag="success"):
    """The answer was accepted. To its player alone."""

    seat: int


class DeniedEvent(EventMessage, frozen=True, tag="denied"):
    """The destination is not possible: choose the student again. To its player alone."""

    seat: int
    error: str
    detail: str


class StatusEvent(EventMessage, frozen=True, tag="status"):
    """What you do now, or how the match ended for you. To this player alone."""

    seat: int
    playerStatus: str


class BoardEvent(EventMessage, frozen=True, tag="board"):
    """Everything visible, after what was just said."""

    board: BoardMessage


class StartOfTurnEvent(EventMessage, frozen=True, tag="start-of-turn"):
    """A player's turn begins. At the end of the set-up: who is first in round 1."""

    round: int
    seat: int


class PlayedAssistantEvent(EventMessage, frozen=True, tag="played-assistant"):
    """A player played an assistant."""

    seat: int
    assistant: int


class PlayedCharacterEvent(EventMessage, frozen=True, tag="played-character"):
    """A player used and paid a character."""

    seat: int
    character: int


class IslandOwnerEvent(EventMessage, frozen=True, tag="island-owner"):
    """Influence was counted: the island, before it merges, and the owner of its towers."""

    island: IslandMessage
    owner: int | None


class NoEntryUsedEvent(EventMessage, frozen=True, tag="no-entry-used"):
    """A no-entry tile stopped the count on this island, and is back on its card."""

    island: int


class UnifiedEvent(EventMessage, frozen=True, tag="unified"):
    """Islands have merged."""


class LastRoundEvent(EventMessage, frozen=True, tag="last-round"):
    """There are not enough students for another round: the match ends with this one."""


class EndOfTurnEvent(EventMessage, frozen=True, tag="end-of-turn"):
    """A player's turn is over."""

    round: int
    seat: int


class EndOfRoundEvent(EventMessage, frozen=True, tag="end-of-round"):
    """The round is over."""

    round: int


class WonEvent(EventMessage, frozen=True, tag="won"):
    """The winners, and why. `team` is `null` after a shared victory."""

    team: str | None
    seats: list[int]
    why: str


Request: TypeAlias = (
    AskTowerEvent
    | AskWizardEvent
    | AskAssistantEvent
    | AskStudentEvent
    | AskDestinationEvent
    | AskStepsEvent
    | AskCloudEvent
    | AskCardStudentEvent
    | AskColourEvent
)


class View(Struct, frozen=True):
    """
    Where the match stands. `turn` is the seat that is asked, and `statuses` say what each seat does.

    `teams` has the seats of each team. `request` is there for the seat that is asked alone. `board` is `null` before the deal,
    and `won` is `null` while the match goes on.
    """

    seats: int
    expert: bool
    board: BoardMessage | None
    turn: int | None
    statuses: list[str]
    teams: dict[str, list[int]]
    request: Request | None = None
    won: WonEvent | None = None


Event: TypeAlias = (
    Request
    | StartedEvent
    | SuccessEvent
    | DeniedEvent
    | StatusEvent
    | BoardEvent
    | StartOfTurnEvent
    | PlayedAssistantEvent
    | PlayedCharacterEvent
    | IslandOwnerEvent
    | NoEntryUsedEvent
    | UnifiedEvent
    | LastRoundEvent
    | EndOfTurnEvent
    | EndOfRoundEvent
    | WonEvent
)


class TowerAction(ActionMessage, frozen=True, tag="tower"):
    """A team, by the colour of its towers."""

    tower: str


class WizardAction(ActionMessage, frozen=True, tag="wizard"):
    """A wizard."""

    wizard: int


class AssistantAction(ActionMessage, frozen=True, tag="assistant"):
    """An assistant of the hand."""

    assistant: int


class StudentAction(ActionMessage, frozen=True, tag="student"):
    """A student by its colour, or a colour; `null`: no more of them."""

    student: str | None


class DestinationAction(ActionMessage, frozen=True, tag="destination"):
    """An island, or 0 for the dining room."""

    destination: int


class StepsAction(ActionMessage, frozen=True, tag="steps"):
    """How far Mother Nature walks."""

    steps: int


class CloudAction(ActionMessage, frozen=True, tag="cloud"):
    """A cloud."""

    cloud: int


class CharacterAction(ActionMessage, frozen=True, tag="character"):
    """A character, used in the place of an answer."""

    character: int


#: What a seat may do, in parts.
Action: TypeAlias = (
    TowerAction
    | WizardAction
    | AssistantAction
    | StudentAction
    | DestinationAction
    | StepsAction
    | CloudAction
    | CharacterAction
)


# Messages made. A message has what the game's event has, and nothing else.

_COLOURS = tuple(colour.name.lower() for colour in Colour)
_TOWERS = tuple(tower.name.lower() for tower in Tower)


def _heap(students: Students) -> Heap:
    return dict(zip(_COLOURS, students, strict=True))


def _listed(students: Students) -> list[str]:
    return [colour for colour, count in zip(_COLOURS, students, strict=True) for _ in range(count)]


def _teams(teams: Sequence[Sequence[Seat]]) -> dict[str, list[int]]:
    return {tower: list(seats) for tower, seats in zip(_TOWERS, teams, strict=False)}


def _player(seat: int, school: School, board: events.Board) -> PlayerMessage:
    return PlayerMessage(
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


def _island(number: int, island: Island) -> IslandMessage:
    return IslandMessage(
        number=number,
        members=list(island.members),
        students=_heap(island.students),
        tower=None if island.tower is None else _TOWERS[island.tower],
        towers=island.towers,
        noEntryTiles=island.no_entry_tiles,
    )


def _character(card: Card) -> CharacterMessage:
    effect = EFFECTS[card.character]
    return CharacterMessage(
        character=card.character.value,
        cost=card.cost,
        used=card.used,
        students=_heap(card.students) if effect.students else None,
        noEntryTiles=card.no_entry_tiles if effect.no_entry_tiles else None,
    )


def board_message(board: events.Board) -> BoardMessage:
    """A board as a message."""
    return BoardMessage(
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


def _won(won: events.Won) -> WonEvent:
    return WonEvent(None if won.team is None else _TOWERS[won.team], list(won.seats), won.why)


#: Requests and other events, by the class of the game's event. `Closing` is not told: the end of the match says the same.
_REQUESTS: Mapping[type, Callable[[Any], Request]] = {
    events.AskTower: lambda ask: AskTowerEvent(ask.seat, dict(zip(_TOWERS, ask.left, strict=False)), _teams(ask.teams)),
    events.AskWizard: lambda ask: AskWizardEvent(ask.seat, list(ask.wizards)),
    events.AskAssistant: lambda ask: AskAssistantEvent(ask.seat, list(ask.hand), list(ask.played)),
    events.AskStudent: lambda ask: AskStudentEvent(ask.seat, _listed(ask.students)),
    events.AskDestination: lambda ask: AskDestinationEvent(ask.seat, ask.islands, ask.dining_room),
    events.AskSteps: lambda ask: AskStepsEvent(ask.seat, ask.most),
    events.AskCloud: lambda ask: AskCloudEvent(ask.seat, list(ask.clouds)),
    events.AskCardStudent: lambda ask: AskCardStudentEvent(ask.seat, _listed(ask.students), ask.may_stop),
    events.AskColour: lambda ask: AskColourEvent(ask.seat),
}
_EVENTS: Mapping[type, Callable[[Any], EventMessage]] = {
    **_REQUESTS,
    events.MatchStarted: lambda event: StartedEvent(event.seats, event.expert),
    events.Success: lambda event: SuccessEvent(event.seat),
    events.Denied: lambda event: DeniedEvent(event.seat, event.fault.value, event.detail),
    events.PlayerStatus: lambda event: StatusEvent(event.seat, event.status.value),
    events.Board: lambda event: BoardEvent(board_message(event)),
    events.StartOfTurn: lambda event: StartOfTurnEvent(event.round, event.seat),
    events.PlayedAssistant: lambda event: PlayedAssistantEvent(event.seat, event.assistant),
    events.PlayedCharacter: lambda event: PlayedCharacterEvent(event.seat, event.character.value),
    events.IslandOwner: lambda event: IslandOwnerEvent(_island(event.number, event.island), event.owner),
    events.NoEntryUsed: lambda event: NoEntryUsedEvent(event.number),
    events.Unified: lambda event: UnifiedEvent(),
    events.LastRound: lambda event: LastRoundEvent(),
    events.EndOfTurn: lambda event: EndOfTurnEvent(event.round, event.seat),
    events.EndOfRound: lambda event: EndOfRoundEvent(event.round),
    events.Won: _won,
}


_ACTIONS: Mapping[type, Callable[[Any], Action]] = {
    events.ChooseTower: lambda action: TowerAction(_TOWERS[action.tower]),
    events.ChooseWizard: lambda action: WizardAction(action.wizard),
    events.PlayAssistant: lambda action: AssistantAction(action.assistant),
    events.ChooseStudent: lambda action: StudentAction(None if action.colour is None else _COLOURS[action.colour]),
    events.ChooseDestination: lambda action: DestinationAction(action.destination),
    events.ChooseSteps: lambda action: StepsAction(action.steps),
    events.ChooseCloud: lambda action: CloudAction(action.cloud),
    events.UseCharacter: lambda action: CharacterAction(action.character),
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


def _read_school(player: PlayerMessage) -> School:
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


def _read_island(island: IslandMessage) -> Island:
    members, students = tuple(island.members), _read_heap(island.students)
    return Island(members, students, _read_tower(island.tower), island.towers, island.noEntryTiles)


def _read_card(card: CharacterMessage) -> Card:
    students = NO_STUDENTS if card.students is None else _read_heap(card.students)
    return Card(Character(card.character), card.cost, card.used, students, card.noEntryTiles or 0)


def _read_board(board: BoardMessage) -> events.Board:
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


def _order(board: BoardMessage) -> tuple[Seat, ...]:
    return tuple(map(Seat, board.order))


def _read_teams(teams: Mapping[str, Sequence[int]]) -> tuple[tuple[Seat, ...], ...]:
    return tuple(tuple(map(Seat, teams[name])) for name in _TOWERS if name in teams)


def _read_played(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[Seat, int], ...]:
    return tuple((Seat(seat), assistant) for seat, assistant in pairs)


def _read_won(won: WonEvent) -> events.Won:
    return events.Won(_read_tower(won.team), tuple(map(Seat, won.seats)), won.why)


#: By the class of the message. Other messages change no view, and are of no use to a player.
_READ: Mapping[type, Callable[[Any], Any]] = {
    StartedEvent: lambda one: events.MatchStarted(one.seats, one.expert),
    AskTowerEvent: lambda one: events.AskTower(
        Seat(one.seat),
        tuple(one.availableTowers[name] for name in _TOWERS if name in one.availableTowers),
        _read_teams(one.currentTeams),
    ),
    AskWizardEvent: lambda one: events.AskWizard(Seat(one.seat), tuple(one.availableWizards)),
    AskAssistantEvent: lambda one: events.AskAssistant(
        Seat(one.seat), tuple(one.availableAssistants), _read_played(one.playedAssistants)
    ),
    AskStudentEvent: lambda one: events.AskStudent(Seat(one.seat), _read_list(one.students)),
    AskDestinationEvent: lambda one: events.AskDestination(Seat(one.seat), one.islands, one.diningRoom),
    AskStepsEvent: lambda one: events.AskSteps(Seat(one.seat), one.maxStepsAllowed),
    AskCloudEvent: lambda one: events.AskCloud(Seat(one.seat), tuple(one.clouds)),
    AskCardStudentEvent: lambda one: events.AskCardStudent(Seat(one.seat), _read_list(one.students), one.mayStop),
    AskColourEvent: lambda one: events.AskColour(Seat(one.seat)),
    SuccessEvent: lambda one: events.Success(Seat(one.seat)),
    DeniedEvent: lambda one: events.Denied(Seat(one.seat), RuleFault(one.error), one.detail),
    BoardEvent: lambda one: _read_board(one.board),
    StartOfTurnEvent: lambda one: events.StartOfTurn(one.round, Seat(one.seat)),
    PlayedAssistantEvent: lambda one: events.PlayedAssistant(Seat(one.seat), one.assistant),
    PlayedCharacterEvent: lambda one: events.PlayedCharacter(Seat(one.seat), Character(one.character)),
    LastRoundEvent: lambda one: events.LastRound(),
    EndOfTurnEvent: lambda one: events.EndOfTurn(one.round, Seat(one.seat)),
    WonEvent: _read_won,
}


class EriantysMessages:
    """Makes the messages of Eriantys, and reads them."""

    view_type = View
    event_type = Event
    action_type = Action
    rules: Mapping[str, Any] = {}

    def view(self, situation: events.Situation) -> View:
        request = situation.request
        return View(
            seats=situation.match.seats,
            expert=situation.match.expert,
            board=None if situation.board is None else board_message(situation.board),
            turn=situation.turn,
            statuses=[status.value for status in situation.statuses],
            teams=_teams(situation.teams),
            request=None if request is None else _REQUESTS[type(request)](request),
            won=None if situation.won is None else _won(situation.won),
        )

    def read_view(self, view: View, seat: Seat | None) -> events.Situation:
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
        make = _READ.get(type(event))
        return None if make is None else make(event)

    def action(self, action: events.Action) -> Action:
        return _ACTIONS[type(action)](action)

    def event(self, event: Any) -> EventMessage | None:
        make = _EVENTS.get(type(event))
        return None if make is None else make(event)


MESSAGES = EriantysMessages()
