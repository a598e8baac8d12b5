"""A connection: its life from the first call of the transport to the last one."""

import re
import socket
import tracemalloc
from typing import Any

from attrs import evolve
from twisted.internet import tcp
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import Logger, LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost._twisted import ImmediateServer
from gamehost.net.connection import KINDS, OTHER, kind_of
from gamehost.net.context import ConnectionBounds, Cork, Deadline, Deadlines, Ticker
from gamehost.net.endpoints import send_at_once
from gamehost.net.limiter import MOST_BEING_REFUSED
from gamehost.rates import TokenBucket
from gamehost.testing.memory_host import BOUNDS, BUFFER, StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.reactors import Lines
from tests.kit.sources import read_sources
from tests.test__twisted import NotingReactor


class ConnectionCase(SynchronousTestCase):
    def connected(self, bounds: ConnectionBounds = BOUNDS, **limits: str) -> tuple[MemoryHost, Client]:
        settings = {f"limits.{name}": text for name, text in limits.items()}
        world = MemoryHost(settings, wires=(TOY_WIRE,), bounds=bounds)
        return world, world.connect("toy")


class ClosingTests(ConnectionCase):
    def test_last_words_are_sent_before_the_close(self) -> None:
        _, client = self.connected()
        client.say("say 4", "go")
        self.assertEqual(client.heard(), ["xxx"])
        self.assertTrue(client.closed)

    def test_close_ends_within_two_seconds_even_if_nobody_reads(self) -> None:
        world, client = self.connected()
        client.transport.reads = False
        client.say("say 70000")
        client.protocol.close_with("enough")
        world.wait(1.9)
        self.assertFalse(client.closed)
        world.wait(0.2)
        self.assertTrue(client.closed)
        self.assertTrue(client.transport.aborted)

    def test_connection_that_may_not_stay_hears_nothing(self) -> None:
        world, _ = self.connected(connections="1")
        world.factories["toy"].log = Logger("test", observer=(lines := Lines()))
        other = world.connect("toy")
        other.protocol.dataReceived(b"hi bob\n")
        self.assertEqual(other.heard(), ["bye too many connections"])
        self.assertEqual(lines.of(LogLevel.info), ["toy: refused '192.0.2.1': too many connections"])
        self.assertEqual(len(world.lobby.registry), 0)
        world.wait(2)
        self.assertTrue(other.closed)
        self.assertEqual(world.context.limiter.count, 1)

    def test_connection_that_is_gone_counts_no_more(self) -> None:
        world, client = self.connected(connections="1")
        client.drop()
        self.assertEqual(world.context.limiter.count, 0)
        self.assertEqual(world.connect("toy").ask("say 3"), ["xx"])

    def test_host_that_stops_tells_everybody_and_waits_for_them(self) -> None:
        world, client = self.connected()
        client.say("hi ann")
        client.transport.reads = False
        client.say("say 70000")
        gone = world.factories["toy"].close("the host is stopping")
        self.assertNoResult(gone)
        self.assertEqual(client.heard()[-1], "bye the host is stopping")
        world.wait(2)
        self.successResultOf(gone)
        self.successResultOf(world.factories["toy"].close("again"))

    def test_who_has_logged_out_has_as_long_as_a_new_connection(self) -> None:
        """It is closed like one that never logged in; a second word of it gives no more time."""
        world, client = self.connected()
        client.protocol.logged_in()
        world.wait(100)
        client.protocol.logged_out()
        world.wait(5)
        client.protocol.logged_out()
        world.wait(5)
        self.assertTrue(client.transport.disconnecting or client.closed)

    def test_a_client_that_has_begun_has_longer_to_log_in(self) -> None:
        """A person who has sent a byte within ten seconds has sixty; a client that sends nothing has ten."""
        for sent, seconds in ((b"", 10), (b"h", 60), (b"say 2\n", 60)):
            world, client = self.connected()
            world.wait(5)
            if sent:
                client.send(sent)
                client.heard()
            world.wait(4.9)
            self.assertEqual(client.heard(), [])
            world.wait(0.1)
            world.wait(seconds - 10)
            self.assertEqual(client.heard(), [f"bye not logged in within {seconds} s"])

    def test_a_wire_can_give_more_time_to_log_in(self) -> None:
        """Its clients have that time whether they have begun or not. It never shortens the time of the limits."""
        for of_wire, sent, seconds in (
            (120.0, b"", 120),
            (120.0, b"say 2\n", 120),
            (5.0, b"", 10),
            (5.0, b"say 2\n", 60),
        ):
            world = MemoryHost(wires=(evolve(TOY_WIRE, login_seconds=of_wire),))
            client = world.connect("toy")
            client.send(sent)
            client.heard()
            world.wait(9.9)
            self.assertEqual(client.heard(), [])
            world.wait(0.1)
            world.wait(seconds - 10)
            self.assertEqual(client.heard(), [f"bye not logged in within {seconds} s"])

    def test_a_message_before_the_log_in_may_take_as_long(self) -> None:
        """Somebody may be typing it. After the log-in it has ten seconds, as the deadline for logging in is over."""
        world, client = self.connected()
        client.send(b"hi a")
        world.wait(10)
        world.wait(40)
        client.send(b"nn\nsa")
        self.assertEqual(len(world.lobby.registry), 1)
        world.wait(9.9)
        self.assertFalse(client.closed)
        world.wait(0.2)
        self.assertEqual(client.heard(), ["bye a message not finished within 10 s"])

    def test_a_log_out_begins_the_time_anew(self) -> None:
        world, client = self.connected()
        client.send(b"say 2\n")
        client.heard()
        client.protocol.logged_in()
        client.protocol.logged_out()
        world.wait(10)
        self.assertEqual(client.heard(), ["bye not logged in within 10 s"])

    def test_alarms(self) -> None:
        world, client = self.connected(login_seconds="1000")
        rung: list[int] = []
        client.protocol.alarm(5, lambda: rung.append(1))
        client.protocol.alarm(6, lambda: rung.append(2))
        world.wait(7)
        self.assertEqual(rung, [2])
        client.protocol.alarm(5, lambda: rung.append(3))
        client.protocol.no_alarm()
        client.protocol.no_alarm()
        client.protocol.alarm(8, lambda: rung.append(4))
        client.drop()
        world.wait(10)
        self.assertEqual(rung, [2])
        client.protocol.alarm(5, lambda: rung.append(5))
        client.protocol.logged_out()
        self.assertEqual(world.clock.getDelayedCalls(), [])


