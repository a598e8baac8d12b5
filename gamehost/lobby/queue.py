"""
Where players wait for each other.
"""

from typing import Any

from attrs import field, frozen

from gamehost.games.base import Game
from gamehost.settings import Settings


@frozen
class Queue:
    """Where players wait for each other: a game, and the wire's name if it has tables of its own."""

    game: Game[Any, Any]
    pool: str = ""
    #: Settings that every table has at which a player of this queue sits, on top of all others.
    required: Settings = field(factory=dict, eq=False)

    @property
    def key(self) -> tuple[str, str]:
        return (self.game.name, self.pool)
