"""
A position of paper soccer: the ball, the drawn lines, the side to move. It is immutable; a step gives a new one.

A point is touched when a drawn line ends in it. This is computed from the lines, so there is no second record that could
disagree with them. A ball that comes to a touched point bounces: the turn of the same side goes on. Whether a side is stuck
depends only on the lines around the ball. Whole moves are found one by one, because a position can have hundreds of
thousands.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from attrs import frozen

from gamehost.games.paper_soccer.pitch import (
    AROUND,
    BORDER_LINES,
    FIRST,
    GOALS,
    START,
    WAYS,
    Lines,
    Point,
    Side,
    neighbours,
    on_pitch,
)


class Foul(Exception):
    """A move that the rules forbid. The message says which rule it breaks, and where."""


class How(Enum):
    """How a game ended. The values are for people."""

    GOAL = "goal"
    OWN_GOAL = "own goal"
    DEAD_END = "dead end"


@frozen
class Ending:
    """Who won, and how."""

    winner: Side
    how: How


@frozen
class Position:
    """
    Between two steps.

    The side on turn stays the same while its ball bounces, and at the end.
    """

    ball: Point = START
    drawn: Lines = BORDER_LINES
    turn: Side = FIRST
    ending: Ending | None = None

    def steps(self) -> Iterator[Point]:
        """Where the ball can be played to now; nowhere once the game is over."""
        if self.ending is None:
            for point, line in WAYS[self.ball].items():
                if not line & self.drawn:
                    yield point

    def step(self, point: Point) -> "Position":
        """
        Draw one line.

        :raises Foul: the game is over, or the line is not there to be drawn
        """
        line = WAYS[self.ball].get(point, 0)
        if not line or line & self.drawn or self.ending is not None:
            raise Foul(self._why_not(point))
        around = AROUND[point]
        touched = around & self.drawn
        drawn = self.drawn | line
        if not touched:
            return Position(point, drawn, Side(1 - self.turn))
        if point in GOALS:
            winner = GOALS[point]
            how = How.GOAL if winner == self.turn else How.OWN_GOAL
            return Position(point, drawn, self.turn, Ending(winner, how))
        if around & drawn == around:
            return Position(point, drawn, self.turn, Ending(Side(1 - self.turn), How.DEAD_END))
        return Position(point, drawn, self.turn)

    def moves(self) -> Iterator[tuple[Point, ...]]:
        """
        All whole moves of the side on turn, in the order of their points. There may be hundreds of thousands of them.
        """
        path: list[Point] = []
        # The steps that are still to be tried, from each position on the way.
        ways = [(self, self.steps())]
        while ways:
            here, steps = ways[-1]
            point = next(steps, None)
            if point is None:
                ways.pop()
                if path:
                    path.pop()
                continue
            after = here.step(point)
            path.append(point)
            if after.turn != self.turn or after.ending is not None:
                yield tuple(path)
                path.pop()
            else:
                ways.append((after, after.steps()))

    def after(self, points: Sequence[Point]) -> "Position":
        """
        Play one whole move from here.

        :param points: where the ball goes, without the point where it lies
        :raises Foul: there is no such step, or the move is too long, or too short
        """
        if not points:
            raise Foul("a move without points; one point or more was expected")
        here = self
        for point in points:
            if here.turn != self.turn:
                raise Foul(
                    f"the move ends at {format_point(here.ball)}, where no line was, and cannot go on to {format_point(point)}"
                )
            here = here.step(point)
        if here.turn == self.turn and here.ending is None:
            raise Foul(f"the move cannot end at {format_point(here.ball)}: the ball bounces there and must go on")
        return here

    def _why_not(self, point: Point) -> str:
        step = f"{format_point(self.ball)} to {format_point(point)}"
        if self.ending is not None:
            return f"no step from {step}: the game is over ({self.ending.how.value})"
        if not on_pitch(point):
            return f"no step from {step}: that is off the pitch"
        if not neighbours(self.ball, point):
            return f"no step from {step}: that is not a neighbouring point"
        line = WAYS[self.ball].get(point)
        if line is None:
            return f"no step from {step}: that is round the outside of a goal post"
        if line & BORDER_LINES:
            return f"no step from {step}: that is along the border"
        return f"no step from {step}: that line is drawn already"


def format_point(point: Point) -> str:
    """A point in words for people: `(0, -1)`."""
    return f"({point[0]}, {point[1]})"
