"""
The house player of Paper Soccer: an alpha-beta search over whole turns.

A turn is a path of the ball. Paths with the same end point and the same drawn lines count as one move. A side wins at once if
free lines lead over touched points to its goal. The search finds every such path, because it visits all points that the ball
can reach in this turn. So it sees one turn more than its depth.

Points are numbered; `LINKS` has each point's neighbours with the line to each.
"""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move, Situation, position_of
from gamehost.games.paper_soccer.rules import AROUND, GOALS, POINTS, WAYS, Foul, Lines, Position, Side
from gamehost.players.base import (
    WIN,
    Budget,
    Level,
    OutOfBudget,
    Search,
    Strength,
    Thinking,
    Weighed,
    choose,
    weighed,
)


@frozen
class Turns:
    """The most positions that the search examines within one turn: in the turn to play now, and in each later turn."""

    now: int
    later: int


STRENGTH: Mapping[Level, tuple[Strength, Turns]] = {
    Level.EASY: (Strength(depth=1, sure=1, nodes=300, seconds=0.2, noise=500), Turns(12, 12)),
    Level.MEDIUM: (Strength(depth=1, sure=1, nodes=500, seconds=0.3), Turns(300, 40)),
    Level.HARD: (Strength(depth=6, sure=1, nodes=6_000, seconds=1.0), Turns(1_500, 120)),
}
#: If the other side would win at once after the best turn found, the level `hard` looks for another turn. These are the most
#: positions and seconds for this.
LAST_RESORT, LAST_SECONDS = 6_000, 0.7

#: For studies: the most positions within a turn, the depth in turns, and the value of a clear lead.
STUDIED, DEPTH, LEAD = Turns(300, 30), 2, 250

_NUMBERS = {point: number for number, point in enumerate(POINTS)}
LINKS: tuple[tuple[tuple[int, Lines], ...], ...] = tuple(
    tuple((_NUMBERS[other], line) for other, line in WAYS[point].items()) for point in POINTS
)
_AROUND = tuple(AROUND[point] for point in POINTS)
#: For each point: the side that wins if the ball comes there, 0 or 1; -1: the point is not in a goal.
_GOAL = tuple(int(GOALS.get(point, -1)) for point in POINTS)
_HEIGHT = tuple(y for _, y in POINTS)
#: A number of turns that is larger than any distance to a goal.
_NEVER = 9


@frozen
class Place:
    """A position between two turns, in the form of the search."""

    ball: int
    drawn: Lines
    side: int
    #: The winner, if the game is over; otherwise -1.
    winner: int = -1


@frozen
class Turn:
    """A whole turn: the numbers of its points, and the position after it."""

    points: tuple[int, ...]
    to: Place


def distances(ball: int, drawn: Lines) -> tuple[int, int]:
    """
    Returns the fewest turns that bring the ball into the goal of side 0, and into that of side 1, if both sides help.

    A turn continues at touched points, and ends at an untouched point. 0: the goal can be reached in this turn.
    """
    goals = [_NEVER, _NEVER]
    seen = {ball}
    here = [ball]
    cost = 0
    while here and cost < _NEVER:
        # Visit all points that this turn reaches; `beyond` are the points at which it ends.
        beyond: list[int] = []
        while here:
            for other, line in LINKS[here.pop()]:
                if other in seen or line & drawn:
                    # A point that was reached before needs no further visit.
                    continue
                seen.add(other)
                goal = _GOAL[other]
                if goal >= 0:
                    goals[goal] = min(goals[goal], cost)
                elif _AROUND[other] & drawn:
                    # Touched: the ball bounces, in the same turn.
                    here.append(other)
                else:
                    beyond.append(other)
        if _NEVER not in goals:
            # Both goals are reached.
            break
        here = beyond
        cost += 1
    return goals[0], goals[1]


