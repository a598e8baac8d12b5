"""The liberties with Twisted: writes and turns of the reactor over real pairs of sockets, and the others as they are used."""

import os
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from twisted.internet import tcp
from twisted.internet.abstract import FileDescriptor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IPushProducer, IReadDescriptor
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.selectreactor import SelectReactor
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import globalLogPublisher
from twisted.python import context
from twisted.python.failure import Failure
from twisted.python.log import ILogContext
from twisted.python.reflect import namedAny
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost._twisted import (
    ACCEPTS,
    REFUSAL_PAUSE,
    ImmediateServer,
    Timer,
    accept_steadily,
    poll_without_log_context,
    quiet_pool,
    replace_protocol,
    run_until_done,
    use_logger,
    use_steady_clock,
    without_standstills,
)


class TimerTests(SynchronousTestCase):
    def test_one_call_at_a_time(self) -> None:
        clock, timer, called = Clock(), Timer(), list[int]()
        timer.set(clock, 1, called.append, 1)
        timer.set(clock, 2, called.append, 2)
        self.assertEqual((bool(timer), timer.due, len(clock.getDelayedCalls())), (True, 2, 1))
        clock.advance(2)
        self.assertEqual((called, bool(timer), timer.due), ([2], False, float("inf")))
        timer.set(clock, 1, called.append, 3)
        timer.stop()
        self.assertEqual((bool(timer), clock.getDelayedCalls()), (False, []))


class StoppedReactor:
    """A reactor that is stopped by a signal as soon as it runs."""

    def __init__(self) -> None:
        self._triggers: list[Callable[[], object]] = []
        self.connections_close: Callable[[], object] = lambda: None

    def callWhenRunning(self, begin: Callable[[], object]) -> None:
        self._begin = begin

    def addSystemEventTrigger(self, phase: str, event: str, call: Callable[..., object], *arguments: Any) -> None:
        assert (phase, event) == ("before", "shutdown")
        self._triggers.append(lambda: call(*arguments))

    def run(self) -> None:
        self._begin()
        for trigger in self._triggers:
            trigger()
        self.connections_close()


class RunTests(SynchronousTestCase):
    def test_a_signal_is_the_reason_and_not_what_comes_of_it(self) -> None:
        """With a signal all connections close. No server has closed them."""
        reactor, closed = StoppedReactor(), Deferred[str]()
        reactor.connections_close = lambda: closed.callback("the server has closed the connection")
        self.assertEqual(run_until_done(reactor, lambda: closed, "interrupted"), "interrupted")


class NotingReactor:
    def __init__(self) -> None:
        self.readers: set[Any] = set()
        self.writers: set[Any] = set()

    def addReader(self, reader: Any) -> None:
        self.readers.add(reader)

    def removeReader(self, reader: Any) -> None:
        self.readers.discard(reader)

    def addWriter(self, writer: Any) -> None:
        self.writers.add(writer)

    def removeWriter(self, writer: Any) -> None:
        self.writers.discard(writer)


class Doorway(tcp.Port):
    """A port that notes how many connections it would accept, and refuses some."""

    def __init__(self, reactor: Any) -> None:
        super().__init__(0, Factory(), reactor=reactor)
        self.connected = True
        self.accepted: list[int] = []
        self.refused = 0
        self.refuses = False

    def doRead(self) -> None:
        self.accepted.append(self.numberAccepts)
        self.refused += self.refuses


class AcceptingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor, self.clock = NotingReactor(), Clock()
        self.port = Doorway(self.reactor)
        self.assertTrue(accept_steadily(self.port, self.clock, lambda: self.port.refused))
        self.port.startReading()

    def test_a_few_in_each_turn(self) -> None:
        for _ in range(3):
            self.port.numberAccepts = 100
            self.port.doRead()
        self.assertEqual((self.port.accepted, self.reactor.readers), ([ACCEPTS] * 3, {self.port}))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_nothing_for_a_moment_after_a_refusal(self) -> None:
        self.port.refuses = True
        for _ in range(3):
            self.port.doRead()
            self.assertNotIn(self.port, self.reactor.readers)
            self.clock.advance(REFUSAL_PAUSE)
            self.assertIn(self.port, self.reactor.readers)
        self.port.doRead()
        self.port.connected = False
        self.clock.advance(REFUSAL_PAUSE)
        self.assertNotIn(self.port, self.reactor.readers)

    def test_other_ports_are_left_as_they_are(self) -> None:
        other: Any = object()
        self.assertFalse(accept_steadily(other, self.clock, lambda: 0))


