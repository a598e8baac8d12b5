"""
A bridge to bots for paper soccer in the protocol of CodinGame (jdermont/CodinGame-paper-soccer). A move is a line of
digits, one for each step.

A digit is a direction, clockwise from north: 0 is up, 2 is right. In both protocols the first player attacks the upper goal, so
directions need not be turned or mirrored.
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from gamehost.games.base import Result, Seat
from gamehost.games.messages import NOTHING, BadAnswer, Bridge, Prompt
from gamehost.games.paper_soccer.master import Kickoff, Move, Moved
from gamehost.games.paper_soccer.rules import DRAWABLE, START, Point

#: The change of x and y in a step, by the digit.
STEPS: Sequence[Point] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
#: The line that the first player receives at the beginning instead of a move of the opponent.
_NO_MOVE = "-"


def points_of(digits: str, ball: Point) -> tuple[Point, ...]:
    """
    Returns the points to which the ball moves.

    :param digits: the directions of the steps
    :param ball: the point from which the ball moves
    :raises ValueError: there are other characters than the digits 0 to 7
    """
    points: list[Point] = []
    x, y = ball
    for digit in digits:
        dx, dy = STEPS["01234567".index(digit)]
        x, y = x + dx, y + dy
        points.append((x, y))
    return tuple(points)


def digits_of(points: Sequence[Point], ball: Point) -> str:
    """
    Returns the digits of the directions in which the ball moves, one for each step.

    :param points: the points of the steps; each one is a neighbour of the point before
    :param ball: the point from which the ball moves
    """
    digits = ""
    for x, y in points:
        digits += str(STEPS.index((x - ball[0], y - ball[1])))
        ball = x, y
    return digits


@define(eq=False)
class CodinGameDialogue:
    """
    The dialogue with a bot in one match. An illegal move loses. The protocol has no message about the end; the bot's
    input ends.
    """

    seat: Seat
    _ball: Point = field(init=False, default=START)

    def begin(self) -> Prompt:
        return NOTHING

    def hear(self, event: Any) -> Prompt:
        """
        Converts an event of the match into lines for the program. If it is the program's turn, the prompt needs an
        answer.
        """
        match event:
            # The program moves first: 0 is its number, and there is no move before.
            case Kickoff(self.seat):
                return Prompt(("0", "1", _NO_MOVE), 1)
            case Kickoff():
                return Prompt(("1",))
            case Moved(seat, points):
                digits, self._ball = digits_of(points, self._ball), points[-1]
                # The program knows its own moves.
                if seat != self.seat:
                    return Prompt((str(len(digits)), digits), 1)
        return NOTHING

    def answer(self, lines: Sequence[str]) -> Move:
        """Returns the move that the program has answered: a line of digits, one direction for each step."""
        [digits] = lines
        # A move cannot have more steps than there are lines to draw.
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
