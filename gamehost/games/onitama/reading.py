"""
What the two wires of Onitama make of an action: cards by their names, squares that there are, or a reason for the player.
"""

from gamehost.games.onitama.cards import VECTORS, Square, card_named
from gamehost.games.onitama.position import Exchange, Move

NO_CARD = "no card has this name; expected one of " + ", ".join(VECTORS)


def read_move(card: str, start: Square | None, end: Square | None, no_square: str) -> Move | str:
    """
    A move, or why it cannot be one.

    :param start: the square; `None`: there is no such square
    :param no_square: the reason if there is no such square
    """
    known = card_named(card)
    if known is None:
        return NO_CARD
    return no_square if start is None or end is None else Move(known, start, end)


def read_exchange(card: str) -> Exchange | str:
    """An exchange, or why it cannot be one."""
    known = card_named(card)
    return NO_CARD if known is None else Exchange(known)
