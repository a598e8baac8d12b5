"""
The rules of Paper Soccer: the pitch as data, and positions.

The pitch is ten units long from goal line to goal line, and eight units wide. The centre is (0, 0), x grows to the right and y
upwards. A set of lines is a whole number with one bit for each line. So a position is copied by copying a number, and the lines
around a point are read with one bit mask.

A position consists of the ball, the drawn lines and the side to move. It is immutable; a step returns a new position.

A point is touched if a drawn line ends in it. This is computed from the lines, so there is no second record that could differ
from them. A ball that comes to a touched point bounces: the same side continues its turn. Whether a side is stuck depends only
on the lines around the ball. Whole moves are found one by one, because a position can have hundreds of thousands.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import product
from typing import NewType

from msgspec import Struct

#: (x, y).
Point = tuple[int, int]
#: Two neighbouring points. The smaller one (by x, then y) is first.
Segment = tuple[Point, Point]
#: A set of segments, with one bit for each.
Lines = int
#: 0: the side that moves first and attacks the goal at y = +6; 1: the other side, which attacks y = -6.
Side = NewType("Side", int)

FIRST = Side(0)
SECOND = Side(1)
_OTHER = (SECOND, FIRST)

#: The field reaches from x = -SIDE to SIDE and from y = -LENGTH to LENGTH. The goals are behind it, one unit deep.
SIDE = 4
LENGTH = 5
GOAL = LENGTH + 1
#: A goal reaches from x = -POST to POST.
POST = 1

START: Point = (0, 0)


def on_pitch(point: Point) -> bool:
    """Whether a point is one of the 105 points of the pitch: on the field, or in a goal."""
    x, y = abs(point[0]), abs(point[1])
    return (x <= SIDE and y <= LENGTH) or (x <= POST and y == GOAL)


def neighbours(one: Point, other: Point) -> bool:
    """Whether two points are one unit apart, straight or diagonally. They need not be on the pitch."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def _inside(segment: Segment) -> bool:
    """Whether a segment between two neighbouring points is on the pitch. A segment outside a goal post is not."""
    (x, y), (x2, y2) = segment
    return max(abs(y), abs(y2)) < GOAL or max(abs(x), abs(x2)) <= POST


def _on_border(segment: Segment) -> bool:
    """Whether a segment is drawn from the beginning: side line, goal line, post or net. The goal mouths are open."""
    (x, y), (x2, y2) = segment
    if x == x2:
        return abs(x) == SIDE or (abs(x) == POST and GOAL in (abs(y), abs(y2)))
    return y == y2 and (abs(y) == GOAL or (abs(y) == LENGTH and max(abs(x), abs(x2)) > POST))


#: All points, from left to right, and each column upwards.
POINTS: tuple[Point, ...] = tuple(
    filter(on_pitch, product(range(-SIDE, SIDE + 1), range(-GOAL, GOAL + 1))),
)

_SEGMENTS = tuple(
    segment
    for segment in product(POINTS, POINTS)
    if segment[0] < segment[1] and neighbours(*segment) and _inside(segment)
)

#: The 40 segments that are drawn from the beginning.
BORDER: tuple[Segment, ...] = tuple(filter(_on_border, _SEGMENTS))
#: The 316 segments that can be drawn.
DRAWABLE: tuple[Segment, ...] = tuple(segment for segment in _SEGMENTS if not _on_border(segment))

_BITS: dict[Segment, Lines] = {segment: 1 << number for number, segment in enumerate(DRAWABLE + BORDER)}

BORDER_LINES: Lines = sum(_BITS[segment] for segment in BORDER)

#: Point -> neighbour -> the line between them, including lines of the border.
WAYS: Mapping[Point, Mapping[Point, Lines]] = {
    point: {
        other: _BITS[min(point, other), max(point, other)]
        for other in POINTS
        if (min(point, other), max(point, other)) in _BITS
    }
    for point in POINTS
}

#: Point -> all lines that end in it: three to eight.
AROUND: Mapping[Point, Lines] = {point: sum(ways.values()) for point, ways in WAYS.items()}

#: Point in a goal -> the side that wins if the ball comes to this point, whichever side has played it.
GOALS: Mapping[Point, Side] = {
    (x, y): side for x in range(-POST, POST + 1) for y, side in ((GOAL, FIRST), (-GOAL, SECOND))
}


# A position


