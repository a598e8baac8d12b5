"""
The actions of players, their notation in the journal, and the reasons of refusals. Also the events for players: one class for
each message of a wire, in the order in which wires send them.

Actions are answers to the open request; only `UseCharacter` can come without a request for it. In the journal an action is two
words, such as `student red` or `destination 0`.

An event for all players contains nothing hidden. A hand is sent only to its player, in `AskAssistant`. Of the bag, only the
number of students is sent. A request (`Ask...`) is sent to one seat, and is open until this seat has answered it. Islands are
numbered from 1 around the present circle, clouds from 0.
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
    """The reasons for which the rules refuse an action, in the words of the protocol."""

    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    #: Another player has played this assistant in this round, and the hand has an assistant that nobody has played.
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    #: The assistant is not in the hand.
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    #: The host waits for another player.
    WRONG_TURN = "WRONG_TURN"
    #: The action does not answer the open request.
    INVALID_ACTION = "INVALID_ACTION"
    #: A number is out of range, or a choice is missing.
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
        #: Whether the action was an answer to the open request. Then the request is sent again.
        self.ask_again = ask_again


#: All legal numbers are in this range. A number outside the range is replaced by the nearest one inside, so that every action
#: has a notation.
_LEAST, _MOST = -1, 99


class _Number(Struct, frozen=True, gc=False):
    """An action that has a number as its only value."""

    def __post_init__(self) -> None:
        """Replaces a number out of range (see `_LEAST`)."""
        (name,) = self.__struct_fields__
        number = getattr(self, name)
        if not _LEAST <= number <= _MOST:
            # The struct is frozen, so a normal assignment is not possible.
            force_setattr(self, name, max(_LEAST, min(number, _MOST)))


class ChooseTower(Struct, frozen=True, gc=False):
    """Action: choose a team."""

    tower: rules.Tower


class ChooseWizard(_Number, frozen=True, gc=False):
    """Action: choose a wizard, 1 to 4. It is shown on the back of the player's assistants."""

    wizard: int


class PlayAssistant(_Number, frozen=True, gc=False):
    """Action: play an assistant of the hand, 1 to 10."""

    assistant: int


class ChooseStudent(Struct, frozen=True, gc=False):
    """Action: choose a student by its colour, or choose a colour. `None`: the player chooses no more students."""

    colour: rules.Colour | None


class ChooseDestination(_Number, frozen=True, gc=False):
    """Action: choose the dining room (0), or an island by its present number in the circle, from 1."""

    destination: int


class ChooseSteps(_Number, frozen=True, gc=False):
    """Action: choose the number of steps of Mother Nature."""

    steps: int


class ChooseCloud(_Number, frozen=True, gc=False):
    """Action: choose a cloud by its number, from 0."""

    cloud: int


class UseCharacter(_Number, frozen=True, gc=False):
    """Action: use a character, by its number, 1 to 12."""

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
    """Returns the only value of an action."""
    return getattr(action, action.__struct_fields__[0])


def write(action: Action) -> bytes:
    """Returns an action in the notation of the journal."""
    match action:
        case ChooseTower(tower):
            words = f"tower {tower.name.lower()}"
        case ChooseStudent(colour):
            words = f"student {'none' if colour is None else colour.name.lower()}"
        case _:
            words = f"{_WORDS[type(action)]} {value_of(action)}"
    return words.encode("ascii")


def typed(action: Action) -> str:
    """Returns an action as people type it. Clouds are counted from 1 here, like islands."""
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
    # A wizard or an assistant is typed as in the journal.
    return write(action).decode("ascii")


def read(notation: bytes) -> Action:
    """
    Returns the action that `write` has written.

    :raises ValueError: the text is not an action of this game
    """
    try:
        # Fails with `ValueError` for other characters than ASCII, and for more or fewer words.
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
    """The base of all events."""


class Ask(Event, frozen=True, gc=False):
    """The base of all requests. A request asks one seat for a choice."""

    seat: Seat


class MatchStarted(Event, frozen=True, gc=False):
    """Event: the match has begun; nothing is dealt yet."""

    seats: int
    expert: bool
    #: The seats around the table, clockwise. Unknown (`None`) until the deal.
    order: tuple[Seat, ...] | None = None


class AskTower(Ask, frozen=True, gc=False):
    """
    Request: choose a team. `left` are the free places of each team, and `teams` are the seats that have chosen it, both by
    tower colour.
    """

    left: tuple[int, ...]
    teams: tuple[tuple[Seat, ...], ...]


