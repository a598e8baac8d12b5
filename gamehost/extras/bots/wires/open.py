"""
The client's side of the open wire: a program that plays one kind of game, against any opponents.

`gamehost.programs.open` follows the match at a table.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from gamehost.client.core import LONGEST_LINE, LONGEST_MOVES, Tables
from gamehost.programs.clients import WireClient
from gamehost.programs.open import OpenProgram
from gamehost.programs.wire_player import (
    ANSWERED_WITHIN,
    MOST_REFUSALS,
    NOBODY,
    NewPlayer,
    ProgramError,
    WirePlayer,
    thought,
    won,
)
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import OpenClientCodec


class OpenPlayer(WirePlayer):
    """
    A program that plays one kind of game on the open wire, against any opponents.

    :param game: the name of the game
    """

    ANSWERED_WITHIN = ANSWERED_WITHIN

    def __init__(self, name: str, password: str, new_player: NewPlayer, game: str) -> None:
        """
        Makes the player.

        :param new_player: makes the house player for a match
        :param game: the game that it seeks
        """
        super().__init__(name, password, new_player)
        self._game = game
        self._program = OpenProgram(new_player)
        self._tables = Tables()

    @property
    def longest_line(self) -> int | None:
        """
        The longest line that the server may send now, in bytes; `None`: the limit of the codec. Only an answer with the history
        of a match may be that long, and lists of moves only come in a match.
        """
        if self._program.asks:
            return None
        return LONGEST_LINE if self._program.match is None else LONGEST_MOVES

    def begin(self) -> Sequence[Any]:
        return (m.LogIn(self.name, self.password) if self.password else m.Enter(self.name),)

    def again(self) -> Sequence[Any]:
        """Seeks the next match, after the end of one."""
        super().again()
        # So that the end of the last match is not reported again.
        self._program.over = None
        return (m.Seek(self._game, self.seats or UNSET),)

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the host. Returns the messages that answer it.

        :raises ProgramError: the host has sent an error, or refuses too much
        """
        match message:
            case m.Entered(table=table):
                # The name still has a seat at this table, so no match is sought.
                return () if isinstance(table, int) else (m.Seek(self._game, self.seats or UNSET),)
            case m.Sorry(why) | m.Bye(why):
                raise ProgramError(f"the host says: {why}")
            case m.Refused(why):
                self._refusals += 1
                if self._refusals >= MOST_REFUSALS:
                    raise ProgramError(f"the host refuses: {why}")
            case m.Suspended():
                raise ProgramError("a fault of the host has stopped the match")
            case m.Event():
                # Only refusals in a row count.
                self._refusals = 0
        said = self._program.hear(self._tables.hear(message))
        self.match = self._program.match
        if isinstance(self._program.over, m.Over) and self.result is None:
            winners = [self._program.names[seat] for seat in self._program.over.winners]
            self.end(won(" and ".join(winners)) if winners else NOBODY)
        return said

    def think(self) -> Sequence[Any]:
        """Lets the program choose its action in the present match, and returns the messages to send."""
        match = self._program.match
        work = None if match is None else match.work()
        return () if match is None or work is None else self._program.act(match, thought(work))

    def act(self, action: Any) -> Sequence[Any]:
        """Is never called, because `think` writes the actions itself."""
        raise NotImplementedError


CLIENT = WireClient(OpenClientCodec, OpenPlayer)
