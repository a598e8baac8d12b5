"""
The table of a remote game. The last seat is the master's.

A player who is gone loses the seat at once. A master that is gone is waited for: the clock of the table stands still meanwhile.
"""

from attrs import define

from gamehost.games.base import Result, Seat
from gamehost.games.remote.master import Action, Event, Referee
from gamehost.tables.table import Table


@define(eq=False)
class RemoteTable(Table[Action, Event]):
    """One remote game. Its context has no grace time."""

    _still: bool = False

    def now(self) -> int:
        """What the clock of the game shows, in milliseconds."""
        return self._stopped if self._still else super().now()

    def _due(self) -> int | None:
        return None if self._still else super()._due()

    @property
    def result(self) -> Result | None:
        """How the game has ended, told or not."""
        return self._master.result

    @property
    def finished(self) -> bool:
        """Whether the game has ended, told or not."""
        return self.result is not None

    @property
    def owes_state(self) -> bool:
        """Whether the master owes a state."""
        return isinstance(self._master, Referee) and self._master.owes_state

    def stand_still(self) -> None:
        """The master is gone: nobody's time runs. Players may still move, and leave."""
        if not self._still:
            self._stopped = self.now()
            self._still = True
            self._set_alarm()

    def go_on(self) -> None:
        """A master is there again, and knows all that has happened."""
        if self._still:
            self._still = False
            self._origin = self._context.clock.seconds() - self._stopped / 1000
            self._set_alarm()

    def void(self) -> None:
        """End the game without a winner: there is no master for it."""
        self._forfeit(Seat(len(self.names) - 1))
