"""
What a player can do, how the journal writes it, and how it is refused.

Actions are answers to the open request; only `UseCharacter` comes without a request. In the journal an action is two words,
such as `student red` or `destination 0`.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum

from attrs import field, frozen

from gamehost.games.base import IllegalAction
from gamehost.games.eriantys.pieces import Colour, Tower


class RuleFault(StrEnum):
    """Why the rules refuse, in the words of the protocol."""

    TOWER_NOT_AVAILABLE = "TOWER_NOT_AVAILABLE"
    WIZARD_NOT_AVAILABLE = "WIZARD_NOT_AVAILABLE"
    #: Another player has played it in this round, and the hand has an alternative.
    INVALID_ASSISTANT = "INVALID_ASSISTANT"
    #: Not in the hand.
    UNAVAILABLE_ASSISTANT = "UNAVAILABLE_ASSISTANT"
    STUDENT_NOT_AVAILABLE = "STUDENT_NOT_AVAILABLE"
    FULL_DINING_ROOM = "FULL_DINING_ROOM"
    EMPTY_CLOUD = "EMPTY_CLOUD"
    #: Another player is asked.
    WRONG_TURN = "WRONG_TURN"
    #: This player is asked, but for something else.
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
    """The rules refuse; the message says what was wrong and what was expected."""

    def __init__(self, fault: RuleFault, detail: str, ask_again: bool = True) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        #: Whether this was an answer to the open request, which is then sent again.
        self.ask_again = ask_again


#: No choice has a number outside of this range, so any such number is replaced by the nearest one inside.
_LEAST, _MOST = -1, 99


def _within_reach(number: int) -> int:
    return max(_LEAST, min(number, _MOST))


@frozen
class ChooseTower:
    """A team."""

    tower: Tower


@frozen
class ChooseWizard:
    """A wizard, 1 to 4: the back of the player's assistants."""

    wizard: int = field(converter=_within_reach)


@frozen
class PlayAssistant:
    """An assistant of the hand, 1 to 10."""

    assistant: int = field(converter=_within_reach)


@frozen
class ChooseStudent:
    """A student by its colour, or a colour; `None`: no more of them."""

    colour: Colour | None


@frozen
class ChooseDestination:
    """0 for the dining room, or the number of an island in the circle as it is now, from 1."""

    destination: int = field(converter=_within_reach)


@frozen
class ChooseSteps:
    """How far Mother Nature walks."""

    steps: int = field(converter=_within_reach)


@frozen
class ChooseCloud:
    """A cloud by its place, from 0."""

    cloud: int = field(converter=_within_reach)


@frozen
class UseCharacter:
    """A character by its number, 1 to 12."""

    character: int = field(converter=_within_reach)


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

_NUMBERED: Mapping[str, Callable[[int], Action]] = {
    "wizard": ChooseWizard,
    "assistant": PlayAssistant,
    "destination": ChooseDestination,
    "steps": ChooseSteps,
    "cloud": ChooseCloud,
    "character": UseCharacter,
}
_NUMBER = re.compile(r"-1|[0-9]|[1-9][0-9]", re.ASCII)
_TOWERS = {tower.name.lower(): tower for tower in Tower}
_COLOURS: dict[str, Colour | None] = {colour.name.lower(): colour for colour in Colour} | {"none": None}


def write(action: Action) -> bytes:
    """An action as the journal keeps it."""
    match action:
        case ChooseTower(tower):
            words = f"tower {tower.name.lower()}"
        case ChooseStudent(colour):
            words = f"student {'none' if colour is None else colour.name.lower()}"
        case ChooseWizard(number):
            words = f"wizard {number}"
        case PlayAssistant(number):
            words = f"assistant {number}"
        case ChooseDestination(number):
            words = f"destination {number}"
        case ChooseSteps(number):
            words = f"steps {number}"
        case ChooseCloud(number):
            words = f"cloud {number}"
        case UseCharacter(number):
            words = f"character {number}"
    return words.encode("ascii")


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
        return _NUMBERED[word](int(value))
    raise ValueError("expected tower, student, or a number after one of " + ", ".join(_NUMBERED))
