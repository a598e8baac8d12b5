"""
Passes the bytes of connections on to a server and back, unchanged, and shows a copy of them to a trace.

Faults are for hardening a client: they cut, join and delay segments, or lose the connection.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from attrs import frozen
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.interfaces import IAddress, IDelayedCall, IReactorTime
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure

from gamehost._twisted import write_at_once
from gamehost.checker.base import Cut
from gamehost.checker.line import SegmentedTransport
from gamehost.checker.trace import Trace
from gamehost.net.endpoints import set_socket_options
from gamehost.players.base import SeededChance
from gamehost.settings import BadOption

#: Seconds without bytes until the trace reads what has passed, and seconds for which it waits at most.
QUIET = 0.002
LATEST = 0.05
#: Segments that wait to be read; if there are more, they are read at once.
MOST_UNREAD = 1_000
#: The chance of `drop` is given in parts of this.
WHOLE = 1_000_000


@frozen
class Fault:
    """What is done to a line on purpose."""

    cut: Cut = Cut.NONE
    #: Seconds by which each segment is late.
    delay: float = 0.0
    #: The chance that a segment is the last one of its connection, from 0 to 1.
    drop: float = 0.0

    @classmethod
    def read(cls, text: str) -> "Fault":
        """
        `cut`, `join`, `delay=MS` or `drop=P`.

        :raises BadOption: another text, or a number that cannot be used
        """
        name, _, value = text.partition("=")
        try:
            match name:
                case "cut" if not value:
                    return cls(Cut.RANDOM)
                case "join" if not value:
                    return cls(Cut.JOINED)
                case "delay" if 0 <= float(value) <= 60_000:
                    return cls(delay=float(value) / 1000)
                case "drop" if 0 <= float(value) <= 1:
                    return cls(drop=float(value))
        except ValueError:
            pass
        raise BadOption("expected cut, join, delay=MS (0 to 60000 milliseconds) or drop=P (a chance from 0 to 1)")


class _End(Protocol):
    """One end of a relayed connection."""

    transport: Any = None

    def __init__(self, received: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._received = received
        self._lost = lost
        self.out: Any = None

    def connectionMade(self) -> None:
        set_socket_options(self.transport)

    def dataReceived(self, data: bytes) -> None:
        self._received(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._lost()


class RelayedConnection:
    """
    A client's connection and the one to the server.

    :param trace: is shown a copy of the bytes, after they were passed on
    """

    def __init__(self, clock: IReactorTime, trace: Trace, fault: Fault, chance: SeededChance) -> None:
        self._clock = clock
        self._trace = trace
        self._fault = fault
        self._chance = chance
        self.client = _End(self._from_client, self._client_lost)
        self.server = _End(self._from_server, self._server_lost)
        #: What has passed and was not read yet: how it is read, the bytes, and when they passed.
        self._unread: deque[tuple[Callable[[bytes, float], None], bytes, float]] = deque()
        self._reading: IDelayedCall | None = None
        #: What the client has sent before the connection to the server was there.
        self._early: list[bytes] = []
        self._closed = False

    def connect(self, endpoint: Any) -> None:
        """Connect to the server."""
        factory = Factory.forProtocol(lambda: self.server)
        factory.noisy = False
        endpoint.connect(factory).addCallbacks(self._connected, self._refused)

    def _connected(self, _: object) -> None:
        if self._closed:
            self.server.transport.loseConnection()
            return
        for one, other in ((self.client, self.server), (self.server, self.client)):
            one.out = SegmentedTransport(one.transport, self._clock, self._fault.cut, self._chance)
            one.transport.registerProducer(other.transport, True)
        early, self._early = self._early, []
        for data in early:
            self._from_client(data)

    def _refused(self, reason: Failure) -> None:
        self._event(f"the server cannot be reached: {reason.getErrorMessage()}")
        if not self._closed:
            self._closed = True
            self.client.transport.loseConnection()

    def _from_client(self, data: bytes) -> None:
        if self.server.out is None:
            self._early.append(data)
            return
        self._pass_on(self.server, data)
        self._look(self._trace.client_sent, data)

    def _from_server(self, data: bytes) -> None:
        self._pass_on(self.client, data)
        self._look(self._trace.host_sent, data)

    def _pass_on(self, end: _End, data: bytes) -> None:
        if self._fault.drop and self._chance.below(WHOLE) < self._fault.drop * WHOLE:
            self._event("the connection is lost on purpose")
            self.client.transport.abortConnection()
            self.server.transport.abortConnection()
        elif self._fault.delay:
            self._clock.callLater(self._fault.delay, self._write, end, data)
        else:
            self._write(end, data)

    def _write(self, end: _End, data: bytes) -> None:
        if end.transport.disconnected:
            return
        if self._fault.cut is Cut.NONE:
            write_at_once(end.transport, data)
        else:
            end.out.write(data)

    def _look(self, look: Callable[[bytes, float], None], data: bytes) -> None:
        """
        Have the trace read this later.

        Reading takes longer than passing on. So it is done when nothing has passed for a moment: then no message waits for it.
        """
        now = self._clock.seconds()
        self._unread.append((look, data, now))
        if len(self._unread) > MOST_UNREAD:
            self._read_all()
        elif self._reading is None:
            self._reading = self._clock.callLater(QUIET, self._read)
        elif now - self._unread[0][2] < LATEST - QUIET:
            self._reading.reset(QUIET)

    def _read(self) -> None:
        """Read one segment. The others are read in the next turns of the reactor, so that bytes pass in between."""
        self._reading = None
        if self._unread:
            look, data, seconds = self._unread.popleft()
            look(data, seconds)
        if self._unread:
            self._reading = self._clock.callLater(0, self._read)

    def _read_all(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        while self._unread:
            look, data, seconds = self._unread.popleft()
            look(data, seconds)

    def _event(self, words: str) -> None:
        self._look(lambda _, seconds: self._trace.event(words, seconds), b"")
        self._read_all()

    def _client_lost(self) -> None:
        self._close("the client has closed the connection", self.server)

    def _server_lost(self) -> None:
        self._close("the server has closed the connection", self.client)

    def _close(self, words: str, other: _End) -> None:
        if self._closed:
            return
        self._closed = True
        self._event(words)
        self._clock.callLater(self._fault.delay, self._close_end, other)

    @staticmethod
    def _close_end(end: _End) -> None:
        if end.transport is None or end.transport.disconnected:
            return
        end.transport.unregisterProducer()
        (end.out or end.transport).loseConnection()


class RelayFactory(Factory):
    """
    Makes a relayed connection for each client.

    :param host: the server's name or address
    :param new_trace: the trace of a connection, from its number
    """

    noisy = False

    def __init__(self, reactor: Any, host: str, port: int, new_trace: Callable[[int], Trace], fault: Fault) -> None:
        self._reactor = reactor
        self._to = (host, port)
        self._new_trace = new_trace
        self._fault = fault
        self._number = 0

    def buildProtocol(self, addr: IAddress | None) -> _End:
        """The client's end."""
        self._number += 1
        trace = self._new_trace(self._number)
        relayed = RelayedConnection(self._reactor, trace, self._fault, SeededChance(self._number))
        relayed.connect(HostnameEndpoint(self._reactor, *self._to))
        return relayed.client
