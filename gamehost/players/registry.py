"""The player of each game, by the game's name."""

from collections.abc import Callable, Mapping

from gamehost.games.base import Seat
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