class TowerChosen(Event, frozen=True, gc=False):
    """
    Event for all: a player has chosen a team. A wire need not send it, because the next request and a view contain the same.
    """

    seat: Seat
    tower: rules.Tower


class AskWizard(Ask, frozen=True, gc=False):
    """Request: choose one of these wizards."""

    wizards: tuple[int, ...]


class WizardChosen(Event, frozen=True, gc=False):
    """Event for all: a player has chosen a wizard. A wire need not send it."""

    seat: Seat


class AskAssistant(Ask, frozen=True, gc=False):
    """
    Request: play an assistant. `hand` is the player's hand, which only this player may see. `played` are the seats with their
    assistants of this round, in order of play.
    """

    hand: tuple[int, ...]
    played: tuple[tuple[Seat, int], ...]


class AskStudent(Ask, frozen=True, gc=False):
    """Request: choose a student of the entrance."""

    students: rules.Students


class Picked(Event, frozen=True, gc=False):
    """
    Event for one player: a student was chosen, and the next request is about this student. It comes before this request. A wire
    need not send it.
    """

    seat: Seat
    colour: rules.Colour


class AskDestination(Ask, frozen=True, gc=False):
    """Request: choose an island from 1 to `islands`, or 0 for the dining room if `dining_room` is true."""

    islands: int
    dining_room: bool


class AskSteps(Ask, frozen=True, gc=False):
    """Request: choose the steps of Mother Nature, from 1 to `most`."""

    most: int


class AskCloud(Ask, frozen=True, gc=False):
    """Request: choose one of these clouds. `clouds` are the numbers, from 0, of the clouds that still have students."""

    clouds: tuple[int, ...]


class AskCardStudent(Ask, frozen=True, gc=False):
    """Request: choose one of these students, for the effect of a character."""

    students: rules.Students
    #: Whether the player may choose no student.
    may_stop: bool = False


class AskColour(Ask, frozen=True, gc=False):
    """Request: choose a colour, for the effect of a character."""


ASKS = tuple(Ask.__subclasses__())

#: Kind of request -> kind of action that answers it.
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
    """
    Whether a character may be used instead of an answer: during the moves of a turn, unless a character's effect has asked.
    """
    if isinstance(request, AskDestination):
        return request.dining_room
    return isinstance(request, AskStudent | AskSteps | AskCloud)


class Success(Event, frozen=True, gc=False):
    """Event for one player: its answer was accepted."""

    seat: Seat


class Denied(Event, frozen=True, gc=False):
    """
    Event for one player: the destination is not possible, and the choice of the student before it is dropped. The request for a
    student follows. (All other wrong answers are refused, and the open request remains open.)
    """

    seat: Seat
    fault: RuleFault
    detail: str


class PlayerStatus(Event, frozen=True, gc=False):
    """Event for one player: its present phase, or how the match ended for it."""

    seat: Seat
    status: rules.Status


class Board(Event, frozen=True, gc=False):
    """Event: everything visible on the board."""

    expert: bool
    round: int
    #: The school board of each seat.
    schools: tuple[rules.School, ...]
    islands: tuple[rules.Island, ...]
    clouds: tuple[rules.Students, ...]
    #: The number of Mother Nature's island, from 1.
    mother_nature: int
    #: The seat that has the professor of each colour.
    professors: tuple[Seat | None, ...]
    #: How many students are in the bag.
    bag: int
    #: No cards in the normal game.
    cards: tuple[rules.Card, ...]
    #: The character that was used in this turn.
    active_character: rules.Character | None
    supply: int
    #: The seats around the table, clockwise.
    order: tuple[Seat, ...]
    #: The colour that gives no influence in this turn.
    banned: rules.Colour | None = None
    #: Whether Mother Nature has just moved, and the influence on her island was not counted yet. Another board follows.
    unresolved: bool = False
    #: The order of the seats in this phase, and the index of the player to move in it. Empty: not known.
    phase_order: tuple[Seat, ...] = ()
    turn: int = 0


class StartOfTurn(Event, frozen=True, gc=False):
    """Event: the turn of a seat begins. At the end of the set-up it names the seat that begins round 1."""

    round: int
    seat: Seat


class PlayedAssistant(Event, frozen=True, gc=False):
    """Event: a seat has played an assistant."""

    seat: Seat
    assistant: int


