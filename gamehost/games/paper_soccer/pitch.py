"""
The pitch as data: its points, the lines between them, and the lines that are drawn before the first move.

The pitch has ten units from goal to goal and eight across; the centre is (0, 0), x goes to the right and y up. A set of lines
is a whole number with one bit for each line. So a position is copied by copying a number, and the lines around a point are
read with one mask. All data in this module is constant.
"""

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import NewType

#: (x, y).
Point = tuple[int, int]
#: Two neighbouring points, the lesser first.
Segment = tuple[Point, Point]
#: A set of segments, one bit each.
Lines = int
#: 0: the side that moves first and attacks the goal at y = +6; 1: the other side, which attacks y = -6.
Side = NewType("Side", int)

FIRST = Side(0)
SECOND = Side(1)

#: The field reaches from -SIDE to SIDE and from -LENGTH to LENGTH; the goals lie behind, one unit deep.
SIDE = 4
LENGTH = 5
GOAL = LENGTH + 1
#: A goal reaches from -POST to POST.
POST = 1

START: Point = (0, 0)


def on_pitch(point: Point) -> bool:
    """Whether a point is one of the 105: on the field, or in a goal."""
    x, y = abs(point[0]), abs(point[1])
    return (x <= SIDE and y <= LENGTH) or (x <= POST and y == GOAL)


def neighbours(one: Point, other: Point) -> bool:
    """Whether two points are one unit apart, straight or diagonally, on a pitch or not."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def _inside(segment: Segment) -> bool:
    """Whether a segment between two neighbours of the pitch stays on it, and does not cut round a post."""
    (x, y), (x2, y2) = segment
    return max(abs(y), abs(y2)) < GOAL or max(abs(x), abs(x2)) <= POST


def _on_border(segment: Segment) -> bool:
    """Whether a segment is drawn from the start: side line, goal line, post or net. The mouths of the goals are not."""
    (x, y), (x2, y2) = segment
    if x == x2:
        return abs(x) == SIDE or (abs(x) == POST and GOAL in (abs(y), abs(y2)))
    return y == y2 and (abs(y) == GOAL or (abs(y) == LENGTH and max(abs(x), abs(x2)) > POST))


#: All points, from left to right and each column upwards.
POINTS: tuple[Point, ...] = tuple(
    filter(on_pitch, product(range(-SIDE, SIDE + 1), range(-GOAL, GOAL + 1))),
)

_SEGMENTS = tuple(
    segment
    for segment in product(POINTS, POINTS)
    if segment[0] < segment[1] and neighbours(*segment) and _inside(segment)
)

#: The 40 that are drawn from the start.
BORDER: tuple[Segment, ...] = tuple(filter(_on_border, _SEGMENTS))
#: The 316 that can be drawn.
DRAWABLE: tuple[Segment, ...] = tuple(segment for segment in _SEGMENTS if not _on_border(segment))

_BITS: dict[Segment, Lines] = {segment: 1 << number for number, segment in enumerate(DRAWABLE + BORDER)}

#: The border as a set.
BORDER_LINES: Lines = sum(_BITS[segment] for segment in BORDER)

#: For each point its neighbours, border ones too, and the line to each.
WAYS: Mapping[Point, Mapping[Point, Lines]] = MappingProxyType(
    {
        point: MappingProxyType(
            {
                other: _BITS[min(point, other), max(point, other)]
                for other in POINTS
                if (min(point, other), max(point, other)) in _BITS
            }
        )
        for point in POINTS
    }
)

#: For each point all lines that end in it: three to eight.
AROUND: Mapping[Point, Lines] = MappingProxyType({point: sum(ways.values()) for point, ways in WAYS.items()})

#: Point in a goal -> the side that wins if the ball comes there, whichever side played it.
GOALS: Mapping[Point, Side] = MappingProxyType(
    {(x, y): side for x in range(-POST, POST + 1) for y, side in ((GOAL, FIRST), (-GOAL, SECOND))}
)