class RefusalTests(ConnectionCase):
    def test_many_at_once(self) -> None:
        """Each has a file until its client has read why, so most are closed without a word. The next ones are told again."""
        world, _ = self.connected(connections="1")
        told = [world.connect("toy", f"203.0.113.{number}") for number in range(MOST_BEING_REFUSED)]
        self.assertEqual({client.heard()[0] for client in told}, {"bye too many connections"})
        world.wait(2)
        slow = []
        for number in range(MOST_BEING_REFUSED):
            protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", f"203.0.113.{number}", 1))
            assert protocol is not None
            transport = StrictTransport(world.clock)
            transport.reads = False
            transport.protocol = protocol
            protocol.makeConnection(transport)
            slow.append(transport)
        self.assertEqual(world.context.limiter.being_refused, MOST_BEING_REFUSED)
        self.assertIsNone(world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1)))
        world.wait(2)
        self.assertTrue(all(transport.disconnected for transport in slow))
        self.assertEqual((world.context.limiter.being_refused, world.context.limiter.count), (0, 1))
        self.assertEqual(world.connect("toy").heard(), ["bye too many connections"])

    def test_one_address_is_told_at_the_rate_of_connections(self) -> None:
        """Who comes again at once is closed without a word: that costs a tenth. It is not logged either, and it counts."""
        world, _ = self.connected(connections="1", new_burst="3", new_per_second="1")
        factory, came = world.factories["toy"], IPv4Address("TCP", "203.0.113.7", 1)
        factory.log = Logger("test", observer=(lines := Lines()))
        told = [world.connect("toy", came.host) for _ in range(3)]
        self.assertEqual({client.heard()[0] for client in told}, {"bye too many connections"})
        self.assertEqual([factory.buildProtocol(came) for _ in range(5)], [None] * 5)
        self.assertEqual(world.connect("toy", "203.0.113.8").heard(), ["bye too many connections"])
        self.assertEqual((len(lines.of(LogLevel.info)), world.context.limiter.refused), (4, 9))
        world.wait(1)
        self.assertEqual(world.connect("toy", came.host).heard(), ["bye too many connections"])


