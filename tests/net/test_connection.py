"""A connection: what it hears, in whose turn, what it writes at once, and how it ends."""

import socket
from typing import Any

from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.context import Cork
from gamehost.testing.transport import StrictTransport
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost


class ConnectionCase(SynchronousTestCase):
    """Connections of the toy wire."""

    def connected(self, **limits: str) -> tuple[MemoryHost, Client]:
        world = MemoryHost({f"limits.{name}": text for name, text in limits.items()}, wires=(TOY_WIRE,))
        return world, world.connect("toy")


class HearingTests(ConnectionCase):
    """Order, turns and rates."""

    def test_pipelined_messages_are_heard_in_order(self) -> None:
        """Row 2: a hundred in one segment, each answered, in their order."""
        _, client = self.connected()
        client.say(*(f"say {number}" for number in range(2, 102)))
        self.assertEqual([len(line) for line in client.heard()], list(range(1, 101)))

    def test_a_message_has_its_own_time(self) -> None:
        """Row 10: what begins behind a message that is whole, in its segment, is not measured from that one's beginning."""
        for messages in (1, 64, 65):
            world, client = self.connected(unlimited="yes", login_seconds="1000")
            client.send(b"sa")
            world.wait(7)
            client.send(b"y 2\n" + b"say 2\n" * (messages - 1) + b"sa")
            world.wait(7)
            self.assertFalse(client.closed)
            world.wait(4)
            self.assertEqual(client.heard(), ["x"] * messages + ["bye a message not finished within 10 s"])

    def test_flood_of_delimiters_ends_at_the_rate(self) -> None:
        """Row 3: 64 KiB of bare line ends are counted like messages."""
        world, client = self.connected(refusals="1000")
        client.send(b"\n" * 65_536)
        self.assertEqual(client.heard()[-1], "error too many messages")
        world.wait(2)
        self.assertTrue(client.closed)

    def test_moves_that_are_accepted_do_not_count(self) -> None:
        """Two quick bots are no flood; what is refused counts as ever."""
        world = MemoryHost({"toy.goal": "100", "limits.messages_burst": "5"}, wires=(TOY_WIRE,))
        bots = [world.connect("toy"), world.connect("toy")]
        for bot, name in zip(bots, ("ann", "bob"), strict=True):
            bot.say(f"hi {name}")
        for turn in range(12):
            bots[turn % 2].say("+1")
        self.assertFalse(bots[0].closed or bots[1].closed)
        bots[1].say(*["+1"] * 6)
        self.assertTrue(bots[1].closed)

    def test_messages_at_the_long_run_rate_are_heard_for_ever(self) -> None:
        """Row 11: slow, whole messages are nobody's fault."""
        world, client = self.connected()
        client.say("hi ann")
        for _ in range(300):
            client.say("say 2")
            world.wait(0.2)
        self.assertFalse(client.closed)

    def test_twenty_refusals_within_twenty_seconds_end_a_connection(self) -> None:
        """The twentieth is the last one; slower ones are forgiven."""
        world, client = self.connected(messages_burst="1000")
        client.say("hi ann")
        for _ in range(19):
            client.say("nonsense")
        self.assertFalse(client.closed)
        self.assertEqual(client.ask("nonsense"), ["what?", "bye too many refusals"])
        world.wait(2)
        self.assertTrue(client.closed)
        slow = world.connect("toy")
        slow.say("hi bob")
        for _ in range(50):
            slow.say("nonsense")
            world.wait(1.1)
        self.assertFalse(slow.closed)

    def test_a_fault_in_hearing_ends_that_connection_alone(self) -> None:
        """It is logged with its traceback; the host goes on."""
        world, client = self.connected()
        client.say("boom")
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.assertTrue(client.closed)
        self.assertEqual(world.connect("toy").ask("say 3"), ["xx"])

    def test_nothing_of_the_segment_is_heard_after_hanging_up(self) -> None:
        """Law 7: broken stays broken."""
        world, client = self.connected()
        client.transport.receive(b"go\nhi ann\n")
        self.assertEqual(len(world.lobby.registry), 0)
        client.protocol.dataReceived(b"hi ann\n")
        self.assertEqual(len(world.lobby.registry), 0)

    def test_hanging_up_in_mid_turn_leaves_no_timer(self) -> None:
        """A connection that is lost while its messages wait for their turn is forgotten whole."""
        world, client = self.connected(unlimited="yes")
        client.transport.receive(b"say 2\n" * 100)
        client.transport.hang_up()
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_move_then_half_close_is_heard_first(self) -> None:
        """Row 15: what came before the end of the stream counts."""
        world, ann = self.connected()
        bob = world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        bob.heard()
        ann.transport.receive(b"+1\n")
        ann.drop()
        self.assertEqual(bob.heard(), ["count 1 9", "away 0"])


class WritingTests(ConnectionCase):
    """What is said in one turn is one write; what is not read is bounded."""

    def test_one_write_a_turn_for_each_connection(self) -> None:
        """Two words of one turn go out together, to the mover and to the other."""
        world, ann = self.connected()
        bob = world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        writes: list[bytes] = []
        for client in (ann, bob):
            write = client.transport.write
            client.transport.write = lambda data, write=write: (writes.append(data), write(data))  # type: ignore
        ann.send(b"+1\n+1\n")
        self.assertEqual(sorted(writes), [b"count 1 9\n", b"count 1 9\nno not your turn\n"])

    def test_a_dropped_players_seat_survives_being_cut_off(self) -> None:
        """Row 12: the seat is in grace, like after any other loss."""
        world, ann = self.connected()
        bob = world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        bob.transport.reads = False
        bob.say("say 70000")
        world.wait(11)
        self.assertEqual(ann.heard()[-1], "away 1")
        again = world.connect("toy")
        self.assertEqual(again.ask("hi bob"), ["back 1 0 9"])


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
        other = world.connect("toy")
        other.protocol.dataReceived(b"hi bob\n")
        self.assertEqual(other.heard(), ["bye too many connections"])
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


class TransportTests(ConnectionCase):
    """Other transports than TCP."""

    def test_transport_without_sockets(self) -> None:
        """A transport that has no Nagle and no address is as good."""
        world, _ = self.connected()
        protocol = world.factories["toy"].buildProtocol(UNIXAddress("/nowhere"))
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
        world.settle()
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
