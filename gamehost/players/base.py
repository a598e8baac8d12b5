"""
The shared parts of all players: levels, the limit on thinking, and the source of random numbers. Also a search that
players can use.

A player depends on three things: the events of its seat, its seed, and the number of nodes that it may visit. With the
same three it gives the same moves. A limit in seconds is a second bound for slow machines; without a clock it is not
used.
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
        """Receive an event of the game's master for this seat, or the view of this seat (`GameMaster.view`)."""

    def answer(self) -> bytes | None:
        """The next action in the game's notation; `None`: this seat has nothing to do now. Only luck changes."""

    def refused(self, notation: bytes) -> None:
        """
        The host refused this answer. If the reason may be hidden from the player, its next answer must be another
        one. A player that has come back, for example, may not know all earlier moves.
        """


@frozen
class Weighed:
    """A player's judgement of an action that was taken in its seat."""

    #: By seat, its chance to win before the action if all players play well: from 0 to 1. The sum is 1.
    shares: tuple[float, ...]
    #: The action that the player would have taken.
    best: bytes
    #: How much of the seat's share the action lost, compared with the best action.
    lost: float


@runtime_checkable
class Weigher(Protocol):
    """A player that can compare an action with the best one, so that finished matches can be studied."""

    def weigh(self, action: bytes) -> Weighed | None:
        """
        Weigh an action that this seat is about to take. The same match gives the same result.

        :param action: in the game's notation
        :returns: `None`: such an action cannot be weighed
        """


class Standing(Struct, frozen=True):
    """The chance of each seat to win, in percent, after entry `n`."""

    n: int
    shares: list[int]


class TurningPoint(Struct, frozen=True):
    """Entry `n`: by an `action`, a `seat` lowered its chance to win by `lost` percent. `better` is the best action."""

    n: int
    seat: int
    action: str
    better: str
    lost: int


def expected(value: float, scale: float) -> float:
    """
    The chance of a side to win, from 0 to 1.

    :param value: the value of the position for the side; 0 is even
    :param scale: a lead that is large in these values: with it, a side wins nearly three of four matches
    """
    return 1 / (1 + exp(-max(-50.0, min(50.0, value / scale))))


def weighed(seat: Seat, scale: float, best: bytes, value: float, taken: float) -> Weighed:
    """
    The judgement of an action in a game of two.

    :param value: the value of the position for this seat after the best action
    :param taken: its value after the action that was taken
    """
    share = expected(value, scale)
    shares = (share, 1 - share) if seat == 0 else (1 - share, share)
    return Weighed(shares, best, max(0.0, share - expected(taken, scale)))


#: Makes the player of a match.
NewPlayer = Callable[[Seat, "Level", "Thinking"], Player]


@define(eq=False)
class Thinking:
    """The means of a player for thinking. The effort may change from one answer to the next."""

    #: Decides among equal moves, and draws hidden state.
    chance: "SeededChance"
    #: `time.process_time`; `None`: only nodes are counted.
    clock: Callable[[], float] | None = None
    #: The share of the level's nodes and seconds that is used: less than 1 when many matches share the processor.
    effort: float = 1.0
    #: The time on `clock` at which the answer must be ready, even if the level allows more; `None`: no such time.
    ends: float | None = None

    def budget(self, nodes: int, seconds: float) -> "Budget":
        return self.whole_budget(round(nodes * self.effort), seconds * self.effort)

    def whole_budget(self, nodes: int, seconds: float) -> "Budget":
        """A budget that does not shrink with `effort`. It still ends at `ends`."""
        if self.ends is not None and self.clock is not None:
            seconds = min(seconds, self.ends - self.clock())
        return Budget(nodes, seconds, self.clock)


class OutOfBudget(Exception):
    """A search has used up its nodes or its time."""


@define(eq=False)
class Budget:
    """How much one answer may cost."""

    #: Nodes that may still be visited.
    nodes: int
    #: CPU seconds for the answer; used only with a clock.
    seconds: float = 0.0
    #: `time.process_time`; `None`: nodes alone count.
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
        # A look at the clock costs as much as a node, so only every 32nd node looks.
        if self.nodes < 0 or (self.clock is not None and not self.nodes & 31 and self.clock() > self._end):
            raise OutOfBudget


