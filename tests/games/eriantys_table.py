"""
A table to try Eriantys at: positions laid by hand, a player who plays at random, and what must be true of every
position.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve

from gamehost.games.eriantys.actions import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    PlayAssistant,
    Refused,
    UseCharacter,
)
from gamehost.games.eriantys.characters import EFFECTS, laid_out
from gamehost.games.eriantys.dining import has_room
from gamehost.games.eriantys.events import (
    Ask,
    AskAssistant,
    AskCardStudent,
    AskCloud,
    AskColour,
    AskDestination,
    AskSteps,
    AskStudent,
    AskTower,
    AskWizard,
    Event,
    Told,
)
from gamehost.games.eriantys.master import EriantysMaster
from gamehost.games.eriantys.phases import Play, answered, character_used, request_of
from gamehost.games.eriantys.pieces import (
    MODES,
    NO_STUDENTS,
    STUDENTS_OF_A_COLOUR,
    Character,
    Colour,
    PlanningOrder,
    Status,
    Students,
    Tower,
    together,
)
from gamehost.games.eriantys.position import Island, Match, Position
from gamehost.games.eriantys.setting_up import Choices, dealt
from gamehost.master import Chance, ScriptedChance, Seat, To

TOWERS = {
    2: (Tower.BLACK, Tower.WHITE),
    3: (Tower.BLACK, Tower.WHITE, Tower.GREY),
    4: (Tower.BLACK, Tower.WHITE, Tower.WHITE, Tower.BLACK),
}
MOVES = (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3)


class Smallest:
    """Chance that always gives 0: the first of whatever is drawn from."""

    def below(self, n: int) -> int:
        return 0


class Dice:
    """Chance with a seed, for games that can be played again."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)

    def below(self, n: int) -> int:
        return self._luck.randrange(n)


def students(yellow: int = 0, blue: int = 0, green: int = 0, red: int = 0, pink: int = 0) -> Students:
    """A heap, said by its colours."""
    return (yellow, blue, green, red, pink)


def laid(seats: int = 2, *, characters: Iterable[Character] = (), expert: bool | None = None) -> Position:
    """
    A dealt table in round 1 in which seat 0 is first to act, every entrance is the same mixture, and every player has
    played the assistant of their seat plus 7 (4 steps). The characters are those asked for.
    """
    cards = tuple(characters)
    match = Match(MODES[seats], bool(cards) if expert is None else expert)
    position = dealt(Choices(match, TOWERS[seats], tuple(range(1, seats + 1))), Smallest())
    bag = together(position.bag, NO_STUDENTS)
    for heap in (*(school.entrance for school in position.schools), *(card.students for card in position.cards)):
        bag = together(bag, heap)
    entrance = students(2, 2, 1, 1, 1) if match.mode.entrance == 7 else students(2, 2, 2, 2, 1)
    bag = tuple(left - seats * used for left, used in zip(bag, entrance, strict=True))
    laid_cards = []
    for character in cards:
        card, bag = laid_out(character, bag, Dice(character))
        laid_cards.append(card)
    order = tuple(Seat(seat) for seat in range(seats))
    schools = tuple(
        evolve(school, entrance=entrance, played=min(7 + seat, 8), assistants=9)
        for seat, school in enumerate(position.schools)
    )
    hands = tuple(tuple(card for card in range(1, 11) if card != school.played) for school in schools)
    return evolve(
        position, schools=schools, hands=hands, bag=bag, cards=tuple(laid_cards), round=1, seating=order, order=order
    )


def with_school(position: Position, seat: int, **changes: Any) -> Position:
    """A position with one school board changed."""
    return position.with_school(Seat(seat), evolve(position.schools[seat], **changes))


def with_islands(position: Position, islands: Sequence[Island], mother_nature: int = 0) -> Position:
    """A position with another circle, and the towers on it taken from the boards."""
    built = Counter[Tower | None]()
    for island in islands:
        built[island.tower] += island.towers
    position = evolve(position, islands=tuple(islands), mother_nature=mother_nature)
    for team in position.teams:
        holder = team.seats[0]
        left = position.match.mode.towers - built[team.tower]
        position = position.with_school(holder, evolve(position.schools[holder], towers=left))
    return position


