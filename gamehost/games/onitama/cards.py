"""
The sixteen cards, and which squares each leads to.

Squares are numbered 0..24 from White's left (a) and White's side (1): `a1` is 0, `e1` is 4, `a2` is 5. A card's vectors are
(right, forward) as its holder sees them; Black sees the board turned by 180 degrees.
"""

from collections.abc import Mapping
from typing import NewType

#: A card by its lower-case English name.
Card = NewType("Card", str)

#: A square, 0..24.
Square = int

SIDE = 5

VECTORS: Mapping[Card, tuple[tuple[int, int], ...]] = {
    Card("tiger"): ((0, 2), (0, -1)),
    Card("dragon"): ((-2, 1), (2, 1), (-1, -1), (1, -1)),
    Card("crab"): ((-2, 0), (2, 0), (0, 1)),
    Card("elephant"): ((-1, 1), (1, 1), (-1, 0), (1, 0)),
    Card("monkey"): ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    Card("mantis"): ((-1, 1), (1, 1), (0, -1)),
    Card("crane"): ((0, 1), (-1, -1), (1, -1)),
    Card("boar"): ((0, 1), (-1, 0), (1, 0)),
    Card("goose"): ((-1, 1), (-1, 0), (1, 0), (1, -1)),
    Card("rooster"): ((1, 1), (-1, 0), (1, 0), (-1, -1)),
    Card("eel"): ((-1, 1), (-1, -1), (1, 0)),
    Card("cobra"): ((1, 1), (1, -1), (-1, 0)),
    Card("rabbit"): ((1, 1), (2, 0), (-1, -1)),
    Card("frog"): ((-1, 1), (-2, 0), (1, -1)),
    Card("ox"): ((0, 1), (0, -1), (1, 0)),
    Card("horse"): ((0, 1), (0, -1), (-1, 0)),
}

SQUARES: tuple[str, ...] = tuple(f"{column}{row}" for row in "12345" for column in "abcde")
#: Names to squares, in either case; nothing else is a square's name.
SQUARE_NAMED: Mapping[str, Square] = {
    name: square for square, lower in enumerate(SQUARES) for name in (lower, lower.upper())
}


def card_named(text: str) -> Card | None:
    """The card of this name, in any case; `None`: there is none."""
    card = Card(text.lower())
    return card if text.isascii() and card in VECTORS else None


def _leads(card: Card, square: Square, turn: int) -> tuple[Square, ...]:
    column, row = square % SIDE, square // SIDE
    squares = []
    for right, forward in VECTORS[card]:
        x, y = column + right * turn, row + forward * turn
        if 0 <= x < SIDE and 0 <= y < SIDE:
            squares.append(y * SIDE + x)
    return tuple(squares)


#: For White (0) and Black (1): card -> square -> the squares of the board that the card leads to from there.
LEADS: tuple[Mapping[Card, tuple[tuple[Square, ...], ...]], ...] = tuple(
    {card: tuple(_leads(card, square, turn) for square in range(SIDE * SIDE)) for card in VECTORS} for turn in (1, -1)
)
