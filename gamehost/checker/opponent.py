"""
The players that the client under test meets. They sit at the table directly, without a connection of their own.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime

from gamehost.checker.private_host import OwnPlayer, PrivateHost
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.lobby.sessions import Session
from gamehost.players.base import Player
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Refused, SeatHandle, Suspended

#: What tables tell that is no event of a game.
_OF_TABLES = (Away, Left, Suspended, OpenTable)
#: Where opponents come from.
ADDRESS = "192.0.2.2"
#: After so many refused actions an opponent gives up, so that a fault of its own never makes a scenario endless.
MOST_REFUSED = 100


class Opponent(OwnPlayer):
    """
    One of them.

    :param new_player: how it plays, from the game's name and the seat
    :param think: whether it may act now; it is asked again when `go_on` is called
    :param over: called when it is told that its match is over
    """

    def __init__(
        self,
        host: PrivateHost,
        clock: IReactorTime,
        name: str,
        new_player: Callable[[str, Seat], Player],
        think: Callable[[], bool],
        over: Callable[[], None],
    ) -> None:
        self._host = host
        self._clock = clock
        self.name = name
        self._new_player = new_player
        self._think = think
        self._over = over
        self.session: Session | None = None
        self.handle: SeatHandle[Any] | None = None
        self._player: Player | None = None
        self._last = b""
        self._table: TableId | None = None
        self._called = False
        #: How many of its actions were refused.
        self._refused = 0

    def come(self) -> Session:
        """Log in anew, or take the seat back."""
        if self.handle is None:
            self.drop()
        self.session = self._host.lobby.enter(self.name, self._host.wire.name, ADDRESS, self)
        return self.session

    def drop(self) -> None:
        """Lose the connection. The seat is kept for the grace time."""
        session, self.session = self.session, None
        if session is not None:
            self._host.lobby.leave(session, self)
        self.handle = None

    def come_back(self) -> None:
        """Take the seat again."""
        if self.session is None:
            self._host.lobby.reconnect(self.come())

    def resign(self) -> None:
        """Give the match up."""
        if self.handle is not None:
            self.handle.resign()

    def act(self, notation: bytes) -> None:
        """Act, whatever the player would do."""
        if self.handle is not None:
            self.handle.act(self._host.games[self.handle.game].read(notation))

    def seated(self, handle: SeatHandle[Any]) -> None:
        """There is a seat."""
        self.handle = handle
        if self._player is None or handle.table != self._table:
            self._table = handle.table
            self._player = self._new_player(handle.game, Seat(handle.seat))

    def deliver(self, event: Any) -> None:
        """Something happened."""
        player = self._player
        if isinstance(event, Over):
            self.handle = self._player = None
            self._over()
            return
        if player is None or isinstance(event, _OF_TABLES):
            return
        if isinstance(event, Refused):
            self._refused += 1
            player.refused(self._last)
        elif not isinstance(event, Back):
            player.hear(event)
        elif self.handle is not None and event.seat == self.handle.seat:
            player.hear(event.view)
        self.go_on()

    def go_on(self) -> None:
        """Act soon, if it is this player's turn."""
        if not self._called:
            self._called = True
            self._clock.callLater(0, self._act)

    def _act(self) -> None:
        self._called = False
        if self._refused > MOST_REFUSED:
            self.resign()
        if self.handle is None or self._player is None or not self._think():
            return
        notation = self._player.answer()
        if notation is not None:
            self._last = notation
            self.act(notation)
