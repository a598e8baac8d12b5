"""
Eriantys in a terminal. Typed are `assistant 4`, `green to 3`, `green to hall`, `mother 2`, `cloud 1` and characters.

A screen holds what its seat was told. The own assistants are told when one is asked for.

Clouds are counted from 1 here, as islands are. A whole move may be several answers: `green to 3` is a student and its
destination, `monk green 3` a character and two answers. Without what it asks for, a character begins and then asks.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys.characters import EFFECTS, Jester, Minstrel
from gamehost.games.eriantys.events import (
    Action,
    AskStudent,
    Board,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    IllegalChoice,
    PlayAssistant,
    Situation,
    UseCharacter,
    write,
)
from gamehost.games.eriantys.master import ERIANTYS, public_position
from gamehost.games.eriantys.messages import (
    MESSAGES,
    AskAssistantEvent,
    AskCardStudentEvent,
    AskCloudEvent,
    AskColourEvent,
    AskDestinationEvent,
    AskStepsEvent,
    AskStudentEvent,
    AskTowerEvent,
    AskWizardEvent,
    BoardEvent,
    BoardMessage,
    CharacterMessage,
    DeniedEvent,
    EndOfRoundEvent,
    Heap,
    IslandMessage,
    IslandOwnerEvent,
    LastRoundEvent,
    NoEntryUsedEvent,
    PlayedAssistantEvent,
    PlayedCharacterEvent,
    PlayerMessage,
    Request,
    StartedEvent,
    StartOfTurnEvent,
    UnifiedEvent,
    View,
    board_message,
)
from gamehost.games.eriantys.rules import TABLE_SEATS, Character, Colour, Status, Tower, has_room
from gamehost.games.screen import (
    BoardScreen,
    MoveRefused,
    Style,
    abridged,
    cut,
    listed,
    padded,
)

# Characters as they are typed


#: How each character is typed.
FORMS: Mapping[Character, str] = {
    Character.MONK: "monk green 3",
    Character.FARMER: "farmer",
    Character.HERALD: "herald 3",
    Character.MESSENGER: "messenger",
    Character.HERBALIST: "herbalist 3",
    Character.CENTAUR: "centaur",
    Character.JESTER: "jester green for red",
    Character.KNIGHT: "knight",
    Character.HARVESTER: "harvester green",
    Character.MINSTREL: "minstrel green for red",
    Character.PRINCESS: "princess green",
    Character.THIEF: "thief green",
}
_NAMED = {character.name.lower(): character for character in Character}
_NUMBERED = {str(character.value): character for character in Character}


def character_named(words: Sequence[str]) -> Character | None:
    """The character that was typed; `None`: none was."""
    if words[:1] == ["character"] and len(words) > 1:
        return _NUMBERED.get(words[1]) or _NAMED.get(words[1])
    return _NAMED.get(words[0]) if words else None


def card_of(board: BoardMessage, character: Character) -> CharacterMessage | None:
    """A character's card, if it is on the table."""
    return next((card for card in board.characters if card.character == character.value), None)


def why_not_usable(known: Situation, view: View, seat: Seat, character: Character) -> str | None:
    """Why this seat cannot use a character now, in a sentence; `None`: it can."""
    board, request = view.board, view.request
    if not view.expert:
        return "There are no characters in the normal game."
    in_turn = isinstance(request, AskStudentEvent | AskStepsEvent | AskCloudEvent) or (
        isinstance(request, AskDestinationEvent) and request.diningRoom
    )
    if board is None or known.board is None or not in_turn:
        return "A character is used only while you move students, move Mother Nature or take a cloud."
    card = card_of(board, character)
    if card is None:
        names = [Character(one.character).name.lower() for one in board.characters]
        return f"This character is not in this match. There are {listed(names)}."
    if board.activeCharacter is not None:
        return "You have already used a character in this turn."
    school = board.players[seat]
    if (school.coins or 0) < card.cost:
        return f"The {character.name.lower()} costs {card.cost}, and you have {school.coins}."
    try:
        EFFECTS[character].check(public_position(known.board, seat))
    except IllegalChoice as refusal:
        return f"{str(refusal).capitalize()}."
    return None


