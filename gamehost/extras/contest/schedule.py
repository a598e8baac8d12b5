"""
Makes the pairings of a contest: round robin, gauntlet, knock-out, Swiss, and seatings for games of more than two players.

Players are numbers from 0, in the order of their entry. A pairing is a tuple of the players of one game, in the order of the
seats. Every function returns the same pairings for the same arguments.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from attrs import define, field, frozen

from gamehost.players.base import SeededChance

#: The players of a game, in the order of the seats.
Pairing = tuple[int, ...]


@frozen
class Round:
    """
    The games of one round. They can be played at the same time, because no player is in two of them. The exception is a
    knock-out, in which two players have several games against each other.
    """

    pairings: tuple[Pairing, ...]
    #: The players without a game in this round.
    byes: tuple[int, ...] = ()


def round_robin(players: int, cycles: int = 1) -> Iterator[Round]:
    """
    Yields the rounds in which each player plays each other one, by the circle method. In each cycle, the numbers of a
    player's first and second seats differ by at most 1. The seats are exchanged from one cycle to the next.

    :param cycles: how often each player meets each other one
    """
    # The circle method: one player has a fixed place, and all others move on by one place in each round.
    # An odd number gets one more place. Its imaginary player has the number `players`, and the opponent of it has a
    # bye.
    size = players + players % 2
    turning = size - 1
    # The player with the last number has the fixed place.
    for cycle in range(cycles):
        for number in range(turning):
            pairings: list[Pairing] = []
            byes: tuple[int, ...] = ()
            for step in range(size // 2):
                one, other = (number + step) % turning, (number - step) % turning
                if step == 0:  # with the fixed place; if the number of players is odd, the opponent has a bye
                    one, other = (number, turning) if number % 2 else (turning, number)
                elif step % 2:
                    one, other = other, one
                # The seats are exchanged in every second cycle.
                if cycle % 2:
                    one, other = other, one
                if players in (one, other):
                    byes = (number,)
                else:
                    pairings.append((one, other))
            yield Round(tuple(pairings), byes)


def gauntlet(players: int, cycles: int = 1) -> Iterator[Round]:
    """
    Yields the rounds of a gauntlet: the first player plays each other player, and no others meet. Each round is one game.
    The first player has the first and the second seat in turn.

    :param cycles: how often the first player meets each other one
    """
    turn = 0
    for cycle in range(cycles):
        # After an even number of games the next cycle begins with the other seat.
        # `turn` counts all games. After an odd number of games, its parity is another one in the next cycle already.
        shift = cycle if (players - 1) % 2 == 0 else 0
        for other in range(1, players):
            pairing = (0, other) if (turn + shift) % 2 == 0 else (other, 0)
            byes = tuple(one for one in range(1, players) if one != other)
            yield Round((pairing,), byes)
            turn += 1


def knock_out_round(alive: Sequence[int], first: bool, games: int) -> Round:
    """
    Makes the next round of a knock-out. The first player in the list meets the last one, the second meets the last but one,
    and so on. In the first round the best players have byes, so many that a power of two remains after the round.

    :param alive: the players that are still in the contest, the best one first
    :param first: whether this is the first round
    :param games: how many games each two opponents play; the seats are exchanged from game to game
    """
    # Later rounds have a bye only if the number of players is odd.
    byes = (1 << (len(alive) - 1).bit_length()) - len(alive) if first else len(alive) % 2
    playing = alive[byes:]
    half = len(playing) // 2
    pairs = list(zip(playing[:half], reversed(playing[half:]), strict=True))
    # Neighbouring boards begin with different seats.
    turns = [
        pair if (game + board) % 2 == 0 else pair[::-1] for game in range(games) for board, pair in enumerate(pairs)
    ]
    return Round(tuple(turns), tuple(alive[:byes]))


@define
class Past:
    """The facts about earlier rounds that the next Swiss round depends on. Each list has an element for each player."""

    #: How often the player had the first seat, minus how often it had the second seat.
    balance: list[int]
    #: How many byes the player had.
    byes: list[int]
    #: The opponents that the player has met.
    met: list[set[int]]

    @classmethod
    def none(cls, players: int) -> "Past":
        """
        Returns the facts before the first round.

        :param players: the number of players
        """
        return cls([0] * players, [0] * players, [set() for _ in range(players)])

    def add(self, played: Round) -> None:
        """Adds the facts of one more round."""
        for first, second in played.pairings:
            self.balance[first] += 1
            self.balance[second] -= 1
            self.met[first].add(second)
            self.met[second].add(first)
        for player in played.byes:
            self.byes[player] += 1


def swiss_round(order: Sequence[int], past: Past) -> Round:
    """
    Makes the next round of a Swiss contest, by Monrad's system: neighbours in the table meet, if they have not met before.

    For each player, the numbers of first and of second seats differ by 1 at most. No player has a second bye before all had
    one. The bye goes to the last player in the table who can have it. Two players meet again only if no other pairing of
    all players is possible.

    :param order: the players who take part, the best one first
    """
    # An even number of players needs no bye.
    if len(order) % 2 == 0:
        return _seated(_paired(order, past, again=False) or _paired(order, past, again=True), past, ())
    # Try a bye for each player that may have one, the last player first; then the same with second meetings allowed.
    least = min(past.byes[player] for player in order)
    free = [player for player in reversed(order) if past.byes[player] == least]
    for again in (False, True):
        for bye in free:
            if (pairs := _paired([player for player in order if player != bye], past, again)) is not None:
                return _seated(pairs, past, (bye,))
    # No such pairing exists: pair neighbours, although a player gets the same seat too often.
    rest = [player for player in order if player != free[0]]
    return _seated(list(zip(rest[::2], rest[1::2], strict=True)), past, (free[0],))


def _seated(pairs: Sequence[tuple[int, int]] | None, past: Past, byes: tuple[int, ...]) -> Round:
    """
    Makes a round from pairs of players. The first seat goes to the player that had it less often. For equal players, every
    second pair exchanges the seats.
    """
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
    Returns pairs of all players, if possible of neighbours in the table.

    :param again: whether two players may meet that have met before
    :returns: `None`: such pairs do not exist
    """
    size = len(order)
    neighbours = []
    for place, player in enumerate(order):
        # An empty tuple: nobody counts as met.
        balance, met = past.balance[player], () if again else past.met[player]
        # The balance says how many more games a player had on the first seat than on the second one. Two players with
        # the same balance other than 0 need the same seat now, so they cannot meet.
        fits = [
            other
            for other in range(size)
            if other != place and (balance == 0 or past.balance[order[other]] != balance) and order[other] not in met
        ]
        # Nearest places first, and of two equally near places the later one.
        neighbours.append([other for _, _, other in sorted((abs(one - place), one < place, one) for one in fits)])
    mates = complete_matching(neighbours)
    if mates is None:
        return None
    return [(order[one], order[mate]) for one, mate in enumerate(mates) if one < mate]