class ImmediateServerTests(SynchronousTestCase):
    def setUp(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.addCleanup(self.theirs.close)
        self.addCleanup(ours.close)
        ours.setblocking(False)
        self.theirs.setblocking(False)
        reactor: Any = NotingReactor()
        self.reactor = reactor
        port: Any = tcp.Port(0, Factory(), reactor=reactor)
        port._realPortNumber = 0
        self.server = ImmediateServer(ours, Protocol(), ("127.0.0.1", 0), port, 0, reactor)

    def heard(self) -> bytes:
        data = b""
        try:
            while piece := self.theirs.recv(1 << 20):
                data += piece
        except BlockingIOError:
            pass
        return data

    def test_at_once(self) -> None:
        for message in (b"one\n", b"two\n"):
            self.server.write(message)
            self.assertEqual(self.heard(), message)
        self.assertEqual(self.reactor.writers, set())

    def test_what_does_not_fit_is_queued_in_order(self) -> None:
        much = bytes(range(256)) * 16_384
        self.server.write(much)
        self.assertEqual(self.reactor.writers, {self.server})
        data = self.heard()
        self.server.write(b"behind")  # there would be room for it now
        while self.server in self.reactor.writers:
            self.server.doWrite()
            data += self.heard()
        self.assertEqual(data, much + b"behind")
        self.server.write(b"and on")
        self.assertEqual(self.heard(), b"and on")

    def test_a_connection_that_is_lost(self) -> None:
        """A failed send is found by the reactor, in its own turn: `write` raises nothing and ends nothing."""
        self.theirs.close()
        self.server.write(b"anybody?")
        self.assertEqual(self.reactor.writers, {self.server})
        self.assertIsInstance(self.server.doWrite(), ConnectionLost)

    def test_last_words(self) -> None:
        self.server.write(b"bye")
        self.server.loseConnection()
        self.server.write(b", late")
        self.assertEqual(self.heard(), b"bye")
        while (ended := self.server.doWrite()) is None:
            pass
        self.assertIsInstance(ended, ConnectionDone)
        self.assertEqual(self.heard(), b", late")

    def test_producer_hears_at_once_of_what_is_left(self) -> None:
        """What the system does not take is the first that a client has not read: the producer pauses until it has."""
        told: list[str] = []

        @implementer(IPushProducer)
        class Producer:
            def pauseProducing(self) -> None:
                told.append("pause")

            def resumeProducing(self) -> None:
                told.append("resume")

            def stopProducing(self) -> None:
                told.append("stop")

        self.server.registerProducer(Producer(), True)
        self.server.write(b"one\n")
        self.assertEqual(told, [])
        while not self.reactor.writers:
            self.server.write(b"x" * 4_096)
        self.server.write(b"behind\n")
        self.assertEqual(told, ["pause"])
        while self.server in self.reactor.writers:
            self.heard()
            self.server.doWrite()
        self.assertEqual(told, ["pause", "resume"])


class Reader(FileDescriptor):
    """One end of a pair of sockets. Notes how often it is called, and the name that Twisted's log has for it then."""

    def __init__(self, reactor: Any, on_read: Callable[[], Any]) -> None:
        super().__init__(reactor)
        self.ours, self.theirs = socket.socketpair()
        self.on_read = on_read
        self.reads = 0
        self.logged_as = ""
        self.startReading()
        self.theirs.send(b"ready")

    def fileno(self) -> int:
        return self.ours.fileno()

    def doRead(self) -> Any:
        self.reads += 1
        self.logged_as = context.get(ILogContext)["system"]
        self.ours.recv(100)
        return self.on_read()

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


class PollTests(SynchronousTestCase):
    """One turn of the reactor calls what is ready, as Twisted does, and makes no logging context for it."""

    if not hasattr(select, "epoll"):
        skip = "this system has no epoll"

    def setUp(self) -> None:
        self.reactor: Any = namedAny("twisted.internet.epollreactor.EPollReactor")()
        self.addCleanup(self.reactor._poller.close)
        self.addCleanup(self.reactor.waker.connectionLost, None)
        poll_without_log_context(self.reactor)

    def reader(self, on_read: Callable[[], Any] = lambda: None) -> Reader:
        reader = Reader(self.reactor, on_read)
        self.addCleanup(reader.close)
        return reader

    def test_what_is_ready_is_called(self) -> None:
        readers = [self.reader(), self.reader()]
        self.reactor.doIteration(None)
        self.assertEqual([(reader.reads, reader.logged_as) for reader in readers], [(1, "-"), (1, "-")])
        self.reactor.doIteration(0)
        self.assertEqual([reader.reads for reader in readers], [1, 1])

    def test_an_error_at_the_end_of_a_connection(self) -> None:
        readers = [self.reader(lambda: ConnectionDone()) for _ in range(3)]
        for reader in readers:
            reader.connectionLost = lambda reason: 1 / 0  # type: ignore[method-assign]
        self.reactor.doIteration(0)
        self.assertEqual([reader.reads for reader in readers], [1, 1, 1])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 3)

    def test_closed_by_the_call_of_another_one(self) -> None:
        readers: list[Reader] = []

        def close_others() -> None:
            for other in readers:
                if not other.reads:
                    other.stopReading()

        readers += [self.reader(close_others), self.reader(close_others)]
        self.reactor.doIteration(0)
        self.assertEqual(sorted(reader.reads for reader in readers), [0, 1])

    def test_another_reactor(self) -> None:
        reactor: Any = SelectReactor()
        self.addCleanup(reactor.waker.connectionLost, None)
        poll_without_log_context(reactor)
        self.assertNotIn("doIteration", vars(reactor))


