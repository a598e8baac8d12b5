"""
The forty pieces of a side, and the results of battles.

A piece is named by one character: `1` (marshal) to `9` (scout), `S` (spy), `F` (flag), `B` (bomb). Lower numbers
are stronger, the spy is the weakest. Nothing here knows of squares or sides.
"""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

#: Who is left standing after a battle.
Survivor = Literal["attacker", "defender", "tie"]


@frozen
class PieceKind:
    """A kind of piece."""

    #: The one character it is named by.
    id: str
    name: str
    #: How many of it a side has.
    count: int


#: Every kind by its id, in the order of the box.
KINDS: Mapping[str, PieceKind] = {
    kind.id: kind
    for kind in (
        PieceKind("1", "marshal", 1),
        PieceKind("2", "general", 1),
        PieceKind("3", "colonel", 2),
        PieceKind("4", "major", 3),
        PieceKind("5", "captain", 4),
        PieceKind("6", "lieutenant", 4),
        PieceKind("7", "sergeant", 4),
        PieceKind("8", "miner", 5),
        PieceKind("9", "scout", 8),
        PieceKind("S", "spy", 1),
        PieceKind("F", "flag", 1),
        PieceKind("B", "bomb", 6),
    )
}

MARSHAL, MINER, SCOUT, SPY, FLAG, BOMB = "1", "8", "9", "S", "F", "B"

#: The kinds that can move, from the strongest to the weakest: all but bomb and flag.
MOVERS = "".join(kind for kind in KINDS if kind not in (FLAG, BOMB))


def survivor(attacker: str, defender: str) -> Survivor:
    """
    Who is left when `attacker` attacks `defender`.

    Any piece takes a flag. Only a miner removes a bomb. A spy that attacks the marshal removes it. Otherwise the stronger
    piece survives, and equal pieces are both removed.

    :raises ValueError: the attacker cannot move, or one of the two is no piece
    """
    if attacker not in MOVERS or defender not in KINDS:
        raise ValueError("a battle is between a piece that can move and another piece")
    if defender == FLAG:
        return "attacker"
    if defender == BOMB:
        return "attacker" if attacker == MINER else "defender"
    if attacker == defender:
        return "tie"
    if attacker == SPY and defender == MARSHAL:
        return "attacker"
    return "attacker" if MOVERS.index(attacker) < MOVERS.index(defender) else "defender"
