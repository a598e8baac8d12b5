"""
The messages by which other programs see Eriantys. The keys are those of the documented messages, which
`docs/wires/eriantys.rst` explains.

Three details differ from the documented messages. Players are seats, from 0. Colours of students and towers are written
as in actions, in lower case: an answer to `"students": ["red"]` is `student red`. Islands count from 1, clouds from 0.
Requests (`ask-...`) are sent only to the seat that is asked.

`Spelling` is how any wire writes the values of the game, and reads them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from gamehost.games.base import Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import RuleFault
from gamehost.games.eriantys.rules import NO_STUDENTS, Card, Character, Colour, Island, School, Status, Students, Tower
from gamehost.games.messages import ActionMessage, EventMessage, union_of

T = TypeVar("T")

# How values are written


class Spelling:
    """
    How a wire writes colours and towers, and the messages that answer a request.

    :param colours: the wire's words in the order of the game's enumeration; so are `towers`
    :param answers: the message of each kind of action, in the order of `events.Action`; each message has one value, as
        the action has
    :param words: the kinds of actions with values that have other words on the wire; for each kind, these words by the
        game's value
    """

    def __init__(
        self,
        colours: Iterable[Any],
        towers: Iterable[Any],
        answers: Iterable[type],
        words: Mapping[type, Mapping[Any, Any]] = {},
    ) -> None:
        self.colours, self.towers = tuple(colours), tuple(towers)
        self._colour_of = dict(zip(self.colours, Colour, strict=True))
        self._tower_of = dict(zip(self.towers, Tower, strict=True))
        words = {
            events.ChooseTower: dict(zip(Tower, self.towers, strict=True)),
            events.ChooseStudent: {None: None, **dict(zip(Colour, self.colours, strict=True))},
            **words,
        }
        self._said = {
            action: (message, words.get(action))
            for action, message in zip(events.Action.__args__, answers, strict=True)
        }
        #: The messages that are actions, with the kind of each, and its values by the words.
        self.answers: Mapping[type, tuple[type, Mapping[Any, Any] | None]] = {
            message: (action, written and {word: value for value, word in written.items()})
            for action, (message, written) in self._said.items()
        }

    def answer_to(self, request: events.Ask) -> type:
        """The message that answers a request."""
        return self._said[events.ANSWERED_BY[type(request)]][0]

    def value_of(self, kind: type[events.Action], value: Any) -> Any:
        """The value of an action of this kind, in the words of the wire."""
        written = self._said[kind][1]
        return value if written is None else written[value]

    def message_of(self, action: events.Action) -> Any:
        kind = type(action)
        return self._said[kind][0](self.value_of(kind, events.value_of(action)))

    def action_of(self, message: Any) -> Any:
        action, read = self.answers[type(message)]
        (value,) = astuple(message)
        return action(value if read is None else read[value])

    def tower(self, tower: Tower | None) -> Any:
        return None if tower is None else self.towers[tower]

    def read_tower(self, word: Any) -> Tower | None:
        return None if word is None else self._tower_of[word]

    def by_tower(self, values: Iterable[Any]) -> dict[Any, Any]:
        """Values by tower colour; they are in the order of the colours that this match uses."""
        return dict(zip(self.towers, values, strict=False))

    def read_by_tower(self, values: Mapping[Any, Any]) -> tuple[Any, ...]:
        return tuple(values[tower] for tower in self.towers if tower in values)

    def one_by_one(self, students: Students) -> tuple[Any, ...]:
        return tuple(colour for colour, count in zip(self.colours, students, strict=True) for _ in range(count))

    def read_one_by_one(self, students: Iterable[Any]) -> Students:
        heap = [0] * len(Colour)
        for word in students:
            heap[self._colour_of[word]] += 1
        return tuple(heap)

    def held(self, professors: Sequence[Seat | None], seat: int) -> tuple[Any, ...]:
        return tuple(colour for colour, holder in zip(self.colours, professors, strict=True) if holder == seat)


class JsonSpelling(Spelling):
    """
    The same for messages with the documented keys.

    :param player: the class of a school board; `island` and `character` those of the others
    :param heap: students as five counts -> as they are written; `counts` is its inverse
    :param many: the class of a list
    """

    def __init__(
        self,
        *spelling: Any,
        player: Callable[..., Any],
        island: Callable[..., Any],
        character: Callable[..., Any],
        heap: Callable[[Students], Any],
        counts: Callable[[Any], Students],
        many: Callable[[Iterable[Any]], Any] = tuple,
    ) -> None:
        super().__init__(*spelling)
        self._player, self._group, self._character = player, island, character
        self.heap, self.counts, self._many = heap, counts, many
        #: A group of islands, by its number. A board shares most of them with the one before, so each is made once.
        self.island: Callable[[int, Island], Any] = lru_cache(1024)(self._new_island)

    def school(self, seat: int, school: School, board: events.Board, *name: str) -> Any:
        """A player's school board, and the pieces beside it. A name comes first, if the class has one."""
        return self._player(
            *name,
            tower=self.towers[school.tower],
            wizard=school.wizard,
            towersLeft=school.towers,
            towerHolder=school.tower_holder,
            entrance=self.heap(school.entrance),
            diningRoom=self.heap(school.dining),
            professors=self._many(self.held(board.professors, seat)),
            coins=school.coins if board.expert else None,
            assistantsLeft=school.assistants,
            playedAssistant=school.played,
        )

    def read_school(self, player: Any) -> School:
        return School(
            # A server of another author may leave them open until the deal.
            tower=self.read_tower(player.tower) or Tower.BLACK,
            wizard=player.wizard or 0,
            towers=player.towersLeft,
            tower_holder=player.towerHolder,
            entrance=self.counts(player.entrance),
            dining=self.counts(player.diningRoom),
            coins=player.coins or 0,
            assistants=player.assistantsLeft,
            played=player.playedAssistant,
        )

    def _new_island(self, number: int, island: Island) -> Any:
        return self._group(
            number=number,
            members=self._many(island.members),
            students=self.heap(island.students),
            tower=self.tower(island.tower),
            towers=island.towers,
            noEntryTiles=island.no_entry_tiles,
        )

    def read_island(self, island: Any) -> Island:
        students, tower = self.counts(island.students), self.read_tower(island.tower)
        return Island(tuple(island.members), students, tower, island.towers, island.noEntryTiles)

    def card(self, card: Card) -> Any:
        """A character on the table. Fields that do not exist for this character are `None`."""
        effect = EFFECTS[card.character]
        return self._character(
            character=card.character.value,
            cost=card.cost,
            used=card.used,
            students=self.heap(card.students) if effect.students else None,
            noEntryTiles=card.no_entry_tiles if effect.no_entry_tiles else None,
        )

    def read_card(self, card: Any) -> Card:
        students = NO_STUDENTS if card.students is None else self.counts(card.students)
        return Card(Character(card.character), card.cost, card.used, students, card.noEntryTiles or 0)

    def table(
        self, make: Callable[..., T], board: events.Board, professors: Mapping[Any, Any], islands: Any = None
    ) -> T:
        """
        The shared parts of the table.

        :param make: a class, or a function that makes the result from the keys
        :param professors: the holder of each colour
        :param islands: the islands, if the caller has made them
        """
        if islands is None:
            islands = self._many(self.island(number, island) for number, island in enumerate(board.islands, 1))
        return make(
            round=board.round,
            professors=professors,
            islands=islands,
            clouds=self._many(map(self.heap, board.clouds)),
            motherNature=board.mother_nature,
            bag=board.bag,
            characters=self._many(map(self.card, board.cards)),
            activeCharacter=None if board.active_character is None else board.active_character.value,
            coinsSupply=board.supply if board.expert else None,
        )

    def read_board(self, table: Any, players: Iterable[Any], professors: Any, order: Iterable[Seat]) -> events.Board:
        """
        A board from the parts of the table that all players share, and from the players' own boards.

        :param players: in the order of the seats
        :param professors: the holder of each colour
        """
        active = table.activeCharacter
        return events.Board(
            expert=table.coinsSupply is not None,
            round=table.round,
            schools=tuple(map(self.read_school, players)),
            islands=tuple(map(self.read_island, table.islands)),
            clouds=tuple(map(self.counts, table.clouds)),
            mother_nature=table.motherNature,
            professors=tuple(professors),
            bag=table.bag,
            cards=tuple(map(self.read_card, table.characters)),
            active_character=None if active is None else Character(active),
            supply=table.coinsSupply or 0,
            order=tuple(order),
        )


