"""
The messages of Eriantys for other programs. Their keys are those of the documented wire, which
`docs/wires/eriantys.rst` explains.

Some details differ from the documented messages. Players are named by their seats, from 0. Colours of students and
towers are written in lower case, as in actions: an answer to `"students": ["red"]` is `student red`. Islands count from
1, clouds from 0. Requests (`ask-...`) are sent only to the seat that must answer.

`Spelling` writes and reads the values of the game in the words of any wire.
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

# Writing and reading the values of the game


class Spelling:
    """
    The words of one wire for colours, towers and answers: translates the values of the game to these words, and back.

    :param colours: the wire's word for each colour, in the order of the game's enumeration
    :param towers: the wire's word for each tower, in the order of the game's enumeration
    :param answers: the message class of each kind of action, in the order of `events.Action`; each message has one
        value, as the action has
    :param words: the kinds of actions with values that have other words on the wire; for each kind, game's value ->
        word
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
        # Actions with a value that is a tower or a colour use the words above. The caller may add others.
        words = {
            events.ChooseTower: dict(zip(Tower, self.towers, strict=True)),
            events.ChooseStudent: {None: None, **dict(zip(Colour, self.colours, strict=True))},
            **words,
        }
        self._said = {
            action: (message, words.get(action))
            for action, message in zip(events.Action.__args__, answers, strict=True)
        }
        #: The inverse of `_said`: message class -> (kind of action, word -> value of the game; `None`: the value is
        #: written as it is).
        self.answers: Mapping[type, tuple[type, Mapping[Any, Any] | None]] = {
            message: (action, written and {word: value for value, word in written.items()})
            # `written and`: `None` stays `None`.
            for action, (message, written) in self._said.items()
        }

    def answer_to(self, request: events.Ask) -> type:
        """Returns the class of the message that answers a request."""
        return self._said[events.ANSWERED_BY[type(request)]][0]

    def value_of(self, kind: type[events.Action], value: Any) -> Any:
        """Returns the value of an action of this kind in the words of the wire."""
        written = self._said[kind][1]
        return value if written is None else written[value]

    def message_of(self, action: events.Action) -> Any:
        """Returns the message for an action."""
        kind = type(action)
        return self._said[kind][0](self.value_of(kind, events.value_of(action)))

    def action_of(self, message: Any) -> Any:
        """Returns the action that a message means."""
        action, read = self.answers[type(message)]
        # Each message of an action has exactly one value.
        (value,) = astuple(message)
        return action(value if read is None else read[value])

    def tower(self, tower: Tower | None) -> Any:
        return None if tower is None else self.towers[tower]

    def read_tower(self, word: Any) -> Tower | None:
        return None if word is None else self._tower_of[word]

    def by_tower(self, values: Iterable[Any]) -> dict[Any, Any]:
        """
        Returns the values by the word of each tower colour.

        :param values: one value for each tower colour that this match uses, in the order of the colours
        """
        # Not strict: a match of two or four players does not use the last colour.
        return dict(zip(self.towers, values, strict=False))

    def read_by_tower(self, values: Mapping[Any, Any]) -> tuple[Any, ...]:
        """
        Returns the values of a mapping by tower colours, in the order of the colours. Colours that the match does not
        use are left out.
        """
        return tuple(values[tower] for tower in self.towers if tower in values)

    def one_by_one(self, students: Students) -> tuple[Any, ...]:
        """Returns the word of each single student: a colour is repeated as often as it has students."""
        return tuple(colour for colour, count in zip(self.colours, students, strict=True) for _ in range(count))

    def read_one_by_one(self, students: Iterable[Any]) -> Students:
        """Returns the number of students of each colour, from the words of single students."""
        heap = [0] * len(Colour)
        for word in students:
            heap[self._colour_of[word]] += 1
        return tuple(heap)

    def held(self, professors: Sequence[Seat | None], seat: int) -> tuple[Any, ...]:
        """Returns the colours of the professors that a seat has."""
        return tuple(colour for colour, holder in zip(self.colours, professors, strict=True) if holder == seat)


