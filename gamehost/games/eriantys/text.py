"""
The screen of Eriantys in a terminal. A person types `assistant 4`, `green to 3`, `green to hall`, `mother 2`, `cloud 1`, or the
name of a character.

A screen knows only the events of its seat. The own assistants are shown with the request for one.

Clouds are counted from 1 here, like islands. One typed line may be several answers: `green to 3` is a student and its
destination, `monk green 3` is a character and two answers. If a character is typed without such words, its effect begins and
then asks.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys import messages as m
from gamehost.games.eriantys.characters import EFFECTS, Jester, Minstrel
from gamehost.games.eriantys.master import ERIANTYS, public_position
from gamehost.games.eriantys.rules import TABLE_SEATS, Character, Colour, Status, Students, Tower, has_room, plus
from gamehost.games.screen import MoveRefused, Screen, Style, abridged, cut, listed, padded

# Typed characters


A = TypeVar("A", bound=events.Action)

#: Name or first letter of a colour -> the colour.
COLOURS: Mapping[str, Colour] = {
    word: colour for colour in Colour for word in (colour.name.lower(), colour.name[0].lower())
}
HALL = ("hall", "dining", "room")
_NUMBER = re.compile("[0-9]{1,4}", re.ASCII)
#: Words that people type in between, and that are ignored.
_FILLERS = frozenset(("to", "for", "on", "in", "the", "a", "student", "and", "with", "island", "of", "steps", "step"))

#: An example of the line for each character.
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
    """Returns the character with which the typed words begin; `None`: they do not begin with a character."""
    # Also `character 3`, and `character herald`.
    if words[:1] == ["character"] and len(words) > 1:
        return _NUMBERED.get(words[1]) or _NAMED.get(words[1])
    return _NAMED.get(words[0]) if words else None


def character_objection(known: events.Situation, seat: Seat, character: Character) -> str | None:
    """Returns a sentence with the reason why this seat cannot use a character now; `None`: it can."""
    board = known.board
    if not known.match.expert:
        return "There are no characters in the normal game."
    if board is None or not events.allows_character(known.request):
        return "A character is used only while you move students, move Mother Nature or take a cloud."
    position = public_position(board, seat)
    card = position.card(character)
    if card is None:
        return (
            f"This character is not in this match. There are {listed([_name(one.character) for one in board.cards])}."
        )
    if position.character is not None:
        return "You have already used a character in this turn."
    if position.school.coins < card.cost:
        return f"The {_name(character)} costs {card.cost}, and you have {position.school.coins}."
    try:
        EFFECTS[character].check(position)
    except events.IllegalChoice as refusal:
        return f"{str(refusal).capitalize()}."
    return None


def _name(value: Character | Colour | Tower) -> str:
    return value.name.lower()


def effect_of(board: events.Board, seat: Seat, character: Character, words: Sequence[str]) -> list[events.Action]:
    """
    Returns the answers to the requests of a character; empty if no words follow its name.

    :raises MoveRefused: the words do not fit the character
    """
    position = public_position(board, seat)
    card = position.card(character)
    if not words or card is None:
        return []
    # Each word as a colour, or `None` if it is something else, such as the number of an island.
    school, chosen = position.school, [COLOURS.get(word) for word in words]
    match character, chosen:
        case Character.MONK, [colour, None] if colour is not None:
            return [_taken(colour, card.students), _island(words[1], len(board.islands), character)]
        case ((Character.HERALD | Character.HERBALIST), [None]):
            return [_island(words[0], len(board.islands), character)]
        case ((Character.HARVESTER | Character.THIEF), [colour]) if colour is not None:
            return [events.ChooseStudent(colour)]
        case Character.PRINCESS, [colour] if colour is not None:
            # A student can be chosen only if its table has a free seat.
            guests = (count if has_room(school, Colour(one)) else 0 for one, count in enumerate(card.students))
            return [_taken(colour, tuple(guests))]
        case Character.JESTER, [*pairs] if None not in pairs:
            return _swaps(pairs, card.students, school.entrance, Jester.most)
        case Character.MINSTREL, [*pairs] if None not in pairs:
            return _swaps(pairs, school.entrance, school.dining, Minstrel.most, seats=TABLE_SEATS)
    raise MoveRefused(f"Type it as {FORMS[character]}.")


def _taken(colour: Colour, students: Students) -> events.ChooseStudent:
    """
    Returns the choice of a student.

    :raises MoveRefused: there is no student of this colour
    """
    if not students[colour]:
        raise MoveRefused(f"There is no {_name(colour)} student to choose. There are {listed(_kinds(students))}.")
    return events.ChooseStudent(colour)


def _kinds(students: Students) -> list[str]:
    """Returns the names of the colours that have students."""
    return [_name(colour) for colour in Colour if students[colour]]


def _island(word: str, islands: int, character: Character) -> events.ChooseDestination:
    """
    Returns the choice of an island.

    :raises MoveRefused: there is no such island
    """
    # Four digits are enough: a longer number is no island, and `int` would take long for a very long one.
    if not word.isdecimal() or not 1 <= int(word[:4]) <= islands:
        raise MoveRefused(f"Choose an island from 1 to {islands}, as in {FORMS[character]}.")
    return events.ChooseDestination(int(word[:4]))


def _swaps(
    pairs: Sequence[Colour | None], here: Students, there: Students, most: int, seats: int | None = None
) -> list[events.Action]:
    """
    Returns the answers for exchanges of students between two heaps, one for one.

    :param pairs: the colours in pairs: one of the first heap, and one of the second
    :param here: the first heap
    :param there: the second heap
    :param most: the most exchanges
    :param seats: how many students of one colour the second heap can have; `None`: any number
    """
    if len(pairs) % 2 or len(pairs) > 2 * most:
        raise MoveRefused(f"Type from 1 to {most} pairs of colours, each as in green for red.")
    answers: list[events.Action] = []
    colours = [colour for colour in pairs if colour is not None]
    # The words are pairs: every first and every second word.
    for one, other in zip(colours[::2], colours[1::2], strict=True):
        answers += [_taken(one, here), _taken(other, there)]
        # `one` goes to the second heap. An exchange of equal colours needs no free seat.
        if seats is not None and one is not other and there[one] >= seats:
            raise MoveRefused(f"Your {_name(one)} table is full.")
        here = plus(plus(here, one, -1), other)
        there = plus(plus(there, other, -1), one)
    if len(pairs) < 2 * most:
        # Fewer exchanges than are allowed: the next request is answered with `none`.
        answers.append(events.ChooseStudent(None))
    return answers


def describe(card: m.CharacterMessage) -> str:
    """Returns a card in words, without the things on it: `monk (costs 1)`."""
    return f"{Character(card.character).name.lower()} (costs {card.cost})"


# Sentences about the changes between two boards


def heap_in_words(heap: m.Heap) -> str:
    """Returns students in words: `2 green, 1 red`."""
    return ", ".join(f"{count} {colour}" for colour, count in heap.items() if count) or "none"


def changes(old: events.Board, new: events.Board, who: str, subjects: Sequence[str]) -> Iterator[str]:
    """
    Yields sentences about the changes between two boards.

    :param who: the player to move, as the subject of a sentence
    :param subjects: all players, as subjects of sentences
    """
    answers = list(events.answers_between(old, new))
    student = ""
    for action in answers:
        match action:
            case events.ChooseStudent(colour) if colour is not None:
                student = f"{who} moved a {_name(colour)} student to"
            case events.ChooseDestination(place):
                yield f"{student} island {place}." if place else f"{student} the hall."
            case events.ChooseSteps(steps):
                yield f"{who} moved Mother Nature {steps} step{'s' if steps > 1 else ''} to island {new.mother_nature}."
    taken = [action.cloud for action in answers if isinstance(action, events.ChooseCloud)]
    # Several empty clouds at once are no move of one player.
    if len(taken) == 1:
        yield f"{who} took cloud {taken[0] + 1}: {heap_in_words(m.SPELLING.heap(old.clouds[taken[0]]))}."
    for colour, before, holder in zip(Colour, old.professors, new.professors, strict=True):
        if holder is not None and holder != before:
            verb = "have" if subjects[holder] == "You" else "has"
            yield f"{subjects[holder]} now {verb} the {_name(colour)} professor."


def owner_told(board: events.Board, event: m.IslandOwnerEvent) -> Iterator[str]:
    """Yields a sentence about the new owner of an island, if the owner has changed."""
    island = event.island
    # `board` is the one before the event. `None`: it has no island of this number.
    old = board.islands[island.number - 1] if island.number <= len(board.islands) else None
    if island.tower is not None and (old is None or old.tower is None or _name(old.tower) != island.tower):
        towers = f"{island.towers} tower{'s' if island.towers > 1 else ''}"
        yield f"Island {island.number} now belongs to {island.tower}, with {towers}."


# Typed answers


def words_of(text: str) -> list[str]:
    """Returns the typed text as words, without those that are ignored."""
    return [word for word in re.split(r"[\s,;=>-]+", text.lower()) if word and word not in _FILLERS]


def prompt_of(asked: "Asked") -> str:
    """Returns the sentence that asks for the answer to a request, with an example."""
    # The first possible answer is the example.
    example = next(moves_of(asked.known, asked.seat), "")
    match asked.request:
        case events.AskTower():
            return f"Choose a team: {example}."
        case events.AskWizard():
            return f"Choose a wizard: {example}."
        case events.AskAssistant(_, hand):
            return f"You have the assistants {', '.join(map(str, hand))}. Play one: {example}."
        case events.AskStudent():
            return f"Move a student of your entrance: {example}."
        case events.AskDestination():
            return f"Where to? Type: {example}."
        case events.AskSteps(_, most):
            return f"Move Mother Nature, up to {most} steps: {example}."
        case events.AskCloud():
            return f"Take the students of a cloud: {example}."
        case events.AskCardStudent(_, students, may_stop):
            stop = ", or none" if may_stop else ""
            return f"Choose one of {listed(_kinds(students))}{stop}: {example}."
    return f"Choose a colour: {example}."


def moves_of(known: events.Situation, seat: Seat) -> Iterator[str]:
    """
    Yields a line for each possible answer to the open request, and for each usable character. A line for a student contains its
    destination.
    """
    legal = list(ERIANTYS.legal(known, seat))
    students = [
        action
        for action in legal
        if isinstance(known.request, events.AskStudent) and isinstance(action, events.ChooseStudent)
    ]
    ways = [
        (events.value_of(place), f"{events.typed(action)} {events.typed(place)}")
        for action in students
        for place in ERIANTYS.sequels(known, seat, action)
    ]
    # Sorted by the destination, so that the list begins with the dining room.
    yield from (line for _, line in sorted(ways, key=itemgetter(0)))
    yield from (events.typed(action) for action in legal if action not in students)


def read_answer(known: events.Situation, seat: Seat, text: str) -> list[events.Action]:
    """
    Returns the actions in a typed line: an answer to the open request, or a character with its answers.

    :raises MoveRefused: the line is neither, or the rules forbid it
    """
    words = words_of(text)
    character = character_named(words)
    if character is not None:
        if (reason := character_objection(known, seat, character)) is not None:
            raise MoveRefused(reason)
        assert known.board is not None
        arguments = words[2:] if words[0] == "character" else words[1:]
        return [events.UseCharacter(character), *effect_of(known.board, seat, character, arguments)]
    # The function for the type of the open request reads the words.
    return list(_ANSWERS[type(known.request)](Asked(known, seat), words))


class Asked(Struct, frozen=True):
    """A request to a person, and everything that the person's seat knows."""

    known: events.Situation
    seat: Seat

    @property
    def request(self) -> Any:
        """The open request. Its type fits the function that reads the answer."""
        return self.known.request

    def legal(self, kind: type[A]) -> list[A]:
        """Returns the legal actions of this kind."""
        return [action for action in ERIANTYS.legal(self.known, self.seat) if isinstance(action, kind)]