class PlayedCharacter(Event, frozen=True, gc=False):
    """Event: a seat has paid for a character and used it."""

    seat: Seat
    character: rules.Character


class IslandOwner(Event, frozen=True, gc=False):
    """
    Event: influence was counted on an island. `island` is the group after the count and before islands merge, and `owner` is
    the seat that owns its towers.
    """

    number: int
    island: rules.Island
    owner: Seat | None


class NoEntryUsed(Event, frozen=True, gc=False):
    """Event: influence was not counted on this island, because it had a no-entry tile. The tile is back on its card."""

    number: int


class Unified(Event, frozen=True, gc=False):
    """Event: islands have merged."""


class LastRound(Event, frozen=True, gc=False):
    """Event: this round is the last one, because there are not enough students for another."""


class EndOfTurn(Event, frozen=True, gc=False):
    """Event: the turn of a seat is over."""

    round: int
    seat: Seat


class EndOfRound(Event, frozen=True, gc=False):
    """Event: the round is over."""

    round: int


class Won(Event, frozen=True, gc=False):
    """Event: the match is over."""

    #: `None`: a shared victory, or the match ended before there were teams.
    team: rules.Tower | None
    #: All winners. In a team, the player with the towers is first.
    seats: tuple[Seat, ...]
    why: str
    #: The player with the towers of the team that has won; `None`: a shared victory.
    seat: Seat | None = None


class Closing(Event, frozen=True, gc=False):
    """Event: everything about the end was sent. It is the last event."""


class Situation(Event, frozen=True, gc=False):
    """A view: the state of the match for a player that comes back, or for a watcher."""

    match: MatchStarted
    #: `None` before the deal.
    board: Board | None = None
    #: The open request, if it was sent to this player; otherwise `None`.
    request: Ask | None = None
    #: The end of the match, for a player that was away then; `None`: the match continues.
    won: Won | None = None
    #: The seat that must answer; `None`: the match is over.
    turn: Seat | None = None
    #: For each seat, its present phase, or how the match ended for it.
    statuses: tuple[rules.Status, ...] = ()
    #: The seats of each team, by tower colour. Before the deal, only the seats that have chosen.
    teams: tuple[tuple[Seat, ...], ...] = ()
    #: The chosen student that the open request is about, if the request was sent to this player; otherwise `None`.
    picked: rules.Colour | None = None


#: Events that no wire sends. The documented messages contain the same information at another time.
UNTOLD = (TowerChosen, WizardChosen, Picked)

#: Events with their receivers, in order.
Told = list[To[Event]]


def board_of(position: rules.Position, unresolved: bool = False) -> Board:
    """Returns the event with everything visible in a position."""
    return Board(
        expert=position.match.expert,
        round=position.round,
        schools=position.schools,
        islands=position.islands,
        clouds=position.clouds,
        # People and messages count islands from 1.
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
    """Returns the events for all players about the count on an island. They come before the board."""
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
    Yields the answers that a player has given between two boards, as far as the boards show them: a student with its
    destination, steps, a cloud.
    """
    # After islands have merged, the islands of the two boards cannot be compared.
    same_circle = len(old.islands) == len(new.islands)
    for before, after in zip(old.schools, new.schools, strict=True):
        gone = _differences(before.entrance, after.entrance)
        if list(gone.values()) != [-1]:
            # Not exactly one student has left this entrance.
            continue
        [colour] = gone
        came = _differences(before.dining, after.dining) == {colour: 1}
        # 0: the dining room, where the same colour has one student more.
        places = [0] if came else []
        if same_circle:
            islands = enumerate(zip(old.islands, new.islands, strict=True), 1)
            places += [n for n, (one, other) in islands if _differences(one.students, other.students) == {colour: 1}]
        for place in places:
            yield ChooseStudent(colour)
            yield ChooseDestination(place)
    if same_circle and old.mother_nature != new.mother_nature:
        yield ChooseSteps((new.mother_nature - old.mother_nature) % len(new.islands))
    # Between two rounds, the clouds are filled.
    if old.round == new.round:
        for place, (full, rest) in enumerate(zip(old.clouds, new.clouds, strict=True)):
            if any(full) and not any(rest):
                yield ChooseCloud(place)


def _differences(before: rules.Students, after: rules.Students) -> dict[rules.Colour, int]:
    """Returns the differences between two heaps, by colour."""
    return {colour: after[colour] - before[colour] for colour in rules.Colour if after[colour] != before[colour]}
