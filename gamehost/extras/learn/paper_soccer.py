"""
The encoder of Paper Soccer.

A number is one step of the ball in a direction: 0 is ahead, toward the goal of the opponent, then clockwise. While the ball
bounces, the seat takes another number. All steps of a turn are one action of the game.

There are nine planes of 13 x 9. Eight planes, one for each direction, have ones at the points from which a line is
drawn in this direction. The last plane has the ball. Boards are turned so that the seat attacks the goal at row 12.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gamehost.extras.learn.encoding import Array, SeatEncoder
from gamehost.games.paper_soccer.master import Move
from gamehost.games.paper_soccer.rules import BORDER, GOAL, SIDE, Point, Position

_WAYS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
_NUMBERS = {way: number for number, way in enumerate(_WAYS)}
_SHAPE = (2 * GOAL + 1, 2 * SIDE + 1)


def _draw(lines: Array, start: Point, end: Point) -> None:
    """Draws a line between two neighbouring points in the planes of both directions."""
    way = _NUMBERS[end[0] - start[0], end[1] - start[1]]
    lines[way, start[1] + GOAL, start[0] + SIDE] = 1
    lines[(way + 4) % 8, end[1] + GOAL, end[0] + SIDE] = 1


_PITCH: Array = np.zeros((8, *_SHAPE), np.int8)
for _segment in BORDER:
    _draw(_PITCH, *_segment)


class PaperSoccerEncoder(SeatEncoder):
    """Turns the views of a seat in Paper Soccer into arrays of numbers, and its actions into numbers and back."""

    actions, shape = 8, (9, *_SHAPE)

    def __init__(self, *match: Any) -> None:
        """
        Makes an encoder for one seat of one match.

        :param match: the arguments of `SeatEncoder`
        """
        super().__init__(*match)
        #: The points of the steps that were taken in this turn, and not sent yet.
        self._steps: list[Point] = []
        #: The points of the ball's path that are in `_lines` and `_position` already.
        self._drawn: list[Point] = []
        # `_lines`: the planes of the observation with the border and the drawn steps. `_position`: after these steps.
        self._lines, self._position = _PITCH.copy(), Position()

    def see(self, view: Any) -> Array:
        """
        Returns the observation: planes with the lines in each direction, and one with the ball, as this seat sees them.
        """
        self._follow(view)
        seen: Array = np.zeros(self.shape, np.int8)
        x, y = self._position.ball
        seen[8, y + GOAL, x + SIDE] = 1
        seen[:8] = self._lines
        if view.first == self.seat:
            # The pitch is stored as the first player sees it.
            return seen
        # Turned by half a turn: places and directions become the opposite ones. Plane 8 is the ball.
        seen = seen[:, ::-1, ::-1]
        return seen[[4, 5, 6, 7, 0, 1, 2, 3, 8]]

    def _find(self, view: Any) -> Mapping[int, Any]:
        """Returns the points that the next step can reach, by the number of the direction as this seat sees it."""
        if view.next != self.seat:
            return {}
        self._follow(view)
        # The opposite of a direction is 4 numbers away.
        (x, y), turned = self._position.ball, 0 if view.first == self.seat else 4
        return {(_NUMBERS[to[0] - x, to[1] - y] + turned) % 8: to for to in self._position.steps()}

    def _act(self, option: Any) -> Any:
        """Adds a step to the move. Returns the whole move; or `None` if more steps must follow."""
        self._steps.append(option)
        self._add(option)
        # The move is complete when the turn passes to the other player, or the match ends.
        whole = self._position.turn != self._turn or self._position.ending is not None
        return Move(tuple(self._steps)) if whole else None

    def done(self) -> None:
        super().done()
        self._steps = []

    def _follow(self, view: Any) -> None:
        """
        Draws the points of a view and of the own steps that were not drawn yet. If moves were taken back, all points are drawn
        again.
        """
        points = [point for move in view.moves for point in move]
        wanted = points + self._steps
        if self._drawn != wanted[: len(self._drawn)]:
            # What was drawn is not a beginning of what is wanted.
            self._drawn = []
            self._lines = _PITCH.copy()
            self._position = Position()
        for point in wanted[len(self._drawn) :]:
            self._add(point)
        if not self._steps:
            # A move begins: note the player with the turn, until the move is complete.
            self._turn = self._position.turn

    def _add(self, point: Point) -> None:
        """Draws a step of the ball to a point."""
        _draw(self._lines, self._position.ball, point)
        self._position = self._position.step(point)
        self._drawn.append(point)