class Noting(Protocol):
    def __init__(self) -> None:
        self.received = b""

    def dataReceived(self, data: bytes) -> None:
        self.received += data


@implementer(IReadDescriptor)
class NotingPipe:
    def __init__(self, descriptor: int, noted: list[str]) -> None:
        self.descriptor = descriptor
        self.noted = noted

    def fileno(self) -> int:
        return self.descriptor

    def doRead(self) -> None:
        self.noted.append(os.read(self.descriptor, 100).decode())

    def logPrefix(self) -> str:
        return "pipe"

    def connectionLost(self, reason: Failure) -> None:
        reason.raiseException()


class OtherTests(SynchronousTestCase):
    def test_the_clock_is_monotonic(self) -> None:
        clock = Clock()
        use_steady_clock(clock)
        before = time.monotonic()
        self.assertTrue(before <= clock.seconds() <= time.monotonic())

    def test_the_clock_stops_while_the_process_stands_still(self) -> None:
        """For two seconds at most the reactor may be busy; longer gaps are left out, and the clock never goes back."""
        now = 100.0
        seconds = without_standstills(lambda: now)
        read = []
        for gap in (0.1, 2.0, 12.0, 0.1, 0.0, 3600.0, 1.5):
            now += gap
            read.append(round(seconds() - 100.0, 6))
        self.assertEqual(read, [0.1, 2.1, 2.1, 2.2, 2.2, 2.2, 3.7])

    def test_deadlines_are_put_off_by_a_standstill(self) -> None:
        """Nothing is due in the first turn after it, so the sockets are read first."""
        now = 100.0
        reactor: Any = SelectReactor()
        self.addCleanup(reactor.waker.connectionLost, None)
        reactor.seconds = without_standstills(lambda: now)
        due: list[str] = []
        reactor.callLater(0.05, due.append, "soon")
        reactor.callLater(10, due.append, "later")
        now += 12.0
        reactor.runUntilCurrent()
        self.assertEqual(due, [])
        self.assertTrue(0.0 < reactor.timeout() <= 0.05)
        now += 0.06
        reactor.runUntilCurrent()
        self.assertEqual(due, ["soon"])
        for _ in range(10):
            now += 0.99
            reactor.runUntilCurrent()
        self.assertEqual(due, ["soon"])
        now += 0.1
        reactor.runUntilCurrent()
        self.assertEqual(due, ["soon", "later"])

    def test_what_came_during_a_standstill_is_read_before_a_deadline(self) -> None:
        """Even if a millisecond of the deadline was left, and wherever in its turn the reactor was stopped."""
        for stopped_while_it_waits in (False, True):
            now = 100.0
            reactor: Any = SelectReactor()
            self.addCleanup(reactor.waker.connectionLost, None)
            reactor.seconds = without_standstills(lambda: now)  # noqa: B023
            happened: list[str] = []
            receives, sends = os.pipe()
            self.addCleanup(os.close, receives)
            self.addCleanup(os.close, sends)
            reactor.addReader(NotingPipe(receives, happened))
            reactor.callLater(0.05, happened.append, "due")
            now += 0.049
            reactor.runUntilCurrent()
            if stopped_while_it_waits:
                reactor.timeout()
            os.write(sends, b"a move")
            now += 12.0
            if not stopped_while_it_waits:
                reactor.runUntilCurrent()
            reactor.doIteration(0)
            reactor.runUntilCurrent()
            self.assertEqual(happened, ["a move"])
            now += 0.01
            reactor.runUntilCurrent()
            self.assertEqual(happened, ["a move", "due"])

    def test_another_protocol(self) -> None:
        for rest in (b"rest", b""):
            transport: Any = StringTransport()
            protocol = Noting()
            replace_protocol(transport, protocol, rest)
            self.assertIs(transport.protocol, protocol)
            self.assertIs(protocol.transport, transport)
            self.assertEqual(protocol.received, rest)

    def test_logger(self) -> None:
        options: dict[str, str] = {}
        use_logger(options, "gamehost.ops.logging.process_log")
        self.assertEqual(options, {"logger": "gamehost.ops.logging.process_log"})


class PoolTests(SynchronousTestCase):
    def test_a_connection_is_no_line_of_the_log(self) -> None:
        """Twisted would say so of each that it opens and closes."""
        logged: list[Any] = []
        observer: Any = logged.append
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)
        clock = MemoryReactorClock()
        pool = quiet_pool(clock)
        connecting = pool.getConnection("key", TCP4ClientEndpoint(clock, "127.0.0.1", 1))
        [(_, _, factory, *_)] = clock.tcpClients
        factory.doStart()
        protocol: Any = factory.buildProtocol(None)
        protocol.makeConnection(StringTransport())
        self.successResultOf(connecting)
        factory.doStop()
        self.assertEqual(logged, [])
