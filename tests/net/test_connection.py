"""A connection: its life from the first call of the transport to the last one."""

import re
import socket
from typing import Any

from attrs import evolve
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.testing import StringTransport
from twisted.logger import Logger, LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.connection import KINDS, OTHER, kind_of
from gamehost.net.deadlines import Cork
from gamehost.net.limiter import MOST_BEING_REFUSED
from gamehost.testing.transport import StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.reactors import Lines
from tests.kit.sources import read_sources


class ConnectionCase(SynchronousTestCase):
    """Connections of the toy wire."""

    def connected(self, **limits: str) -> tuple[MemoryHost, Client]:
        world = MemoryHost({f"limits.{name}": text for name, text in limits.items()}, wires=(TOY_WIRE,))
        return world, world.connect("toy")


class ClosingTests(ConnectionCase):
    """Closing always ends."""

    def test_last_words_are_sent_before_the_close(self) -> None:
        """What was said in the same turn arrives."""
        _, client = self.connected()
        client.say("say 4", "go")
        self.assertEqual(client.heard(), ["xxx"])
        self.assertTrue(client.closed)

    def test_close_ends_within_two_seconds_even_if_nobody_reads(self) -> None:
        """Then it is aborted."""
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
        """It is told why and closed, and what it says is not heard."""
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
        """Its place is another's."""
        world, client = self.connected(connections="1")
        client.drop()
        self.assertEqual(world.context.limiter.count, 0)
        self.assertEqual(world.connect("toy").ask("say 3"), ["xx"])

    def test_host_that_stops_tells_everybody_and_waits_for_them(self) -> None:
        """The Deferred fires when the last connection is gone."""
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
        """Row 9: a person who has sent a byte within ten seconds has sixty; a client that sends nothing has ten."""
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
        """Row 10: somebody may be typing it. After the log-in it has ten seconds, as the deadline for logging in is over."""
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
        """What was sent before the log-out does not count as a beginning."""
        world, client = self.connected()
        client.send(b"say 2\n")
        client.heard()
        client.protocol.logged_in()
        client.protocol.logged_out()
        world.wait(10)
        self.assertEqual(client.heard(), ["bye not logged in within 10 s"])

    def test_alarms(self) -> None:
        """One at a time, until it rings, is called off, or the connection is gone."""
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
    """Connections that may not stay."""

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
    """Other transports than TCP."""

    def test_transport_without_sockets(self) -> None:
        """A transport that has no Nagle and no address is as good."""
        world, _ = self.connected()
        protocol = world.factories["toy"].buildProtocol(UNIXAddress("/nowhere"))
        assert protocol is not None
        transport = StringTransport()
        protocol.makeConnection(transport)
        protocol.dataReceived(b"say 3\n")
        self.assertEqual(transport.value(), b"xx\n")
        self.assertEqual(protocol.address, "")

    def test_strict_transport_is_strict(self) -> None:
        """A write after the close fails, and `connectionLost` comes once."""
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
    """What the system is told about a connection's socket."""

    def test_a_pulled_cable_is_found_within_35_seconds(self) -> None:
        """Row 14: with somebody told something at the last moment too, when the system begins to wait anew."""
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
    """Holding back what is said within one turn."""

    class Flushed:
        """Notes its flushes."""

        def __init__(self) -> None:
            self.flushes = 0

        def flush(self) -> None:
            """Note one."""
            self.flushes += 1

    def test_outside_of_a_turn_nothing_is_held_back(self) -> None:
        """A timer that says something need not know of corks."""
        thing = self.Flushed()
        Cork().add(thing)
        self.assertEqual(thing.flushes, 1)

    def test_turns_within_turns_flush_once_at_the_end(self) -> None:
        """Only the outermost lets go."""
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
    """The reasons for which the host ends a connection have few kinds, and its own reasons are known."""

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
        """Whatever a client sends becomes no kind of its own."""
        self.assertEqual(kind_of("expected LOGIN and one field, the username"), OTHER)
        self.assertEqual(kind_of("expected LOGIN", "protocol"), "protocol")
        self.assertEqual(kind_of("too many bytes", "protocol"), "rate")
        self.assertLess(len(KINDS), 20)

    def test_connections_are_counted(self) -> None:
        """Of a factory: those that were admitted, refusals, and hang-ups by kind."""
        world = MemoryHost({"limits.connections": "2", "limits.refusals": "2"}, wires=(TOY_WIRE,))
        world.connect("toy").say("hi ann")
        world.connect("toy").say("bad", "bad", "bad")
        world.connect("toy")
        world.connect("toy")
        factory = world.factories["toy"]
        self.assertEqual(factory.admitted, 3)
        self.assertEqual(factory.hang_ups.total(), 1)
        self.assertEqual(world.context.limiter.refusals, {"full": 1})