def way_to_goal(place: Place) -> tuple[int, ...] | None:
    """Returns the points of a turn that ends in the goal which the side to move attacks; `None`: there is no such turn."""
    # Point -> the point before it on the way. A way never needs a point twice.
    come: dict[int, int] = {place.ball: -1}
    queue = deque([place.ball])
    while queue:
        here = queue.popleft()
        for other, line in LINKS[here]:
            if other in come or line & place.drawn or not _AROUND[other] & place.drawn:
                # A point without lines ends the turn, so it cannot be passed.
                continue
            come[other] = here
            if _GOAL[other] == place.side:
                # Follow the way back to the ball.
                way = [other]
                while come[way[-1]] != place.ball:
                    way.append(come[way[-1]])
                return tuple(reversed(way))
            if _GOAL[other] < 0:
                # Not an own goal, either.
                queue.append(other)
    return None


def turns(place: Place, most: int) -> Iterator[Turn]:
    """
    Yields turns of the side to move, one for each end point and set of lines.

    The search takes the shortest and the longest unfinished path alternately. So it finds both short and long turns, even if
    there are too many for a complete search.

    :param most: the most positions that are examined within the turn
    """
    side = place.side
    queue: deque[tuple[int, Lines, tuple[int, ...]]] = deque([(place.ball, place.drawn, ())])
    seen: set[tuple[int, Lines]] = set()
    # Each round examines one position.
    for number in range(most):
        if not queue:
            return
        here, drawn, points = queue.popleft() if number % 2 else queue.pop()
        for other, line in LINKS[here]:
            if line & drawn:
                continue
            after = drawn | line
            if (other, after) in seen:
                # Another path to this point has drawn the same lines.
                continue
            seen.add((other, after))
            way = (*points, other)
            around = _AROUND[other]
            # The turn ends at an untouched point, in a goal, or where the ball is stuck. Otherwise the ball bounces.
            if not around & drawn:
                yield Turn(way, Place(other, after, 1 - side))
            elif _GOAL[other] >= 0:
                yield Turn(way, Place(other, after, 1 - side, _GOAL[other]))
            elif around & after == around:
                yield Turn(way, Place(other, after, 1 - side, 1 - side))
            else:
                queue.append((other, after, way))


def is_lost(place: Place) -> bool:
    """Whether the side that has just moved loses: the other side has won, or can win in its next turn."""
    if place.winner >= 0:
        return place.winner == place.side
    return distances(place.ball, place.drawn)[place.side] == 0


@define(eq=False)
class PaperSoccerRules:
    """The rules and the evaluation of Paper Soccer, for `Search`."""

    #: The most positions that are examined within a turn.
    most: int
    _distances: dict[tuple[int, Lines], tuple[int, int]] = field(factory=dict)

    def outcome(self, place: Place) -> int | None:
        """
        Returns the value of a position that is decided: the match is over, or the side to move can reach its goal in
        this turn. `None`: it is not decided.
        """
        if place.winner >= 0:
            return WIN if place.winner == place.side else -WIN
        # A goal that can be reached in this turn counts as a win.
        return WIN - 1 if self._to_goals(place)[place.side] == 0 else None

    def moves(self, place: Place) -> Sequence[Turn]:
        """
        Returns turns, those that bring the ball farthest forward first. Turns that lose at once are left out if there are
        others.
        """
        forward = 1 if place.side == 0 else -1
        # Turns after which the other side has won are left out.
        found = [turn for turn in turns(place, self.most) if turn.to.winner != 1 - place.side]
        if not found:
            found = list(turns(place, self.most))
        found.sort(key=lambda turn: -forward * _HEIGHT[turn.to.ball])
        return found

    def forcing(self, place: Place) -> Sequence[Turn]:
        return ()

    def after(self, place: Place, move: Turn) -> Place:
        return move.to

    def evaluate(self, place: Place) -> int:
        """
        Returns how much nearer the ball is to the goal that this side attacks than to the other goal: in turns first, then in
        height. The turn to move counts as half a turn.
        """
        goals = self._to_goals(place)
        side = place.side
        height = _HEIGHT[place.ball] if side == 0 else -_HEIGHT[place.ball]
        # 50: half a turn.
        return 100 * (goals[1 - side] - goals[side]) + 50 + 20 * height

    def key(self, place: Place) -> Hashable:
        return (place.ball, place.drawn, place.side)

    def _to_goals(self, place: Place) -> tuple[int, int]:
        """Returns the distances of a position to both goals. They are cached."""
        key = (place.ball, place.drawn)
        known = self._distances.get(key)
        if known is None:
            known = self._distances[key] = distances(*key)
        return known


