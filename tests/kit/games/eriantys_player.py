"""A player of Eriantys who plays at random, and what must be true of every position on the way."""

import random
from collections.abc import Iterable

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    IllegalChoice,
    PlayAssistant,
    UseCharacter,
)
from gamehost.games.eriantys.characters import EFFECTS
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
)
from gamehost.games.eriantys.master import EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import (
    STUDENTS_OF_A_COLOUR,
    Character,
    Colour,
    Status,
    Students,
    Tower,
)
from gamehost.games.eriantys.position import Position

MOVES = (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3)


# A player


def any_action(master: EriantysMaster, rng: random.Random, liking: float = 0.3) -> tuple[Seat, Action] | None:
    """Something the rules allow, at random; a character, where one can be used, as often as `liking` says."""
    request = master.request
    if request is None:
        return None
    position = master.position
    if position is not None and rng.random() < liking:
        usable = usable_characters(master)
        if usable:
            return request.seat, UseCharacter(rng.choice(usable))
    return request.seat, any_answer(request, position, rng)


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
        except IllegalChoice:
            continue
        usable.append(card.character)
    return usable


def any_answer(request: Ask, position: Position | None, rng: random.Random) -> Action:
    """An allowed answer to a request, at random."""
    match request:
        case AskTower():
            return ChooseTower(Tower(rng.choice([tower for tower, left in enumerate(request.left) if left])))
        case AskWizard():
            return ChooseWizard(rng.choice(request.wizards))
        case AskAssistant():
            taken = {number for _, number in request.played}
            return PlayAssistant(rng.choice([card for card in request.hand if card not in taken] or request.hand))
        case AskStudent():
            return ChooseStudent(_any_colour(request.students, rng))
        case AskDestination():
            least = 0 if request.dining_room and rng.random() < 0.6 else 1
            return ChooseDestination(rng.randint(least, least and request.islands))
        case AskSteps():
            return ChooseSteps(rng.randint(1, request.most))
        case AskCloud():
            return ChooseCloud(rng.choice(request.clouds))
        case AskCardStudent():
            if request.may_stop and rng.random() < 0.2:
                return ChooseStudent(None)
            return ChooseStudent(_any_student(request, position, rng))
        case AskColour():
            return ChooseStudent(Colour(rng.randrange(5)))


def _any_colour(heap: Students, rng: random.Random) -> Colour:
    return rng.choice([colour for colour in Colour if heap[colour]])


def _any_student(request: AskCardStudent, position: Position | None, rng: random.Random) -> Colour:
    assert position is not None
    minstrel = position.character is Character.MINSTREL and not request.may_stop
    if minstrel and not all(has_room(position.school, colour) for colour in Colour):
        # Only a student of the full table itself is surely taken for another of that table.
        return max(Colour, key=lambda colour: position.school.dining[colour])
    return _any_colour(request.students, rng)


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
