"""A table to try Eriantys at: positions laid by hand, and what is said when somebody acts there."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, To
from gamehost.games.chance import Chance, ScriptedChance
from gamehost.games.eriantys.actions import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    IllegalChoice,
    PlayAssistant,
    UseCharacter,
)
from gamehost.games.eriantys.characters import laid_out
from gamehost.games.eriantys.events import (
    UNTOLD,
    AskCloud,
    AskStudent,
    Event,
    Told,
)
from gamehost.games.eriantys.phases import Play, answered, character_used, opened, request_of
from gamehost.games.eriantys.pieces import (
    MODES,
    NO_STUDENTS,
    Character,
    Colour,
    PlanningOrder,
    Status,
    Students,
    Tower,
    together,
)
from gamehost.games.eriantys.position import Island, Match, Position
from gamehost.games.eriantys.setup import Choices, dealt
from gamehost.games.eriantys.values import evolve

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
    """The script: each event that wires tell by its name, a status by its own, with the seat for what only one is told."""
    lines = []
    for to in say:
        if isinstance(to.event, UNTOLD):
            continue
        event: Any = to.event
        name = event.status.value if type(event).__name__ == "PlayerStatus" else type(event).__name__
        lines.append(name if to.audience is None else f"{name} {to.audience[0]}")
    return lines


def fresh(seats: int, planning_order: PlanningOrder = PlanningOrder.PREVIOUS) -> tuple[Play, Told]:
    """A match at its first question, and what was said since the deal."""
    say: Told = []
    position = dealt(Choices(Match(MODES[seats], False), TOWERS[seats], tuple(range(1, seats + 1))), Smallest())
    order = tuple(Seat(seat) for seat in range(seats))
    return opened(evolve(position, seating=order, order=order), planning_order, Smallest(), say), say


def turns_played(play: Play) -> Play:
    """All turns of a round: students go to island 1, Mother Nature one step, the first cloud is taken."""
    for _ in play.position.order:
        for _ in range(play.position.match.mode.moves):
            assert isinstance(play.request, AskStudent)
            colour = next(colour for colour in Colour if play.request.students[colour])
            play, _ = go(play, ChooseStudent(colour), ChooseDestination(1))
        play, _ = go(play, ChooseSteps(1))
        if isinstance(play.request, AskCloud):
            play, _ = go(play, ChooseCloud(play.request.clouds[0]))
    return play


def round_played(play: Play, *assistants: int) -> Play:
    """A round with these assistants in planning order."""
    return turns_played(go(play, *map(PlayAssistant, assistants))[0])


def refusal(case: SynchronousTestCase, play: Play, action: Action) -> IllegalChoice:
    """How an action is refused."""
    refused = case.assertRaises(IllegalChoice, go, play, action)
    assert isinstance(refused, IllegalChoice)
    return refused


def script(*outcomes: int) -> ScriptedChance:
    """Chance that is known beforehand."""
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
    """A position with other students on a card, exchanged with the bag."""
    card = position.card(character)
    assert card is not None
    bag = tuple(b + c - h for b, c, h in zip(position.bag, card.students, heap, strict=True))
    return evolve(position.with_card(evolve(card, students=heap)), bag=bag)


def with_dining(position: Position, seat: int, heap: Students) -> Position:
    """A position with other students in a dining room, exchanged with the bag."""
    old = position.schools[seat].dining
    bag = tuple(b + o - h for b, o, h in zip(position.bag, old, heap, strict=True))
    return evolve(with_school(position, seat, dining=heap), bag=bag)