def place_of(position: Position) -> Place:
    """Returns a position between two turns in the form of the search."""
    return Place(_NUMBERS[position.ball], position.drawn, position.turn)


def written(points: Sequence[int]) -> bytes:
    """
    Returns a turn in the game's notation.

    :param points: the numbers of its points
    """
    return PAPER_SOCCER.write(Move(tuple(POINTS[number] for number in points)))


@define(eq=False)
class PaperSoccerPlayer:
    """The house player in one seat of a match, as `gamehost.players.base.Player` describes."""

    seat: Seat
    level: Level
    thinking: Thinking
    position: Position = field(init=False, factory=Position)
    _view: Situation | None = field(init=False, default=None)

    def hear(self, event: Any) -> None:
        self._view = PAPER_SOCCER.follow(self._view, event, self.seat)
        if self._view is not None:
            self.position = position_of(self._view)

    def refused(self, notation: bytes) -> None:
        """Does nothing: this player sees the whole position, so its moves are always legal."""

    def answer(self) -> bytes | None:
        """The move of this seat in the game's notation; `None`: it is not this seat's turn."""
        view, position = self._view, self.position
        if view is None or view.next is None or position.ending is not None:
            return None
        if position.turn != Side(0 if view.first == self.seat else 1):
            # Side 0 is the seat that moved first.
            return None
        if self.level is Level.RANDOM:
            action = PAPER_SOCCER.random_action(view, self.seat, self.thinking.chance.below)
            return None if action is None else PAPER_SOCCER.write(action)
        return written(self._points(place_of(position)))

    def weigh(self, action: bytes) -> Weighed | None:
        """Compares a whole turn with the best one, for a study. An illegal move is not compared, because it has lost."""
        position, points = self.position, PAPER_SOCCER.read(action).points
        try:
            after = position.after(points)
        except Foul:
            return None
        winner = -1 if after.ending is None else int(after.ending.winner)
        place = place_of(position)
        to = Place(_NUMBERS[after.ball], after.drawn, 1 - place.side, winner)
        taken = Turn(tuple(_NUMBERS[point] for point in points), to)
        # `values`, and `best` with `DEPTH` as its sure depth, search to that depth without counting nodes, so a budget of 0
        # nodes is enough.
        search = Search(PaperSoccerRules(STUDIED.later), Budget(0))
        goal = way_to_goal(place)
        if goal is None:
            found = search.best(place, PaperSoccerRules(STUDIED.now).moves(place), DEPTH, DEPTH)
            best, value = found.move.points, found.value
        else:
            best, value = goal, WIN
        [worth] = search.values(place, [taken], DEPTH)
        # The search examines only some turns, so the chosen one may be better than the best of them.
        return weighed(self.seat, LEAD, written(best), max(value, worth), worth)

    def _points(self, place: Place) -> tuple[int, ...]:
        """Chooses a turn at this level. A turn that wins at once is always found."""
        goal = way_to_goal(place)
        if goal is not None:
            return goal
        strength, most = STRENGTH[self.level]
        found = PaperSoccerRules(most.now).moves(place)
        chosen = choose(PaperSoccerRules(most.later), place, found, strength, self.thinking)
        if self.level is Level.HARD and is_lost(chosen.to):
            # `choose` has found no turn after which the other side cannot win at once.
            chosen = self._saving(place) or chosen
        return chosen.points

    def _saving(self, place: Place) -> Turn | None:
        """Returns a turn after which the other side cannot win at once; `None`: none was found within the budget."""
        # `Thinking.effort` does not reduce this budget: the search is rare, and it decides the match.
        budget = self.thinking.whole_budget(LAST_RESORT, LAST_SECONDS)
        try:
            for turn in turns(place, LAST_RESORT):
                budget.spend()
                if not is_lost(turn.to):
                    return turn
        except OutOfBudget:
            pass  # none was found in time
        return None


PLAYER = PaperSoccerPlayer
#: Whether the strength of the levels was measured. The table in docs/house-players has the results.
MEASURED = True
