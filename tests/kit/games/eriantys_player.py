"""A player of Eriantys who plays at random, and what must be true of every position on the way."""

import random
from collections.abc import Iterable
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    Action,
    ChooseDestination,
    ChooseStudent,
    UseCharacter,
)
from gamehost.games.eriantys.master import ERIANTYS, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import (
    STUDENTS_OF_A_COLOUR,
    Character,
    Colour,
    Status,
    Students,
)
from gamehost.games.eriantys.position import Position

MOVES = (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3)


# A player


def any_action(master: EriantysMaster, rng: random.Random, liking: float = 0.3) -> tuple[Seat, Action] | None:
    """
    Something the rules allow, at random; a character, where one can be used, as often as `liking` says.

    Students go to the dining room more often than to any island, and characters seldom stop by themselves. So rare positions
    come about.
    """
    request = master.request
    if request is None:
        return None
    view: Any = master.view(request.seat)
    legal = list(ERIANTYS.legal(view, request.seat))
    characters = [action for action in legal if isinstance(action, UseCharacter)]
    if characters and rng.random() < liking:
        return request.seat, rng.choice(characters)
    answers = [action for action in legal if not isinstance(action, UseCharacter)]
    for action, share in ((ChooseDestination(0), 0.6), (ChooseStudent(None), 0.2)):
        if action in answers:
            answers.remove(action)
            if rng.random() < share:
                return request.seat, action
    return request.seat, rng.choice(answers)


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
