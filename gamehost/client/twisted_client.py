"""
A client of the open wire with connections of Twisted::

    client = Client(reactor, "tcp:127.0.0.1:8889", Enter("ann"))
    client.say(Seek("onitama"))
    message = await client.next()

`next` returns a Deferred; in a coroutine, `async for message in client` yields one message after another. After a lost
connection the client connects again by itself, as `gamehost.client.core` describes. The messages end when the client is
closed, or when the host does not accept it again. Then the last message is a `Lost` without `again`.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Self

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.endpoints import clientFromString
from twisted.internet.interfaces import IDelayedCall, IStreamClientEndpoint, ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from gamehost.client.core import ClientCore, ClientError, Heard, Lost
from gamehost.wires.open.messages import Enter, LogIn

#: If this many messages wait for `next`, the client stops reading until half of them are taken.
MOST_WAITING = 1_000


class Closed(ClientError):
    """There are no more messages: the client is closed, or the host does not accept it again."""


class _Connection(Protocol):
    """One connection. It passes everything to the client."""

    transport: Any

    def __init__(self, client: "Client") -> None:
        self._client = client

    def connectionMade(self) -> None:
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
        self._client._connected(self)

    def dataReceived(self, data: bytes) -> None:
        self._client._received(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._client._disconnected(reason.getErrorMessage())


class Client(ClientCore):
    """
    One client, which begins to connect as soon as it is made.

    :param reactor: Twisted's reactor
    :param endpoint: where the host listens, such as `tcp:127.0.0.1:8889`, `unix:/run/gamehost/open` or `tls:...`
    :param login: `Enter` for a guest, `LogIn` for an account; `None`: to watch only
    :param chance: gives numbers from 0 to 1, to spread the attempts to connect; by default random ones
    """

    def __init__(
        self,
        reactor: Any,
        endpoint: str | IStreamClientEndpoint,
        login: Enter | LogIn | None,
        chance: Callable[[], float] | None = None,
    ) -> None:
        self._reactor = reactor
        self._endpoint = clientFromString(reactor, endpoint) if isinstance(endpoint, str) else endpoint
        super().__init__(login, chance)
        self._factory = Factory.forProtocol(lambda: _Connection(self))
        self._connection: _Connection | None = None
        self._attempt: Deferred[Any] | None = None
        #: The timer for the next attempt to connect, or for the next `tick`.
        self._timer: IDelayedCall | None = None
        self._heard: deque[Heard] = deque()
        self._waiting: deque[Deferred[Heard]] = deque()
        self._paused = self._ended = False
        self._closing: Deferred[None] | None = None
        self._connect()

    # -- messages

    def next(self) -> "Deferred[Heard]":
        """
        The next message. Fails with `Closed` after the last message. If the Deferred is cancelled, no message is lost.
        """
        if self._heard:
            message = self._heard.popleft()
            # There may be room for more messages now.
            self._read_on()
            return succeed(message)
        if self._ended:
            return fail(Closed("there are no more messages"))
        # Cancelling the Deferred removes it from the queue, so that the next message is not given to it.
        waiting: Deferred[Heard] = Deferred(self._waiting.remove)
        self._waiting.append(waiting)
        return waiting

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Heard:
        """The next message, for `async for`. The loop ends after the last message."""
        try:
            return await self.next()
        except Closed:
            raise StopAsyncIteration from None

    def _tell(self, message: Heard) -> None:
        """Give a message to the caller, or store it until the caller wants it."""
        if self._waiting:
            self._waiting.popleft().callback(message)
        else:
            self._heard.append(message)

    def _end(self) -> None:
        """Report to all callers of `next` that there are no more messages."""
        self._ended = True
        while self._waiting:
            self._waiting.popleft().errback(Closed("there are no more messages"))

    # -- the connection

    def _connect(self) -> None:
        """Try to connect."""
        self._timer = None
        self._attempt = self._endpoint.connect(self._factory)
        self._attempt.addErrback(lambda failure: self._disconnected(failure.getErrorMessage()))

    def _connected(self, connection: _Connection) -> None:
        """The connection is made: log in."""
        self._attempt = None
        self._connection = connection
        self._paused = False
        self.connection_made(self._reactor.seconds())
        self._flush()

    def _received(self, data: bytes) -> None:
        """Handle bytes from the host. If too many messages wait for the caller, stop reading."""
        for message in self.received(data, self._reactor.seconds()):
            self._tell(message)
        # The callbacks of `_tell` may have closed the connection.
        if len(self._heard) >= MOST_WAITING and self._connection is not None:
            self._paused = True
            self._connection.transport.pauseProducing()
        self._flush()

    def _read_on(self) -> None:
        """Read again, if the client has stopped reading and enough messages were taken."""
        if self._paused and len(self._heard) <= MOST_WAITING // 2:
            self._paused = False
            if self._connection is not None:
                self._connection.transport.resumeProducing()
                # The silence while nothing was read does not count.
                self.waited(self._reactor.seconds())
                self._set_timer()

    def _flush(self) -> None:
        """Send the output. Close the connection if it has a fault."""
        # The client is closed, or not connected: `connection_made` begins with new output.
        if self._connection is None or self._ended:
            return
        if data := self.take_output():
            self._connection.transport.write(data)
        if self.fault is not None:
            # `_disconnected` follows, and reports the fault.
            self._connection.transport.abortConnection()
        self._set_timer()

    def _set_timer(self) -> None:
        """Set the timer for the next `tick`."""
        self._stop_timer()
        # A client that does not read cannot detect a silent host.
        if self.due is not None and not self._paused and not self._ended:
            self._timer = self._reactor.callLater(max(0.0, self.due - self._reactor.seconds()), self._tick)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = None
        self.tick(self._reactor.seconds())
        self._flush()

    def _disconnected(self, why: str) -> None:
        """The connection is lost, or could not be made: report this, and plan the next attempt."""
        self._stop_timer()
        self._connection = self._attempt = None
        # `close` waits for this.
        if self._closing is not None:
            closing, self._closing = self._closing, None
            closing.callback(None)
        # The caller has closed the client: no report, and no further attempt.
        if self._ended:
            return
        lost: Lost = self.connection_lost(why)
        if lost.again is not None:
            self._timer = self._reactor.callLater(lost.again, self._connect)
        self._tell(lost)
        # The host does not accept the client any more.
        if lost.again is None:
            self._end()

    def close(self) -> "Deferred[None]":
        """
        Send the pending messages, close the connection, and connect no more. A seat is reserved as after a lost
        connection.

        :return: fires when the connection is closed
        """
        self._end()
        self._stop_timer()
        # Nothing is connected or connecting.
        if self._attempt is None and self._connection is None:
            return succeed(None)
        closing: Deferred[None] = Deferred()
        self._closing = closing
        if self._connection is not None:
            # A transport that does not read cannot notice the end of the connection.
            if self._paused:
                self._connection.transport.resumeProducing()
            self._connection.transport.loseConnection()
        elif self._attempt is not None:
            self._attempt.cancel()
        return closing