# The messages of this game

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


class AskMessage(EventMessage, frozen=True):
    """The base of the requests to a seat."""

    seat: int


class ToldMessage(EventMessage, frozen=True):
    """The base of all other events."""


class StartedEvent(ToldMessage, frozen=True, tag="started"):
    """The match begins: each player chooses a team and a wizard, in the order of the seats."""

    seats: int
    expert: bool


class AskTowerEvent(AskMessage, frozen=True, tag="ask-tower"):
    """Which team? The free places of each team, and the seats in it. Answer: `tower black`."""

    availableTowers: dict[str, int]
    currentTeams: dict[str, list[int]]


class AskWizardEvent(AskMessage, frozen=True, tag="ask-wizard"):
    """Which wizard? Answer: `wizard 1`."""

    availableWizards: list[int]


class AskAssistantEvent(AskMessage, frozen=True, tag="ask-assistant"):
    """Which assistant of the hand? What was played in this round, as pairs of seat and assistant. Answer: `assistant 1`."""

    availableAssistants: list[int]
    playedAssistants: list[tuple[int, int]]


class AskStudentEvent(AskMessage, frozen=True, tag="ask-student"):
    """Which student of the entrance? A colour is listed once for each of its students. Answer: `student red`."""

    students: list[str]


class AskDestinationEvent(AskMessage, frozen=True, tag="ask-destination"):
    """Where to? An island from 1 to `islands`, or 0 for the dining room, if that is a choice. Answer: `destination 0`."""

    islands: int
    diningRoom: bool


