"""
Types of remote games, and the masters that rule them.
"""

import re
from collections.abc import Callable

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall

from gamehost.journal.records import TableId
from gamehost.lobby.remote_game import MasterLink, RemoteGame, RemotePlayer

_TYPE = re.compile(r"[\w \-.:]{1,64}")
_ID = re.compile(r"([1-9][0-9]{0,17})(?:\.([1-9][0-9]{0,8}))?", re.ASCII)


class TypeTaken(Exception):
    """This type of game has a master."""


class TooManyMasters(Exception):
    """There is no room for one more master."""


class NeverGiven(Exception):
    """The master was never told of a game with this id."""


def is_game_type(text: str) -> bool:
    """Whether this can be a type of game: 1 to 64 letters, digits, spaces, `_`, `-`, `.` and `:`."""
    return _TYPE.fullmatch(text) is not None


@define(eq=False)
class GameType:
    """One type of game."""

    #: As its master or its first player has written it.
    title: str
    #: Who waits, the one first who has waited longest.
    waiting: list[RemotePlayer] = field(factory=list)
    master: "Master | None" = None
    games: dict[TableId, RemoteGame] = field(factory=dict)
    #: Ends the grace time of a master that is lost.
    timer: IDelayedCall | None = None

    @property
    def idle(self) -> bool:
        """Whether nobody plays it, waits for it or rules it."""
        return not (self.waiting or self.games or self.master)


@define(eq=False)
class Master:
    """
    A registered master.

    :param least: so many players begin a game, and at most `most`
    :param games: so many games at once; `None`: any number
    :param quiet: it is not told who has left
    :param hang_up: ends the connection
    """

    id: str
    address: str
    link: MasterLink
    least: int
    most: int
    games: int | None
    quiet: bool
    hang_up: Callable[[str], None]
    kind: GameType = field(init=False)
    #: The highest number of a game that it was told of.
    highest: int = 0
    #: Games in a row that it has not answered.
    unanswered: int = 0

    def game(self, game_id: str | None) -> RemoteGame | None:
        """
        The game that it means; `None`: that game is over, or was told to it under a later id.

        :param game_id: `None`: the only game
        :raises NeverGiven: there was no such game, or it is not clear which is meant
        """
        games = self.kind.games
        if game_id is None:
            if len(games) > 1:
                raise NeverGiven
            return next(iter(games.values()), None)
        found = _ID.fullmatch(game_id)
        if found is None:
            raise NeverGiven
        number, life = int(found[1]), int(found[2] or 1)
        game = games.get(TableId(number))
        if game is None:
            if number > self.highest:
                raise NeverGiven
            return None
        if life > game.life or (found[2] is not None and life == 1):
            raise NeverGiven
        return game if life == game.life else None
