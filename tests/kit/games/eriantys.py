"""A table to try Eriantys at: positions laid by hand, and what is said when somebody acts there."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Chance, ScriptedChance, Seat, To
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.characters import laid_out
from gamehost.games.eriantys.master import ERIANTYS, EriantysMaster
from gamehost.games.eriantys.phases import Choices, Play, answered, character_used, dealt, opened, request_of
from gamehost.games.eriantys.rules import (
    MODES,
    NO_STUDENTS,
    STUDENTS_OF_A_COLOUR,
    Character,
    Colour,
    Island,
    Match,
    PlanningOrder,
    Position,
    Status,
    Students,
    Tower,
    evolve,
    together,
)

TOWERS = {
    2: (Tower.BLACK, Tower.WHITE),
    3: (Tower.BLACK, Tower.WHITE, Tower.GREY),
    4: (Tower.BLACK, Tower.WHITE, Tower.WHITE, Tower.BLACK),
}


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


def new_position(seats: int = 2, *, characters: Iterable[Character] = (), expert: bool | None = None) -> Position:
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


def go(play: Play, *done: e.Action, chance: Chance | None = None) -> tuple[Play, e.Told]:
    """The match after these actions of whoever is asked, and all that was said."""
    say: e.Told = []
    for action in done:
        if isinstance(action, e.UseCharacter):
            play = character_used(play, action, say)
        else:
            play = answered(play, action, chance or Smallest(), say)
    return play, say


def public(say: e.Told) -> list[e.Event]:
    return [to.event for to in say if to.audience is None]


def names(say: Iterable[To[e.Event]]) -> list[str]:
    """The script: each event that wires tell by its name, a status by its own, with the seat for what only one is told."""
    lines = []
    for to in say:
        if isinstance(to.event, e.UNTOLD):
            continue
        event: Any = to.event
        name = event.status.value if type(event).__name__ == "PlayerStatus" else type(event).__name__
        lines.append(name if to.audience is None else f"{name} {to.audience[0]}")
    return lines


def fresh(seats: int, planning_order: PlanningOrder = PlanningOrder.PREVIOUS) -> tuple[Play, e.Told]:
    """A match at its first question, and what was said since the deal."""
    say: e.Told = []
    position = dealt(Choices(Match(MODES[seats], False), TOWERS[seats], tuple(range(1, seats + 1))), Smallest())
    order = tuple(Seat(seat) for seat in range(seats))
    return opened(evolve(position, seating=order, order=order), planning_order, Smallest(), say), say


def turns_played(play: Play) -> Play:
    """All turns of a round: students go to island 1, Mother Nature one step, the first cloud is taken."""
    for _ in play.position.order:
        for _ in range(play.position.match.mode.moves):
            assert isinstance(play.request, e.AskStudent)
            colour = next(colour for colour in Colour if play.request.students[colour])
            play, _ = go(play, e.ChooseStudent(colour), e.ChooseDestination(1))
        play, _ = go(play, e.ChooseSteps(1))
        if isinstance(play.request, e.AskCloud):
            play, _ = go(play, e.ChooseCloud(play.request.clouds[0]))
    return play


def round_played(play: Play, *assistants: int) -> Play:
    """A round with these assistants in planning order."""
    return turns_played(go(play, *map(e.PlayAssistant, assistants))[0])


def refusal(case: SynchronousTestCase, play: Play, action: e.Action) -> e.IllegalChoice:
    refused = case.assertRaises(e.IllegalChoice, go, play, action)
    assert isinstance(refused, e.IllegalChoice)
    return refused


def script(*outcomes: int) -> ScriptedChance:
    return ScriptedChance(outcomes)


def rich(*characters: Character, seats: int = 2, coins: int = 6) -> Position:
    """A table with these characters, at which seat 0 has that many coins more than the others, out of the supply."""
    position = new_position(seats, characters=characters)
    position = with_school(position, 0, coins=1 + coins)
    return evolve(position, supply=position.supply - coins)


def acting(position: Position, stage: Status = Status.MOVE_1) -> Play:
    """Seat 0 at one of the moves, with students on every cloud, which come out of the bag."""
    heap = students(yellow=1, pink=2)
    bag = tuple(left - len(position.clouds) * taken for left, taken in zip(position.bag, heap, strict=True))
    return at(evolve(position, clouds=(heap,) * len(position.clouds), bag=bag), stage)


def on_card(position: Position, character: Character) -> Students:
    card = position.card(character)
    assert card is not None
    return card.students


def with_on_card(position: Position, character: Character, heap: Students) -> Position:
    card = position.card(character)
    assert card is not None
    bag = tuple(b + c - h for b, c, h in zip(position.bag, card.students, heap, strict=True))
    return evolve(position.with_card(evolve(card, students=heap)), bag=bag)


def with_dining(position: Position, seat: int, heap: Students) -> Position:
    old = position.schools[seat].dining
    bag = tuple(b + o - h for b, o, h in zip(position.bag, old, heap, strict=True))
    return evolve(with_school(position, seat, dining=heap), bag=bag)


# A player of Eriantys who plays at random, and what must be true of every position on the way.


MOVES = (Status.MOVE_1, Status.MOVE_2, Status.MOVE_3)


# A player


def any_action(master: EriantysMaster, rng: random.Random, liking: float = 0.3) -> tuple[Seat, e.Action] | None:
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
    characters = [action for action in legal if isinstance(action, e.UseCharacter)]
    if characters and rng.random() < liking:
        return request.seat, rng.choice(characters)
    answers = [action for action in legal if not isinstance(action, e.UseCharacter)]
    for action, share in ((e.ChooseDestination(0), 0.6), (e.ChooseStudent(None), 0.2)):
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