class AskStepsEvent(AskMessage, frozen=True, tag="ask-steps"):
    """How far does Mother Nature move, from 1 on? Answer: `steps 1`."""

    maxStepsAllowed: int


class AskCloudEvent(AskMessage, frozen=True, tag="ask-cloud"):
    """Which cloud of those with students? Answer: `cloud 0`."""

    clouds: list[int]


class AskCardStudentEvent(AskMessage, frozen=True, tag="ask-card-student"):
    """Which of these students, for a character? Answer: `student red`; `student none` if `mayStop`."""

    students: list[str]
    mayStop: bool


class AskColourEvent(AskMessage, frozen=True, tag="ask-colour"):
    """Which colour, for a character? Answer: `student red`."""


class SuccessEvent(ToldMessage, frozen=True, tag="success"):
    """The answer was accepted. To its player alone."""

    seat: int


class DeniedEvent(ToldMessage, frozen=True, tag="denied"):
    """The destination is not possible: choose the student again. To its player alone."""

    seat: int
    error: str
    detail: str


class StatusEvent(ToldMessage, frozen=True, tag="status"):
    """What you do now, or how the match ended for you. To this player alone."""

    seat: int
    playerStatus: str


class BoardEvent(ToldMessage, frozen=True, tag="board"):
    """Everything visible, after the events before this one."""

    board: BoardMessage


class StartOfTurnEvent(ToldMessage, frozen=True, tag="start-of-turn"):
    """A player's turn begins. At the end of the set-up it names the first player of round 1."""

    round: int
    seat: int


class PlayedAssistantEvent(ToldMessage, frozen=True, tag="played-assistant"):
    """A player played an assistant."""

    seat: int
    assistant: int


class PlayedCharacterEvent(ToldMessage, frozen=True, tag="played-character"):
    """A player used and paid a character."""

    seat: int
    character: int


class IslandOwnerEvent(ToldMessage, frozen=True, tag="island-owner"):
    """Influence was counted: the island, before it merges, and the owner of its towers."""

    island: IslandMessage
    owner: int | None


class NoEntryUsedEvent(ToldMessage, frozen=True, tag="no-entry-used"):
    """A no-entry tile stopped the count on this island, and is back on its card."""

    island: int


