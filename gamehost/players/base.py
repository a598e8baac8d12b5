"""
The shared parts of all players: levels, the limits on thinking, and the source of random numbers; and a search that
players can use.

A player depends on three things: the events of its seat, its seed, and the number of nodes that it may visit. With the
same events, seed and nodes it makes the same moves. A limit in seconds is an additional limit for slow machines. It is
used only if the player has a clock.
"""

from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from math import exp
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from attrs import define, field, frozen
from msgspec import Struct

from gamehost.games.base import Seat, shuffled

T = TypeVar("T")

_MASK = 2**64 - 1


class Level(StrEnum):
    """How strong a player is, from the weakest to the strongest."""

    RANDOM = "random"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@runtime_checkable
class LimitsLevels(Protocol):
    """A game with house players at some levels only. Other games have house players at all levels."""

    @property
    def house_levels(self) -> Sequence[Level]:
        """The levels of the house players, from the weakest to the strongest; at least one."""


class Player(Protocol):
    """A player in one seat of one match."""

    def hear(self, event: Any) -> None:
        """Take an event for this seat, or the view of this seat (`GameMaster.view`)."""

    def answer(self) -> bytes | None:
        """
        Think, and return the next action in the game's notation; `None`: this seat cannot act now. Changes nothing in
        the player but its random numbers.
        """

    def refused(self, notation: bytes) -> None:
        """
        Note that the host has refused this answer. If the player may not know the reason, its next answer must be
        another one. For example, a player that has come back may not know all earlier moves.
        """


@frozen
class Weighed:
    """A player's judgement of an action that was taken in its seat."""

    #: For each seat, the chance to win before the action, from 0 to 1, if all players play well. The sum is 1.
    shares: tuple[float, ...]
    #: The action that the player would have taken.
    best: bytes
    #: By how much the action has lowered the seat's chance, compared with the best action.
    lost: float


@runtime_checkable
class Weigher(Protocol):
    """A player that can compare an action with the best one, so that finished matches can be studied."""

    def weigh(self, action: bytes) -> Weighed | None:
        """
        Compare an action that this seat is about to take with the best action. In the same match, the result is always
        the same.

        :param action: in the game's notation
        :returns: `None`: such an action cannot be weighed
        """


class Standing(Struct, frozen=True):
    """The chance of each seat to win, in percent, after entry `n`."""

    n: int
    shares: list[int]


class TurningPoint(Struct, frozen=True):
    """
    A mistake in a match: in entry `n`, the `action` lowered the chance of `seat` to win by `lost` percent. `better` is
    the best action.
    """

    n: int
    seat: int
    action: str
    better: str
    lost: int


def expected(value: float, scale: float) -> float:
    """
    The chance of a side to win, from 0 to 1.

    :param value: the value of the position for the side; 0 is even
    :param scale: the lead with which a side wins nearly three of four matches
    """
    # Limited to 50, because `exp` fails for very large numbers.
    return 1 / (1 + exp(-max(-50.0, min(50.0, value / scale))))


def weighed(seat: Seat, scale: float, best: bytes, value: float, taken: float) -> Weighed:
    """
    Returns the judgement of an action in a game of two, from values that the game's search has found for this seat.

    :param value: the value of the position for this seat after the best action
    :param taken: the value of the position after the action that was taken
    """
    share = expected(value, scale)
    shares = (share, 1 - share) if seat == 0 else (1 - share, share)
    return Weighed(shares, best, max(0.0, share - expected(taken, scale)))


#: Makes the player of a match.
NewPlayer = Callable[[Seat, "Level", "Thinking"], Player]