class SeededChance:
    """Random numbers that are the same for the same seed on every machine (the generator is SplitMix64)."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((mixed ^ (mixed >> 31)) * n) >> 64

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]


# Alpha-beta search for two sides that move in turn and see everything.
#
# It deepens step by step, remembers positions in a transposition table, and extends the last ply by forcing moves such as
# captures. A game brings `Rules`.
#
# All values are for the side to move. A win is worth `WIN` less one for each ply until it, so the shortest win and the
# longest loss are preferred.


P = TypeVar("P")
M = TypeVar("M")
P_contra = TypeVar("P_contra", contravariant=True)

WIN = 1_000_000
#: Values beyond this are forced wins or losses.
FORCED = WIN - 1_000

_EXACT, _AT_LEAST, _AT_MOST = range(3)
#: Plies of forcing moves after the last full ply.
_FORCING_PLIES = 4


class Rules(Protocol[P, M]):
    """A game as the search sees it."""

    def outcome(self, position: P) -> int | None:
        """`-WIN`, `WIN` or 0 for the side to move if the game is over, else `None`."""

    def moves(self, position: P) -> Sequence[M]:
        """
        The moves to be searched, the most promising first. Without any, the search evaluates the position as it is.
        """

    def forcing(self, position: P) -> Sequence[M]:
        """The moves that the search follows beyond the last ply, such as captures."""

    def after(self, position: P, move: M) -> P:
        """The position after a move, with the other side to move."""

    def evaluate(self, position: P) -> int:
        """The value of the position for the side to move, far below `FORCED`."""

    def key(self, position: P) -> Hashable:
        """The position for the transposition table: equal for equal positions."""


@frozen
class Found(Generic[M]):
    move: M
    value: int
    #: Plies of the last search that was complete.
    depth: int


def _from_child(value: int) -> int:
    """A child's value as the parent sees it: for the other side, and one ply further from the end."""
    if value > FORCED:
        return 1 - value
    return -1 - value if value < -FORCED else -value


@define(eq=False)
class Search(Generic[P, M]):
    """One search from one position."""

    rules: Rules[P, M]
    budget: Budget
    _table: dict[Hashable, tuple[int, int, int, M | None]] = field(factory=dict)
    #: Whether nodes and time do not count: they begin to count after the first `sure` plies.
    _free: bool = False

    def best(self, position: P, moves: Sequence[M], depth: int, sure: int = 1) -> Found[M]:
        """
        The best of these moves.

        :param moves: of the position, at least one, the most promising first
        :param depth: plies at most
        :param sure: plies that are searched even if the budget is too small for them
        """
        order = list(moves)
        found = Found(order[0], 0, 0)
        for plies in range(1, depth + 1):
            self._free = plies <= sure
            best: Found[M] | None = None
            try:
                for move in order:
                    alpha = best.value if best is not None else -WIN
                    value = self._child(position, move, plies, alpha, WIN)
                    if best is None or value > best.value:
                        best = Found(move, value, plies)
            except OutOfBudget:
                # The first move of the list is the best so far. So an unfinished round can only improve on it.
                return Found(best.move, best.value, found.depth) if best is not None else found
            if best is None:
                break
            found = best
            if abs(found.value) > FORCED:
                break
            order.remove(found.move)
            order.insert(0, found.move)
        return found

    def values(self, position: P, moves: Sequence[M], depth: int) -> list[int]:
        """The value of each of these moves by a search of `depth` plies. The budget does not limit it."""
        self._free = True
        return [self._child(position, move, depth, -WIN, WIN) for move in moves]

    def value(self, position: P, depth: int) -> int:
        """
        The value of a position by a search of `depth` plies.

        :raises OutOfBudget: the budget is too small
        """
        return self._node(position, depth, -WIN, WIN)

    def _child(self, position: P, move: M, depth: int, alpha: int, beta: int) -> int:
        # The window is one wider on each side, because forced wins lose one for each ply.
        return _from_child(self._node(self.rules.after(position, move), depth - 1, -beta - 1, 1 - alpha))

    def _node(self, position: P, depth: int, alpha: int, beta: int) -> int:
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
                lower = max(lower, value)
                if lower >= beta:
                    break
        # Store the result: exact, or a bound.
        kind = _AT_LEAST if best >= beta else _EXACT if best > alpha else _AT_MOST
        self._table[key] = (depth, best, kind, chosen)
        return best

    def _quiet(self, position: P, alpha: int, beta: int, plies: int) -> int:
        """Search forcing moves only. The side to move may also make none, and then the position is evaluated as it is."""
        rules = self.rules
        best = rules.evaluate(position)
        if best >= beta or not plies:
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
    """The bounds of a search at a level."""

    #: Plies at most, and plies that are searched even without budget.
    depth: int
    sure: int
    nodes: int
    seconds: float
    #: The value of each move is changed at random by at most this amount, up or down; 0: not at all.
    noise: int = 0


def choose(rules: Rules[P, M], position: P, moves: Sequence[M], strength: Strength, thinking: Thinking) -> M:
    """The move that a player of this strength makes. Among equal moves, chance decides."""
    chance = thinking.chance
    search = Search(rules, thinking.budget(strength.nodes, strength.seconds))
    if strength.noise:
        values = search.values(position, moves, strength.depth)
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
    The action with the best mean value over sampled worlds. Of equal ones it is the first.

    After half of the worlds, the worse half of the actions is left out. If the budget ends within a world, that world does not
    count. Without any complete world the first action is taken.

    :param actions: at least one, the most promising first
    :param sample: draws a world
    :param value: returns the value of an action in a world; may raise `OutOfBudget`
    :param worlds: the most worlds
    :param least: this many actions remain to the end
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
    return actions[max(left, key=lambda place: (totals[place], -place))]