def _wrong(asked: Asked, why: str = "That is no answer to what is asked now.") -> MoveRefused:
    """Returns the refusal of an answer, with the question again."""
    return MoveRefused(f"{why} {prompt_of(asked)}")


def _number(asked: Asked, words: Sequence[str], *names: str) -> int:
    """
    Returns the number in `assistant 4` or in `4`.

    :raises MoveRefused: the words are something else
    """
    # One number, or one of the names and a number.
    if len(words) in (1, 2) and words[:-1] in ([], *([name] for name in names)) and _NUMBER.fullmatch(words[-1]):
        return int(words[-1])
    raise _wrong(asked)


def _tower(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads a team: `black`, or `team black`."""
    # The last word is the colour.
    named = next((tower for tower in Tower if words and words[-1] == _name(tower)), None)
    if named is None or words[:-1] not in ([], ["team"], ["tower"]):
        raise _wrong(asked)
    free = [action.tower for action in asked.legal(events.ChooseTower)]
    if named not in free:
        raise MoveRefused(f"There is no place in this team. Choose {listed(list(map(_name, free)), 'or')}.")
    yield events.ChooseTower(named)


def _wizard(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads the number of a wizard: `2`, or `wizard 2`."""
    number, free = _number(asked, words, "wizard"), [action.wizard for action in asked.legal(events.ChooseWizard)]
    if number not in free:
        raise MoveRefused(f"Choose a wizard that nobody has: {listed(list(map(str, free)), 'or')}.")
    yield events.ChooseWizard(number)


def _assistant(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads the number of an assistant: `4`, or `assistant 4`."""
    number = _number(asked, words, "assistant", "play")
    playable = [action.assistant for action in asked.legal(events.PlayAssistant)]
    able = f"You can play {listed(list(map(str, playable)), 'or')}."
    if number not in asked.request.hand:
        raise MoveRefused(f"You do not have this assistant. {able}")
    if number not in playable:
        raise MoveRefused(f"Another player has played this assistant in this round. {able}")
    yield events.PlayAssistant(number)


def _student(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads a student of the entrance, perhaps with its destination: `green`, or `green to 3`."""
    students, board = asked.request.students, asked.known.board
    colour = COLOURS.get(words[0]) if words else None
    if colour is None or len(words) > 2 or board is None:
        raise _wrong(asked)
    name, chosen = _name(colour), events.ChooseStudent(colour)
    if chosen not in asked.legal(events.ChooseStudent):
        raise MoveRefused(f"There is no {name} student in your entrance. It has {listed(_kinds(students))}.")
    yield chosen
    if len(words) == 2:
        # The destination was typed, too.
        destination = events.ChooseDestination(_place(asked, words[1], len(board.islands), dining_room=True))
        if destination not in ERIANTYS.sequels(asked.known, asked.seat, chosen):
            raise MoveRefused(f"Your {name} table is full. Choose an island: {name} to 1.")
        yield destination


def _place(asked: Asked, word: str, islands: int, dining_room: bool) -> int:
    """
    Returns the number of a typed destination.

    :raises MoveRefused: there is no such place
    """
    if word in HALL and dining_room:
        return 0
    if _NUMBER.fullmatch(word) and 1 <= int(word) <= islands:
        return int(word)
    if _NUMBER.fullmatch(word) or word in HALL:
        # A number or a hall, but not one that can be chosen.
        hall = "hall, or " if dining_room else ""
        raise MoveRefused(f"There is no such place. Choose {hall}an island from 1 to {islands}.")
    raise _wrong(asked)


def _destination(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    if len(words) != 1:
        raise _wrong(asked, "Type only where to.")
    yield events.ChooseDestination(_place(asked, words[0], asked.request.islands, asked.request.dining_room))


def _steps(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads the steps of Mother Nature: `2`, or `mother 2`."""
    # `mother nature 2` is read as `mother 2`.
    steps = events.ChooseSteps(_number(asked, [word for word in words if word != "nature"], "mother", "move"))
    if steps not in asked.legal(events.ChooseSteps):
        raise MoveRefused(f"Mother Nature walks from 1 to {asked.request.most} steps now: mother 1.")
    yield steps


def _cloud(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads the number of a cloud, from 1: `1`, or `cloud 1`."""
    # People count clouds from 1, the game from 0.
    cloud, full = events.ChooseCloud(_number(asked, words, "cloud", "take") - 1), asked.legal(events.ChooseCloud)
    if cloud not in full:
        raise MoveRefused(f"There are no students on that cloud. Take {listed(list(map(events.typed, full)), 'or')}.")
    yield cloud


def _card_student(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    """Reads a student for a character's effect: a colour, or `none` where the character allows this."""
    if asked.request.may_stop and list(words) in (["none"], ["stop"], ["no"]):
        yield events.ChooseStudent(None)
        return
    if len(words) != 1 or words[0] not in COLOURS:
        raise _wrong(asked)
    colour = COLOURS[words[0]]
    if not asked.request.students[colour]:
        raise _wrong(asked, f"There is no {_name(colour)} student to choose.")
    yield events.ChooseStudent(colour)


def _colour_answer(asked: Asked, words: Sequence[str]) -> Iterator[events.Action]:
    if len(words) != 1 or words[0] not in COLOURS:
        raise _wrong(asked)
    yield events.ChooseStudent(COLOURS[words[0]])


_ANSWERS: Mapping[type, Callable[[Asked, Sequence[str]], Iterator[events.Action]]] = {
    events.AskTower: _tower,
    events.AskWizard: _wizard,
    events.AskAssistant: _assistant,
    events.AskStudent: _student,
    events.AskDestination: _destination,
    events.AskSteps: _steps,
    events.AskCloud: _cloud,
    events.AskCardStudent: _card_student,
    events.AskColour: _colour_answer,
}


# The screen


#: The colour codes of the students, in the order of a heap. Each colour also has a column of its own.
_INKS: Mapping[str, str] = {"yellow": "33", "blue": "34", "green": "32", "red": "31", "pink": "35"}
_HEAD = "Y B G R P"
#: The width of the islands, and the width of a name, in columns. Clouds and characters are at the right of the islands.
_ISLANDS, _NAME = 46, 20


class EriantysScreen(Screen[m.View]):
    """A match of Eriantys in a terminal."""

    game, messages = ERIANTYS, m.MESSAGES

    #: The player that has the turn now; `None` while assistants are played.
    _mover: int | None = None

    def show(self, view: events.Situation) -> None:
        """Replaces the present view, and finds out which player has the turn."""
        super().show(view)
        # While assistants are played, or before the deal, nobody has the turn.
        planning = view.turn is None or view.statuses[view.turn] in (Status.PLANNING, Status.WAITING)
        self._mover = None if planning else view.turn

    def told(self, message: Any, before: events.Situation | None) -> list[str]:
        """The sentences for an event of the match."""
        board = None if before is None else before.board
        match message:
            case m.StartedEvent():
                return ["The match begins. Each player chooses a team and a wizard."]
            # The first board is the deal, so there is no board before it to compare.
            case m.BoardEvent() if board is not None:
                who = "The player" if self._mover is None else self.subject(self._mover)
                subjects = [self.subject(seat) for seat in range(len(self.names))]
                return list(changes(board, self.known.board, who, subjects))
            case m.PlayedAssistantEvent(seat, assistant) if board is not None:
                return [f"{self.subject(seat)} played assistant {assistant}."]
            case m.PlayedCharacterEvent(seat, character) if board is not None:
                return [f"{self.subject(seat)} used the {Character(character).name.lower()}."]
            case m.IslandOwnerEvent() if board is not None:
                return list(owner_told(board, message))
        return list(self._course(message, board))

    def _course(self, event: Any, board: events.Board | None) -> Iterator[str]:
        """Yields sentences about events in the course of the match."""
        match event:
            case m.StartOfTurnEvent(_, seat):
                # The first one of a match names the first player of round 1.
                begins = board is not None and board.round > 0
                self._mover = seat if begins else None
                whose = "your" if seat == self.seat else f"{self.names[seat]}'s"
                yield f"It is {whose} turn." if begins else f"Round 1 begins with {self.who(seat)}."
            case m.EndOfRoundEvent(number):
                self._mover = None
                yield f"Round {number} is over."
            case m.NoEntryUsedEvent(number):
                yield f"A no-entry tile on island {number} was used up, so nobody's influence was counted."
            case m.UnifiedEvent():
                yield "Islands have merged, and their numbers have changed."
            case m.LastRoundEvent():
                yield "This is the last round."
            # The reason, with a capital letter.
            case m.DeniedEvent(_, _, detail):
                yield f"{detail[:1].upper()}{detail[1:]}."

    @property
    def turn(self) -> bool:
        """Whether the match waits for this seat. Only the view of the seat that must answer contains a request."""
        request = None if self.known is None or self._view.won is not None else self._view.request
        return request is not None and request.seat == self.seat

    def prompt(self) -> str:
        """The line that says what to type now, or for whom the match waits."""
        view = self._view
        if view.won is not None:
            return "The match is over."
        if self.turn and self.seat is not None:
            return prompt_of(Asked(self.known, self.seat))
        if view.board is None:
            return "The players choose their teams and wizards."
        return "The others play assistants." if self._mover is None else f"{self.names[self._mover]} is to move."

    def moves(self, most: int) -> list[str]:
        if self.seat is None or not self.turn:
            return []
        return abridged(moves_of(self.known, self.seat), most)

    def read(self, text: str) -> list[bytes]:
        """Reads an answer to the open request, or a character."""
        if self.seat is None or not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        return [events.write(action) for action in read_answer(self.known, self.seat, text)]

    def sentences(self) -> Iterator[str]:
        """The board in sentences, for readers that cannot see the drawing."""
        board = self._view.board
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

    def _on_island(self, board: m.BoardMessage, island: m.IslandMessage) -> str:
        """Returns the end of a sentence with the things on an island."""
        words = ["; Mother Nature is here"] if board.motherNature == island.number else []
        words += [f"; towers: {island.towers} {island.tower}"] if island.tower else []
        words += [f"; no-entry tiles: {island.noEntryTiles}"] if island.noEntryTiles else []
        return "".join(words)

    def _school(self, seat: int, player: m.PlayerMessage) -> str:
        """Returns the sentences about a player's school board."""
        towers = f", {player.towersLeft} towers left" if player.towerHolder else ""
        played = f" Assistant played: {player.playedAssistant}." if player.playedAssistant is not None else ""
        coins = f" Coins: {player.coins}." if player.coins is not None else ""
        professors = f" Professors: {listed(player.professors)}." if player.professors else ""
        return (
            f"{self.subject(seat)} ({player.tower}{towers}). Entrance: {heap_in_words(player.entrance)}."
            f" Hall: {heap_in_words(player.diningRoom)}.{professors}{played}{coins}"
        )

    def drawing(self, style: Style) -> Iterable[str]:
        """The board as lines of text: islands at the left, clouds and characters at the right, players below."""
        board = self._view.board
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

    def _beside(self, board: m.BoardMessage, style: Style) -> list[str]:
        """Returns the lines beside the islands: clouds and characters."""
        lines = [f"cloud          {_HEAD}"]
        lines += [f"   {number}           {_heap(cloud, style)}" for number, cloud in enumerate(board.clouds, 1)]
        lines += ["", f"round {board.round}, {board.bag} students in the bag"]
        if board.coinsSupply is not None:
            lines += [f"{board.coinsSupply} coins in the supply", "", f"character cost {_HEAD}"]
            for card in board.characters:
                name = Character(card.character).name.lower()
                # A star marks the character that was used in this turn.
                at_work = "*" if card.character == board.activeCharacter else " "
                if card.students is not None:
                    lying = _heap(card.students, style)
                else:
                    lying = "" if card.noEntryTiles is None else f"tiles: {card.noEntryTiles}"
                lines.append(f"{name:<10}{at_work}{card.cost:>2}  {lying}")
        lines += ["", "M is Mother Nature."]
        return lines

    def _players(self, board: m.BoardMessage, style: Style) -> Iterator[str]:
        """Yields the lines with the players' school boards."""
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
                # A star marks the player's professors. A table with ten students needs two columns, so it has no
                # space behind it.
                f"{_count(colour, count, style)}{'*' if colour in player.professors else ' '}{' ' if count < 10 else ''}"
                for colour, count in player.diningRoom.items()
            )
            yield (
                f"{name} {player.tower:<6}{towers!s:>4}   {played!s:>3}   {coins}"
                f"{_heap(player.entrance, style)}  {tables}"
            )


def _count(colour: str, count: int, style: Style) -> str:
    return style.paint(str(count), _INKS[colour]) if count else "."


def _heap(students: m.Heap, style: Style) -> str:
    """Returns the counts of a heap, each below the letter of its colour."""
    return " ".join(_count(colour, count, style) for colour, count in students.items())


def _on_card(card: m.CharacterMessage) -> str:
    """Returns the end of a sentence with the things on a card."""
    if card.students is not None:
        return f": {heap_in_words(card.students)}"
    return "" if card.noEntryTiles is None else f": {card.noEntryTiles} no-entry tiles"


SCREEN = EriantysScreen