class JsonSpelling(Spelling):
    """
    Translates whole boards, too, for wires with the documented keys.

    :param player: the class of a player's school board
    :param island: the class of an island group
    :param character: the class of a character card
    :param heap: writes the numbers of students of the five colours; `counts` is its inverse
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
        #: Returns the message of an island group, from its number. Most groups are the same as on the board before, so
        #: the results are cached.
        self.island: Callable[[int, Island], Any] = lru_cache(1024)(self._new_island)

    def school(self, seat: int, school: School, board: events.Board, *name: str) -> Any:
        """
        Returns the message of a player's school board and the pieces beside it.

        :param name: the player's name, as the first argument of the class, if the class has one
        """
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
        """Returns a school board from its message. Values that a wire leaves out are replaced by those of the game."""
        return School(
            # A server of another author may leave tower and wizard empty until the deal.
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
        """Returns the message of an island group. `island` caches the results."""
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
        """Returns the message of a character card. Fields that do not exist for this character are `None`."""
        effect = EFFECTS[card.character]
        return self._character(
            character=card.character.value,
            cost=card.cost,
            used=card.used,
            students=self.heap(card.students) if effect.students else None,
            noEntryTiles=card.no_entry_tiles if effect.no_entry_tiles else None,
        )

    def read_card(self, card: Any) -> Card:
        # `None`: this character has no students, or no tiles.
        students = NO_STUDENTS if card.students is None else self.counts(card.students)
        return Card(Character(card.character), card.cost, card.used, students, card.noEntryTiles or 0)

    def table(
        self, make: Callable[..., T], board: events.Board, professors: Mapping[Any, Any], islands: Any = None
    ) -> T:
        """
        Returns the message of the parts of the board that all players share.

        :param make: a class, or a function that makes the result from the keys
        :param professors: the holder of each colour
        :param islands: the messages of the islands, if the caller has made them
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
        Returns a board, from the message of the shared parts and from the messages of the players' own boards.

        :param players: the messages of the players' boards, in the order of the seats
        :param professors: the holder of each colour
        """
        # `None`: no character was used in this turn.
        active = table.activeCharacter
        return events.Board(
            # Only the expert game has coins.
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

#: The number of students of each colour. The keys are the colours in lower case.
Heap: TypeAlias = dict[str, int]


class PlayerMessage(Struct, frozen=True):
    """
    A player's school board, and the things beside it. `playedAssistant` is the assistant that the player has played in
    this round.
    """

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
    """A group of merged islands. `members` are the first numbers of its islands, before any islands merged."""

    number: int
    members: list[int]
    students: Heap
    tower: str | None
    towers: int
    noEntryTiles: int


class CharacterMessage(Struct, frozen=True):
    """A character card on the table. `cost` is its present cost in coins."""

    character: int
    cost: int
    used: bool
    students: Heap | None
    noEntryTiles: int | None


class BoardMessage(Struct, frozen=True):
    """
    Everything visible on the board. `professors` has the holder of each colour, and `order` has the seats around the
    table, clockwise.

    `bag` is the number of students in the bag. `coinsSupply` is `null` in the normal game, which has no characters.
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
    """The base of all requests. A request asks one seat to choose something."""

    seat: int


class ToldMessage(EventMessage, frozen=True):
    """The base of all events that are not requests."""


class StartedEvent(ToldMessage, frozen=True, tag="started"):
    """Event: the match begins. Each player chooses a team and a wizard, in the order of the seats."""

    seats: int
    expert: bool


class AskTowerEvent(AskMessage, frozen=True, tag="ask-tower"):
    """
    Request: choose a team. `availableTowers` has the free places of each team, and `currentTeams` the seats in it.
    Answer: `tower black`.
    """

    availableTowers: dict[str, int]
    currentTeams: dict[str, list[int]]


class AskWizardEvent(AskMessage, frozen=True, tag="ask-wizard"):
    """Request: choose a wizard. Answer: `wizard 1`."""

    availableWizards: list[int]


class AskAssistantEvent(AskMessage, frozen=True, tag="ask-assistant"):
    """
    Request: play an assistant of your hand. `playedAssistants` are pairs of seat and assistant: those that were played
    in this round. Answer: `assistant 1`.
    """

    availableAssistants: list[int]
    playedAssistants: list[tuple[int, int]]