class TransportTests(ConnectionCase):
    def test_transport_without_sockets(self) -> None:
        world, _ = self.connected()
        protocol = world.factories["toy"].buildProtocol(UNIXAddress("/nowhere"))
        assert protocol is not None
        transport = StringTransport()
        protocol.makeConnection(transport)
        protocol.dataReceived(b"say 3\n")
        self.assertEqual(transport.value(), b"xx\n")
        self.assertEqual(protocol.address, "")

    def test_strict_transport_is_strict(self) -> None:
        world, client = self.connected()
        transport = client.transport
        protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.5", 1))
        bare = StrictTransport(world.clock)
        bare.protocol = protocol
        bare.loseConnection()
        self.assertRaises(AssertionError, bare.write, b"x")
        transport.abortConnection()
        self.assertFalse(transport.disconnecting, "TCP leaves it alone")
        world.until_idle()
        transport.hang_up()
        self.assertTrue(transport.disconnected)


class SocketTests(ConnectionCase):
    def test_a_pulled_cable_is_found_within_35_seconds(self) -> None:
        """With somebody told something at the last moment too, when the system begins to wait anew."""
        world, _ = self.connected()
        with socket.socket() as handle:
            transport: Any = StrictTransport(world.clock)
            transport.getHandle = lambda: handle
            transport.protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
            transport.protocol.makeConnection(transport)
            idle, every, most = (
                handle.getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_USER_TIMEOUT)
            )
        self.assertLessEqual(idle + every, most / 1000)
        self.assertLessEqual(2 * most / 1000 + every - 1, 35)


class CorkTests(SynchronousTestCase):
    class Flushed:
        def __init__(self) -> None:
            self.flushes = 0

        def flush(self) -> None:
            self.flushes += 1

    def test_outside_of_a_turn_nothing_is_held_back(self) -> None:
        """A timer that says something need not know of corks."""
        thing = self.Flushed()
        Cork().add(thing)
        self.assertEqual(thing.flushes, 1)

    def test_turns_within_turns_flush_once_at_the_end(self) -> None:
        cork, thing = Cork(), self.Flushed()
        with cork:
            with cork:
                cork.add(thing)
            self.assertEqual(thing.flushes, 0)
        self.assertEqual(thing.flushes, 1)


#: What ends a connection in a call with a text of its own, as `f"{...}"` or not.
_CALL = re.compile(r'\b(?:hang_up|close_with|abort)\(f?"([^"{]+)')

#: Reasons that are not worth a kind of their own.
RARE = ("a draw before the first move",)


class HangUpsTests(SynchronousTestCase):
    def test_own_reasons_are_known(self) -> None:
        """Every text in the host's sources; so none of them is counted as another."""
        reasons = [
            reason
            for name, text in read_sources("gamehost").items()
            if name.startswith(("gamehost.net.", "gamehost.wires.", "gamehost.web."))
            for reason in _CALL.findall(text)
        ]
        self.assertGreater(len(reasons), 8)
        unknown = [reason for reason in reasons if kind_of(reason) == OTHER and not reason.startswith(RARE)]
        self.assertEqual(unknown, [])

    def test_kinds_are_few(self) -> None:
        self.assertEqual(kind_of("expected LOGIN and one field, the username"), OTHER)
        self.assertEqual(kind_of("expected LOGIN", "protocol"), "protocol")
        self.assertEqual(kind_of("too many bytes", "protocol"), "rate")
        self.assertLess(len(KINDS), 20)

    def test_connections_are_counted(self) -> None:
        world = MemoryHost({"limits.connections": "2"}, wires=(TOY_WIRE,), bounds=ConnectionBounds(refusals=2))
        world.connect("toy").say("hi ann")
        world.connect("toy").say("bad", "bad", "bad")
        world.connect("toy")
        world.connect("toy")
        factory = world.factories["toy"]
        self.assertEqual(factory.admitted, 3)
        self.assertEqual(factory.hang_ups.total(), 1)
        self.assertEqual(world.context.limiter.refusals, {"full": 1})


