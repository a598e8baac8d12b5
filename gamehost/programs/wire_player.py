"""
What the programs for all wires have in common: they play one match after another, and never see a socket. Pure.

Whoever has the connection does this::

    player.begin()           what is said at once
    player.hear(message)     for each message of the server; what is said then
    player.think()           when all that has come was heard; what is said then
    player.result            who has won; then `again` begins the next match
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from gamehost.games.base import Game, Seat
from gamehost.players.base import Player
from gamehost.programs.match import Match

#: Makes the player of a game and a seat. It raises `KeyError` or `ProgramError` if nobody plays this game here.
NewPlayer = Callable[[str, Seat], Player]

#: So many refusals, one after the other, and the program gives up.
MOST_REFUSALS = 10


class ProgramError(Exception):
    """The program cannot go on. The message says why, in one line."""


class WirePlayer(ABC):
    """
    A program on one wire.

    :param name: to log in under
    :param password: for wires with accounts; empty: none
    :param new_player: makes the player of each match
    :param game: the name of the game, on wires of several games
    :raises ProgramError: the wire needs a password, and there is none
    """

    #: The game that is played; `None`: the server says which.
    GAME: ClassVar[Game[Any, Any] | None] = None
    #: Whether nobody logs in without a password.
    NEEDS_PASSWORD: ClassVar[bool] = False

    def __init__(self, name: str, password: str, new_player: NewPlayer, game: str = "") -> None:
        if self.NEEDS_PASSWORD and not password:
            raise ProgramError("needs --password")
        self.name = name
        self.password = password
        self._new_player = new_player
        self.match: Match | None = None
        #: How the last match ended, in words; `None`: it goes on.
        self.result: str | None = None
        self._refusals = 0

    def begin(self) -> Sequence[Any]:
        """The connection is there. By default the server speaks first."""
        return ()

    @abstractmethod
    def hear(self, message: Any) -> Sequence[Any]:
        """
        Take a message of the server. Returns what is to be said.

        :raises ProgramError: the server refuses the program, or says what cannot be understood
        """

    @abstractmethod
    def act(self, action: Any) -> Sequence[Any]:
        """The messages of an action of the game."""

    def again(self) -> Sequence[Any]:
        """Begin the next match."""
        self.result = None
        return ()

    def think(self) -> Sequence[Any]:
        """
        Let the player think, if it is to do so. Returns what is to be said.

        :raises ProgramError: the server has refused too many answers
        """
        if self.match is None or self.GAME is None:
            return ()
        work = self.match.work()
        notation = None if work is None else self.match.done(work())
        return () if notation is None else self.act(self.GAME.read(notation))

    # -- for the wires

    def sit_down(self, seat: Seat) -> None:
        """A match begins in this seat."""
        assert self.GAME is not None
        self.match = Match(self._new_player(self.GAME.name, seat))
        self._refusals = 0

    def tell(self, *events: Any, judged: bool = True) -> None:
        """
        Have the player hear events of the game's master.

        :raises ProgramError: there is no match
        """
        if self.match is None:
            raise ProgramError("the server tells of a match that has not begun")
        for event in events:
            self.match.hear(event, judged)
        if judged:
            self._refusals = 0

    def refused(self, reason: str) -> None:
        """
        The server has refused the last answer.

        :raises ProgramError: it has done so too often
        """
        self._refusals += 1
        if self.match is None or self._refusals >= MOST_REFUSALS:
            raise ProgramError(f"the server refuses: {reason or 'it does not say why'}")
        self.match.refuse()

    def end(self, result: str) -> None:
        """The match is over."""
        if self.match is not None:
            self.match.over = True
        self.match, self.result = None, result


def won(winner: str) -> str:
    """The result of a match that somebody has won."""
    return f"{winner} has won"


NOBODY = "nobody has won"