def _guests(card: CharacterMessage, school: PlayerMessage) -> Counter[str]:
    """The students of the princess that find a seat."""
    students = card.students or {}
    return Counter({colour: count for colour, count in students.items() if school.diningRoom[colour] < TABLE_SEATS})


def effect_of(
    view: View, seat: int, character: Character, words: Sequence[str], colours: Mapping[str, Colour]
) -> list[Action]:
    """
    The answers to what a character asks; none if nothing was typed after its name.

    :raises MoveRefused: they do not fit the character
    """
    board = view.board
    card = None if board is None else card_of(board, character)
    if not words or board is None or card is None:
        return []
    school, chosen = board.players[seat], [colours.get(word) for word in words]
    islands = len(board.islands)
    match character, chosen:
        case Character.MONK, [colour, None] if colour is not None:
            return [_taken(colour, Counter(card.students or {})), _island(words[1], islands, character)]
        case ((Character.HERALD | Character.HERBALIST), [None]):
            return [_island(words[0], islands, character)]
        case ((Character.HARVESTER | Character.THIEF), [colour]) if colour is not None:
            return [ChooseStudent(colour)]
        case Character.PRINCESS, [colour] if colour is not None:
            return [_taken(colour, _guests(card, school))]
        case Character.JESTER, [*pairs] if None not in pairs:
            return _swaps(pairs, Counter(card.students or {}), Counter(school.entrance), Jester.most)
        case Character.MINSTREL, [*pairs] if None not in pairs:
            return _swaps(pairs, Counter(school.entrance), Counter(school.diningRoom), Minstrel.most, seats=TABLE_SEATS)
    raise MoveRefused(f"Type it as {FORMS[character]}.")


def _taken(colour: Colour, students: Counter[str]) -> ChooseStudent:
    if not students[colour.name.lower()]:
        raise MoveRefused(f"There is no {colour.name.lower()} student to choose. There are {listed(list(+students))}.")
    return ChooseStudent(colour)


def _island(word: str, islands: int, character: Character) -> ChooseDestination:
    if not word.isdecimal() or not 1 <= int(word[:4]) <= islands:
        raise MoveRefused(f"Choose an island from 1 to {islands}, as in {FORMS[character]}.")
    return ChooseDestination(int(word[:4]))


def _swaps(
    pairs: Sequence[Colour | None], here: Counter[str], there: Counter[str], most: int, seats: int | None = None
) -> list[Action]:
    """
    Swaps of students, each of one from here for one from there.

    :param seats: how many of a colour find a seat there; `None`: any number
    """
    if len(pairs) % 2 or len(pairs) > 2 * most:
        raise MoveRefused(f"Type from 1 to {most} pairs of colours, each as in green for red.")
    answers: list[Action] = []
    colours = [colour for colour in pairs if colour is not None]
    for one, other in zip(colours[::2], colours[1::2], strict=True):
        answers += [_taken(one, here), _taken(other, there)]
        first, second = one.name.lower(), other.name.lower()
        if seats is not None and one is not other and there[first] >= seats:
            raise MoveRefused(f"Your {first} table is full.")
        here.subtract([first])
        here.update([second])
        there.subtract([second])
        there.update([first])
    if len(pairs) < 2 * most:
        answers.append(ChooseStudent(None))
    return answers


def describe(card: CharacterMessage) -> str:
    """A card in words, without what lies on it: `monk (costs 1)`."""
    return f"{Character(card.character).name.lower()} (costs {card.cost})"


# What has happened, seen from two boards


def heap_in_words(heap: Heap) -> str:
    """Students in words: `2 green, 1 red`."""
    return ", ".join(f"{count} {colour}" for colour, count in heap.items() if count) or "none"