# What connections cost: those that say nothing, those that read nothing, and those that are not there any more.


class SocketTransport(StrictTransport):
    def __init__(self, world: MemoryHost) -> None:
        super().__init__(world.clock)
        self.socket = socket.socket()

    def getHandle(self) -> socket.socket:
        return self.socket


class Layer(StrictTransport):
    """A transport above another one, as TLS is; its own handle is no socket."""

    def __init__(self, world: MemoryHost, below: SocketTransport) -> None:
        super().__init__(world.clock)
        self.transport = below

    def getHandle(self) -> object:
        return object()


class CostTests(SynchronousTestCase):
    def test_silent_connection(self) -> None:
        """One that has not logged in costs at most 10 KiB, the test's own end included."""
        world = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        world.connect("toy").say("hi ann")
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            clients = [world.connect("toy") for _ in range(200)]
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        self.assertLess((after - before) / len(clients), 10_240)

    def test_clients_that_never_read(self) -> None:
        """None has more than 128 KiB and a message waiting: a thousand have 128 MiB; all are cut off."""
        world = MemoryHost({"limits.unlimited": "yes"}, wires=(TOY_WIRE,))
        clients = [world.connect("toy") for _ in range(10)]
        most = 0
        for client in clients:
            client.transport.reads = False
            for _ in range(1_000):
                if client.transport.aborted:
                    break
                client.say("say 1000")
                client.protocol.say("x" * 1000)
                waiting = client.transport.queued + client.protocol.output.pending_bytes
                most = max(most, waiting)
        self.assertGreater(most, BUFFER)
        self.assertLessEqual(most, 128 * 1024 + 1000)
        world.wait(0)
        self.assertTrue(all(client.closed for client in clients))
        self.assertEqual(world.context.limiter.count, 0)

    def test_first_byte_that_is_not_taken(self) -> None:
        """Over real sockets the ten seconds begin when the system is full, and no more is asked for then."""
        world = MemoryHost({"limits.unlimited": "yes", "limits.login_seconds": "1000"}, wires=(TOY_WIRE,))
        reactor: Any = NotingReactor()
        reactor.callLater = world.clock.callLater
        port: Any = tcp.Port(0, Factory(), reactor=reactor)
        port._realPortNumber = 0
        port.socket = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(port.socket.close)
        send_at_once(port)
        theirs = socket.socket()
        self.addCleanup(theirs.close)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        theirs.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        theirs.connect(port.socket.getsockname())
        ours, _ = port.socket.accept()
        ours.setblocking(False)
        protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        assert protocol is not None
        server = ImmediateServer(ours, protocol, ("192.0.2.1", 1), port, 0, reactor)
        protocol.makeConnection(server)
        asked = 0
        while server in reactor.readers and asked < 1_000:
            theirs.sendall(b"say 1000\n")
            server.doRead()
            world.wait(0.01)
            asked += 1
        self.assertLess(len(server.dataBuffer) + server._tempDataLen, 2_000)
        world.wait(9.8)
        self.assertIn(server, reactor.writers)
        world.wait(0.3)
        self.assertTrue(server.disconnected)

    def test_other_side_that_is_gone(self) -> None:
        """A pulled cable is found within 35 seconds, idle or with words on their way; under TLS as well."""
        world = MemoryHost(wires=(TOY_WIRE,))
        for layered in (False, True):
            below = SocketTransport(world)
            transport: Any = Layer(world, below) if layered else below
            transport.protocol = world.factories["toy"].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
            transport.protocol.makeConnection(transport)
            self.addCleanup(below.socket.close)
            idle, every, tries, unanswered = (
                below.socket.getsockopt(socket.IPPROTO_TCP, option)
                for option in (
                    socket.TCP_KEEPIDLE,
                    socket.TCP_KEEPINTVL,
                    socket.TCP_KEEPCNT,
                    socket.TCP_USER_TIMEOUT,
                )
            )
            self.assertLessEqual(idle + every * tries, 35)
            self.assertTrue(0 < unanswered <= 35_000)


