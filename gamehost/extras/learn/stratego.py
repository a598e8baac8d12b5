"""
The encoder of Stratego.

In the set-up, a number is the kind of piece on the next own square (0 to 11, in the order of `KINDS`). Squares are
filled from the seat's left corner, row by row. The last number completes the action with all forty pieces. In play, a
number is made from the start, the direction and the distance of a move: `12 + (start * 4 + direction) * 9 + distance -
1`. Direction 0 is ahead, then clockwise.

There are 27 planes of 10 x 10: the twelve own kinds, the enemy's pieces, the lakes, the twelve kinds of enemies that
have fought and survived, and the enemies that have moved. Boards are turned so that the seat's own rows are rows 0 to 3.

The last 13 planes come from events, because no view contains these facts. The same is true for the memory of the
two-squares rule. An encoder that has not received all events may list a few moves that the host refuses.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve

from gamehost.extras.learn.encoding import Array, SeatEncoder
from gamehost.games.base import Game
from gamehost.games.stratego import messages as m
from gamehost.games.stratego.rules import (
    COUNTS,
    KINDS,
    PIECES,
    SQUARE_NAMED,
    WAYS,
    WIDTH,
    Move,
    PlaceRows,
    Walk,
    nowhere,
)
from gamehost.settings import Settings

_SQUARES = WIDTH * WIDTH
_IDS = "".join(KINDS)
_ENEMY, _LAKE, _SEEN, _MOVED, _NOTHING = 12, 13, 14, 26, 27
#: The plane of each letter of a board.
_PLANES = np.full(256, _NOTHING)
_PLANES[list(f"{_IDS}#~".encode("ascii"))] = range(_SEEN)
_ALL = np.arange(_SQUARES)


def _number(start: int, end: int) -> int:
    """
    Returns the number of a move along a row or column, for a board with the own rows below. The first 12 numbers are
    the kinds of pieces in the set-up.

    :param start: a square from 0 to 99
    :param end: another square of its row or column
    """
    ahead, right = end // WIDTH - start // WIDTH, end % WIDTH - start % WIDTH
    if ahead:
        direction = 0 if ahead > 0 else 2
    else:
        direction = 1 if right > 0 else 3
    # Each square has 4 directions with 9 distances.
    return 12 + (start * 4 + direction) * 9 + abs(ahead or right) - 1


#: The numbers of all moves, for each seat by start and end.
_NUMBERS = tuple(
    {(start, end): _number(abs(turn - start), abs(turn - end)) for start, ways in enumerate(WAYS) for end in ways}
    for turn in (0, _SQUARES - 1)
)


class StrategoEncoder(SeatEncoder):
    """The encoder of a seat in Stratego. It remembers facts about enemies that are visible only once."""

    actions, shape = 12 + _SQUARES * 4 * 9, (27, WIDTH, WIDTH)

    def __init__(self, game: Game[Any, Any], seat: int, seats: int, settings: Settings) -> None:
        super().__init__(game, seat, seats, settings)
        #: The kinds that were placed in the set-up so far.
        self._placed = ""
        #: The known kinds of enemies by square, and the squares of enemies that have moved.
        self._kinds: dict[int, str] = {}
        self._moved: set[int] = set()
        self._two_squares = int(settings.get("two_squares", "3"))
        self._walk: Walk | None = None

    def hear(self, event: Any) -> None:
        """
        Follows the moves and battles of both sides: known kinds, pieces that have moved, and the own walk between two
        squares.
        """
        match event:
            case m.OpenedEvent():
                self._walk = nowhere(self._two_squares)
            case m.MovedEvent(seat, start, end) | m.FoughtEvent(seat, _, _, _, start, end):
                source, target = SQUARE_NAMED[start], SQUARE_NAMED[end]
                fought = event if isinstance(event, m.FoughtEvent) else None
                if seat != self.seat:
                    self._enemy_moved(source, target, fought)
                else:
                    if self._walk is not None:
                        self._walk = self._walk.on(source, target, WAYS[source][target][1])
                    if fought is not None and fought.winner == "defender":
                        # The own piece has lost: the kind of the defender is known now.
                        self._kinds[target] = fought.defender
                    elif fought is not None:
                        # The defender is gone.
                        self._forget(target)

    def _enemy_moved(self, source: int, target: int, fought: m.FoughtEvent | None) -> None:
        """Moves the known facts about an enemy with its piece. If the piece has lost a battle, they are forgotten."""
        # A battle shows the kind of the attacker.
        kind = self._kinds.get(source) if fought is None else fought.attacker
        self._forget(source)
        if fought is None or fought.winner == "attacker":
            self._moved.add(target)
            if kind is not None:
                self._kinds[target] = kind

    def _forget(self, square: int) -> None:
        self._kinds.pop(square, None)
        self._moved.discard(square)

    def see(self, view: Any) -> Array:
        """Returns the observation: planes with the known and unknown pieces, as this seat sees them."""
        seen: Array = np.zeros((_NOTHING + 1, _SQUARES), np.int8)
        # Each character of the view has a plane; the plane `_NOTHING` is for empty squares, and is left out.
        seen[_PLANES[np.frombuffer(view.squares.encode("ascii"), np.uint8)], _ALL] = 1
        for square, kind in self._kinds.items():
            seen[_SEEN + _IDS.index(kind), square] = 1
        seen[_MOVED, list(self._moved)] = 1
        # Pieces of the set-up that was not sent yet.
        for place, kind in enumerate(self._placed):
            seen[_IDS.index(kind), _SQUARES - 1 - place if self.seat else place] = 1
        seen = seen[:_NOTHING, ::-1] if self.seat else seen[:_NOTHING]
        return np.ascontiguousarray(seen).reshape(self.shape)

    def _find(self, view: Any) -> Mapping[int, Any]:
        """Returns the possible choices by their numbers: the next piece of the set-up, or the legal moves."""
        if view.phase == "setup":
            # The pieces that are not placed yet; none if the set-up was sent.
            left = Counter() if view.ready[self.seat] else COUNTS - Counter(self._placed)
            return {_IDS.index(kind): kind for kind in left}
        situation = evolve(self._situation(view), walk=self._walk)
        numbers = _NUMBERS[self.seat]
        return {
            numbers[move.y * WIDTH + move.x, move.to_y * WIDTH + move.to_x]: move
            for move in self.game.legal(situation, self.seat) or ()
        }

    def _act(self, option: Any) -> Any:
        """Returns a move; or the whole set-up after its last piece, and `None` after each earlier piece."""
        if isinstance(option, Move):
            return option
        self._placed += option
        if len(self._placed) < PIECES:
            return None
        # The rows of seat 1 are in the opposite order.
        pieces = self._placed[::-1] if self.seat else self._placed
        return PlaceRows(tuple(pieces[start : start + WIDTH] for start in range(0, PIECES, WIDTH)))

    def done(self) -> None:
        super().done()
        self._placed = ""
