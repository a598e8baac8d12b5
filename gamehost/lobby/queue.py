"""
Where players wait for each other.
"""

from typing import Any

from attrs import field, frozen

from gamehost.games.base import Game
from gamehost.games.chance import ScriptedChance
from gamehost.games.clock import CLOCK_SETTINGS, with_clocks
from gamehost.journal.records import TABLE_SETTINGS
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


def checked_settings(game: Game[Any, Any], settings: Settings) -> Settings:
    """
    The settings of a match, complete and checked.

    :raises BadOption: one is unknown or cannot be used
    """
    own = {name: text for name, text in settings.items() if name not in TABLE_SETTINGS}
    game.check(own)
    if CLOCK_SETTINGS.keys() & settings.keys():
        with_clocks(game.new_master(game.least_seats, own, ScriptedChance()), game.least_seats, settings)
    return settings