def complete_matching(neighbours: Sequence[Sequence[int]]) -> list[int] | None:
    """
    Finds pairs of neighbours in a graph, so that every vertex is in exactly one pair: a perfect matching.

    Each vertex first takes its first free neighbour. Then the pairs are changed along augmenting paths until all vertices
    have a mate (Edmonds, "Paths, Trees, and Flowers", 1965).

    :param neighbours: the neighbours of each vertex, the preferred ones first
    :returns: the mate of each vertex; `None`: there is no perfect matching
    """
    mates = [-1] * len(neighbours)
    for one, others in enumerate(neighbours):
        if mates[one] < 0 and (free := next((other for other in others if mates[other] < 0), None)) is not None:
            mates[one], mates[free] = free, one
    for root in range(len(neighbours)):
        # If a vertex remains without a mate after a search from it, no matching has all vertices.
        if mates[root] < 0 and not _Search(neighbours, mates, root).augmented():
            return None
    return mates


@define
class _Search:
    """The search for an augmenting path from one vertex without a mate, by Edmonds' blossom algorithm."""

    neighbours: Sequence[Sequence[int]]
    #: The mate of each vertex; -1: it has none. The search changes this list.
    mates: list[int]
    #: The vertex without a mate from which the search begins.
    root: int
    #: The vertex before each vertex on its path from the root; -1: none.
    parents: list[int] = field(init=False)
    #: The base of the blossom that contains each vertex; the vertex itself, if it is in no blossom.
    bases: list[int] = field(init=False)
    #: Whether the search has reached each vertex at an even distance from the root.
    reached: list[bool] = field(init=False)

    def __attrs_post_init__(self) -> None:
        size = len(self.neighbours)
        self.parents, self.bases, self.reached = [-1] * size, list(range(size)), [False] * size

    def augmented(self) -> bool:
        """
        Searches a path to another vertex without a mate, and exchanges the pairs along it. Returns `False` if there is no such
        path.
        """
        self.reached[self.root] = True
        queue = [self.root]
        # The list grows while it is read.
        for one in queue:
            for other in self.neighbours[one]:
                # Both are in the same blossom already, or are a pair.
                if self.bases[one] == self.bases[other] or self.mates[one] == other:
                    continue
                mate = self.mates[other]
                # The edge closes a circle of odd length, a blossom.
                if other == self.root or (mate >= 0 and self.parents[mate] >= 0):
                    queue.extend(self._contract(one, other))
                # A new vertex: the path ends here, or continues with its mate.
                elif self.parents[other] < 0:
                    self.parents[other] = one
                    if mate < 0:
                        self._exchange(other)
                        return True
                    self.reached[mate] = True
                    queue.append(mate)
        return False

    def _contract(self, one: int, other: int) -> Iterator[int]:
        """
        Treats a circle of odd length, a blossom, as a single vertex from now on. Yields its vertices that the search has not
        reached before.

        :param one: an end of the edge that closes the circle
        :param other: the other end
        """
        base = self._meeting(one, other)
        inside = self._mark(one, base, other) | self._mark(other, base, one)
        for vertex in range(len(self.bases)):
            if self.bases[vertex] in inside:
                self.bases[vertex] = base
                if not self.reached[vertex]:
                    self.reached[vertex] = True
                    yield vertex

    def _meeting(self, one: int, other: int) -> int:
        """Returns the first vertex that the paths of two vertices to the root have in common."""
        way = set()
        # Collect the path of the first vertex. Then follow the path of the other one until it meets the first path.
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
        """
        Sets new parents on the path from a vertex to the base of a blossom, so that a path can run through the blossom.

        :param child: the parent that the vertex gets: the other end of the edge that closes the circle
        :returns: the bases of the vertices on this path
        """
        inside = set()
        while self.bases[vertex] != base:
            mate = self.mates[vertex]
            inside |= {self.bases[vertex], self.bases[mate]}
            self.parents[vertex] = child
            child, vertex = mate, self.parents[mate]
        return inside

    def _exchange(self, end: int) -> None:
        """Makes new pairs along the path that was found, from its end back to the root."""
        while end >= 0:
            before = self.parents[end]
            following = self.mates[before]
            self.mates[end], self.mates[before] = before, end
            end = following


