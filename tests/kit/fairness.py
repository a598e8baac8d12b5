"""
How evenly luck falls: draws through the masters' own code, counted, and how far the counts may be off.

A sample is what is counted; a statistic past `furthest` would happen to even luck less than once in a hundred million
times, so that all samples together fail by chance less than once in a million runs.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import sqrt

from gamehost.games.chance import Chance, SystemChance, shuffled
from gamehost.games.eriantys.pieces import NO_STUDENTS
from gamehost.games.eriantys.position import drawn
from gamehost.games.onitama.cards import VECTORS
from gamehost.games.onitama.master import ONITAMA, Dealt
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Kickoff

#: Standard deviations that a normal variable exceeds with a probability of 6 in 10^9, on one side.
FAR = 5.7


def furthest(freedom: int) -> float:
    """A bound for chi-square with so many degrees of freedom, after Wilson and Hilferty; on the safe side for few."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + FAR * sqrt(part)) ** 3


def chi_square(counts: Mapping[Hashable, int], odds: Mapping[Hashable, Fraction]) -> float:
    """How far the counts are from what these odds would have them be."""
    assert counts.keys() <= odds.keys() and sum(odds.values()) == 1
    total = sum(counts.values())
    return sum((counts.get(one, 0) - total * float(odd)) ** 2 / (total * float(odd)) for one, odd in odds.items())


def even(outcomes: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    """The odds of outcomes that are all as likely."""
    return {outcome: Fraction(1, len(outcomes)) for outcome in outcomes}


def first_players(times: int, chance: Chance) -> Iterator[Hashable]:
    """Who moves first in so many matches of paper soccer."""
    for _ in range(times):
        [to] = PAPER_SOCCER.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Kickoff)
        yield to.event.first


def spare_cards(times: int, chance: Chance) -> Iterator[Hashable]:
    """The spare card of so many matches of Onitama: the last that is dealt."""
    for _ in range(times):
        [to] = ONITAMA.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Dealt)
        yield to.event.position.spare


def first_cards(times: int, chance: Chance) -> Iterator[Hashable]:
    """White's first card of so many matches of Onitama."""
    for _ in range(times):
        [to] = ONITAMA.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Dealt)
        yield to.event.position.hands[0][0]


def students(times: int, chance: Chance) -> Iterator[Hashable]:
    """The colour of the second student out of a bag that holds more of some than of others."""
    for _ in range(times):
        _, bag = drawn(BAG, 1, chance)
        second, _ = drawn(bag, 1, chance)
        yield second.index(1)


def seatings(times: int, chance: Chance) -> Iterator[Hashable]:
    """How four players are seated."""
    for _ in range(times):
        yield tuple(shuffled(range(4), chance))


BAG = (26, 24, 20, 10, 40)
assert len(BAG) == len(NO_STUDENTS)

#: What is drawn, and its odds: the second student's are those of the first.
SAMPLES: Mapping[str, tuple[Callable[[int, Chance], Iterator[Hashable]], Mapping[Hashable, Fraction]]] = {
    "first players of paper soccer": (first_players, even([0, 1])),
    "spare cards of Onitama": (spare_cards, even(list(VECTORS))),
    "first cards of Onitama": (first_cards, even(list(VECTORS))),
    "students out of a bag": (students, {colour: Fraction(count, sum(BAG)) for colour, count in enumerate(BAG)}),
    "seatings": (seatings, even(list(permutations(range(4))))),
}


def unfair(
    times: int, draw: Callable[[int], int] = secrets.randbelow, names: Iterable[str] = tuple(SAMPLES)
) -> list[str]:
    """Draw so often of each of these samples; those that are further off than even luck would be, with their numbers."""
    found = []
    for name in names:
        sample, odds = SAMPLES[name]
        chance = SystemChance(draw)
        counts: Counter[Hashable] = Counter()
        for outcome in sample(times, chance):
            counts[outcome] += 1
            chance.take()
        statistic, bound = chi_square(counts, odds), furthest(len(odds) - 1)
        if statistic > bound:
            found.append(f"{name}: chi-square {statistic:.1f}, at most {bound:.1f}")
    return found
