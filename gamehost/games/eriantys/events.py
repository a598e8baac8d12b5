"""
The actions of players, their notation in the journal, and the refusals. Also the events for players: one class for each
message of a wire, in the order in which wires send them.

Actions are answers to the open request; only `UseCharacter` comes without a request. In the journal an action is two words,
such as `student red` or `destination 0`.

An event for all players contains nothing that is hidden. A hand is sent only to its player, in `AskAssistant`. Of the
bag only the number of students is sent. A request (`Ask...`) goes to one seat, and is open until it is answered.
Islands are numbered from 1 around the current circle, clouds from 0.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from gamehost.games.base import IllegalAction, Seat, To
from gamehost.games.eriantys import rules


class RuleFault(StrEnum):
    """Why the rules refuse, in the words of the protocol."""

    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    #: Another player has played it in this round, and the hand has an assistant that nobody has played.
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    #: Not in the hand.
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    #: The host waits for another player.
    WRONG_TURN = "WRONG_TURN"
    #: The open request to this player is of another kind.
    INVALID_ACTION = "INVALID_ACTION"
    #: Out of range, or no choice where one is needed.
    INVALID_INPUT = "INVALID_INPUT"
    NOT_ENOUGH_COINS = "NOT_ENOUGH_COINS"
    ALREADY_PLAYED_CHARACTER = "ALREADY_PLAYED_CHARACTER"
    ZERO_NO_ENTRY_TILES_LEFT = "ZERO_NO_ENTRY_TILES_LEFT"
    CHARACTER_NOT_IN_GAME = "CHARACTER_NOT_IN_GAME"
    CHARACTER_NOT_USABLE = "CHARACTER_NOT_USABLE"
    NOT_EXPERT_MODE = "NOT_EXPERT_MODE"


class IllegalChoice(IllegalAction):
    """The rules forbid an action. The message says what was wrong and what was expected."""

    def __init__(self, fault: RuleFault, detail: str, ask_again: bool = True) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        #: Whether this was an answer to the open request, which is then sent again.
        self.ask_again = ask_again


#: All legal choices are in this range. A number outside of it is replaced by the nearest one inside.
_LEAST, _MOST = -1, 99


class _Number(Struct, frozen=True, gc=False):
    """An action with one value, a number."""

    def __post_init__(self) -> None:
        (name,) = self.__struct_fields__
        number = getattr(self, name)
        if not _LEAST <= number <= _MOST:
            force_setattr(self, name, max(_LEAST, min(number, _MOST)))


class ChooseTower(Struct, frozen=True, gc=False):
    """A team."""

    tower: rules.Tower


class ChooseWizard(_Number, frozen=True, gc=False):
    """A wizard, 1 to 4: the back of the player's assistants."""

    wizard: int


class PlayAssistant(_Number, frozen=True, gc=False):
    """An assistant of the hand, 1 to 10."""

    assistant: int


class ChooseStudent(Struct, frozen=True, gc=False):
    """A student, named by its colour, or a colour; `None`: the player chooses no more students."""

    colour: rules.Colour | None


class ChooseDestination(_Number, frozen=True, gc=False):
    """0 for the dining room, or the number of an island in the circle as it is now, from 1."""

    destination: int


class ChooseSteps(_Number, frozen=True, gc=False):
    """How far Mother Nature walks."""

    steps: int


class ChooseCloud(_Number, frozen=True, gc=False):
    """A cloud by its place, from 0."""

    cloud: int


class UseCharacter(_Number, frozen=True, gc=False):
    """A character by its number, 1 to 12."""

    character: int


Action = (
    ChooseTower
    | ChooseWizard
    | PlayAssistant
    | ChooseStudent
    | ChooseDestination
    | ChooseSteps
    | ChooseCloud
    | UseCharacter
)

