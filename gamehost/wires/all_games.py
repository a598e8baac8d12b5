"""The games of the wires that play all games: every installed game that has messages."""

from typing import Any

from gamehost.games.base import Game, LimitsChoices
from gamehost.games.clock import CLOCK_SETTINGS
from gamehost.games.installed import installed
from gamehost.games.play import messages_of
from gamehost.wires.seeking import PlayedGame

_TIMES = frozenset({"move_time", *CLOCK_SETTINGS})


def played(game: Game[Any, Any]) -> PlayedGame | None:
    """A game as these wires play it; `None`: it has no messages."""
    messages = messages_of(game)
    if messages is None:
        return None
    if isinstance(game, LimitsChoices):
        return PlayedGame(game, messages, _TIMES | game.choices, game.usual)
    return PlayedGame(game, messages, _TIMES | game.options.keys())


PLAYED = tuple(one for game in installed().games.values() if (one := played(game)) is not None)
