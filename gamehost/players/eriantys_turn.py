"""
The own turn in Eriantys: what can be answered, what a position is worth, and a beam search to the end of the turn.

The search runs on the rules themselves. A decision is a student with its destination, the steps of Mother Nature, a cloud, or a
character with all its choices. After each decision the best positions are kept.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from gamehost.games.base import Seat
from gamehost.games.chance import Chance
from gamehost.games.eriantys.actions import (
    Action,
    ChooseDestination,
    ChooseStudent,
    IllegalChoice,
    UseCharacter,
)
from gamehost.games.eriantys.events import (
    AskCardStudent,
    AskDestination,
    AskSteps,
)
from gamehost.games.eriantys.influence import influences
from gamehost.games.eriantys.phases import Play, answered, character_used
from gamehost.games.eriantys.pieces import Status
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.views import answers, usable
from gamehost.players.base import Budget

WON = 100_000


def options(play: Play, *, characters: bool, once: bool = True) -> Iterator[Action]:
    """
    What may answer the open request.

    :param characters: whether characters may be used before Mother Nature walks
    :param once: whether swaps end after the first one
    """
    request = play.request
    if request is None:
        return
    stop = ChooseStudent(None)
    found = [action for action in answers(request, play.position, play.about) if action != stop]
    swapped = getattr(play.effect, "swaps", 0)
    if isinstance(request, AskCardStudent) and request.may_stop:
        if swapped or not once:
            yield stop
        if swapped and once:
            return
    elif isinstance(request, AskDestination) and play.about is None:
        # A player that has just come back does not know the student.
        found = [action for action in found if action != ChooseDestination(0)]
    yield from found
    if characters and isinstance(request, AskSteps):
        yield from usable(play.position)


def after(play: Play, action: Action, chance: Chance) -> Play:
    """
    The match after an answer.

    :raises IllegalChoice: the rules refuse it
    """
    if isinstance(action, UseCharacter):
        return character_used(play, action, [])
    return answered(play, action, chance, [])


def worth(position: Position, seat: Seat) -> float:
    """
    What a position is worth to a seat's team against the best other team.

    Towers count most, then professors, islands that would change hands, and students in the dining room. Coins count a little.
    """
    if position.character is not None or position.banned is not None:
        # The effect of a character ends with the turn.
        position = evolve(position, character=None, banned=None)
    scores = [_assets(position, team.seats) for team in position.teams]
    walk = {(position.mother_nature + steps) % len(position.islands): steps for steps in range(5, 0, -1)}
    for place, island in enumerate(position.islands):
        counts = influences(position, island)
        most = max(counts)
        near = 1.6 if place in walk else 1.0
        leaders = [number for number, count in enumerate(counts) if count == most]
        if len(leaders) == 1 and position.teams[leaders[0]].tower is not island.tower:
            scores[leaders[0]] += 14 * near * len(island.members)
        for number, count in enumerate(counts):
            scores[number] += 1.5 * near * count
    own = next(number for number, team in enumerate(position.teams) if seat in team.seats)
    return scores[own] - max(score for number, score in enumerate(scores) if number != own)


def _assets(position: Position, seats: Sequence[Seat]) -> float:
    """What a team has by itself."""
    score = 0.0
    for seat in seats:
        school = position.schools[seat]
        score -= 100 * school.towers
        score += 2.5 * min(school.coins, 6)
        for colour, students in enumerate(school.dining):
            score += (4.0, 3.5, 3.0, 2.5)[min(students, 3)] * students
            if position.professors[colour] == seat:
                # A lead that is larger is safer.
                others = max(other.dining[colour] for other in position.schools if other is not school)
                score += 32 + 4 * min(3, students - others) + 0.8 * school.entrance[colour]
        score += 1.2 * sum(map(bool, school.entrance))
    return score


@frozen
class Line:
    """A way through the rest of the turn."""

    play: Play
    actions: tuple[Action, ...]
    value: float


def value_of(play: Play, seat: Seat) -> float:
    """What a match is worth to a seat, over or not."""
    if play.verdict is None:
        return worth(play.position, seat)
    if seat not in play.verdict.winners:
        return -WON
    return WON / len(play.verdict.winners)


@frozen
class Beam:
    """How wide the search for a turn is."""

    #: Positions that are kept after each decision.
    width: int
    characters: bool
    #: Each decision's value is changed by up to so much, up or down.
    noise: int = 0


def turn_lines(play: Play, beam: Beam, chance: Chance, budget: Budget) -> list[Line]:
    """
    Ways through the rest of the turn of the seat that is asked, the best first; at least one.

    A budget that ends narrows the beam to one position.
    """
    seat = play.position.seat
    lines, ended = [Line(play, (), 0.0)], list[Line]()
    while lines:
        found: dict[tuple[Position, int], Line] = {}
        for line in lines:
            for one in _decisions(line, seat, beam, chance):
                budget.nodes -= 1
                if is_own(one.play, seat):
                    found.setdefault((one.play.position, one.play.moved), one)
                else:
                    ended.append(one)
        width = beam.width if budget.nodes > 0 else 1
        lines = sorted(found.values(), key=lambda line: -line.value)[:width]
        if len(ended) > 12:
            ended = sorted(ended, key=lambda line: -line.value)[:12]
    return sorted(ended, key=lambda line: -line.value)


def is_own(play: Play, seat: Seat) -> bool:
    """Whether this seat's turn goes on."""
    return play.verdict is None and play.stage is not Status.PLANNING and play.position.seat == seat


def _decisions(line: Line, seat: Seat, beam: Beam, chance: Chance) -> Iterator[Line]:
    """All whole decisions after a line; a character does not count as one."""
    open_ends = [(line.play, line.actions)]
    while open_ends:
        play, actions = open_ends.pop()
        for action in options(play, characters=beam.characters):
            try:
                following = after(play, action, chance)
            except IllegalChoice:
                continue
            way = (*actions, action)
            unfinished = following.picked is not None or following.effect is not None
            of_character = play.effect is not None or isinstance(action, UseCharacter)
            if following.verdict is None and (unfinished or of_character):
                open_ends.append((following, way))
            else:
                noise = chance.below(2 * beam.noise + 1) - beam.noise if beam.noise else 0
                yield Line(following, way, value_of(following, seat) + noise)