_NUMBERED: Mapping[str, type[Any]] = {
    "wizard": ChooseWizard,
    "assistant": PlayAssistant,
    "destination": ChooseDestination,
    "steps": ChooseSteps,
    "cloud": ChooseCloud,
    "character": UseCharacter,
}
_WORDS = {kind: word for word, kind in _NUMBERED.items()}
_NUMBER = re.compile(r"-1|[0-9]|[1-9][0-9]", re.ASCII)
_TOWERS = {tower.name.lower(): tower for tower in rules.Tower}
_COLOURS: dict[str, rules.Colour | None] = {colour.name.lower(): colour for colour in rules.Colour} | {"none": None}


def value_of(action: Action) -> Any:
    return getattr(action, action.__struct_fields__[0])


def write(action: Action) -> bytes:
    match action:
        case ChooseTower(tower):
            words = f"tower {tower.name.lower()}"
        case ChooseStudent(colour):
            words = f"student {'none' if colour is None else colour.name.lower()}"
        case _:
            words = f"{_WORDS[type(action)]} {value_of(action)}"
    return words.encode("ascii")


def typed(action: Action) -> str:
    """An action as people type it. Clouds are counted from 1, as islands are."""
    match action:
        case ChooseTower(tower):
            return f"team {tower.name.lower()}"
        case ChooseStudent(colour):
            return "none" if colour is None else colour.name.lower()
        case ChooseDestination(number):
            return f"to {number or 'hall'}"
        case ChooseSteps(number):
            return f"mother {number}"
        case ChooseCloud(number):
            return f"cloud {number + 1}"
        case UseCharacter(number):
            return rules.Character(number).name.lower()
    # A wizard or an assistant, as in the journal.
    return write(action).decode("ascii")


def read(notation: bytes) -> Action:
    """
    The inverse of `write`.

    :raises ValueError: not an action of this game
    """
    try:
        word, value = notation.decode("ascii").split(" ")
    except ValueError:
        raise ValueError("expected an action of two words, such as `student red`") from None
    if word == "tower" and value in _TOWERS:
        return ChooseTower(_TOWERS[value])
    if word == "student" and value in _COLOURS:
        return ChooseStudent(_COLOURS[value])
    if word in _NUMBERED and _NUMBER.fullmatch(value) is not None:
        action: Action = _NUMBERED[word](int(value))
        return action
    raise ValueError("expected tower, student, or a number after one of " + ", ".join(_NUMBERED))


# Events


class Event(Struct, frozen=True, gc=False):
    """An event that players receive."""


class Ask(Event, frozen=True, gc=False):
    """A request to a seat."""

    seat: Seat


class MatchStarted(Event, frozen=True, gc=False):
    """The match has begun; nothing is dealt yet."""

    seats: int
    expert: bool
    #: The seats around the table, clockwise. Unknown (`None`) until the deal.
    order: tuple[Seat, ...] | None = None


class AskTower(Ask, frozen=True, gc=False):
    """Which team? For each tower colour: the free places, and the seats that have chosen it."""

    left: tuple[int, ...]
    teams: tuple[tuple[Seat, ...], ...]


class TowerChosen(Event, frozen=True, gc=False):
    """A player has chosen a team. It goes to all. A wire need not send it: the next question and a view contain it."""

    seat: Seat
    tower: rules.Tower


class AskWizard(Ask, frozen=True, gc=False):
    """Which wizard of those left?"""

    wizards: tuple[int, ...]


class WizardChosen(Event, frozen=True, gc=False):
    """A player has chosen a wizard. It goes to all. A wire need not send it."""

    seat: Seat


class AskAssistant(Ask, frozen=True, gc=False):
    """Which assistant? The hand, and what was played in this round, in order of play. Only this player may know it."""

    hand: tuple[int, ...]
    played: tuple[tuple[Seat, int], ...]


class AskStudent(Ask, frozen=True, gc=False):
    """Which student of the entrance?"""

    students: rules.Students


class Picked(Event, frozen=True, gc=False):
    """
    A student was chosen, and the next question is about it. It goes to this player, before the question. A wire need not
    send it.
    """

    seat: Seat
    colour: rules.Colour