#: How many random divisions of the players are compared for each round of a game for more than two players.
TRIED = 200


def seatings(players: int, seats: int, rounds: int, seed: int) -> Iterator[Round]:
    """
    Yields the rounds of a game for more than two players. As far as possible, players meet equally often, and each player
    has each seat equally often. Each round is the best of `TRIED` random divisions.

    :param seed: the seed of the random divisions
    :raises ValueError: there are fewer players than seats
    """
    if players < seats:
        raise ValueError(f"{seats} seats, and only {players} players")
    chance = SeededChance(seed)
    met: dict[frozenset[int], int] = {}
    sat = [[0] * seats for _ in range(players)]
    byes = [0] * players
    for _ in range(rounds):
        # The division that repeats the fewest meetings.
        found = min((_division(players, seats, byes, chance) for _ in range(TRIED)), key=lambda one: _repeats(one, met))
        # Give seats to the players of each table, and note for later rounds who has met and who had a bye.
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
    """
    Returns a random division of the players into tables. If players are left over, they are those that had the fewest
    byes.
    """
    left = list(range(players))
    order = [left.pop(chance.below(len(left))) for _ in range(players)]
    # The sort is stable: among equal numbers of byes, the random order decides.
    left_over = sorted(order, key=byes.__getitem__)[: players % seats]
    order = [player for player in order if player not in left_over]
    return [order[start : start + seats] for start in range(0, len(order), seats)]


def _repeats(tables: Sequence[Sequence[int]], met: Mapping[frozenset[int], int]) -> int:
    """
    Returns how much a division repeats earlier meetings; less is better. Squares make a third meeting worse than a second.
    """
    return sum((met.get(frozenset(pair), 0) + 1) ** 2 for table in tables for pair in combinations(table, 2))


def _in_seats(table: Sequence[int], sat: Sequence[list[int]]) -> Pairing:
    """
    Returns the players of a table in the order of their seats: players get the seats that they had least often.

    :param sat: how often each player had each seat; it is updated
    """
    # Of all orders, the one with the smallest sum of squares: a seat that a player had often counts more.
    seated = min(permutations(table), key=lambda one: sum(sat[player][seat] ** 2 for seat, player in enumerate(one)))
    for seat, player in enumerate(seated):
        sat[player][seat] += 1
    return seated
