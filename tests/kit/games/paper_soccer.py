"""
Ways through a game of paper soccer, for tests: every move of a position (lazily: there may be very many), one drawn at
random step by step, and the recorded games.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gamehost.games.paper_soccer.rules import Point, Position

Move = tuple[Point, ...]

VECTORS = Path(__file__).parents[2] / "vectors"


def recorded(name: str) -> list[dict[str, Any]]:
    """The lines of a file of vectors; there must be some."""
    lines = (VECTORS / name).read_text(encoding="utf-8").splitlines()
    assert lines, f"{name} is empty"
    return [json.loads(line) for line in lines]


def as_move(points: list[list[int]]) -> Move:
    """A move as it stands in JSON."""
    return tuple((x, y) for x, y in points)


def complete_moves(position: Position) -> Iterator[tuple[Move, Position]]:
    """Every move of the side on turn, with the position that it leads to."""
    for move in position.moves():
        yield move, position.after(move)


def random_move(position: Position, rng: random.Random) -> Move:
    """A legal move of the side on turn: steps at random until it may stop."""
    points = []
    here = position
    while here.turn == position.turn and here.ending is None:
        points.append(rng.choice(list(here.steps())))
        here = here.step(points[-1])
    return tuple(points)


def random_position(rng: random.Random, moves: int) -> Position:
    """Where a random game is after so many moves, or at its end."""
    position = Position()
    for _ in range(moves):
        if position.ending is not None:
            break
        position = position.after(random_move(position, rng))
    return position


# Paper Soccer solved for one turn, by following every line, to judge what a player has seen.


class TooMany(Exception):
    """A turn has more positions than the check has time for."""


def ends(position: Position, most: int) -> list[Position]:
    """Every position in which the turn of the side to move can end, each once; `TooMany` if more than `most` are on the way."""
    found: list[Position] = []
    seen = {position}
    open_ends = [position]
    while open_ends:
        here = open_ends.pop()
        for point in here.steps():
            after = here.step(point)
            if after in seen:
                continue
            seen.add(after)
            if len(seen) > most:
                raise TooMany
            (open_ends if after.turn == position.turn and after.ending is None else found).append(after)
    return found


def wins_in_one(position: Position, most: int = 300) -> bool:
    """Whether the side to move can end the game with a win in this turn."""
    return any(end.ending is not None and end.ending.winner == position.turn for end in ends(position, most))


def is_safe(end: Position, mover: int, most: int = 300) -> bool:
    """Whether the turn that led here neither lost nor lets the other side win in one turn."""
    if end.ending is not None:
        return end.ending.winner == mover
    return not wins_in_one(end, most)


def random_positions(seed: int) -> Iterator[Position]:
    """Positions between two turns of random games, without end."""
    rng = random.Random(seed)
    while True:
        position = Position()
        for _ in range(rng.randrange(3, 40)):
            position = random_turn(position, rng)
            if position.ending is not None:
                break
        else:
            yield position


def random_turn(position: Position, rng: random.Random) -> Position:
    """The position after any lines, up to the end of the turn."""
    side = position.turn
    while position.turn == side and position.ending is None:
        position = position.step(rng.choice(list(position.steps())))
    return position


def wins(seed: int) -> Iterator[Position]:
    """Positions with a win in this turn, and with at least one other turn."""
    for position in random_positions(seed):
        try:
            if wins_in_one(position):
                yield position
        except TooMany:
            pass


def dangers(seed: int) -> Iterator[Position]:
    for position in random_positions(seed):
        try:
            all_ends = ends(position, 100)
            if len(all_ends) > 40 or wins_in_one(position):
                continue
            safe = [is_safe(end, position.turn) for end in all_ends]
        except TooMany:
            continue
        if any(safe) and not all(safe):
            yield position
