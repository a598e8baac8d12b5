"""
Paper soccer in the protocol of CodinGame (jdermont/CodinGame-paper-soccer): a move is a line of digits, one for each step.

A digit is a direction, clockwise from north: 0 is up, 2 is right. There as here the first player attacks the upper goal, so the
pitch is neither turned nor mirrored; only y grows downwards there, which digits do not show.
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import Result, Seat
from gamehost.games.messages import NOTHING, BadAnswer, Bridge, Prompt
from gamehost.games.paper_soccer.master import Kickoff, Move, Moved
from gamehost.games.paper_soccer.rules import DRAWABLE, START, Point

#: By digit: x and y of a step.
STEPS: Sequence[Point] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
#: What the first player is told in place of a move of the opponent.
_NO_MOVE = "-"


def points_of(digits: str, ball: Point) -> tuple[Point, ...]:
    """
    The points that a ball is played to.

    :raises ValueError: other characters than the digits 0 to 7
    """
    points: list[Point] = []
    x, y = ball
    for digit in digits:
        dx, dy = STEPS["01234567".index(digit)]
        x, y = x + dx, y + dy
        points.append((x, y))
    return tuple(points)


def digits_of(points: Sequence[Point], ball: Point) -> str:
    """The inverse of `points_of`. Each point is a neighbour of the one before."""
    digits = ""
    for x, y in points:
        digits += str(STEPS.index((x - ball[0], y - ball[1])))
        ball = x, y
    return digits


@define(eq=False)
class CodinGameDialogue:
    """One match. An illegal move loses. The bot receives no message about the end: its input ends."""

    seat: Seat
    _ball: Point = field(init=False, default=START)

    def begin(self) -> Prompt:
        return NOTHING

    def hear(self, event: Any) -> Prompt:
        match event:
            case Kickoff(self.seat):
                return Prompt(("0", "1", _NO_MOVE), 1)
            case Kickoff():
                return Prompt(("1",))
            case Moved(seat, points):
                digits, self._ball = digits_of(points, self._ball), points[-1]
                if seat != self.seat:
                    return Prompt((str(len(digits)), digits), 1)
        return NOTHING

    def answer(self, lines: Sequence[str]) -> Move:
        [digits] = lines
        if len(digits) > len(DRAWABLE):
            raise BadAnswer(f"a move of {len(digits)} steps; expected at most {len(DRAWABLE)}")
        try:
            return Move(points_of(digits, self._ball))
        except ValueError:
            raise BadAnswer("no move; expected a line of digits from 0 to 7, such as 4644") from None

    def illegal(self, again: bool) -> Prompt:
        return NOTHING

    def over(self, result: Result | None) -> Sequence[str]:
        return ()


BRIDGES = (Bridge("codingame-paper-soccer", lambda seat, names: CodinGameDialogue(seat), (Kickoff, Moved)),)