# The deadlines of a connection.


class DeadlinesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.cork = Cork()
        self.deadlines = Deadlines(self.clock, self.cork)
        self.due: list[str] = []

    def test_due(self) -> None:
        def again() -> None:
            self.due.append("first")
            self.deadlines.set(Deadline.LOGIN, 1, lambda: self.due.append("second"))

        self.deadlines.set(Deadline.LOGIN, 2, again)
        self.assertIn(Deadline.LOGIN, self.deadlines)
        self.clock.advance(1.9)
        self.assertEqual(self.due, [])
        self.clock.advance(0.1)
        self.assertEqual(self.due, ["first"])
        self.clock.advance(1)
        self.assertEqual(self.due, ["first", "second"])
        self.assertFalse(self.deadlines)

    def test_cancelled(self) -> None:
        for deadline in Deadline:
            self.deadlines.set(deadline, 1, lambda: self.due.append("due"))
        self.deadlines.cancel(Deadline.ALARM)
        self.deadlines.cancel(Deadline.ALARM)
        self.assertNotIn(Deadline.ALARM, self.deadlines)
        self.assertIn(Deadline.LOGIN, self.deadlines)
        self.deadlines.cancel_all()
        self.assertFalse(self.deadlines)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_what_is_sent_when_it_is_due_is_one_write(self) -> None:
        flushes: list[str] = []

        class Flushed:
            def flush(self) -> None:
                flushes.append("flushed")

        def due() -> None:
            self.cork.add(Flushed())
            self.due.append(f"{len(flushes)} before the end")

        self.deadlines.set(Deadline.ALARM, 1, due)
        self.clock.advance(1)
        self.assertEqual((self.due, flushes), (["0 before the end"], ["flushed"]))


# One timer for many: who is looked at, when, and that nothing is left of it.


class PulseTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.pulse = Ticker(self.clock)
        self.heard: list[tuple[str, float]] = []

    def join(self, name: str) -> None:
        self.pulse.join(name, 5.0, lambda now: self.heard.append((name, now)))

    def test_all_members_beat_together_on_one_timer(self) -> None:
        self.join("ann")
        self.clock.advance(2)
        self.join("bob")
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)
        self.clock.advance(3)
        self.clock.advance(5)
        self.assertEqual(self.heard, [("ann", 5.0), ("bob", 5.0), ("ann", 10.0), ("bob", 10.0)])

    def test_no_timer_while_nobody_is_there(self) -> None:
        self.join("ann")
        self.join("bob")
        self.pulse.leave("ann")
        self.pulse.leave("ann")
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)
        self.pulse.leave("bob")
        self.pulse.leave("carl")
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.join("ann")
        self.clock.advance(5)
        self.assertEqual([name for name, _ in self.heard], ["ann"])

    def test_who_is_made_to_leave_by_another_is_not_looked_at(self) -> None:
        self.pulse.join("ann", 5.0, lambda now: self.pulse.leave("bob"))
        self.join("bob")
        self.clock.advance(5)
        self.assertEqual(self.heard, [])


class GivenBackTests(SynchronousTestCase):
    def test_a_token_given_back_can_be_taken_again(self) -> None:
        bucket = TokenBucket(0.0, 1, 0.0)
        bucket.give_back()
        self.assertTrue(bucket.take(0.0))
        self.assertFalse(bucket.take(0.0))
        bucket.give_back()
        self.assertTrue(bucket.take(0.0))
        self.assertFalse(bucket.take(0.0))