class AskStudentEvent(AskMessage, frozen=True, tag="ask-student"):
    """
    Request: choose a student of your entrance. A colour is listed once for each of its students. Answer: `student red`.
    """

    students: list[str]


class AskDestinationEvent(AskMessage, frozen=True, tag="ask-destination"):
    """
    Request: choose where the student goes: to an island from 1 to `islands`, or to the dining room (0) if `diningRoom`
    is true. Answer: `destination 0`.
    """

    islands: int
    diningRoom: bool


class AskStepsEvent(AskMessage, frozen=True, tag="ask-steps"):
    """Request: choose the steps of Mother Nature, from 1 to `maxStepsAllowed`. Answer: `steps 1`."""

    maxStepsAllowed: int


class AskCloudEvent(AskMessage, frozen=True, tag="ask-cloud"):
    """Request: choose one of the clouds with students. Answer: `cloud 0`."""

    clouds: list[int]


class AskCardStudentEvent(AskMessage, frozen=True, tag="ask-card-student"):
    """
    Request: choose one of these students, for the effect of a character. Answer: `student red`; also `student none` if
    `mayStop`.
    """

    students: list[str]
    mayStop: bool


class AskColourEvent(AskMessage, frozen=True, tag="ask-colour"):
    """Request: choose a colour, for the effect of a character. Answer: `student red`."""


class SuccessEvent(ToldMessage, frozen=True, tag="success"):
    """Event: the answer of this seat was accepted. Only its player receives it."""

    seat: int


class DeniedEvent(ToldMessage, frozen=True, tag="denied"):
    """
    Event: the destination is not possible, so the player must choose the student again. Only this player receives it.
    """

    seat: int
    error: str
    detail: str


class StatusEvent(ToldMessage, frozen=True, tag="status"):
    """Event: the present phase of this seat, or how the match ended for it. Only its player receives it."""

    seat: int
    playerStatus: str


class BoardEvent(ToldMessage, frozen=True, tag="board"):
    """Event: everything visible on the board, after the events before this one."""

    board: BoardMessage


class StartOfTurnEvent(ToldMessage, frozen=True, tag="start-of-turn"):
    """Event: the turn of a seat begins. At the end of the set-up it names the seat that begins round 1."""

    round: int
    seat: int


class PlayedAssistantEvent(ToldMessage, frozen=True, tag="played-assistant"):
    """Event: a seat has played an assistant."""

    seat: int
    assistant: int


class PlayedCharacterEvent(ToldMessage, frozen=True, tag="played-character"):
    """Event: a seat has paid for a character and used it."""

    seat: int
    character: int


class IslandOwnerEvent(ToldMessage, frozen=True, tag="island-owner"):
    """
    Event: influence was counted on an island. `island` is the island group before it merges, and `owner` is the seat
    that owns its towers.
    """

    island: IslandMessage
    owner: int | None


class NoEntryUsedEvent(ToldMessage, frozen=True, tag="no-entry-used"):
    """Event: influence was not counted on this island, because it had a no-entry tile. The tile is back on its card."""

    island: int


class UnifiedEvent(ToldMessage, frozen=True, tag="unified"):
    """Event: islands have merged."""


class LastRoundEvent(ToldMessage, frozen=True, tag="last-round"):
    """Event: this round is the last one, because there are not enough students for another."""


class EndOfTurnEvent(ToldMessage, frozen=True, tag="end-of-turn"):
    """Event: the turn of a seat is over."""

    round: int
    seat: int


class EndOfRoundEvent(ToldMessage, frozen=True, tag="end-of-round"):
    """Event: the round is over."""

    round: int


class WonEvent(ToldMessage, frozen=True, tag="won"):
    """
    Event: the match is over. `seats` are the winners, and `why` is the reason in words. `team` is `null` after a shared
    victory.
    """

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
    The state of the match. `turn` is the seat that must answer, and `statuses` has the present phase of each seat.

    `teams` has the seats of each team. Only the view of the seat that must answer contains `request`. `board` is `null`
    before the deal, and `won` is `null` until the match has ended.
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
    """Action: choose a team, by the colour of its towers."""

    tower: str


class WizardAction(ActionMessage, frozen=True, tag="wizard"):
    """Action: choose a wizard."""

    wizard: int