@define(eq=False)
class Thinking:
    """
    What a player may use for thinking: random numbers and limits. The effort may change from one answer to the next.
    """

    #: Decides among equal moves, and draws hidden state.
    chance: "SeededChance"
    #: `time.process_time`; `None`: only nodes are counted.
    clock: Callable[[], float] | None = None
    #: The share of the level's nodes and seconds that may be used. It is less than 1 if many matches share the
    #: processor.
    effort: float = 1.0
    #: When the answer must be ready, as a time of `clock`, even if the level allows more time; `None`: no such limit.
    ends: float | None = None

    def budget(self, nodes: int, seconds: float) -> "Budget":
        """
        The budget for one answer.

        :param nodes: the nodes that the level allows
        :param seconds: the seconds that the level allows
        """
        return self.whole_budget(round(nodes * self.effort), seconds * self.effort)

    def whole_budget(self, nodes: int, seconds: float) -> "Budget":
        """A budget that does not shrink with `effort`. It still ends at `ends`."""
        if self.ends is not None and self.clock is not None:
            # The time that is left until `ends`.
            seconds = min(seconds, self.ends - self.clock())
        return Budget(nodes, seconds, self.clock)


class OutOfBudget(Exception):
    """A search has used up its nodes or its time."""


@define(eq=False)
class Budget:
    """The limits of one answer: nodes and time."""

    #: Nodes that may still be visited.
    nodes: int
    #: CPU seconds for the answer; used only with a clock.
    seconds: float = 0.0
    #: `time.process_time`; `None`: only nodes are counted.
    clock: Callable[[], float] | None = None
    _end: float = field(init=False, default=0.0)

    def __attrs_post_init__(self) -> None:
        if self.clock is not None:
            self._end = self.clock() + self.seconds

    def spend(self) -> None:
        """
        Visit one node.

        :raises OutOfBudget: there are no nodes or no time left
        """
        self.nodes -= 1
        # Reading the clock costs as much as a node, so it is read only at every 32nd node.
        if self.nodes < 0 or (self.clock is not None and not self.nodes & 31 and self.clock() > self._end):
            raise OutOfBudget


