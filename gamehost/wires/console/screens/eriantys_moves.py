"""
What is typed in Eriantys: answers to the open request, and characters. Clouds are counted from 1 here, as islands are.

A whole move may be several answers: `green to 3` is a student and its destination, `monk green 3` a character and two answers.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    PlayAssistant,
    UseCharacter,
)
from gamehost.games.eriantys.dining import has_room
from gamehost.games.eriantys.events import AskStudent, Board, Situation
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.eriantys.messages import (
    AskAssistantEvent,
    AskCardStudentEvent,
    AskCloudEvent,
    AskColourEvent,
    AskDestinationEvent,
    AskStepsEvent,
    AskStudentEvent,
    AskTowerEvent,
    AskWizardEvent,
    PlayerMessage,
    Request,
    View,
)
from gamehost.games.eriantys.pieces import TABLE_SEATS, Character, Colour, Tower
from gamehost.wires.console.screens.base import MoveRefused, listed
from gamehost.wires.console.screens.eriantys_characters import character_named, effect_of, why_not_usable

T = TypeVar("T")

#: Colours by their names and first letters.
COLOURS: Mapping[str, Colour] = {
    word: colour for colour in Colour for word in (colour.name.lower(), colour.name[0].lower())
}
HALL = ("hall", "dining", "room")
_NUMBER = re.compile("[0-9]{1,4}", re.ASCII)
#: Words that people type between the others.
_FILLERS = frozenset(("to", "for", "on", "in", "the", "a", "student", "and", "with", "island", "of", "steps", "step"))


def words_of(text: str) -> list[str]:
    """What was typed, as words without fillers."""
    return [word for word in re.split(r"[\s,;=>-]+", text.lower()) if word and word not in _FILLERS]


def own_board(view: View, seat: int) -> PlayerMessage | None:
    """The school board of a seat; `None` before the deal."""
    return None if view.board is None else view.board.players[seat]


def prompt_of(known: Situation, view: View, seat: Seat) -> str:
    """What to type as an answer to the open request."""
    request = view.request
    example = next(moves_of(known, seat), "")
    match request:
        case AskTowerEvent():
            return f"Choose a team: {example}."
        case AskWizardEvent():
            return f"Choose a wizard: {example}."
        case AskAssistantEvent(availableAssistants=hand):
            return f"You have the assistants {', '.join(map(str, hand))}. Play one: {example}."
        case AskStudentEvent():
            return f"Move a student of your entrance: {example}."
        case AskDestinationEvent():
            return f"Where to? Type: {example}."
        case AskStepsEvent(maxStepsAllowed=most):
            return f"Move Mother Nature, up to {most} steps: {example}."
        case AskCloudEvent():
            return f"Take the students of a cloud: {example}."
        case AskCardStudentEvent(students=students, mayStop=may_stop):
            stop = ", or none" if may_stop else ""
            return f"Choose one of {listed(_kinds(students))}{stop}: {example}."
    return f"Choose a colour: {example}."


def _kinds(students: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(students))


def moves_of(known: Situation, seat: Seat) -> Iterator[str]:
    """Answers to the open request, and the characters that can be used. A student is typed with its destination."""
    legal = ERIANTYS.legal(known, seat)
    if isinstance(known.request, AskStudent) and known.board is not None:
        colours = [action.colour for action in legal if isinstance(action, ChooseStudent) and action.colour is not None]
        yield from _student_moves(known.board, seat, colours)
        legal = ERIANTYS.legal(known, seat)
    for action in legal:
        if isinstance(action, UseCharacter) or not isinstance(known.request, AskStudent):
            yield _typed(action)


def _typed(action: Action) -> str:
    """An action as people type it."""
    match action:
        case ChooseTower(tower):
            return f"team {tower.name.lower()}"
        case ChooseWizard(number):
            return f"wizard {number}"
        case PlayAssistant(number):
            return f"assistant {number}"
        case ChooseStudent(colour):
            return "none" if colour is None else colour.name.lower()
        case ChooseDestination(number):
            return f"to {number or 'hall'}"
        case ChooseSteps(number):
            return f"mother {number}"
        case ChooseCloud(number):
            return f"cloud {number + 1}"
        case UseCharacter(number):
            return Character(number).name.lower()


def _playable(request: AskAssistantEvent) -> list[int]:
    """The assistants that can be played: those that others have played only if there is nothing else."""
    taken = {number for _, number in request.playedAssistants}
    return [number for number in request.availableAssistants if number not in taken] or request.availableAssistants


def _student_moves(board: Board, seat: Seat, colours: Sequence[Colour]) -> Iterator[str]:
    names = [colour.name.lower() for colour in colours]
    for colour, name in zip(colours, names, strict=True):
        if has_room(board.schools[seat], colour):
            yield f"{name} to hall"
    for number in range(1, 1 + len(board.islands)):
        yield from (f"{name} to {number}" for name in names)


def read_answer(known: Situation, view: View, seat: Seat, text: str) -> list[Action]:
    """
    Read an answer to the open request, or a character.

    :raises MoveRefused: it is neither, or the rules forbid it
    """
    words = words_of(text)
    character = character_named(words)
    if character is not None:
        if (reason := why_not_usable(view, seat, character)) is not None:
            raise MoveRefused(reason)
        arguments = words[2:] if words[0] == "character" else words[1:]
        return [UseCharacter(character), *effect_of(view, seat, character, arguments, COLOURS)]
    answer = _ANSWERS.get(type(view.request), _colour_answer)
    return list(answer(Asked(known, view, seat), words))


class Asked(Struct, frozen=True):
    """Who is asked, and what is known."""

    known: Situation
    view: View
    seat: Seat

    @property
    def request(self) -> Request | None:
        """The open request, as a message."""
        return self.view.request


def _wrong(asked: Asked, why: str = "That is no answer to what is asked now.") -> MoveRefused:
    return MoveRefused(f"{why} {prompt_of(asked.known, asked.view, asked.seat)}")


def _number(asked: Asked, words: Sequence[str], *names: str) -> int:
    """The number in `assistant 4` or in `4`."""
    if len(words) in (1, 2) and words[:-1] in ([], *([name] for name in names)) and _NUMBER.fullmatch(words[-1]):
        return int(words[-1])
    raise _wrong(asked)


def _tower(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    request = asked.request
    towers = {tower.name.lower(): tower for tower in Tower}
    named = words[-1] if words else ""
    if not isinstance(request, AskTowerEvent) or named not in towers or words[:-1] not in ([], ["team"], ["tower"]):
        raise _wrong(asked)
    if not request.availableTowers.get(named):
        free = [tower for tower, left in request.availableTowers.items() if left]
        raise MoveRefused(f"There is no place in this team. Choose {listed(free, 'or')}.")
    yield ChooseTower(towers[named])


def _wizard(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    number, free = _number(asked, words, "wizard"), _of(asked.request, AskWizardEvent).availableWizards
    if number not in free:
        raise MoveRefused(f"Choose a wizard that nobody has: {listed([str(one) for one in free], 'or')}.")
    yield ChooseWizard(number)


def _assistant(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    request = _of(asked.request, AskAssistantEvent)
    number, playable = _number(asked, words, "assistant", "play"), _playable(request)
    able = f"You can play {listed([str(one) for one in playable], 'or')}."
    if number not in request.availableAssistants:
        raise MoveRefused(f"You do not have this assistant. {able}")
    if number not in playable:
        raise MoveRefused(f"Another player has played this assistant in this round. {able}")
    yield PlayAssistant(number)


def _student(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    request, school = _of(asked.request, AskStudentEvent), own_board(asked.view, asked.seat)
    colour = COLOURS.get(words[0]) if words else None
    if colour is None or len(words) > 2 or school is None:
        raise _wrong(asked)
    name = colour.name.lower()
    if name not in request.students:
        raise MoveRefused(f"There is no {name} student in your entrance. It has {listed(_kinds(request.students))}.")
    yield ChooseStudent(colour)
    if len(words) == 2:
        islands = len(asked.view.board.islands) if asked.view.board is not None else 0
        destination = _place(asked, words[1], islands, dining_room=True)
        if destination == 0 and school.diningRoom[name] >= TABLE_SEATS:
            raise MoveRefused(f"Your {name} table is full. Choose an island: {name} to 1.")
        yield ChooseDestination(destination)


def _place(asked: Asked, word: str, islands: int, dining_room: bool) -> int:
    if word in HALL and dining_room:
        return 0
    if _NUMBER.fullmatch(word) and 1 <= int(word) <= islands:
        return int(word)
    if _NUMBER.fullmatch(word) or word in HALL:
        hall = "hall, or " if dining_room else ""
        raise MoveRefused(f"There is no such place. Choose {hall}an island from 1 to {islands}.")
    raise _wrong(asked)


def _destination(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    request = _of(asked.request, AskDestinationEvent)
    if len(words) != 1:
        raise _wrong(asked, "Type only where to.")
    yield ChooseDestination(_place(asked, words[0], request.islands, request.diningRoom))


def _steps(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    most = _of(asked.request, AskStepsEvent).maxStepsAllowed
    number = _number(asked, [word for word in words if word != "nature"], "mother", "move")
    if not 1 <= number <= most:
        raise MoveRefused(f"Mother Nature walks from 1 to {most} steps now: mother 1.")
    yield ChooseSteps(number)


def _cloud(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    clouds = [place + 1 for place in _of(asked.request, AskCloudEvent).clouds]
    number = _number(asked, words, "cloud", "take")
    if number not in clouds:
        raise MoveRefused(
            f"There are no students on that cloud. Take {listed([f'cloud {one}' for one in clouds], 'or')}."
        )
    yield ChooseCloud(number - 1)


def _card_student(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    request = _of(asked.request, AskCardStudentEvent)
    if request.mayStop and list(words) in (["none"], ["stop"], ["no"]):
        yield ChooseStudent(None)
        return
    if len(words) != 1 or words[0] not in COLOURS:
        raise _wrong(asked)
    colour = COLOURS[words[0]]
    if colour.name.lower() not in request.students:
        raise _wrong(asked, f"There is no {colour.name.lower()} student to choose.")
    yield ChooseStudent(colour)


def _colour_answer(asked: Asked, words: Sequence[str]) -> Iterator[Action]:
    if len(words) != 1 or words[0] not in COLOURS:
        raise _wrong(asked)
    yield ChooseStudent(COLOURS[words[0]])


def _of(request: Request | None, kind: type[T]) -> T:
    """The request as its kind, by which the function was chosen."""
    if not isinstance(request, kind):
        raise TypeError("an answer was read for another request")
    return request


_ANSWERS: Mapping[type, Callable[[Asked, Sequence[str]], Iterator[Action]]] = {
    AskTowerEvent: _tower,
    AskWizardEvent: _wizard,
    AskAssistantEvent: _assistant,
    AskStudentEvent: _student,
    AskDestinationEvent: _destination,
    AskStepsEvent: _steps,
    AskCloudEvent: _cloud,
    AskCardStudentEvent: _card_student,
    AskColourEvent: _colour_answer,
}