def changes(old: BoardMessage, new: BoardMessage, who: str, subjects: Sequence[str]) -> Iterator[str]:
    """
    What has happened between two boards, in sentences.

    :param who: the player whose turn it is, as a subject
    :param subjects: all players as subjects
    """
    yield from _students(old, new, who)
    if len(old.islands) == len(new.islands) and old.motherNature != new.motherNature:
        steps = (new.motherNature - old.motherNature) % len(new.islands)
        yield f"{who} moved Mother Nature {steps} step{'s' if steps > 1 else ''} to island {new.motherNature}."
    taken = [
        place for place, cloud in enumerate(old.clouds) if any(cloud.values()) and not any(new.clouds[place].values())
    ]
    if len(taken) == 1 and old.round == new.round:
        yield f"{who} took cloud {taken[0] + 1}: {heap_in_words(old.clouds[taken[0]])}."
    for colour, holder in new.professors.items():
        if holder is not None and holder != old.professors[colour]:
            verb = "have" if subjects[holder] == "You" else "has"
            yield f"{subjects[holder]} now {verb} the {colour} professor."


def _students(old: BoardMessage, new: BoardMessage, who: str) -> Iterator[str]:
    """A single student that went from an entrance into the hall or onto an island."""
    for before, after in zip(old.players, new.players, strict=True):
        moved = _differences(before.entrance, after.entrance)
        if list(moved.values()) != [-1]:
            continue
        colour = next(iter(moved))
        if _differences(before.diningRoom, after.diningRoom) == {colour: 1}:
            yield f"{who} moved a {colour} student to the hall."
        for one, other in zip(old.islands, new.islands, strict=False):
            if len(old.islands) == len(new.islands) and _differences(one.students, other.students) == {colour: 1}:
                yield f"{who} moved a {colour} student to island {other.number}."


def _differences(before: Heap, after: Heap) -> dict[str, int]:
    return {colour: count - before[colour] for colour, count in after.items() if count != before[colour]}


def owner_told(board: BoardMessage, event: IslandOwnerEvent) -> Iterator[str]:
    """Whose towers are on an island now, if they are others than before."""
    island = event.island
    old = board.islands[island.number - 1] if island.number <= len(board.islands) else None
    if island.tower is not None and (old is None or old.tower != island.tower):
        towers = f"{island.towers} tower{'s' if island.towers > 1 else ''}"
        yield f"Island {island.number} now belongs to {island.tower}, with {towers}."


# What is typed


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
        if (reason := why_not_usable(known, view, seat, character)) is not None:
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
    number, legal = _number(asked, words, "assistant", "play"), ERIANTYS.legal(asked.known, asked.seat)
    playable = [action.assistant for action in legal if isinstance(action, PlayAssistant)]
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


# The screen


#: Terminal colours of the students, in the order of a heap; each has a column of its own, too.
_INKS: Mapping[str, str] = {"yellow": "33", "blue": "34", "green": "32", "red": "31", "pink": "35"}
_HEAD = "Y B G R P"
#: Columns of the islands, left of the clouds and characters, and of a name.
_ISLANDS, _NAME = 46, 20


