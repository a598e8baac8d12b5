"""
What a client that seeks opponents wants: its message, checked against the games that are played here.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen
from msgspec import UNSET

from gamehost.games.base import Game, Seat
from gamehost.games.face import Face
from gamehost.lobby.lobby import Queue
from gamehost.settings import BadOption, Settings
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.open.messages import Seek, SettingValue

#: The part of an error message that repeats what the client sent.
_ECHO = re.compile(r"[,;] got .*", re.DOTALL)

_WISHES: Mapping[str, Seat | None] = {"first": Seat(0), "second": Seat(1), "any": None}

#: The letters and digits of a private table's code: 32 of them that nobody takes for each other.
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8


class SeekRefused(Exception):
    """This cannot be sought here. The message says why, and repeats nothing of the client's."""


@frozen
class PlayedGame:
    """A game as the open wire plays it."""

    game: Game[Any, Any]
    face: Face
    #: The settings of the game that a client may choose.
    choices: frozenset[str]
    #: Settings that the match always has, with their defaults, so that players of other wires find it.
    defaults: Settings = field(factory=dict)


@frozen
class Wanted:
    """What a client seeks."""

    played: PlayedGame
    seats: int
    #: Complete: the host's own and the client's.
    settings: Settings
    private: bool
    wish: Seat | None
    #: Whether any opponent in the game's queue will do.
    in_queue: bool

    @property
    def queue(self) -> Queue:
        return Queue(self.played.game)

    def fits(self, table: OpenTable) -> bool:
        """Whether a table that waits for players is what is sought."""
        taken = Seat(1) if table.reversed else Seat(0)
        return table.seats == self.seats and table.settings == self.settings and (self.seats > 2 or self.wish != taken)


def wanted(
    message: Seek, games: Mapping[str, PlayedGame], settings_for: Callable[[Queue, Settings], Settings]
) -> Wanted:
    """
    What a message asks for.

    :param settings_for: completes and checks the settings of a match; raises `BadOption`
    :raises SeekRefused: it cannot be had
    """
    played = games.get(message.game)
    if played is None:
        raise SeekRefused(f"no such game; expected one of {', '.join(games)}")
    if message.house is not UNSET:
        raise SeekRefused('there are no house players on this host; seek without the key "house"')
    game = played.game
    seats = game.least_seats if message.seats is UNSET else message.seats
    if not game.least_seats <= seats <= game.most_seats:
        words = (
            f"{game.least_seats}" if game.least_seats == game.most_seats else f"{game.least_seats} to {game.most_seats}"
        )
        raise SeekRefused(f"{game.name} is a game for {words} players")
    wish = _WISHES[message.seat]
    if wish is not None and seats != 2:
        raise SeekRefused('"seat" can be chosen at tables of two alone; leave it out')
    if message.settings.keys() - played.choices:
        choices = ", ".join(sorted(played.choices)) or "none"
        raise SeekRefused(f"a setting that cannot be chosen; those of {game.name} are: {choices}")
    chosen = {name: _text(value) for name, value in message.settings.items()}
    try:
        settings = settings_for(Queue(game), {**played.defaults, **chosen})
    except BadOption as error:
        raise SeekRefused(_ECHO.sub("", str(error))) from None
    in_queue = not message.private and not chosen and game.most_seats == 2
    return Wanted(played, seats, settings, message.private, wish, in_queue)


def _text(value: SettingValue) -> str:
    """A setting as the host writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def new_code(below: Callable[[int], int]) -> str:
    """
    A code that nobody can guess.

    :param below: gives a random number below another one
    """
    return "".join(CODE_LETTERS[below(len(CODE_LETTERS))] for _ in range(CODE_LENGTH))
