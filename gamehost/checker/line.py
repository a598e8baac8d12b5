"""
The connections of the client under test: they pass bytes to the private host, and cut or join what comes back.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from gamehost.checker.base import Cut
from gamehost.checker.segments import SegmentedTransport
from gamehost.players.base import SeededChance

#: Changes the bytes of a move; `None`: these bytes are no move.
Spoil = Callable[[bytes], bytes | None]


class Line(Protocol):
    """
    One connection of the client under test.

    :param protocol: the host's end
    :param lost: called when the connection is gone
    """

    def __init__(
        self,
        protocol: Any,
        clock: IReactorTime,
        cut: Cut,
        chance: SeededChance,
        lost: Callable[["Line"], None],
    ) -> None:
        self._protocol = protocol
        self._clock = clock
        self._cut = cut
        self._chance = chance
        self._lost = lost
        self._spoil: Spoil | None = None
        self._spoiled: Callable[[], None] = lambda: None

    def connectionMade(self) -> None:
        """The client has connected."""
        self._segments = SegmentedTransport(self.transport, self._clock, self._cut, self._chance)
        self._protocol.makeConnection(self._segments)

    def dataReceived(self, data: bytes) -> None:
        """The client has sent bytes."""
        if self._spoil is not None:
            changed = self._spoil(data)
            if changed is not None:
                self._spoil = None
                self._spoiled()
                data = changed
        self._protocol.dataReceived(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        """The connection is gone."""
        self._protocol.connectionLost(reason)
        self._lost(self)

    def spoil_next(self, spoil: Spoil, spoiled: Callable[[], None]) -> None:
        """
        Change the next move of the client.

        :param spoil: gives the changed bytes; `None`: these bytes are no move, and stay as they are
        :param spoiled: called when it has happened
        """
        self._spoil, self._spoiled = spoil, spoiled

    def cut(self) -> None:
        """Lose the connection, with what is on its way."""
        self._segments.abortConnection()

    def close(self) -> None:
        """Close the connection in good order."""
        self._protocol.hang_up()