class AssistantAction(ActionMessage, frozen=True, tag="assistant"):
    """Action: play an assistant of the hand."""

    assistant: int


class StudentAction(ActionMessage, frozen=True, tag="student"):
    """Action: choose a student by its colour, or choose a colour. `null`: no more students."""

    student: str | None


class DestinationAction(ActionMessage, frozen=True, tag="destination"):
    """Action: choose an island as the destination of a student, or 0 for the dining room."""

    destination: int


class StepsAction(ActionMessage, frozen=True, tag="steps"):
    """Action: choose the steps of Mother Nature."""

    steps: int


class CloudAction(ActionMessage, frozen=True, tag="cloud"):
    """Action: choose a cloud."""

    cloud: int


class CharacterAction(ActionMessage, frozen=True, tag="character"):
    """Action: use a character. It can be used instead of the answer to a request."""

    character: int


#: One action of a seat. A move of the game can consist of several actions.
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
    """
    Returns the message with everything visible on a board. `SPELLING` translates the parts of a board to the keys and words
    of the documented messages.
    """
    players = [SPELLING.school(seat, school, board) for seat, school in enumerate(board.schools)]
    # `SPELLING.table` calls `make` with the parts that all players share. The keys that it does not know are added here.
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

#: Event -> (its message, the kinds of its values). No kinds are listed if the message contains the first values of the
#: event unchanged. `Closing` has no message: the end of the match says the same.
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
#: Messages that no client translates back to events: they change no view, and no player needs them.
_UNREAD = (StatusEvent, NoEntryUsedEvent, UnifiedEvent, EndOfRoundEvent)
_EVENTS = {message: (event, kinds) for event, (message, kinds) in _MESSAGES.items() if message not in _UNREAD}


def _written(event: Any) -> Any:
    """Translates an event to its message; `None`: the event has no message."""
    message, kinds = _MESSAGES.get(type(event), (None, ()))
    if message is None:
        return None
    # An event may have more values at its end that its message does not contain.
    names = type(event).__struct_fields__[: len(message.__struct_fields__)]
    values = [getattr(event, name) for name in names]
    return message(*(kind.write(value) for kind, value in zip(kinds, values, strict=True)) if kinds else values)


def is_move(told: Sequence[EventMessage]) -> bool:
    """
    Whether an entry of the journal is a move (see `gamehost.games.play.is_move`). A student and its destination are one
    move: the board is sent only after both. A board of round 0 is the deal, which is not a move.
    """
    boards = [one.board.round for one in told if isinstance(one, BoardEvent)]
    played = any(isinstance(one, PlayedAssistantEvent | PlayedCharacterEvent) for one in told)
    return played or (bool(boards) and 0 not in boards)


class EriantysMessages:
    """Translates between the values of Eriantys and its messages. See `gamehost.games.messages.Messages`."""

    view_type = View
    event_type = Request | union_of(ToldMessage)
    action_type = Action
    rules: Mapping[str, Any] = {}

    def view(self, situation: events.Situation) -> View:
        """
        Translates a view to a message. The colour that is banned in this turn, and the chosen student, are left out.
        """
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
        """Translates a message back to a view, as far as the message contains it."""
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
        """Translates an event to a message; `None`: the event has no message."""
        match event:
            # These two messages need more than a translation of single values.
            case events.Board():
                return BoardEvent(board_message(event))
            case events.IslandOwner(number, island, owner):
                return IslandOwnerEvent(SPELLING.island(number, island), owner)
        message: EventMessage | None = _written(event)
        return message

    def read_event(self, event: Any) -> Any:
        """Translates a message back to an event; `None`: no client needs the event, or there is no message."""
        if isinstance(event, BoardEvent):
            return _read_board(event.board)
        kind, kinds = _EVENTS.get(type(event), (None, ()))
        if kind is None:
            # Not an event that a client translates back (see `_UNREAD`).
            return None
        values = astuple(event)
        return kind(*(one.read(value) for one, value in zip(kinds, values, strict=True)) if kinds else values)

    def action(self, action: events.Action) -> Action:
        message: Action = SPELLING.message_of(action)
        return message


MESSAGES = EriantysMessages()
