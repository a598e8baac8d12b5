"""
The liberties that gamehost takes with Twisted: everything that relies on more than Twisted's documented interfaces.

Look here first when a new release of Twisted breaks something. Each liberty has its reason, and a test.

And what Twisted does not have: a timer that is set, moved and stopped, and a reactor that runs until something is done.
"""

import select
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any, TypeVar

from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IListeningPort, IProtocol, IReactorTime
from twisted.logger import Logger


def this_reactor() -> Any:
    from twisted.internet import reactor

    return reactor


class Timer:
    """One call that is due later, or none."""

    __slots__ = ("_call",)

    def __init__(self) -> None:
        self._call: IDelayedCall | None = None

    def __bool__(self) -> bool:
        return self._call is not None

    @property
    def due(self) -> float:
        """When the call is due, as the clock counts seconds; infinite: there is none."""
        return inf if self._call is None else self._call.getTime()

    def set(self, clock: Any, seconds: float, call: Callable[..., object], *arguments: Any) -> None:
        """Call a function after a number of seconds, in place of an earlier call that is still pending."""
        self.stop()
        self._call = clock.callLater(seconds, self._ring, call, arguments)

    def _ring(self, call: Callable[..., object], arguments: Any) -> None:
        self._call = None
        call(*arguments)

    def stop(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.cancel()


T = TypeVar("T")
U = TypeVar("U")


def run_until_done(reactor: Any, begin: Callable[[], "Deferred[T]"], interrupted: U) -> T | U:
    """
    Run a reactor until what begins in it is done, and stop it then.

    :returns: the result; `interrupted` if the reactor was stopped before
    """
    found: list[T | U] = [interrupted]
    stopping: list[bool] = []

    def done(result: T) -> None:
        if not stopping:  # else this is what comes of the end: all connections are closed
            found[0] = result
            reactor.callLater(0, reactor.stop)

    reactor.addSystemEventTrigger("before", "shutdown", stopping.append, True)
    reactor.callWhenRunning(lambda: begin().addCallback(done))
    reactor.run()
    return found[0]


# -- the clock


#: Seconds without a turn of the reactor that count as a standstill. The host has work at least every 0.1 s.
STANDSTILL = 2.0


def without_standstills(clock: Callable[[], float]) -> Callable[[], float]:
    """
    A clock that stops while the process does not run: frozen, on a paused machine, or on a laptop that sleeps.

    The reactor reads the time in every turn. If it did not do so for longer than `STANDSTILL`, the clock continues at
    its last time. So all deadlines are later by the length of the standstill, and the sockets are read before one is
    due.

    :param clock: seconds, monotonic. The clock that is returned is for the reactor's thread alone
    """
    stood_still = 0.0
    seen = clock()

    def seconds() -> float:
        nonlocal seen, stood_still
        now = clock()
        gap = now - seen
        seen = now
        if gap > STANDSTILL:
            stood_still += gap
            Logger("gamehost").warn(
                "the reactor stood still for {gap:.1f} s; all deadlines are later by as much", gap=gap
            )
        return now - stood_still

    return seconds


def use_steady_clock(reactor: Any) -> None:
    """
    Let a reactor count its seconds on the monotonic clock without standstills. Call this before any call is scheduled.

    Twisted uses the wall clock. People and daemons set that, and then every deadline would be early or late.
    """
    reactor.seconds = without_standstills(time.monotonic)


# -- the turn of the reactor


def poll_without_log_context(reactor: Any) -> None:
    """
    Make an epoll reactor call the ready sockets directly. Any other reactor is not changed.

    Twisted makes a logging context for each call, so that its log can name the connection. The host's log does not show
    that name, and a context costs a tenth of a move.
    """
    if not (hasattr(select, "epoll") and isinstance(getattr(reactor, "_poller", None), select.epoll)):
        return
    selectables, read_or_write, log = reactor._selectables, reactor._doReadOrWrite, Logger("gamehost")

    def iterate(timeout: float | None) -> None:
        # Python calls `poll` again if a signal interrupts it.
        for descriptor, event in reactor._poller.poll(timeout, len(selectables)):
            selectable = selectables.get(descriptor)
            if selectable is None:
                continue  # the call of another socket has closed it
            try:
                read_or_write(selectable, descriptor, event)
            except Exception:
                log.failure("the end of a connection failed")

    reactor.doIteration = iterate


# -- immediate writes


class ImmediateServer(tcp.Server):
    """
    A TCP connection that sends what is written at once, unless earlier data is still queued.

    Twisted queues what is written, asks the system whether it may be sent, and sends it in the reactor's next turn. A
    game's messages are so small that the system nearly always takes them at once, and asking costs more than sending.

    If the system does not take all of it, the rest is queued as usual, and the producer is paused at once: then the
    system's own buffer is full, and it is no smaller than a game needs.
    """

    #: Bytes read at a time.
    bufferSize = 16_384

    #: Whether something waits to be sent, or the connection to be closed.
    _waits = False

    def startWriting(self) -> None:
        self._waits = True
        super().startWriting()

    def stopWriting(self) -> None:
        self._waits = False
        super().stopWriting()

    def write(self, data: bytes) -> None:
        if not self._waits and self.connected and not self.disconnecting and not self.TLS:
            try:
                sent = self.socket.send(data)
            except OSError:
                sent = 0  # it is full, or lost: the queue finds out which
            if sent == len(data):
                return
            data = data[sent:]
        super().write(data)
        producer: Any = self.producer
        if producer is not None and not self.producerPaused and self._waits:
            self.producerPaused = True
            producer.pauseProducing()


def accept_immediate_servers(port: IListeningPort) -> bool:
    """Make a port accept its next connections as `ImmediateServer`. `False`: it is not Twisted's TCP port."""
    if getattr(port, "transport", None) is not tcp.Server:
        return False
    tcp_port: Any = port
    tcp_port.transport = ImmediateServer
    return True


#: Connections that a port accepts in one turn of the reactor: a fifth of a millisecond each. Twisted accepts a hundred, and
#: more while there are more.
ACCEPTS = 4

#: Seconds for which a port accepts no connections after it has refused one. Connections that come meanwhile wait in the
#: system.
REFUSAL_PAUSE = 0.002


def accept_steadily(port: IListeningPort, clock: IReactorTime, refused: Callable[[], int]) -> bool:
    """
    Make a port accept a few connections in each turn of the reactor, and fewer while some are refused. Refused
    attackers connect again at once, and would leave no time for the others.

    :param refused: how many connections were refused so far
    :returns: `False`: it is not Twisted's port
    """
    if not isinstance(port, tcp.Port):
        return False
    tcp_port: Any = port
    accept = tcp_port.doRead

    def accept_some() -> None:
        before = refused()
        tcp_port.numberAccepts = ACCEPTS
        accept()
        if refused() > before and not tcp_port.disconnecting:
            tcp_port.stopReading()
            clock.callLater(REFUSAL_PAUSE, go_on)

    def go_on() -> None:
        if tcp_port.connected and not tcp_port.disconnecting:
            tcp_port.startReading()

    tcp_port.doRead = accept_some
    return True


def write_at_once(transport: Any, data: bytes) -> None:
    """Send data on any transport, and at once if it is a TCP connection on which nothing is queued."""
    if (
        isinstance(transport, tcp.Connection)
        and transport.connected
        and not transport.disconnecting
        and not transport.TLS
    ):
        nothing_queued = transport.offset == len(transport.dataBuffer) and not transport._tempDataBuffer
        # An error means that the system's buffer is full, or that the connection is lost: the queue finds out which.
        with suppress(OSError):
            data = data[transport.socket.send(data) if nothing_queued else 0 :]
    if data:
        transport.write(data)


# -- another protocol for the same transport


def replace_protocol(transport: Any, protocol: IProtocol, data: bytes) -> None:
    """
    Connect a transport to another protocol than the one that it was made for.

    Twisted would leave the first protocol between the two as a wrapper, and every byte would pass through it.

    :param data: bytes that the first protocol received and did not use
    """
    bare = getattr(transport, "bare", transport)  # the transport below, if this one writes in frames
    # A transport that encrypts is a wrapper around the protocol, as Twisted sees it.
    setattr(bare, "wrappedProtocol" if hasattr(bare, "wrappedProtocol") else "protocol", protocol)
    protocol.makeConnection(transport)
    if data:
        protocol.dataReceived(data)


# -- the log


def quiet_pool(reactor: Any) -> Any:
    """A pool of connections for `twisted.web.client.Agent`. Twisted's own writes two lines into the log for each connection."""
    from twisted.web.client import HTTPConnectionPool  # only some hosts send requests

    pool = HTTPConnectionPool(reactor)
    vars(pool)["_factory"] = type("QuietFactory", (pool._factory,), {"noisy": False})
    return pool


def use_logger(twistd: Any, name: str) -> None:
    """
    Make `twistd` log to an observer, as its option `--logger` does.

    The log's format is an option of gamehost, and `twistd` reads that only after its own options.

    :param twistd: the options of `twistd`
    :param name: the full name of a function that returns the observer
    """
    twistd["logger"] = name
