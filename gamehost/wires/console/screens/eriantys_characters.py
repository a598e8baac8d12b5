"""
The characters of Eriantys as they are typed: the name, or `character` and the number, and what the character asks for.

Without what it asks for, a character begins and then asks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from gamehost.games.eriantys.actions import Action, ChooseDestination, ChooseStudent
from gamehost.games.eriantys.characters import Jester, Minstrel
from gamehost.games.eriantys.messages import (
    AskCloudEvent,
    AskDestinationEvent,
    AskStepsEvent,
    AskStudentEvent,
    BoardMessage,
    CharacterMessage,
    PlayerMessage,
    View,
)
from gamehost.games.eriantys.pieces import TABLE_SEATS, Character, Colour
from gamehost.wires.console.screens.base import MoveRefused, listed

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


def why_not_usable(view: View, seat: int, character: Character) -> str | None:
    """Why this seat cannot use a character now, in a sentence; `None`: it can."""
    board, request = view.board, view.request
    if not view.expert:
        return "There are no characters in the normal game."
    in_turn = isinstance(request, AskStudentEvent | AskStepsEvent | AskCloudEvent) or (
        isinstance(request, AskDestinationEvent) and request.diningRoom
    )
    if board is None or not in_turn:
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
    return _why_without_effect(character, card, school)


def _why_without_effect(character: Character, card: CharacterMessage, school: PlayerMessage) -> str | None:
    students = card.students or {}
    if character is Character.HERBALIST and not card.noEntryTiles:
        return "All no-entry tiles are on islands."
    if character is Character.MONK and not any(students.values()):
        return "No student is left on this card."
    if character is Character.MINSTREL and not any(school.diningRoom.values()):
        return "There is no student in your dining room to swap."
    if character is Character.PRINCESS and not any(_guests(card, school).values()):
        return "No student of this card has a seat in your dining room."
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