def circle(*groups: tuple[int, Tower | None] | tuple[int, Tower | None, Students]) -> list[Island]:
    """Islands by size, towers and students, in order around the circle."""
    islands, first = [], 1
    for size, tower, *heap in groups:
        members = tuple(range(first, first + size))
        first += size
        here: Students = heap[0] if heap else NO_STUDENTS
        islands.append(Island(members, here, tower, 0 if tower is None else size))
    assert first == 13, "a circle has twelve islands"
    return islands


def at(position: Position, stage: Status, **more: Any) -> Play:
    """A match in which the player whose turn it is has just been asked this stage's question."""
    play = Play(position, PlanningOrder.PREVIOUS, stage, **more)
    return evolve(play, request=request_of(play))


def go(play: Play, *done: Action, chance: Chance | None = None) -> tuple[Play, Told]:
    """The match after these actions of whoever is asked, and all that was said."""
    say: Told = []
    for action in done:
        if isinstance(action, UseCharacter):
            play = character_used(play, action, say)
        else:
            play = answered(play, action, chance or Smallest(), say)
    return play, say


def public(say: Told) -> list[Event]:
    """What everyone was told."""
    return [to.event for to in say if to.audience is None]


def names(say: Iterable[To[Event]]) -> list[str]:
    """The script: each event by its name, a status by its own, with the seat for what only one is told."""
    lines = []
    for to in say:
        event: Any = to.event
        name = event.status.value if type(event).__name__ == "PlayerStatus" else type(event).__name__
        lines.append(name if to.audience is None else f"{name} {to.audience[0]}")
    return lines


# A player


def any_action(master: EriantysMaster, luck: random.Random, liking: float = 0.3) -> tuple[Seat, Action] | None:
    """Something the rules allow, at random; a character, where one can be used, as often as `liking` says."""
    request = master.request
    if request is None:
        return None
    position = master.position
    if position is not None and luck.random() < liking:
        usable = usable_characters(master)
        if usable:
            return request.seat, UseCharacter(luck.choice(usable))
    return request.seat, any_answer(request, position, luck)


def usable_characters(master: EriantysMaster) -> list[Character]:
    """The characters that the player who is asked could use now."""
    position, state = master.position, master._state
    if position is None or not isinstance(state, Play) or state.stage not in MOVES or state.effect is not None:
        return []
    usable = []
    for card in position.cards:
        if position.character is not None or card.cost > position.school.coins:
            continue
        try:
            EFFECTS[card.character].check(position)
        except Refused:
            continue
        usable.append(card.character)
    return usable


def any_answer(request: Ask, position: Position | None, luck: random.Random) -> Action:
    """An allowed answer to a request, at random."""
    match request:
        case AskTower():
            return ChooseTower(Tower(luck.choice([tower for tower, left in enumerate(request.left) if left])))
        case AskWizard():
            return ChooseWizard(luck.choice(request.wizards))
        case AskAssistant():
            taken = {number for _, number in request.played}
            return PlayAssistant(luck.choice([card for card in request.hand if card not in taken] or request.hand))
        case AskStudent():
            return ChooseStudent(_any_colour(request.students, luck))
        case AskDestination():
            least = 0 if request.dining_room and luck.random() < 0.6 else 1
            return ChooseDestination(luck.randint(least, least and request.islands))
        case AskSteps():
            return ChooseSteps(luck.randint(1, request.most))
        case AskCloud():
            return ChooseCloud(luck.choice(request.clouds))
        case AskCardStudent():
            if request.may_stop and luck.random() < 0.2:
                return ChooseStudent(None)
            return ChooseStudent(_any_student(request, position, luck))
        case AskColour():
            return ChooseStudent(Colour(luck.randrange(5)))


def _any_colour(heap: Students, luck: random.Random) -> Colour:
    return luck.choice([colour for colour in Colour if heap[colour]])


def _any_student(request: AskCardStudent, position: Position | None, luck: random.Random) -> Colour:
    assert position is not None
    minstrel = position.character is Character.MINSTREL and not request.may_stop
    if minstrel and not all(has_room(position.school, colour) for colour in Colour):
        # Only a student of the full table itself is surely taken for another of that table.
        return max(Colour, key=lambda colour: position.school.dining[colour])
    return _any_colour(request.students, luck)


