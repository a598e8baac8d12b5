"""
Onitama as numbers and arrays.

An action is the card of the hand (0 or 1, by the alphabet), the square from and the square to: `(card * 25 + from) * 25 + to`;
1250 and 1251 exchange a card. Squares count from the seat's own left corner, row by row.

The nine planes of 5 x 5 are the own pupils and master, those of the other side, and as patterns the own two cards, the other
side's two and the spare: where each leads from the middle. The seat is below: its own row is row 0.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gamehost.extras.learn.encoding import Array, SeatEncoder
from gamehost.games.onitama.rules import SIDE, VECTORS, Exchange

_SQUARES = SIDE * SIDE
_MOVES = 2 * _SQUARES * _SQUARES
#: The planes of the pieces, for each seat.
_PIECES = (b"PKpk", b"pkPK")


def _pattern(vectors: Any) -> Array:
    plane: Array = np.zeros((SIDE, SIDE), np.int8)
    for right, forward in vectors:
        plane[SIDE // 2 + forward, SIDE // 2 + right] = 1
    return plane


_PATTERNS: Mapping[str, Array] = {str(card): _pattern(vectors) for card, vectors in VECTORS.items()}


class OnitamaEncoder(SeatEncoder):
    actions, shape = _MOVES + 2, (9, SIDE, SIDE)

    def see(self, view: Any) -> Array:
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
        hand = view.hands[self.seat]
        return {
            self._number(action, hand): action for action in self.game.legal(self._situation(view), self.seat) or ()
        }

    def _number(self, action: Any, hand: Any) -> int:
        card = int(hand[1] == action.card)
        if isinstance(action, Exchange):
            return _MOVES + card
        start, end = action.start, action.end
        if self.seat:
            start, end = _SQUARES - 1 - start, _SQUARES - 1 - end
        return int((card * _SQUARES + start) * _SQUARES + end)
