"""The player of each game, by the game's name."""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define

from gamehost.games.base import Game, Seat
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.players.eriantys import EriantysPlayer
from gamehost.players.onitama import OnitamaPlayer
from gamehost.players.paper_soccer import PaperSoccerPlayer
from gamehost.players.stratego import StrategoPlayer

#: A player of one match, from its seat and its level.
NewPlayer = Callable[[Seat, Level, Thinking], Player]

PLAYERS: Mapping[str, NewPlayer] = {
    "eriantys": EriantysPlayer,
    "onitama": OnitamaPlayer,
    "paper-soccer": PaperSoccerPlayer,
    "stratego": StrategoPlayer,
}


@define(eq=False)
class RandomPlayer:
    """Plays any game at random, by what the game says is legal."""

    _game: Game[Any, Any]
    _seat: Seat
    _chance: SeededChance
    _view: Any = None

    def hear(self, event: Any) -> None:
        self._view = self._game.follow(self._view, event, self._seat)

    def answer(self) -> bytes | None:
        if self._view is None:
            return None
        action = self._game.random_action(self._view, self._seat, self._chance.below)
        return None if action is None else self._game.write(action)

    def refused(self, notation: bytes) -> None:
        """The next answer is drawn anew."""


def player_of(game: Game[Any, Any], seat: Seat, level: Level, thinking: Thinking) -> Player:
    """A player of any game: of a game that has none of its own, one that plays at random."""
    if game.name in PLAYERS:
        return PLAYERS[game.name](seat, level, thinking)
    return RandomPlayer(game, seat, thinking.chance)


def new_player(
    game: str,
    seat: Seat,
    level: Level,
    seed: int,
    clock: Callable[[], float] | None = None,
    effort: float = 1.0,
) -> Player:
    """
    A player for one match.

    :param game: the game's name
    :param seed: decides among equal moves; the same seed gives the same moves
    :param clock: `time.process_time`, for the limit in seconds; without it only nodes are counted
    :param effort: the share of the level's nodes and seconds that is used
    :raises KeyError: nobody plays this game here
    """
    return PLAYERS[game](seat, level, Thinking(SeededChance(seed), clock, effort))
