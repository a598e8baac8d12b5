"""
The encoder of Onitama.

The number of a move is made from the card of the hand (0 or 1, in alphabetical order), the start and the end:
`(card * 25 + start) * 25 + end`. The numbers 1250 and 1251 exchange a card without a move. Squares are numbered from the seat's
own left corner, row by row.

There are nine planes of 5 x 5: the seat's pupils, its master, the opponent's pupils and master, the two cards of the
seat, the two cards of the opponent, and the spare card. The plane of a card has ones where the card leads from the
middle of the board. Boards are turned so that the seat's own row is row 0.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gamehost.extras.learn.encoding import Array, SeatEncoder
from gamehost.games.onitama.rules import SIDE, VECTORS, Exchange

_SQUARES = SIDE * SIDE
_MOVES = 2 * _SQUARES * _SQUARES
#: The letters of the pieces in the first four planes, for each seat.
_PIECES = (b"PKpk", b"pkPK")


def _pattern(vectors: Any) -> Array:
    """Returns the plane of a card, from its moves as steps to the right and forward."""
    plane: Array = np.zeros((SIDE, SIDE), np.int8)
    for right, forward in vectors:
        plane[SIDE // 2 + forward, SIDE // 2 + right] = 1
    return plane


_PATTERNS: Mapping[str, Array] = {str(card): _pattern(vectors) for card, vectors in VECTORS.items()}


class OnitamaEncoder(SeatEncoder):
    """Turns the views of a seat in Onitama into arrays of numbers, and its actions into numbers and back."""

    actions, shape = _MOVES + 2, (9, SIDE, SIDE)

    def see(self, view: Any) -> Array:
        """
        Returns the observation: planes with the pieces of each kind and the patterns of the cards, as this seat sees
        them.
        """
        # Seat 1 sees the board from the other side: its squares are in the opposite order.
        board = np.frombuffer(view.board.encode("ascii"), np.uint8)[:: -1 if self.seat else 1].reshape(SIDE, SIDE)
        seen: Array = np.empty(self.shape, np.int8)
        for plane, piece in enumerate(_PIECES[self.seat]):
            seen[plane] = board == piece
        own, others = view.hands[self.seat], view.hands[1 - self.seat]
        seen[4], seen[5], seen[8] = _PATTERNS[own[0]], _PATTERNS[own[1]], _PATTERNS[view.spare]
        # The other side sees the board turned.
        seen[6], seen[7] = _PATTERNS[others[0]][::-1, ::-1], _PATTERNS[others[1]][::-1, ::-1]
        return seen

    def _find(self, view: Any) -> Mapping[int, Any]:
        """Returns the legal actions by their numbers."""
        hand = view.hands[self.seat]
        return {
            self._number(action, hand): action for action in self.game.legal(self._situation(view), self.seat) or ()
        }

    def _number(self, action: Any, hand: Any) -> int:
        """Returns the number of an action. Squares of seat 1 are turned."""
        card = int(hand[1] == action.card)
        if isinstance(action, Exchange):
            return _MOVES + card
        start, end = action.start, action.end
        if self.seat:
            start, end = _SQUARES - 1 - start, _SQUARES - 1 - end
        return int((card * _SQUARES + start) * _SQUARES + end)
