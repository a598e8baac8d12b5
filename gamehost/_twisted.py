"""
Everything in gamehost that depends on how Twisted works inside, and not only on its documented interfaces.

If a new release of Twisted breaks something, look here first. Each part has its reason, and a test.

This module also has two things that Twisted lacks: a timer that can be set again, and a function that runs a reactor
until a task is done.
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
    """The reactor of this process."""
    from twisted.internet import reactor

    return reactor


class Timer:
    """A timer: it calls a function later. It is true while such a call is pending."""

    __slots__ = ("_call",)

    def __init__(self) -> None:
        self._call: IDelayedCall | None = None

    def __bool__(self) -> bool:
        return self._call is not None

    @property
    def due(self) -> float:
        """When the call is due, in seconds of the clock; infinite: no call is pending."""
        return inf if self._call is None else self._call.getTime()

    def set(self, clock: Any, seconds: float, call: Callable[..., object], *arguments: Any) -> None:
        """Call a function after a number of seconds. This replaces a call that is still pending."""
        self.stop()
        self._call = clock.callLater(seconds, self._ring, call, arguments)

    def _ring(self, call: Callable[..., object], arguments: Any) -> None:
        self._call = None
        call(*arguments)

    def stop(self) -> None:
        """Cancel the call, if one is pending."""
        call = self._call
        self._call = None
        if call is not None:
            call.cancel()


T = TypeVar("T")
U = TypeVar("U")


def run_until_done(reactor: Any, begin: Callable[[], "Deferred[T]"], interrupted: U) -> T | U:
    """
    Run a reactor until a task is done, and stop it then.

    :param begin: begins the task when the reactor runs; its result fires when the task is done
    :returns: the result of the task; `interrupted` if the reactor was stopped before the task was done
    """
    found: list[T | U] = [interrupted]
    stopping: list[bool] = []

    def done(result: T) -> None:
        if not stopping:  # during the shutdown, a result comes only because all connections are closed
            found[0] = result
            reactor.callLater(0, reactor.stop)

    reactor.addSystemEventTrigger("before", "shutdown", stopping.append, True)
    reactor.callWhenRunning(lambda: begin().addCallback(done))
    reactor.run()
    return found[0]


# -- the clock


#: If the reactor has no turn for this many seconds, the process counts as frozen. The host has work at least every 0.1
#: s.
STANDSTILL = 2.0


def without_standstills(clock: Callable[[], float]) -> Callable[[], float]:
    """
    Make a clock that stops while the process is frozen, for instance on a paused machine or on a laptop that sleeps.
    The reactor reads the clock in every turn. If it has not done so for longer than `STANDSTILL`, the clock continues
    from its last time. So all deadlines come later by the length of the standstill, and the sockets are read before a
    deadline.

    :param clock: returns seconds that never go back
    :returns: the new clock, which only the reactor's thread may read
    """
    stood_still = 0.0
    seen = clock()

    def seconds() -> float:
        """
        The time without standstills, in seconds. A gap since the last call counts as a standstill if it is too long.
        """
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
    Make a reactor use the monotonic clock without standstills. Must be called before any call is scheduled.

    Twisted uses the clock of the system. If a person or a program sets that clock, all deadlines would be early or
    late.
    """
    reactor.seconds = without_standstills(time.monotonic)


# -- the turn of the reactor


def poll_without_log_context(reactor: Any) -> None:
    """
    Make an epoll reactor call the ready sockets directly. Any other reactor is not changed.

    Twisted makes a logging context for each call, so that its log can name the connection. The host's log does not show
    this name, and making the context takes a tenth of the time of a move.
    """
    if not (hasattr(select, "epoll") and isinstance(getattr(reactor, "_poller", None), select.epoll)):
        return
    # The rest is what Twisted's own method does, without the context.
    selectables, read_or_write, log = reactor._selectables, reactor._doReadOrWrite, Logger("gamehost")

    def iterate(timeout: float | None) -> None:
        """Wait for ready sockets, and call them."""
        # Python calls `poll` again if a signal interrupts it.
        for descriptor, event in reactor._poller.poll(timeout, len(selectables)):
            selectable = selectables.get(descriptor)
            if selectable is None:
                continue  # an earlier call in this turn has closed the connection
            try:
                read_or_write(selectable, descriptor, event)
            except Exception:
                log.failure("the end of a connection failed")

    reactor.doIteration = iterate


# -- immediate writes


