"""A person with netcat, on the test's own reactor: types texts, and waits for what comes."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

#: Seconds for which something may be waited for.
PATIENCE = 10.0


class Netcat(Protocol):
    """One connection."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        #: Everything that has come.
        self.all = ""
        self._unread = ""
        self._waiting: tuple[str, Deferred[str]] | None = None

    def say(self, text: str) -> None:
        """Type a line."""
        transport: Any = self.transport
        transport.write(text.encode() + b"\n")

    async def heard(self, part: str) -> str:
        """
        Wait for a text.

        :returns: what has come since the last call, as far as the text reaches
        :raises AssertionError: it did not come
        """
        came: Deferred[str] = Deferred()
        self._waiting = part, came
        timer = self._reactor.callLater(PATIENCE, self._give_up)
        self._look()
        try:
            return await came
        finally:
            if timer.active():
                timer.cancel()

    def _look(self) -> None:
        if self._waiting is None or self._waiting[0] not in self._unread:
            return
        (part, came), self._waiting = self._waiting, None
        before, _, self._unread = self._unread.partition(part)
        came.callback(before + part)

    def _give_up(self) -> None:
        if self._waiting is not None:
            (part, came), self._waiting = self._waiting, None
            came.errback(AssertionError(f"{part!r} never came; since then there was {self._unread!r}"))

    def dataReceived(self, data: bytes) -> None:
        """Something has come."""
        self.all += data.decode()
        self._unread += data.decode()
        self._look()

    def connectionLost(self, reason: Failure | None = None) -> None:
        """The host has closed."""
        self._give_up()

    def close(self) -> None:
        """Hang up."""
        transport: Any = self.transport
        transport.abortConnection()


async def netcat(reactor: Any, port: int) -> Netcat:
    """Connect to a port of this machine."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port)
    person = Netcat(reactor)
    await connectProtocol(endpoint, person)
    return person
