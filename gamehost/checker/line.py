"""
The connections of the client under test: they pass bytes to the private host, and cut or join what comes back.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from gamehost.checker.base import Cut
from gamehost.players.base import SeededChance

#: Seconds between two segments. Most systems join bytes that come closer together.
BETWEEN = 0.001
#: Seconds for which `Cut.JOINED` holds bytes back.
HELD = 0.02
#: The bytes of one write that become segments of their own; the rest is cut at random places.
SINGLE = 160
#: The longest segment of `Cut.RANDOM`, in bytes.
LONGEST = 48


class SegmentedTransport:
    """
    Writes to another transport in other segments; everything else is passed on.

    :param chance: decides where `Cut.RANDOM` cuts
    """

    def __init__(self, transport: Any, clock: IReactorTime, cut: Cut, chance: SeededChance) -> None:
        self._transport = transport
        self._clock = clock
        self._cut = cut
        self._chance = chance
        self._pending = bytearray()
        self._since = 0
        self._busy = False
        self._ends = False
        self._aborted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write these bytes, in whatever segments."""
        if self._aborted or self._transport.disconnected:
            return
        if self._cut is Cut.NONE:
            self._transport.write(data)
            return
        self._pending += data
        self._since = 0
        if not self._busy:
            self._busy = True
            self._clock.callLater(HELD if self._cut is Cut.JOINED else 0, self._write)

    def writeSequence(self, data: Any) -> None:
        """Write these bytes."""
        self.write(b"".join(data))

    def loseConnection(self) -> None:
        """Close, when everything is written."""
        self._ends = True
        if not self._busy:
            self._transport.loseConnection()

    def abortConnection(self) -> None:
        """Close at once."""
        self._aborted = True
        self._pending.clear()
        self._transport.abortConnection()

    def _write(self) -> None:
        piece = bytes(self._pending[: self._size()])
        del self._pending[: len(piece)]
        if piece and not self._aborted and not self._transport.disconnected:
            self._transport.write(piece)
        if self._pending:
            self._clock.callLater(BETWEEN, self._write)
            return
        self._busy = False
        if self._ends and not self._aborted:
            self._transport.loseConnection()

    def _size(self) -> int:
        if self._cut is Cut.JOINED:
            return len(self._pending)
        self._since += 1
        if self._cut is Cut.BYTES and self._since <= SINGLE:
            return 1
        return 1 + self._chance.below(LONGEST)


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

    def connectionMade(self) -> None:
        """The client has connected."""
        self._segments = SegmentedTransport(self.transport, self._clock, self._cut, self._chance)
        self._protocol.makeConnection(self._segments)

    def dataReceived(self, data: bytes) -> None:
        """The client has sent bytes."""
        self._protocol.dataReceived(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        """The connection is gone."""
        self._protocol.connectionLost(reason)
        self._lost(self)

    def cut(self) -> None:
        """Lose the connection, with what is on its way."""
        self._segments.abortConnection()

    def close(self) -> None:
        """Close the connection in good order."""
        self._protocol.hang_up()
