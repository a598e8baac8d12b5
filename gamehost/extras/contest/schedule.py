"""
The pairings of a contest: round robin, gauntlet, Swiss, and seatings for games of more than two.

Players are numbers from 0, in the order of their entry. A pairing is the players of one game in the order of the seats. Every
function gives the same pairings for the same arguments.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from attrs import define, field, frozen

from gamehost.players.base import SeededChance

#: The players of a game, in the order of the seats.
Pairing = tuple[int, ...]


@frozen
class Round:
    """Games that can be played at the same time: no player is in two of them, but for those of a pairing in a knock-out."""

    pairings: tuple[Pairing, ...]
    #: Who does not play in this round.
    byes: tuple[int, ...] = ()


def round_robin(players: int, cycles: int = 1) -> Iterator[Round]:
    """
    Everybody plays everybody, by the circle method. In each cycle a player has each seat equally often, or once more than the
    other; the seats change from one cycle to the next.
    """
    size = players + players % 2
    turning = size - 1
    for cycle in range(cycles):
        for number in range(turning):
            pairings: list[Pairing] = []
            byes: tuple[int, ...] = ()
            for step in range(size // 2):
                one, other = (number + step) % turning, (number - step) % turning
                if step == 0:  # the player who does not turn; with an odd number of players there is none
                    one, other = (number, turning) if number % 2 else (turning, number)
                elif step % 2:
                    one, other = other, one
                if cycle % 2:
                    one, other = other, one
                if players in (one, other):
                    byes = (number,)
                else:
                    pairings.append((one, other))
            yield Round(tuple(pairings), byes)


def gauntlet(players: int, cycles: int = 1) -> Iterator[Round]:
    """The first player plays each of the others, who do not play each other. The first seat goes from one to the other."""
    turn = 0
    for cycle in range(cycles):
        # After an even number of games the next cycle begins with the other seat.
        shift = cycle if (players - 1) % 2 == 0 else 0
        for other in range(1, players):
            pairing = (0, other) if (turn + shift) % 2 == 0 else (other, 0)
            byes = tuple(one for one in range(1, players) if one != other)
            yield Round((pairing,), byes)
            turn += 1


def knock_out_round(alive: Sequence[int], first: bool, games: int) -> Round:
    """
    The next round of a knock-out: the first one in the list meets the last one, and so on. If the numbers do not fit, the
    first ones have a bye: in the first round so many that a power of two is left after it.

    :param alive: who takes part, the best one first
    :param games: of each pairing; the seats change
    """
    byes = (1 << (len(alive) - 1).bit_length()) - len(alive) if first else len(alive) % 2
    playing = alive[byes:]
    half = len(playing) // 2
    pairs = list(zip(playing[:half], reversed(playing[half:]), strict=True))
    turns = [
        pair if (game + board) % 2 == 0 else pair[::-1] for game in range(games) for board, pair in enumerate(pairs)
    ]
    return Round(tuple(turns), tuple(alive[:byes]))


@define
class Past:
    """The facts about earlier rounds that the next round needs, in a contest of two seats."""

    #: First seats minus second seats of each player.
    balance: list[int]
    byes: list[int]
    #: Whom each has met.
    met: list[set[int]]

    @classmethod
    def none(cls, players: int) -> "Past":
        return cls([0] * players, [0] * players, [set() for _ in range(players)])

    def add(self, played: Round) -> None:
        for first, second in played.pairings:
            self.balance[first] += 1
            self.balance[second] -= 1
            self.met[first].add(second)
            self.met[second].add(first)
        for player in played.byes:
            self.byes[player] += 1


def swiss_round(order: Sequence[int], past: Past) -> Round:
    """
    The next round of a Swiss contest, by Monrad: neighbours in the table meet, as far as they have not met.

    For each player, the numbers of first and of second seats differ by 1 at most. No player has a second bye before all had
    one. The bye goes to the last player in the table who can have it. Two players meet again only if there is no other way
    to seat all.

    :param order: the players who take part, the best one first
    """
    if len(order) % 2 == 0:
        return _seated(_paired(order, past, again=False) or _paired(order, past, again=True), past, ())
    least = min(past.byes[player] for player in order)
    free = [player for player in reversed(order) if past.byes[player] == least]
    for again in (False, True):
        for bye in free:
            if (pairs := _paired([player for player in order if player != bye], past, again)) is not None:
                return _seated(pairs, past, (bye,))
    # Somebody has to have a seat once more than the others.
    rest = [player for player in order if player != free[0]]
    return _seated(list(zip(rest[::2], rest[1::2], strict=True)), past, (free[0],))


def _seated(pairs: Sequence[tuple[int, int]] | None, past: Past, byes: tuple[int, ...]) -> Round:
    """Give the first seat to the player that had it less often. If both had it equally often, it alternates."""
    pairings = []
    for number, (one, other) in enumerate(pairs or ()):
        if past.balance[one] != past.balance[other]:
            swap = past.balance[one] > past.balance[other]
        else:
            swap = number % 2 == 1
        pairings.append((other, one) if swap else (one, other))
    return Round(tuple(pairings), byes)


def _paired(order: Sequence[int], past: Past, again: bool) -> list[tuple[int, int]] | None:
    """
    Everybody with somebody, neighbours first; `None`: there is no such pairing.

    :param again: whether two may meet who have met
    """
    size = len(order)
    neighbours = []
    for place, player in enumerate(order):
        balance, met = past.balance[player], () if again else past.met[player]
        # Two who both had the first seat once more often cannot both have the second one now.
        fits = [
            other
            for other in range(size)
            if other != place and (balance == 0 or past.balance[order[other]] != balance) and order[other] not in met
        ]
        neighbours.append([other for _, _, other in sorted((abs(one - place), one < place, one) for one in fits)])
    mates = complete_matching(neighbours)
    if mates is None:
        return None
    return [(order[one], order[mate]) for one, mate in enumerate(mates) if one < mate]


def complete_matching(neighbours: Sequence[Sequence[int]]) -> list[int] | None:
    """
    Pairs in a graph, so that every vertex has exactly one mate.

    The first vertex takes its first free neighbour, and so on; then the pairs are changed along augmenting paths until all
    have a mate (Edmonds, "Paths, Trees, and Flowers", 1965).

    :param neighbours: of each vertex, the dearest first
    :returns: the mate of each; `None`: there are no such pairs
    """
    mates = [-1] * len(neighbours)
    for one, others in enumerate(neighbours):
        if mates[one] < 0 and (free := next((other for other in others if mates[other] < 0), None)) is not None:
            mates[one], mates[free] = free, one
    for root in range(len(neighbours)):
        if mates[root] < 0 and not _Search(neighbours, mates, root).augmented():
            return None
    return mates


@define
class _Search:
    """The search for an augmenting path from one vertex without a mate."""

    neighbours: Sequence[Sequence[int]]
    mates: list[int]
    root: int
    #: The vertex before each on its path from the root.
    parents: list[int] = field(init=False)
    #: The vertex by which each blossom is known.
    bases: list[int] = field(init=False)
    reached: list[bool] = field(init=False)

    def __attrs_post_init__(self) -> None:
        size = len(self.neighbours)
        self.parents, self.bases, self.reached = [-1] * size, list(range(size)), [False] * size

    def augmented(self) -> bool:
        """Find a path to another vertex without a mate, and exchange the pairs along it. `False`: there is no such path."""
        self.reached[self.root] = True
        queue = [self.root]
        for one in queue:
            for other in self.neighbours[one]:
                if self.bases[one] == self.bases[other] or self.mates[one] == other:
                    continue
                mate = self.mates[other]
                if other == self.root or (mate >= 0 and self.parents[mate] >= 0):
                    queue.extend(self._contract(one, other))
                elif self.parents[other] < 0:
                    self.parents[other] = one
                    if mate < 0:
                        self._exchange(other)
                        return True
                    self.reached[mate] = True
                    queue.append(mate)
        return False

    def _contract(self, one: int, other: int) -> Iterator[int]:
        """Make one vertex of a circle of odd length. Its vertices that the search has not reached before are returned."""
        base = self._meeting(one, other)
        inside = self._mark(one, base, other) | self._mark(other, base, one)
        for vertex in range(len(self.bases)):
            if self.bases[vertex] in inside:
                self.bases[vertex] = base
                if not self.reached[vertex]:
                    self.reached[vertex] = True
                    yield vertex

    def _meeting(self, one: int, other: int) -> int:
        """The vertex at which the ways of two vertices to the root meet."""
        way = set()
        while True:
            one = self.bases[one]
            way.add(one)
            if self.mates[one] < 0:
                break
            one = self.parents[self.mates[one]]
        other = self.bases[other]
        while other not in way:
            other = self.bases[self.parents[self.mates[other]]]
        return other

    def _mark(self, vertex: int, base: int, child: int) -> set[int]:
        inside = set()
        while self.bases[vertex] != base:
            mate = self.mates[vertex]
            inside |= {self.bases[vertex], self.bases[mate]}
            self.parents[vertex] = child
            child, vertex = mate, self.parents[mate]
        return inside

    def _exchange(self, end: int) -> None:
        while end >= 0:
            before = self.parents[end]
            following = self.mates[before]
            self.mates[end], self.mates[before] = before, end
            end = following


#: How many ways to divide the players are tried for each round of a game for more than two.
TRIED = 200


def seatings(players: int, seats: int, rounds: int, seed: int) -> Iterator[Round]:
    """
    Rounds of a game for more than two: players that have met least often meet next, and each has each seat equally
    often, as far as that can be found.

    :raises ValueError: there are fewer players than seats
    """
    if players < seats:
        raise ValueError(f"{seats} seats, and only {players} players")
    chance = SeededChance(seed)
    met: dict[frozenset[int], int] = {}
    sat = [[0] * seats for _ in range(players)]
    byes = [0] * players
    for _ in range(rounds):
        found = min((_division(players, seats, byes, chance) for _ in range(TRIED)), key=lambda one: _repeats(one, met))
        pairings = tuple(_in_seats(table, sat) for table in found)
        playing = {player for table in pairings for player in table}
        absent = tuple(player for player in range(players) if player not in playing)
        for table in pairings:
            for pair in combinations(table, 2):
                met[frozenset(pair)] = met.get(frozenset(pair), 0) + 1
        for player in absent:
            byes[player] += 1
        yield Round(pairings, absent)


def _division(players: int, seats: int, byes: Sequence[int], chance: SeededChance) -> list[list[int]]:
    """A random division into tables. The players with the fewest byes get the next one."""
    left = list(range(players))
    order = [left.pop(chance.below(len(left))) for _ in range(players)]
    left_over = sorted(order, key=byes.__getitem__)[: players % seats]
    order = [player for player in order if player not in left_over]
    return [order[start : start + seats] for start in range(0, len(order), seats)]


def _repeats(tables: Sequence[Sequence[int]], met: Mapping[frozenset[int], int]) -> int:
    return sum((met.get(frozenset(pair), 0) + 1) ** 2 for table in tables for pair in combinations(table, 2))


def _in_seats(table: Sequence[int], sat: Sequence[list[int]]) -> Pairing:
    """Give the seats to those who had them least often."""
    seated = min(permutations(table), key=lambda one: sum(sat[player][seat] ** 2 for seat, player in enumerate(one)))
    for seat, player in enumerate(seated):
        sat[player][seat] += 1
    return seated