class UnifiedEvent(ToldMessage, frozen=True, tag="unified"):
    """Islands have merged."""


class LastRoundEvent(ToldMessage, frozen=True, tag="last-round"):
    """There are not enough students for another round: the match ends with this one."""


class EndOfTurnEvent(ToldMessage, frozen=True, tag="end-of-turn"):
    """A player's turn is over."""

    round: int
    seat: int


class EndOfRoundEvent(ToldMessage, frozen=True, tag="end-of-round"):
    """The round is over."""

    round: int


class WonEvent(ToldMessage, frozen=True, tag="won"):
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
    The state of the match. `turn` is the seat that has to answer, and `statuses` has the stage of each seat.

    `teams` has the seats of each team. Only the seat that has to answer gets `request`. `board` is `null` before the deal, and
    `won` is `null` until the match has ended.
    """

    seats: int
    expert: bool
    board: BoardMessage | None
    turn: int | None
    statuses: list[str]
    teams: dict[str, list[int]]
    request: Request | None = None
    won: WonEvent | None = None


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
    """A student, named by its colour, or a colour; `null`: no more students."""

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
    """A character, used instead of an answer."""

    character: int


#: One action of a seat; a move can consist of several.
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


# Events to messages, and back. A message contains the same values as the event of the game.

_COLOURS = tuple(colour.name.lower() for colour in Colour)
_NONE = (0,) * len(_COLOURS)
SPELLING = JsonSpelling(
    _COLOURS,
    (tower.name.lower() for tower in Tower),
    Action.__args__,
    player=PlayerMessage,
    island=IslandMessage,
    character=CharacterMessage,
    heap=lambda students: dict(zip(_COLOURS, students, strict=True)),
    counts=lambda heap: tuple(map(heap.get, _COLOURS, _NONE)),
    many=list,
)


def board_message(board: events.Board) -> BoardMessage:
    players = [SPELLING.school(seat, school, board) for seat, school in enumerate(board.schools)]
    make = partial(BoardMessage, players=players, order=list(board.order))
    return SPELLING.table(make, board, dict(zip(_COLOURS, board.professors, strict=True)))


def _read_board(board: BoardMessage) -> events.Board:
    holders = (board.professors[colour] for colour in _COLOURS)
    return SPELLING.read_board(board, board.players, holders, map(Seat, board.order))


class _Kind(Struct, frozen=True):
    """The way to write a value of an event in a message, and to read it back."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


_PLAIN = _Kind(lambda value: value, lambda value: value)
_LIST = _Kind(list, tuple)
_TOWER = _Kind(SPELLING.tower, SPELLING.read_tower)
_PLACES = _Kind(SPELLING.by_tower, SPELLING.read_by_tower)
_TEAMS = _Kind(
    lambda teams: SPELLING.by_tower(map(list, teams)), lambda teams: tuple(map(tuple, SPELLING.read_by_tower(teams)))
)
_STUDENTS = _Kind(lambda students: list(SPELLING.one_by_one(students)), SPELLING.read_one_by_one)
_FAULT = _Kind(lambda fault: fault.value, RuleFault)
_STATUS = _Kind(lambda status: status.value, Status)
_CHARACTER = _Kind(lambda character: character.value, Character)