class AskDestination(Ask, frozen=True, gc=False):
    """Where to? An island from 1 to `islands`, or 0 for the dining room if that is a choice."""

    islands: int
    dining_room: bool


class AskSteps(Ask, frozen=True, gc=False):
    """How far, from 1 to `most`?"""

    most: int


class AskCloud(Ask, frozen=True, gc=False):
    """Which cloud? `clouds` are the places, from 0, of the clouds that still have students."""

    clouds: tuple[int, ...]


class AskCardStudent(Ask, frozen=True, gc=False):
    """Which of these students, for a character's effect?"""

    students: rules.Students
    #: Whether the player may choose no student.
    may_stop: bool = False


class AskColour(Ask, frozen=True, gc=False):
    """Which colour, for a character's effect?"""


ASKS = tuple(Ask.__subclasses__())

#: The kind of action that answers each kind of request.
ANSWERED_BY: Mapping[type, type[Action]] = {
    AskTower: ChooseTower,
    AskWizard: ChooseWizard,
    AskAssistant: PlayAssistant,
    AskStudent: ChooseStudent,
    AskDestination: ChooseDestination,
    AskSteps: ChooseSteps,
    AskCloud: ChooseCloud,
    AskCardStudent: ChooseStudent,
    AskColour: ChooseStudent,
}


def allows_character(request: Ask | None) -> bool:
    """Whether a character may be used instead of an answer: in the moves of a turn, unless a character asks."""
    if isinstance(request, AskDestination):
        return request.dining_room
    return isinstance(request, AskStudent | AskSteps | AskCloud)


class Success(Event, frozen=True, gc=False):
    """The answer was accepted."""

    seat: Seat


class Denied(Event, frozen=True, gc=False):
    """
    The destination is not possible, and the choice of the student before it is dropped. The request for a student
    follows. (All other wrong answers are refused, and the open request remains open.)
    """

    seat: Seat
    fault: RuleFault
    detail: str


class PlayerStatus(Event, frozen=True, gc=False):
    """The state of this player: its stage in the turn, or the end of the match for it."""

    seat: Seat
    status: rules.Status


class Board(Event, frozen=True, gc=False):
    """Everything visible."""

    expert: bool
    round: int
    #: By seat.
    schools: tuple[rules.School, ...]
    islands: tuple[rules.Island, ...]
    clouds: tuple[rules.Students, ...]
    #: The number of Mother Nature's island, from 1.
    mother_nature: int
    #: The holder of each colour's professor.
    professors: tuple[Seat | None, ...]
    #: How many students are in the bag.
    bag: int
    #: None in the normal game.
    cards: tuple[rules.Card, ...]
    #: The character played in this turn.
    active_character: rules.Character | None
    supply: int
    #: The seats around the table, clockwise.
    order: tuple[Seat, ...]
    #: The colour that gives no influence in this turn.
    banned: rules.Colour | None = None
    #: Whether Mother Nature has just walked, and her island is about to be resolved. Another board follows.
    unresolved: bool = False
    #: The seats in the order of this phase, and the index in it of the player to move. Empty: not known.
    phase_order: tuple[Seat, ...] = ()
    turn: int = 0


class StartOfTurn(Event, frozen=True, gc=False):
    """A player's turn begins. At the end of the set-up: the first player of round 1."""

    round: int
    seat: Seat


class PlayedAssistant(Event, frozen=True, gc=False):
    """A player played an assistant."""

    seat: Seat
    assistant: int


class PlayedCharacter(Event, frozen=True, gc=False):
    """A player used and paid a character."""

    seat: Seat
    character: rules.Character


class IslandOwner(Event, frozen=True, gc=False):
    """Influence was counted: the island after the count, before any merge, and the owner of its towers."""

    number: int
    island: rules.Island
    owner: Seat | None


class NoEntryUsed(Event, frozen=True, gc=False):
    """A no-entry tile stopped the count on this island, and is back on its card."""

    number: int


class Unified(Event, frozen=True, gc=False):
    """Islands have merged."""


class LastRound(Event, frozen=True, gc=False):
    """There are not enough students for another round: the match ends with this one."""


