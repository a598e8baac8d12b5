"""A program for `gamehost player` on the open wire: logs in and seeks one match after another."""

from collections.abc import Sequence
from typing import Any

from gamehost.client.tables import Tables
from gamehost.programs.open import OpenProgram
from gamehost.programs.wire_player import MOST_REFUSALS, NOBODY, NewPlayer, ProgramError, WirePlayer, won
from gamehost.wires.open import messages as m


class OpenPlayer(WirePlayer):
    """
    Plays one game, against whoever comes.

    :param game: its name
    """

    def __init__(self, name: str, password: str, new_player: NewPlayer, game: str) -> None:
        super().__init__(name, password, new_player)
        self._game = game
        self._program = OpenProgram(new_player)
        self._tables = Tables()

    def begin(self) -> Sequence[Any]:
        return (m.LogIn(self.name, self.password) if self.password else m.Enter(self.name),)

    def again(self) -> Sequence[Any]:
        super().again()
        self._program.over = None
        return (m.Seek(self._game),)

    def hear(self, message: Any) -> Sequence[Any]:
        match message:
            case m.Entered(table=table):
                return () if isinstance(table, int) else (m.Seek(self._game),)
            case m.Sorry(why):
                raise ProgramError(f"the host says: {why}")
            case m.Bye(why):
                raise ProgramError(f"the host says: {why}")
            case m.Refused(why):
                self._refusals += 1
                if self._refusals >= MOST_REFUSALS:
                    raise ProgramError(f"the host refuses: {why}")
            case m.Suspended():
                raise ProgramError("a fault of the host has stopped the match")
            case m.Event():
                self._refusals = 0
        said = self._program.hear(self._tables.hear(message))
        self.match = self._program.match
        if isinstance(self._program.over, m.Over) and self.result is None:
            winners = [self._program.names[seat] for seat in self._program.over.winners]
            self.end(won(" and ".join(winners)) if winners else NOBODY)
        return said

    def think(self) -> Sequence[Any]:
        match = self._program.match
        work = None if match is None else match.work()
        return () if match is None or work is None else self._program.act(match, work())

    def act(self, action: Any) -> Sequence[Any]:
        """Actions are written in the game's notation by the program itself."""
        raise NotImplementedError
