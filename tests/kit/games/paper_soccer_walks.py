"""
Ways through a game of paper soccer, for tests: every move of a position (lazily: there may be very many), one drawn at
random step by step, and the recorded games.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gamehost.games.paper_soccer.pitch import Point
from gamehost.games.paper_soccer.position import Position

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
