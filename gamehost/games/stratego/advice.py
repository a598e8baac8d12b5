"""Explains in one sentence for beginners why a move of Stratego is good."""

from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.stratego.rules import KINDS, MARSHAL, MINER, SCOUT, WIDTH, Action, Move, Situation

_UNKNOWN = "#"
#: The kinds of little value. Players attack with them to find out the kinds of enemy pieces.
_CHEAP = "679"


def because(view: Situation, seat: Seat, actions: Sequence[Action]) -> str:
    """Returns one sentence with the reason why these actions are good."""
    move = actions[0]
    if not isinstance(move, Move):
        return "A good set-up has bombs around the flag, and strong pieces in front."
    piece = view.squares[move.y * WIDTH + move.x]
    name = KINDS[piece].name
    if view.squares[move.to_y * WIDTH + move.to_x] == _UNKNOWN:
        if piece == MINER:
            return "A miner takes bombs, and this piece may be one."
        if piece in _CHEAP:
            return f"A {name} is worth little: attack, and see what the enemy's piece is."
        return f"Your {name} is stronger than most pieces that this one may be."
    # The first seat moves up, the second one down.
    ahead = (move.to_y - move.y) * (1 if seat == 0 else -1)
    if piece == MARSHAL:
        return "Your marshal fears nothing but the spy."
    if piece == SCOUT and abs(move.to_x - move.x) + abs(move.to_y - move.y) > 1:
        return "A scout goes as far as the way is free."
    if ahead > 0:
        return f"Your {name} comes nearer to the enemy's pieces, and to the flag."
    if ahead < 0:
        return f"Your {name} is of more use farther back."
    return f"Your {name} makes room, or looks for a better way."
