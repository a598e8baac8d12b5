"""
Set-ups for Stratego: a few sound ones, turned round at random and with some pieces exchanged.

In each, bombs guard the flag in the last row, scouts and some strong pieces stand in front, and most miners stay behind.
"""

from collections.abc import Sequence

from gamehost.games.stratego.pieces import BOMB, FLAG, KINDS
from gamehost.players.base import SeededChance

#: Rows from the last one to the front.
LIBRARY: Sequence[tuple[str, str, str, str]] = (
    ("9BFB8898B7", "87B7S45B78", "5692639654", "91594B3969"),
    ("FB8978B898", "B776S27B68", "954B935456", "699194B935"),
    ("8978BFB897", "7B687BS58B", "6492596354", "93B9169459"),
    ("789878B8BF", "6B8B757S9B", "5936492645", "949519B396"),
)

_SWAPS = 4


def set_up(seat: int, chance: SeededChance) -> tuple[str, ...]:
    """Four rows by ascending y, as the game takes them."""
    rows = [list(row) for row in chance.one_of(LIBRARY)]
    if chance.below(2):
        rows = [row[::-1] for row in rows]
    for _ in range(_SWAPS):
        row = chance.one_of(rows)
        one, other = chance.below(len(row)), chance.below(len(row))
        if not {row[one], row[other]} & {FLAG, BOMB}:
            row[one], row[other] = row[other], row[one]
    lines = tuple("".join(row) for row in rows)
    return lines if seat == 0 else lines[::-1]


def any_set_up(chance: SeededChance) -> tuple[str, ...]:
    """All pieces anywhere."""
    pieces = [kind.id for kind in KINDS.values() for _ in range(kind.count)]
    for last in range(len(pieces) - 1, 0, -1):
        other = chance.below(last + 1)
        pieces[last], pieces[other] = pieces[other], pieces[last]
    return tuple("".join(pieces[start : start + 10]) for start in range(0, 40, 10))