class EndOfTurn(Event, frozen=True, gc=False):
    """A player's turn is over."""

    round: int
    seat: Seat


class EndOfRound(Event, frozen=True, gc=False):
    """The round is over."""

    round: int


class Won(Event, frozen=True, gc=False):
    """The winners, and the reason."""

    #: `None`: a shared victory, or the match ended before there were teams.
    team: rules.Tower | None
    #: All winners. A tower-holder comes before the partner.
    seats: tuple[Seat, ...]
    why: str
    #: The tower-holder of the team that won; `None`: a shared victory.
    seat: Seat | None = None


class Closing(Event, frozen=True, gc=False):
    """The end has been sent. No event follows."""


class Situation(Event, frozen=True, gc=False):
    """The state of the match for a player that comes back, or a watcher."""

    match: MatchStarted
    #: `None` before the deal.
    board: Board | None = None
    #: The open request, if it is to this player.
    request: Ask | None = None
    #: The end of the match, for a player that was away when it came.
    won: Won | None = None
    #: The seat that is asked; `None`: the match is over.
    turn: Seat | None = None
    #: The state of each player, by seat: its stage in the turn, or the end of the match for it.
    statuses: tuple[rules.Status, ...] = ()
    #: The seats of each team, by tower colour. Before the deal: of the seats that have chosen.
    teams: tuple[tuple[Seat, ...], ...] = ()
    #: The student that was chosen and that the open request is about, if it is to this player.
    picked: rules.Colour | None = None


#: Events that no wire sends, because the documented messages contain the same at another time.
UNTOLD = (TowerChosen, WizardChosen, Picked)

#: Events and their audiences, in order.
Told = list[To[Event]]


def board_of(position: rules.Position, unresolved: bool = False) -> Board:
    return Board(
        expert=position.match.expert,
        round=position.round,
        schools=position.schools,
        islands=position.islands,
        clouds=position.clouds,
        mother_nature=position.mother_nature + 1,
        professors=position.professors,
        bag=sum(position.bag),
        cards=position.cards,
        active_character=position.character,
        supply=position.supply,
        order=position.seating,
        banned=position.banned,
        unresolved=unresolved,
        phase_order=position.order,
        turn=position.turn,
    )


def resolution_told(resolution: rules.Resolution) -> Told:
    """The events for all players about a resolved island, before the board."""
    told: Told = []
    if resolution.island is None:
        told.append(To(NoEntryUsed(resolution.number)))
    else:
        told.append(To(IslandOwner(resolution.number, resolution.island, resolution.owner)))
    if resolution.merged:
        told.append(To(Unified()))
    return told


def answers_between(old: Board, new: Board) -> Iterator[Action]:
    """
    The answers that a player gave between two boards, as far as the boards show them: a student and its destination,
    steps, a cloud.
    """
    same_circle = len(old.islands) == len(new.islands)
    for before, after in zip(old.schools, new.schools, strict=True):
        gone = _differences(before.entrance, after.entrance)
        if list(gone.values()) != [-1]:
            continue
        [colour] = gone
        came = _differences(before.dining, after.dining) == {colour: 1}
        places = [0] if came else []
        if same_circle:
            islands = enumerate(zip(old.islands, new.islands, strict=True), 1)
            places += [n for n, (one, other) in islands if _differences(one.students, other.students) == {colour: 1}]
        for place in places:
            yield ChooseStudent(colour)
            yield ChooseDestination(place)
    if same_circle and old.mother_nature != new.mother_nature:
        yield ChooseSteps((new.mother_nature - old.mother_nature) % len(new.islands))
    if old.round == new.round:
        for place, (full, rest) in enumerate(zip(old.clouds, new.clouds, strict=True)):
            if any(full) and not any(rest):
                yield ChooseCloud(place)


def _differences(before: rules.Students, after: rules.Students) -> dict[rules.Colour, int]:
    return {colour: after[colour] - before[colour] for colour in rules.Colour if after[colour] != before[colour]}