# What is always true


def flaws(play: Play) -> list[str]:
    """What is wrong with a position between two decisions; nothing, if the rules are right."""
    position = play.position
    return [
        *_lost_students(position),
        *_lost_towers(position, play.verdict is not None),
        *_wrong_circle(position, play.verdict is not None),
        *_wrong_professors(position),
        *_lost_coins_and_tiles(position),
        *(_wrong_planning(position) if play.stage is Status.PLANNING else ()),
    ]


def heaps(position: Position) -> list[Students]:
    """All students, wherever they are."""
    return [
        position.bag,
        *position.clouds,
        *(island.students for island in position.islands),
        *(card.students for card in position.cards),
        *(heap for school in position.schools for heap in (school.entrance, school.dining)),
    ]


def _lost_students(position: Position) -> Iterable[str]:
    everywhere = heaps(position)
    for colour in Colour:
        if sum(heap[colour] for heap in everywhere) != STUDENTS_OF_A_COLOUR:
            yield f"{colour.name}: not {STUDENTS_OF_A_COLOUR} students"
    if any(count < 0 for heap in everywhere for count in heap):
        yield "fewer students than none"
    if any(count > 10 for school in position.schools for count in school.dining):
        yield "more than ten at a table"


def _lost_towers(position: Position, over: bool) -> Iterable[str]:
    for team in position.teams:
        built = sum(island.towers for island in position.islands if island.tower is team.tower)
        left = [position.schools[seat].towers for seat in team.seats]
        if built + sum(left) != position.match.mode.towers or any(left[1:]) or left[0] < 0:
            yield f"{team.tower.name}: {built} towers built and {left} left"
        if not left[0] and not over:
            yield f"{team.tower.name}: all towers built and the match goes on"
    for island in position.islands:
        if island.towers != (len(island.members) if island.tower is not None else 0) and not over:
            yield "a group with another number of towers than islands"


def _wrong_circle(position: Position, over: bool) -> Iterable[str]:
    islands = position.islands
    if sorted(member for island in islands for member in island.members) != list(range(1, 13)):
        yield "not the twelve islands"
    if not 0 <= position.mother_nature < len(islands):
        yield "Mother Nature is nowhere"
    if over:
        return
    if len(islands) <= 3:
        yield "three groups of islands and the match goes on"
    for place, island in enumerate(islands):
        if island.tower is not None and island.tower is islands[place - 1].tower:
            yield "neighbours with the same towers apart"


def _wrong_professors(position: Position) -> Iterable[str]:
    for colour, holder in zip(Colour, position.professors, strict=True):
        counts = [school.dining[colour] for school in position.schools]
        most = max(counts)
        if holder is None:
            if most:
                yield f"{colour.name}: students and no professor"
        elif counts[holder] < most and counts.count(most) == 1:
            # Two others may be equal above a holder who gave students away: then there is nobody to take it.
            yield f"{colour.name}: somebody else has the most students"


def _lost_coins_and_tiles(position: Position) -> Iterable[str]:
    on_cards = sum(1 for card in position.cards if card.used)
    coins = sum(school.coins for school in position.schools) + position.supply + on_cards
    if coins != (20 if position.match.expert else 0) or position.supply < 0:
        yield f"{coins} coins, {position.supply} in the supply"
    if any(school.coins < 0 for school in position.schools):
        yield "fewer coins than none"
    tiles = sum(island.no_entry_tiles for island in position.islands)
    herbalist = position.card(Character.HERBALIST)
    if herbalist is not None and (tiles + herbalist.no_entry_tiles != 4 or herbalist.no_entry_tiles < 0):
        yield "not four no-entry tiles"
    if herbalist is None and tiles:
        yield "no-entry tiles out of nowhere"


def _wrong_planning(position: Position) -> Iterable[str]:
    for seat, school in enumerate(position.schools):
        if sum(school.entrance) != position.match.mode.entrance:
            yield "an entrance that is not full between turns"
        played = position.round - (school.played is None)
        if len(position.hands[seat]) != 10 - played or school.assistants != 10 - played:
            yield "a hand that does not fit the round"


def script(*outcomes: int) -> ScriptedChance:
    """Chance that is known beforehand."""
    return ScriptedChance(outcomes)