class Foul(Exception):
    """A move that the rules forbid. The message says which rule it breaks, and at which point."""


class How(Enum):
    """The ways in which a game can end. The values are words for people."""

    GOAL = "goal"
    OWN_GOAL = "own goal"
    DEAD_END = "dead end"


class Ending(Struct, frozen=True, gc=False):
    """The end of a game: the winning side, and how the game ended."""

    winner: Side
    how: How


class Position(Struct, frozen=True, gc=False):
    """
    A position between two steps.

    The side to move does not change while its ball bounces, nor at the end of the match.
    """

    ball: Point = START
    drawn: Lines = BORDER_LINES
    turn: Side = FIRST
    ending: Ending | None = None

    def steps(self) -> Iterator[Point]:
        """Yields the points to which the ball can be played now; none if the game is over."""
        if self.ending is None:
            for point, line in WAYS[self.ball].items():
                if not line & self.drawn:
                    yield point

    def step(self, point: Point) -> "Position":
        """
        Returns the position after one line.

        :raises Foul: the game is over, or the line cannot be drawn
        """
        before, turn = self.drawn, self.turn
        # 0: the point is not a neighbour, or off the pitch.
        line = WAYS[self.ball].get(point, 0)
        if not line or line & before or self.ending is not None:
            raise Foul(self._why_not(point))
        around, drawn = AROUND[point], before | line
        # The ball stops at an untouched point: the other side is to move.
        if not around & before:
            return Position(point, drawn, _OTHER[turn])
        if point in GOALS:
            winner = GOALS[point]
            how = How.GOAL if winner == turn else How.OWN_GOAL
            return Position(point, drawn, turn, Ending(winner, how))
        # No free line is left at the ball: the side to move is stuck, and loses.
        if around & drawn == around:
            return Position(point, drawn, turn, Ending(_OTHER[turn], How.DEAD_END))
        return Position(point, drawn, turn)

    def moves(self) -> Iterator[tuple[Point, ...]]:
        """
        Yields all whole moves of the side to move, in the order of their points. There may be hundreds of thousands of them.
        """
        path: list[Point] = []
        # For each position on the path: the steps from it that were not tried yet.
        ways = [(self, self.steps())]
        while ways:
            here, steps = ways[-1]
            point = next(steps, None)
            if point is None:
                # All steps from here were tried: go back one step.
                ways.pop()
                if path:
                    path.pop()
                continue
            after = here.step(point)
            path.append(point)
            if after.turn != self.turn or after.ending is not None:
                # The turn or the match has ended, so the move is whole. Then try another last step.
                yield tuple(path)
                path.pop()
            else:
                ways.append((after, after.steps()))

    def after(self, points: Sequence[Point]) -> "Position":
        """
        Returns the position after one whole move.

        :param points: the points that the ball goes to, without the point where it lies
        :raises Foul: a step is not possible, or the move is too long or too short
        """
        if not points:
            raise Foul("a move without points; one point or more was expected")
        here, turn = self, self.turn
        for point in points:
            if here.turn != turn:
                # The turn has passed with the last point.
                raise Foul(
                    f"the move ends at {format_point(here.ball)}, where no line was, and cannot go on to {format_point(point)}"
                )
            here = here.step(point)
        if here.turn == turn and here.ending is None:
            # The turn has not passed: the ball must be played on.
            raise Foul(f"the move cannot end at {format_point(here.ball)}: the ball bounces there and must go on")
        return here

    def _why_not(self, point: Point) -> str:
        """Returns the reason why the ball cannot be played to this point."""
        step = f"{format_point(self.ball)} to {format_point(point)}"
        if self.ending is not None:
            return f"no step from {step}: the game is over ({self.ending.how.value})"
        if not on_pitch(point):
            return f"no step from {step}: that is off the pitch"
        if not neighbours(self.ball, point):
            return f"no step from {step}: that is not a neighbouring point"
        line = WAYS[self.ball].get(point)
        if line is None:
            # Neighbouring points on the pitch, but there is no way between them.
            return f"no step from {step}: that is round the outside of a goal post"
        if line & BORDER_LINES:
            return f"no step from {step}: that is along the border"
        return f"no step from {step}: that line is drawn already"


def format_point(point: Point) -> str:
    """Returns a point in words for people: `(0, -1)`."""
    return f"({point[0]}, {point[1]})"