class SeededChance:
    """Random numbers that are the same for the same seed on every machine (the generator is SplitMix64)."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, n: int) -> int:
        """The next random number: a whole number from 0 to n-1."""
        # The constants and shifts are those of SplitMix64.
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        # The highest bits of the product: a number below `n`.
        return ((mixed ^ (mixed >> 31)) * n) >> 64

    def one_of(self, items: Sequence[T]) -> T:
        """An item that is chosen at random."""
        return items[self.below(len(items))]


# Alpha-beta search for two sides that move in turn and see everything.
#
# The search goes one ply deeper in each round, stores positions in a transposition table, and follows forcing moves
# such as captures beyond the last ply. Each game provides its `Rules`.
#
# All values are for the side to move. A win is worth `WIN`, less one for each ply until the win. So the search prefers
# the shortest win and the longest loss.


P = TypeVar("P")
M = TypeVar("M")
P_contra = TypeVar("P_contra", contravariant=True)

WIN = 1_000_000
#: Values beyond this are forced wins or losses.
FORCED = WIN - 1_000

_EXACT, _AT_LEAST, _AT_MOST = range(3)
#: How many plies of forcing moves are searched after the last full ply.
_FORCING_PLIES = 4


class Rules(Protocol[P, M]):
    """The rules of a game, for the search."""

    def outcome(self, position: P) -> int | None:
        """`-WIN`, `WIN` or 0 for the side to move if the game is over, else `None`."""

    def moves(self, position: P) -> Sequence[M]:
        """
        The moves to search, the most promising first. If there are none, the search evaluates the position as it is.
        """

    def forcing(self, position: P) -> Sequence[M]:
        """The moves that the search follows beyond the last full ply, such as captures."""

    def after(self, position: P, move: M) -> P:
        """The position after a move, with the other side to move."""

    def evaluate(self, position: P) -> int:
        """The value of the position for the side to move, far below `FORCED`."""

    def key(self, position: P) -> Hashable:
        """The key of the position in the transposition table: equal for equal positions."""


@frozen
class Found(Generic[M]):
    """The best move that a search has found, with its value."""

    move: M
    value: int
    #: The number of plies of the last complete round.
    depth: int


def _from_child(value: int) -> int:
    """The value of a position for the side that has moved to it: negated, and one ply further from the end."""
    # The forced end of the match is one ply further away from here, so its value is nearer to 0 by one.
    if value > FORCED:
        return 1 - value
    return -1 - value if value < -FORCED else -value


@define(eq=False)
class Search(Generic[P, M]):
    """A search, with its budget and its transposition table."""

    rules: Rules[P, M]
    budget: Budget
    _table: dict[Hashable, tuple[int, int, int, M | None]] = field(factory=dict)
    #: Whether the budget does not count at the moment: in the first `sure` rounds it does not.
    _free: bool = False

    def best(self, position: P, moves: Sequence[M], depth: int, sure: int = 1) -> Found[M]:
        """
        Find the best of these moves.

        :param moves: moves of the position, at least one, the most promising first
        :param depth: how many plies to search at most
        :param sure: how many plies to search even if the budget is too small
        """
        order = list(moves)
        found = Found(order[0], 0, 0)
        # Each round searches one ply deeper. It begins with the best move of the round before.
        for plies in range(1, depth + 1):
            self._free = plies <= sure
            best: Found[M] | None = None
            try:
                for move in order:
                    # A move must be better than the best one so far.
                    alpha = best.value if best is not None else -WIN
                    value = self._child(position, move, plies, alpha, WIN)
                    if best is None or value > best.value:
                        best = Found(move, value, plies)
            except OutOfBudget:
                # The first move in the order is the best of the last round. So the result of an unfinished round is at
                # least as good.
                return Found(best.move, best.value, found.depth) if best is not None else found
            if best is None:
                # There were no moves.
                break
            found = best
            if abs(found.value) > FORCED:
                # A forced win or loss: a deeper search cannot change it.
                break
            order.remove(found.move)
            order.insert(0, found.move)
        return found

    def values(self, position: P, moves: Sequence[M], depth: int) -> list[int]:
        """The value of each of these moves, from a search of `depth` plies without a budget."""
        # The budget does not count.
        self._free = True
        return [self._child(position, move, depth, -WIN, WIN) for move in moves]

    def value(self, position: P, depth: int) -> int:
        """
        The value of a position, from a search of `depth` plies.

        :raises OutOfBudget: the budget is too small
        """
        return self._node(position, depth, -WIN, WIN)

    def _child(self, position: P, move: M, depth: int, alpha: int, beta: int) -> int:
        """
        Returns the value of a move for the side that makes it. Values outside of `alpha` to `beta` are only bounds.
        """
        # The window is one wider on each side, because the value of a forced win changes by one with each ply.
        return _from_child(self._node(self.rules.after(position, move), depth - 1, -beta - 1, 1 - alpha))

    def _node(self, position: P, depth: int, alpha: int, beta: int) -> int:
        """The value of a position by a search of `depth` plies. Values outside of `alpha` to `beta` are only bounds."""
        if not self._free:
            self.budget.spend()
        rules = self.rules
        # The end of the game, or of the search.
        outcome = rules.outcome(position)
        if outcome is not None:
            return outcome
        if depth <= 0:
            return self._quiet(position, alpha, beta, _FORCING_PLIES)
        # An earlier result for this position.
        key = rules.key(position)
        entry = self._table.get(key)
        first: M | None = None
        if entry is not None:
            # Depth, value, kind of value (`_EXACT` or a bound) and best move of the earlier search.
            known, value, kind, first = entry
            if known >= depth and (
                kind == _EXACT or (kind == _AT_LEAST and value >= beta) or (kind == _AT_MOST and value <= alpha)
            ):
                return value
        # Search the moves, the best one of the earlier result first.
        moves = rules.moves(position)
        if not moves:
            return rules.evaluate(position)
        if first is not None:
            moves = [first, *(move for move in moves if move != first)]
        best, chosen, lower = -WIN - 1, None, alpha
        for move in moves:
            value = self._child(position, move, depth, lower, beta)
            if value > best:
                best, chosen = value, move
                # The best value so far is the least that a further move must reach.
                lower = max(lower, value)
                if lower >= beta:
                    # The other side will not let the match come to this position, so its further moves need no
                    # search.
                    break
        # Store the result. Outside of `alpha` to `beta` it is only a bound.
        if best >= beta:
            kind = _AT_LEAST
        else:
            kind = _EXACT if best > alpha else _AT_MOST
        self._table[key] = (depth, best, kind, chosen)
        return best

    def _quiet(self, position: P, alpha: int, beta: int, plies: int) -> int:
        """
        Search only forcing moves. The side to move may also make none of them; then the value is that of the position
        as it is.
        """
        rules = self.rules
        best = rules.evaluate(position)
        if best >= beta or not plies:
            # No forcing move is needed, or their number is used up.
            return best
        lower = max(alpha, best)
        for move in rules.forcing(position):
            if not self._free:
                self.budget.spend()
            after = rules.after(position, move)
            outcome = rules.outcome(after)
            value = _from_child(self._quiet(after, -beta - 1, 1 - lower, plies - 1) if outcome is None else outcome)
            if value > best:
                best = value
                lower = max(lower, value)
                if lower >= beta:
                    break
        return best


@frozen
class Strength:
    """The limits of a search at a level."""

    #: How many plies are searched at most, and how many even without budget.
    depth: int
    sure: int
    nodes: int
    seconds: float
    #: The value of each move is changed at random, up or down, by at most this amount; 0: no change.
    noise: int = 0


def choose(rules: Rules[P, M], position: P, moves: Sequence[M], strength: Strength, thinking: Thinking) -> M:
    """Choose the move of a player of this strength. Among equal moves, chance decides."""
    chance = thinking.chance
    search = Search(rules, thinking.budget(strength.nodes, strength.seconds))
    if strength.noise:
        values = search.values(position, moves, strength.depth)
        # A weaker player misjudges: each value is changed by at most `noise`.
        noisy = [value + chance.below(2 * strength.noise + 1) - strength.noise for value in values]
        return moves[max(range(len(moves)), key=noisy.__getitem__)]
    return search.best(position, shuffled(moves, chance), strength.depth, strength.sure).move


A = TypeVar("A")
W = TypeVar("W")


def best_on_average(
    actions: Sequence[A],
    sample: Callable[[], W],
    value: Callable[[W, A], float],
    worlds: int,
    *,
    least: int = 2,
) -> A:
    """
    Find the action with the best mean value over sampled worlds. A world is a possible hidden state of the match. Among
    equal actions the first is taken.

    After half of the worlds, the worse half of the actions is left out. If the budget ends while a world is evaluated,
    that world does not count. Without any complete world, the first action is taken.

    :param actions: at least one, the most promising first
    :param sample: draws a world
    :param value: returns the value of an action in a world; may raise `OutOfBudget`
    :param worlds: how many worlds to sample at most
    :param least: how many actions remain at least
    """
    totals = [0.0] * len(actions)
    left = list(range(len(actions)))
    for number in range(worlds):
        # After half of the worlds, leave out the worse half.
        if number == worlds // 2 and number > 0 and len(left) > least:
            left.sort(key=lambda place: (-totals[place], place))
            left = sorted(left[: max(least, len(left) // 2)])
        # Value the remaining actions in the same world. An unfinished world is dropped.
        try:
            world = sample()
            values = [value(world, actions[place]) for place in left]
        except OutOfBudget:
            break
        for place, one in zip(left, values, strict=True):
            totals[place] += one
    # Minus sign: among equal totals, the first action.
    return actions[max(left, key=lambda place: (totals[place], -place))]
