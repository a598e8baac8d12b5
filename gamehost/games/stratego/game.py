"""
Stratego as a game that can be chosen: its name, its settings, its masters and its notation.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from gamehost.games.base import Seat
from gamehost.games.chance import Chance
from gamehost.games.drawing import Scene
from gamehost.games.stratego import actions, views
from gamehost.games.stratego.actions import Action
from gamehost.games.stratego.events import Situation
from gamehost.games.stratego.master import StrategoMaster, Terms
from gamehost.games.stratego.svg import picture
from gamehost.settings import Settings, from_to, milliseconds, one_of, refuse_unknown, setting

_OPTIONS: Mapping[str, str] = {
    "move_time": "seconds for one move; a player who takes longer loses; 0 (the default) = off",
    "setup_time": "seconds for the set-up; a player who is not ready then loses; default 300, 0 = off",
    "two_squares": "in how many turns in a row a piece may cross the same border: 3 (default), 5, or 0 = any number",
    "max_plies": "moves of both sides together after which the match is a draw; 1 to 100000, default 2000",
}


def _terms(settings: Settings) -> Terms:
    refuse_unknown(settings, _OPTIONS)
    usual = Terms()
    return Terms(
        move_time=setting(settings, "move_time", usual.move_time, milliseconds),
        setup_time=setting(settings, "setup_time", usual.setup_time, milliseconds),
        two_squares=int(setting(settings, "two_squares", str(usual.two_squares), one_of("3", "5", "0"))),
        max_plies=setting(settings, "max_plies", usual.max_plies, from_to(1, 100_000)),
    )


@frozen
class Stratego:
    """The game, for tables and journals. It has no settings of its own: every match brings them."""

    name: str = "stratego"
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2

    @property
    def options(self) -> Mapping[str, str]:
        return _OPTIONS

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """
        _terms(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> StrategoMaster:
        """
        :param chance: not used; nothing is drawn in this game
        :raises BadOption: as `check`
        """
        return StrategoMaster(_terms(settings))

    def write(self, action: Action) -> bytes:
        return actions.write(action)

    def read(self, notation: bytes) -> Action:
        """
        :raises ValueError: not this game's notation
        """
        return actions.read(notation)

    def legal(self, view: Situation, seat: Seat) -> Iterator[Action] | None:
        """All moves; in the set-up, single placements once there is one."""
        return views.legal(view, seat)

    def random_action(self, view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
        """A move, or a whole set-up."""
        return views.random_action(view, seat, below)

    def follow(self, view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
        """The board as this seat may know it."""
        return views.follow(view, event, seat)

    def draw(self, scene: Scene) -> str:
        """The board as far as it may be shown."""
        return picture(scene)


STRATEGO = Stratego()