class ImmediateServer(tcp.Server):
    """
    A TCP connection that sends data immediately, unless earlier data is still queued.

    Twisted normally queues the data, asks the system whether it can be sent, and sends it in the reactor's next turn.
    But the messages of a game are so small that the system nearly always accepts them, and asking costs more than
    sending.

    If the system does not accept all data, its buffer is full. Then the rest is queued as usual, and the producer is
    paused at once.
    """

    #: How many bytes are read at once.
    bufferSize = 16_384

    #: Whether data waits to be sent, or the connection waits to be closed.
    _waits = False

    def startWriting(self) -> None:
        self._waits = True
        super().startWriting()

    def stopWriting(self) -> None:
        self._waits = False
        super().stopWriting()

    def write(self, data: bytes) -> None:
        """Send data at once. What the system does not accept is queued, and the producer is paused."""
        if not self._waits and self.connected and not self.disconnecting and not self.TLS:
            try:
                # Nothing is queued, so this data may be sent first.
                sent = self.socket.send(data)
            except OSError:
                sent = 0  # the buffer is full, or the connection is lost: the queue finds out which
            if sent == len(data):
                return
            data = data[sent:]
        super().write(data)
        producer: Any = self.producer
        # Twisted would pause the producer only when much data is queued.
        if producer is not None and not self.producerPaused and self._waits:
            self.producerPaused = True
            producer.pauseProducing()


def accept_immediate_servers(port: IListeningPort) -> bool:
    """Make a port use `ImmediateServer` for its next connections. `False`: the port is not Twisted's TCP port."""
    if getattr(port, "transport", None) is not tcp.Server:
        return False
    tcp_port: Any = port
    tcp_port.transport = ImmediateServer
    return True


#: How many connections a port accepts in one turn of the reactor. Each takes a fifth of a millisecond. Twisted accepts
#: a hundred or more.
ACCEPTS = 4

#: For how many seconds a port accepts no connections after one was refused. New connections wait in the system
#: meanwhile.
REFUSAL_PAUSE = 0.002


def accept_steadily(port: IListeningPort, clock: IReactorTime, refused: Callable[[], int]) -> bool:
    """
    Make a port accept only a few connections in each turn of the reactor, and pause after a refused one. Otherwise
    attackers that connect again at once would leave no time for other clients.

    :param refused: returns how many connections were refused so far
    :returns: `False`: the port is not Twisted's TCP port
    """
    if not isinstance(port, tcp.Port):
        return False
    tcp_port: Any = port
    accept = tcp_port.doRead

    def accept_some() -> None:
        """Accept a few connections. If one was refused, accept no more for a while."""
        before = refused()
        tcp_port.numberAccepts = ACCEPTS
        accept()
        if refused() > before and not tcp_port.disconnecting:
            tcp_port.stopReading()
            clock.callLater(REFUSAL_PAUSE, go_on)

    # Called after the pause.
    def go_on() -> None:
        if tcp_port.connected and not tcp_port.disconnecting:
            tcp_port.startReading()

    tcp_port.doRead = accept_some
    return True


def write_at_once(transport: Any, data: bytes) -> None:
    """Send data on any transport. On a TCP connection without queued data, send it immediately."""
    if (
        isinstance(transport, tcp.Connection)
        and transport.connected
        and not transport.disconnecting
        and not transport.TLS
    ):
        # Twisted has queued data in `dataBuffer` after `offset`, and in `_tempDataBuffer`.
        nothing_queued = transport.offset == len(transport.dataBuffer) and not transport._tempDataBuffer
        # An error means that the system's buffer is full, or that the connection is lost: the queue finds out which.
        with suppress(OSError):
            data = data[transport.socket.send(data) if nothing_queued else 0 :]
    if data:
        transport.write(data)


# -- another protocol for the same transport


def replace_protocol(transport: Any, protocol: IProtocol, data: bytes) -> None:
    """
    Give a transport another protocol in place of its first one. Usually with Twisted, the first protocol would remain
    as a wrapper, and every byte would pass through it.

    :param data: bytes that the first protocol has received and not used
    """
    bare = getattr(transport, "bare", transport)  # the transport below, if this one writes in frames
    # Twisted's transports have their protocol in the attribute `protocol`. But a transport that encrypts is itself the
    # `protocol` of the TCP connection, and has the protocol above it in `wrappedProtocol`.
    setattr(bare, "wrappedProtocol" if hasattr(bare, "wrappedProtocol") else "protocol", protocol)
    protocol.makeConnection(transport)
    if data:
        protocol.dataReceived(data)


# -- the log


def quiet_pool(reactor: Any) -> Any:
    """
    Make a pool of connections for `twisted.web.client.Agent` that logs nothing. Twisted's own pool logs two lines for
    each connection.
    """
    from twisted.web.client import HTTPConnectionPool  # only some hosts send requests

    pool = HTTPConnectionPool(reactor)
    # Twisted has no setting for this: a factory is quiet if its `noisy` is `False`.
    vars(pool)["_factory"] = type("QuietFactory", (pool._factory,), {"noisy": False})
    return pool


def use_logger(twistd: Any, name: str) -> None:
    """
    Make `twistd` log to an observer, as its option `--logger` does. The option itself cannot be used: the log's format
    is an option of gamehost, which `twistd` reads after its own options.

    :param twistd: the options of `twistd`
    :param name: the full name of a function that returns the observer
    """
    twistd["logger"] = name
