"""The input of a connection: the order of messages, turns among connections, and rates."""

from gamehost.net.context import ConnectionBounds
from gamehost.net.streams import SEGMENT
from tests.kit.example_game import TOY_WIRE
from tests.kit.memory_host import Client, MemoryHost
from tests.net.test_connection import ConnectionCase


def rounds(world: MemoryHost, client: Client, number: int = 10) -> list[int]:
    lengths = []
    for _ in range(number):
        world.wait(0.01)
        lengths += [len(line) for line in client.heard()]
    return lengths


class HearingTests(ConnectionCase):
    def test_pipelined_messages_are_heard_in_order(self) -> None:
        """A hundred in one segment, each answered, in their order."""
        _, client = self.connected()
        client.say(*(f"say {number}" for number in range(2, 102)))
        self.assertEqual([len(line) for line in client.heard()], list(range(1, 101)))

    def test_a_message_has_its_own_time(self) -> None:
        """What begins behind a message that is whole, in its segment, is not measured from that one's beginning."""
        for messages in (1, 64, 65):
            world, client = self.connected(unlimited="yes")
            client.say("hi ann")
            client.send(b"sa")
            world.wait(7)
            client.send(b"y 2\n" + b"say 2\n" * (messages - 1) + b"sa")
            world.wait(7)
            self.assertFalse(client.closed)
            world.wait(4)
            self.assertEqual(client.heard(), ["x"] * messages + ["bye a message not finished within 10 s"])

    def test_a_negotiation_has_the_time_of_a_message(self) -> None:
        """What telnet negotiates may come in pieces, and a client that has sent all of it may be silent."""
        world, client = self.connected()
        for piece in (b"hi ann\n\xff", b"\xfb", b"\x01"):
            client.send(piece)
            world.wait(4)
        world.wait(60)
        self.assertFalse(client.closed)
        client.send(b"\xff\xfb")
        world.wait(11)
        self.assertEqual(client.heard(), ["bye a message not finished within 10 s"])

    def test_flood_of_delimiters_ends_at_the_rate(self) -> None:
        """64 KiB of bare line ends are counted like messages."""
        world, client = self.connected(ConnectionBounds(refusals=1_000))
        client.send(b"\n" * 65_536)
        self.assertEqual(client.heard()[-1], "error too many messages")
        world.wait(2)
        self.assertTrue(client.closed)

    def test_bytes_that_make_no_message_end_at_their_rate(self) -> None:
        """Telnet's option negotiation makes no message, so the rate of messages never sees it."""
        world, client = self.connected()
        client.say("hi ann")
        for _ in range(64):
            client.send(b"\xff\xfb\x01" * 1_024)
            world.wait(0.1)
        self.assertFalse(client.closed, "32 KiB a second may last as long as the burst")
        client.heard()
        for _ in range(128):
            client.send(b"\xff\xfb\x01" * 1_024)
            world.wait(0.01)
        self.assertEqual(client.heard(), ["error too many bytes"])
        world.wait(2)
        self.assertTrue(client.closed)

    def test_short_segments_count_for_more(self) -> None:
        """The work for a segment is in the call: a flood of single bytes is as dear as one of 256 bytes each."""
        world, client = self.connected(ConnectionBounds(bytes_per_second=2_560, bytes_at_once=16_384))
        for _ in range(100):
            client.send(b"\xff")
            client.send(b"\xfb")
            client.send(b"\x01")
            world.wait(0.3)
        self.assertFalse(client.closed, "ten segments a second are within the rate")
        for byte in (b"\xff\xfb\x01" * 22)[:65]:
            client.send(bytes([byte]))
        self.assertEqual(client.heard()[-1], "error too many bytes")

    def test_messages_in_many_segments_are_no_flood(self) -> None:
        """A client that sends each field on its own, at the rate of messages, pays nothing for that."""
        world, client = self.connected()
        client.say("hi ann")
        for _ in range(1_000):
            for field in (b"s", b"a", b"y", b" ", b"3", b"\n"):
                client.send(field)
            self.assertEqual(client.heard()[-1], "xx")
            world.wait(0.2)

    def test_messages_give_back_no_more_than_was_charged(self) -> None:
        """However short and many they are, in whatever segments: else they would pay for bytes that make no message."""
        bounds = ConnectionBounds(bytes_per_second=0.001, refusals=100_000)
        world, client = self.connected(bounds, messages_per_second="5000")
        received = client.protocol.input
        client.send(b"\xff\xfb\x01" * 20_000)
        for segment in (b"say 2\n", b"say 2\n" * 60, b"say 2\n" * 200, b"say", b" 2\n"):
            client.send(segment)
            rounds(world, client)
            self.assertGreaterEqual(received._bytes.missing, 59_999)
            self.assertEqual(received._charged, SEGMENT if segment == b"say" else 0)

    def test_short_segments_are_joined(self) -> None:
        """Above 32 KiB, a connection with short segments is read twenty times a second: the system joins them meanwhile."""
        world, client = self.connected()
        for _ in range(129):
            client.send(b"\xff\xfb\x01")
        received = client.protocol.input.bytes_received
        client.send(b"\xff")
        world.wait(0.04)
        client.send(b"\xfb")
        self.assertEqual(client.protocol.input.bytes_received, received)
        world.wait(0.02)
        self.assertEqual(client.protocol.input.bytes_received, received + 2)
        client.send(b"\x01say 3\n")
        world.wait(0.06)
        world.wait(0.01)
        self.assertEqual(client.heard(), ["xx"])

    def test_many_bytes_wait_for_a_turn(self) -> None:
        """Above 32 KiB, a connection's bytes are handled in the time that others leave, also if they make no message."""
        world, client = self.connected(ConnectionBounds(refusals=100_000), messages_per_second="5000")
        client.send(b"\xff\xfb\x01" * 8_000)
        client.send(b"\xff\xfb\x01" * 4_000)
        client.transport.receive(b"\xff\xfb\x01" * 100 + b"say 3\n")
        self.assertEqual(client.heard(), [])
        world.wait(0.01)
        self.assertEqual(client.heard(), ["xx"])
        world.wait(1)
        client.transport.receive(b"say 3\n")
        self.assertEqual(client.heard(), ["xx"], "a second later it is one of the others again")

    def test_with_the_rates_lifted_bytes_do_not_count(self) -> None:
        _, client = self.connected(unlimited="yes")
        for _ in range(32):
            client.send(b"\xff\xfb\x01" * 10_000)
        self.assertEqual(client.ask("say 3"), ["xx"])

    def test_moves_that_are_accepted_do_not_count(self) -> None:
        """Two quick bots are no flood; what is refused counts as ever."""
        world = MemoryHost({"toy.goal": "100", "limits.messages_per_second": "0.25"}, wires=(TOY_WIRE,))
        bots = [world.connect("toy"), world.connect("toy")]
        for bot, name in zip(bots, ("ann", "bob"), strict=True):
            bot.say(f"hi {name}")
        for turn in range(12):
            bots[turn % 2].say("+1")
        self.assertFalse(bots[0].closed or bots[1].closed)
        bots[1].say(*["+1"] * 6)
        self.assertTrue(bots[1].closed)

    def test_messages_at_the_long_run_rate_are_heard_for_ever(self) -> None:
        """Slow, whole messages are nobody's fault."""
        world, client = self.connected()
        client.say("hi ann")
        for _ in range(300):
            client.say("say 2")
            world.wait(0.2)
        self.assertFalse(client.closed)

    def test_twenty_refusals_within_twenty_seconds_end_a_connection(self) -> None:
        world, client = self.connected(messages_per_second="50")
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
        world, client = self.connected(unlimited="yes")
        client.transport.receive(b"say 2\n" * 100)
        client.transport.hang_up()
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_move_then_half_close_is_heard_first(self) -> None:
        """What came before the end of the stream counts."""
        world, ann = self.connected()
        bob = world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        bob.heard()
        ann.transport.receive(b"+1\n")
        ann.drop()
        self.assertEqual(bob.heard(), ["count 1 9", "away 0"])