#: Each event and its message. Kinds are listed if the values of the message differ from the first values of the event.
#: `Closing` has no message: the end of the match says the same.
_MESSAGES: Mapping[type, tuple[type[EventMessage], tuple[_Kind, ...]]] = {
    events.AskTower: (AskTowerEvent, (_PLAIN, _PLACES, _TEAMS)),
    events.AskWizard: (AskWizardEvent, (_PLAIN, _LIST)),
    events.AskAssistant: (AskAssistantEvent, (_PLAIN, _LIST, _LIST)),
    events.AskStudent: (AskStudentEvent, (_PLAIN, _STUDENTS)),
    events.AskDestination: (AskDestinationEvent, ()),
    events.AskSteps: (AskStepsEvent, ()),
    events.AskCloud: (AskCloudEvent, (_PLAIN, _LIST)),
    events.AskCardStudent: (AskCardStudentEvent, (_PLAIN, _STUDENTS, _PLAIN)),
    events.AskColour: (AskColourEvent, ()),
    events.MatchStarted: (StartedEvent, ()),
    events.Success: (SuccessEvent, ()),
    events.Denied: (DeniedEvent, (_PLAIN, _FAULT, _PLAIN)),
    events.PlayerStatus: (StatusEvent, (_PLAIN, _STATUS)),
    events.StartOfTurn: (StartOfTurnEvent, ()),
    events.PlayedAssistant: (PlayedAssistantEvent, ()),
    events.PlayedCharacter: (PlayedCharacterEvent, (_PLAIN, _CHARACTER)),
    events.NoEntryUsed: (NoEntryUsedEvent, ()),
    events.Unified: (UnifiedEvent, ()),
    events.LastRound: (LastRoundEvent, ()),
    events.EndOfTurn: (EndOfTurnEvent, ()),
    events.EndOfRound: (EndOfRoundEvent, ()),
    events.Won: (WonEvent, (_TOWER, _LIST, _PLAIN)),
}
#: Messages that change no view and that no player needs.
_UNREAD = (StatusEvent, NoEntryUsedEvent, UnifiedEvent, EndOfRoundEvent)
_EVENTS = {message: (event, kinds) for event, (message, kinds) in _MESSAGES.items() if message not in _UNREAD}


def _written(event: Any) -> Any:
    """An event as a message; `None`: it has none."""
    message, kinds = _MESSAGES.get(type(event), (None, ()))
    if message is None:
        return None
    names = type(event).__struct_fields__[: len(message.__struct_fields__)]
    values = [getattr(event, name) for name in names]
    return message(*(kind.write(value) for kind, value in zip(kinds, values, strict=True)) if kinds else values)


def is_move(told: Sequence[EventMessage]) -> bool:
    """
    Whether an entry is a move (see `gamehost.games.play.is_move`). A student and its destination are one move: the board comes
    after both. Round 0 is the deal.
    """
    boards = [one.board.round for one in told if isinstance(one, BoardEvent)]
    played = any(isinstance(one, PlayedAssistantEvent | PlayedCharacterEvent) for one in told)
    return played or (bool(boards) and 0 not in boards)


class EriantysMessages:
    view_type = View
    event_type = Request | union_of(ToldMessage)
    action_type = Action
    rules: Mapping[str, Any] = {}

    def view(self, situation: events.Situation) -> View:
        return View(
            seats=situation.match.seats,
            expert=situation.match.expert,
            board=None if situation.board is None else board_message(situation.board),
            turn=situation.turn,
            statuses=[status.value for status in situation.statuses],
            teams=_TEAMS.write(situation.teams),
            request=_written(situation.request),
            won=_written(situation.won),
        )

    def read_view(self, view: View, seat: Seat | None) -> events.Situation:
        board = None if view.board is None else _read_board(view.board)
        return events.Situation(
            match=events.MatchStarted(view.seats, view.expert, None if board is None else board.order),
            board=board,
            request=self.read_event(view.request),
            won=self.read_event(view.won),
            turn=None if view.turn is None else Seat(view.turn),
            statuses=tuple(map(Status, view.statuses)),
            teams=_TEAMS.read(view.teams),
        )

    def event(self, event: Any) -> EventMessage | None:
        match event:
            case events.Board():
                return BoardEvent(board_message(event))
            case events.IslandOwner(number, island, owner):
                return IslandOwnerEvent(SPELLING.island(number, island), owner)
        message: EventMessage | None = _written(event)
        return message

    def read_event(self, event: Any) -> Any:
        if isinstance(event, BoardEvent):
            return _read_board(event.board)
        kind, kinds = _EVENTS.get(type(event), (None, ()))
        if kind is None:
            return None
        values = astuple(event)
        return kind(*(one.read(value) for one, value in zip(kinds, values, strict=True)) if kinds else values)

    def action(self, action: events.Action) -> Action:
        message: Action = SPELLING.message_of(action)
        return message


MESSAGES = EriantysMessages()