class EriantysScreen(BoardScreen[View]):
    """One match of Eriantys."""

    game, messages = ERIANTYS, MESSAGES

    def __init__(self, seat: int | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        #: Whose turn it is to move students; `None` while assistants are played.
        self._mover: int | None = None

    def show(self, view: Situation) -> None:
        """Take a view."""
        super().show(view)
        planning = view.turn is None or view.statuses[view.turn] in (Status.PLANNING, Status.WAITING)
        self._mover = None if planning else view.turn

    def told(self, message: Any, before: Situation | None) -> list[str]:
        board = None if before is None else before.board
        match message:
            case StartedEvent():
                return ["The match begins. Each player chooses a team and a wizard."]
            case BoardEvent(after) if board is not None:
                who = "The player" if self._mover is None else self.subject(self._mover)
                subjects = [self.subject(seat) for seat in range(len(self.names))]
                return list(changes(board_message(board), after, who, subjects))
            case PlayedAssistantEvent(seat, assistant) if board is not None:
                return [f"{self.subject(seat)} played assistant {assistant}."]
            case PlayedCharacterEvent(seat, character) if board is not None:
                return [f"{self.subject(seat)} used the {Character(character).name.lower()}."]
            case IslandOwnerEvent() if board is not None:
                return list(owner_told(board_message(board), message))
        return list(self._course(message, board))

    def _course(self, event: Any, board: Board | None) -> Iterator[str]:
        """What an event of the match's course tells."""
        match event:
            case StartOfTurnEvent(_, seat):
                # The first one of a match says who is first in round 1.
                begins = board is not None and board.round > 0
                self._mover = seat if begins else None
                whose = "your" if seat == self.seat else f"{self.names[seat]}'s"
                yield f"It is {whose} turn." if begins else f"Round 1 begins with {self.who(seat)}."
            case EndOfRoundEvent(number):
                self._mover = None
                yield f"Round {number} is over."
            case NoEntryUsedEvent(number):
                yield f"A no-entry tile on island {number} was used up, so nobody's influence was counted."
            case UnifiedEvent():
                yield "Islands have merged, and their numbers have changed."
            case LastRoundEvent():
                yield "This is the last round."
            case DeniedEvent(_, _, detail):
                yield f"{detail[:1].upper()}{detail[1:]}."

    @property
    def turn(self) -> bool:
        """Whether this seat is asked."""
        view = self._view
        request = None if view is None or view.won is not None else view.request
        return request is not None and request.seat == self.seat

    def prompt_line(self) -> str:
        view = self._view
        if view is None:
            return "The match has not begun."
        if view.won is not None:
            return "The match is over."
        if self.turn and self.seat is not None:
            return prompt_of(self.known, view, self.seat)
        if view.board is None:
            return "The players choose their teams and wizards."
        return "The others play assistants." if self._mover is None else f"{self.names[self._mover]} is to move."

    def moves(self, most: int) -> list[str]:
        """Answers to what is asked."""
        if self._view is None or self.seat is None or not self.turn:
            return []
        return abridged(moves_of(self.known, self.seat), most)

    def read(self, text: str) -> list[bytes]:
        """
        An answer to what is asked, or a character.

        :raises MoveRefused: neither, or not legal
        """
        if self._view is None or self.seat is None or not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        return [write(action) for action in read_answer(self.known, self._view, self.seat, text)]

    def sentences(self) -> Iterator[str]:
        """All that is visible."""
        board = None if self._view is None else self._view.board
        if board is None:
            yield self.prompt_line()
            return
        coins = "" if board.coinsSupply is None else f" There are {board.coinsSupply} coins in the supply."
        yield f"Round {board.round}. There are {board.bag} students in the bag.{coins}"
        for island in board.islands:
            yield f"Island {island.number}: {heap_in_words(island.students)}{self._on_island(board, island)}."
        for number, cloud in enumerate(board.clouds, 1):
            yield f"Cloud {number}: {heap_in_words(cloud)}."
        for seat, player in enumerate(board.players):
            yield self._school(seat, player)
        for card in board.characters:
            yield f"Character {describe(card)}{_on_card(card)}. Type it as {FORMS[Character(card.character)]}."

    def _on_island(self, board: BoardMessage, island: IslandMessage) -> str:
        words = ["; Mother Nature is here"] if board.motherNature == island.number else []
        words += [f"; towers: {island.towers} {island.tower}"] if island.tower else []
        words += [f"; no-entry tiles: {island.noEntryTiles}"] if island.noEntryTiles else []
        return "".join(words)

    def _school(self, seat: int, player: PlayerMessage) -> str:
        towers = f", {player.towersLeft} towers left" if player.towerHolder else ""
        played = f" Assistant played: {player.playedAssistant}." if player.playedAssistant is not None else ""
        coins = f" Coins: {player.coins}." if player.coins is not None else ""
        professors = f" Professors: {listed(player.professors)}." if player.professors else ""
        return (
            f"{self.subject(seat)} ({player.tower}{towers}). Entrance: {heap_in_words(player.entrance)}."
            f" Hall: {heap_in_words(player.diningRoom)}.{professors}{played}{coins}"
        )

    def drawing(self, style: Style) -> Iterable[str]:
        """Islands, with clouds and characters beside them, and the players below."""
        board = None if self._view is None else self._view.board
        if board is None:
            return [self.prompt_line()]
        left = [f"island       {_HEAD}"]
        for island in board.islands:
            mother = "M" if island.number == board.motherNature else " "
            towers = f"  {island.towers} {island.tower}" if island.tower else ""
            tiles = f"  no entry: {island.noEntryTiles}" if island.noEntryTiles else ""
            left.append(f"  {island.number:>2}  {mother}      {_heap(island.students, style)}{towers}{tiles}")
        right = self._beside(board, style)
        rows = max(len(left), len(right))
        left += [""] * (rows - len(left))
        right += [""] * (rows - len(right))
        above = [padded(one, _ISLANDS) + other for one, other in zip(left, right, strict=True)]
        return [*above, "", *self._players(board, style)]

    def _beside(self, board: BoardMessage, style: Style) -> list[str]:
        """What stands right of the islands."""
        lines = [f"cloud          {_HEAD}"]
        lines += [f"   {number}           {_heap(cloud, style)}" for number, cloud in enumerate(board.clouds, 1)]
        lines += ["", f"round {board.round}, {board.bag} students in the bag"]
        if board.coinsSupply is not None:
            lines += [f"{board.coinsSupply} coins in the supply", "", f"character cost {_HEAD}"]
            for card in board.characters:
                name = Character(card.character).name.lower()
                at_work = "*" if card.character == board.activeCharacter else " "
                if card.students is not None:
                    lying = _heap(card.students, style)
                else:
                    lying = "" if card.noEntryTiles is None else f"tiles: {card.noEntryTiles}"
                lines.append(f"{name:<10}{at_work}{card.cost:>2}  {lying}")
        lines += ["", "M is Mother Nature."]
        return lines

    def _players(self, board: BoardMessage, style: Style) -> Iterator[str]:
        coins = "coins " if board.coinsSupply is not None else ""
        yield f"{'player':<{_NAME}} team  towers plays {coins}entrance  hall (* professor)"
        hall = "  ".join(_HEAD.split(" "))
        yield f"{'':<{_NAME}} {'':<19}{' ' * len(coins)}{_HEAD}  {hall}"
        for seat, player in enumerate(board.players):
            name = padded(cut(style.plain(self.who(seat)), _NAME), _NAME)
            towers = player.towersLeft if player.towerHolder else ""
            played = "" if player.playedAssistant is None else player.playedAssistant
            coins = f"{player.coins:>3}   " if player.coins is not None else ""
            tables = "".join(
                f"{_count(colour, count, style)}{'*' if colour in player.professors else ' '}{' ' if count < 10 else ''}"
                for colour, count in player.diningRoom.items()
            )
            yield (
                f"{name} {player.tower:<6}{towers!s:>4}   {played!s:>3}   {coins}"
                f"{_heap(player.entrance, style)}  {tables}"
            )


def _count(colour: str, count: int, style: Style) -> str:
    return style.paint(str(count), _INKS[colour]) if count else "."


def _heap(students: Heap, style: Style) -> str:
    """The counts of a heap, each below the letter of its colour."""
    return " ".join(_count(colour, count, style) for colour, count in students.items())


def _on_card(card: CharacterMessage) -> str:
    if card.students is not None:
        return f": {heap_in_words(card.students)}"
    return "" if card.noEntryTiles is None else f": {card.noEntryTiles} no-entry tiles"


SCREEN = EriantysScreen
