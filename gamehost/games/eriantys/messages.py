"""
The messages by which other programs see Eriantys. The keys are those of the documented messages, which
`docs/wires/eriantys.rst` explains.

Three things differ from the documented messages. Players are seats, from 0. Colours of students and towers are written as in
actions, in lower case: an answer to `"students": ["red"]` is `student red`. Islands count from 1, clouds from 0.
Requests (`ask-...`) are told to the seat that is asked, and to nobody else.
"""

from typing import TypeAlias

from msgspec import Struct

from gamehost.games.face import ActionMessage, EventMessage

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