class TurnsTests(ConnectionCase):
    def test_others_are_heard_after_64_messages(self) -> None:
        """A flood of one connection waits for the turn of the others."""
        world, client = self.connected(unlimited="yes")
        client.transport.receive(b"say 2\n" * 150)
        self.assertEqual(len(client.heard()), 64)
        other = world.connect("toy")
        other.transport.receive(b"say 3\n")
        self.assertEqual((client.heard(), other.heard()), ([], ["xx"]))
        world.wait(0.1)
        self.assertEqual(len(client.heard()), 64)
        world.wait(0.1)
        self.assertEqual(len(client.heard()), 22)

    def test_turn_ends_with_its_time(self) -> None:
        """Messages that take long are fewer in a turn: the clock is looked at after each."""
        world, client = self.connected(unlimited="yes")
        encode = client.protocol._codec.encode

        def slowly(message: str) -> bytes:
            world.clock.rightNow += 0.0004
            return encode(message)

        client.protocol._codec.encode = slowly  # type: ignore[method-assign]
        client.transport.receive(b"say 2\n" * 10)
        self.assertEqual(len(client.heard()), 2)

    def test_while_others_wait_a_segment_has_one_message_at_once(self) -> None:
        """However many begin to flood in the same moment, one of them has more than that; the rest is in turns."""
        world, first = self.connected(unlimited="yes")
        others = [world.connect("toy") for _ in range(3)]
        for client in (first, *others):
            client.transport.receive(b"say 2\n" * 70)
        self.assertEqual([len(client.heard()) for client in (first, *others)], [64, 1, 1, 1])
        world.wait(0.01)
        self.assertEqual([len(client.heard()) for client in (first, *others)], [6, 64, 64, 64])

    def test_who_says_one_thing_at_a_time_waits_for_nobody(self) -> None:
        """However many others have much to say: not with the first message, and not with the next one."""
        world, first = self.connected(unlimited="yes")
        for client in (first, *(world.connect("toy") for _ in range(3))):
            client.transport.receive(b"say 2\n" * 1_000)
        quiet = world.connect("toy")
        for _ in range(5):
            quiet.transport.receive(b"say 2\n")
            self.assertEqual(quiet.heard(), ["x"])

    def test_past_the_rate_there_is_the_time_that_others_leave(self) -> None:
        """With the rates lifted nobody is cut off for being fast, and nobody else waits for them."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.receive(b"say 2\n" * 60)
        client.transport.receive(b"say 2\n" * 40)
        self.assertEqual(len(client.heard()), 100)
        client.transport.receive(b"say 2\n")
        self.assertEqual(client.heard(), [])
        world.wait(0.1)
        self.assertEqual(client.heard(), ["x"])
        world.wait(10)
        client.transport.receive(b"say 2\n")
        self.assertEqual(client.heard(), ["x"], "after a while it has a turn of its own again")

    def test_players_at_tables_go_first(self) -> None:
        """However many others come and say one thing each: a few are heard at once, and the rest in turns."""
        world, ann = self.connected()
        bob = world.connect("toy")
        ann.say("hi ann")
        bob.say("hi bob")
        bob.heard()
        others = [world.connect("toy", f"203.0.113.{number}") for number in range(100)]
        for other in others:
            other.transport.receive(b"say 2\n")
        self.assertEqual(sum(len(other.heard()) for other in others), 62)
        ann.transport.receive(b"+1\n")
        self.assertEqual(bob.heard(), ["count 1 9"])
        world.wait(0.01)
        self.assertEqual(sum(len(other.heard()) for other in others), 38)

    def test_with_the_rates_lifted_nobody_goes_first(self) -> None:
        """Benchmarks have more players who log in."""
        world, client = self.connected(unlimited="yes")
        for client in (world.connect("toy") for _ in range(100)):
            client.transport.receive(b"say 2\n")
            self.assertEqual(client.heard(), ["x"])

    def test_reading_pauses_while_messages_wait(self) -> None:
        world, client = self.connected(unlimited="yes")
        client.transport.receive(b"say 2\n" * 100)
        client.transport.receive(b"say 3\n")
        self.assertEqual(len(client.heard()), 64)
        self.assertEqual(rounds(world, client), [1] * 36 + [2])

    def test_segments_of_a_transport_that_does_not_pause_wait_their_turn(self) -> None:
        """TLS delivers what it has decrypted even when paused: it is kept, in order."""
        world, client = self.connected(unlimited="yes")
        client.protocol.dataReceived(b"say 2\n" * 100)
        client.protocol.dataReceived(b"say 3\nsay")
        client.protocol.dataReceived(b" 4\n")
        self.assertEqual(rounds(world, client), [1] * 100 + [2, 3])

    def test_nothing_is_heard_after_a_hush(self) -> None:
        """What waits for its turn is forgotten when the host hears no client any more; what comes is not kept."""
        world, client = self.connected(unlimited="yes")
        client.transport.receive(b"say 2\n" * 100)
        client.protocol.stop_input()
        client.protocol.dataReceived(b"say 3\n")
        self.assertEqual(rounds(world, client), [1] * 64)
        self.assertFalse(client.protocol.input._buffer)

    def test_only_those_who_send_are_paused_while_the_disk_is_late(self) -> None:
        """What comes first is kept, and nothing more is read; who sends nothing is not touched."""
        world, client = self.connected()
        quiet = world.connect("toy")
        factory = client.protocol.factory
        for _ in range(2):
            factory.pause_input(True)
            self.assertTrue(client.transport._reading and quiet.transport._reading)
            client.protocol.dataReceived(b"say 2\n")
            client.protocol.dataReceived(b"say 3\n")
            factory.pause_input(True)
            self.assertFalse(client.transport._reading)
            self.assertTrue(quiet.transport._reading)
            self.assertEqual(client.transport.read(), b"")
            factory.pause_input(False)
            self.assertEqual(rounds(world, client), [1, 2])
            self.assertTrue(client.transport._reading)
        factory.pause_input(True)
        client.protocol.dataReceived(b"say 2\n")
        client.protocol.stop_input()
        self.assertFalse(world.context.behind)

    def test_held_connection_goes_on_where_it_was(self) -> None:
        """While the disk is late nothing is heard, of what waits for its turn neither; then all of it is, in order."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.receive(b"say 2\n" * 100 + b"say 3\n")
        client.protocol.factory.pause_input(True)
        self.assertEqual(rounds(world, client), [1] * 64)
        client.protocol.factory.pause_input(False)
        self.assertEqual(rounds(world, client), [1] * 36 + [2])
