"""Onitama solved by plain search, to judge what a player has seen."""

import random
from collections.abc import Iterator

from gamehost.games.chance import SystemChance
from gamehost.games.onitama.position import Move, Position
from tests.kit.games.onitama_table import begun


def wins(position: Position, plies: int) -> bool:
    """Whether the side to move can force a win within so many plies. A side that cannot move is not lost."""
    for move in position.moves():
        after = position.after(move)
        if after.won is not None or (plies >= 3 and loses(after, plies - 1)):
            return True
    return False


def loses(position: Position, plies: int) -> bool:
    """Whether the side to move loses within so many plies, whatever it does."""
    moves = list(position.moves())
    for move in moves:
        after = position.after(move)
        if after.won is not None or not wins(after, plies - 1):
            return False
    return bool(moves)


def keeps_win(position: Position, move: Move, plies: int) -> bool:
    """Whether this move wins at once, or leaves the other side lost within the rest of the plies."""
    after = position.after(move)
    return after.won is not None or (plies >= 3 and loses(after, plies - 1))


def random_positions(seed: int) -> Iterator[Position]:
    """Positions of random games, without end."""
    rng = random.Random(seed)
    while True:
        master = begun(chance=SystemChance(rng.randrange))
        position = master.position
        for _ in range(rng.randrange(2, 40)):
            moves = list(position.moves())
            if not moves or position.won is not None:
                break
            position = position.after(rng.choice(moves))
        if position.won is None and any(position.moves()):
            yield position
