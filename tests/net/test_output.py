"""The output of a connection: one write for each turn, and what happens if a client does not read."""

from gamehost.net.context import ConnectionBounds
from gamehost.net.streams import _in_pieces
from tests.kit.memory_host import Client
from tests.net.test_connection import ConnectionCase
from tests.net.test_input import rounds


class WritingTests(ConnectionCase):
    def test_one_write_a_turn_for_each_connection(self) -> None:
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

    def test_pieces_of_a_wire_whose_clients_read_little(self) -> None:
        for sizes, limit, expected in (
            ((3, 3, 3), 6, [6, 3]),
            ((3, 3, 3), 5, [3, 3, 3]),
            ((1, 5, 2, 2, 2), 6, [6, 6]),
            ((9, 1), 6, [9, 1]),
        ):
            pieces = list(_in_pieces([b"x" * size for size in sizes], limit))
            self.assertEqual([len(piece) for piece in pieces], expected)

    def test_a_dropped_players_seat_survives_being_cut_off(self) -> None:
        """The seat is in grace, like after any other loss."""
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


class ReadingTests(ConnectionCase):
    def test_client_that_does_not_read_is_not_read(self) -> None:
        """It asks for no more than it takes; what it asked meanwhile is answered once it has read."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.reads = False
        for _ in range(200):
            client.say("say 1000")
        self.assertLessEqual(client.transport.queued, 65_536 + 1_000)
        before = client.transport.queued
        world.wait(9)
        self.assertEqual((client.transport.queued, client.protocol.input._buffer), (before, None))
        client.transport.reads = True
        self.assertEqual(rounds(world, client, 200), [999] * 200)
        world.wait(60)
        self.assertFalse(client.closed)

    def test_messages_that_wait_for_their_turn_wait_for_the_reader_too(self) -> None:
        """One segment that asks for a megabyte gets what fits, then what was read, and the rest in order."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.reads = False
        client.transport.receive(b"".join(b"say %d\n" % (5_000 + number) for number in range(200)))
        for _ in range(100):
            world.wait(0.01)
        self.assertLessEqual(client.transport.queued, 65_536 + 16_384 + 5_200)
        self.assertEqual(rounds(world, client, 100), list(range(4_999, 5_199)))

    def test_slow_reader_is_bounded_and_cut_off(self) -> None:
        """Of what others make it hear, no more than the transport's 64 KiB and as much again is kept."""
        world, client = self.connected(unlimited="yes")
        client.transport.reads = False
        sent = 0
        while not client.transport.aborted and sent < 1_000_000:
            client.protocol.say("x" * 1_000)
            sent += 1_000
        self.assertLessEqual(sent, 65_536 + 65_536 + 2_000)
        world.until_idle()
        self.assertTrue(client.closed)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_segments_of_a_transport_that_does_not_pause_wait_for_the_reader(self) -> None:
        """TLS delivers what it has decrypted even when paused: it is heard when the client has read."""
        world, client = self.connected(login_seconds="1000")
        client.transport.reads = False
        client.say("say 70000")
        client.protocol.dataReceived(b"hi ann\nsay 3\nsay")
        client.protocol.dataReceived(b" 4\n")
        world.wait(1)
        self.assertEqual(len(world.lobby.registry), 0)
        client.transport.reads = True
        self.assertEqual([len(line) for line in client.heard()], [69_999])
        client.protocol.dataReceived(b"say 5\n")
        self.assertEqual(rounds(world, client)[-3:], [2, 3, 4])
        self.assertEqual(len(world.lobby.registry), 1)

    def test_stalled_reader_is_cut_off_after_ten_seconds(self) -> None:
        """Even if nothing more is said."""
        world, client = self.connected(login_seconds="1000")
        client.transport.reads = False
        client.say("say 70000")
        world.wait(9.9)
        self.assertFalse(client.closed)
        world.wait(0.2)
        self.assertTrue(client.closed)

    def test_reader_that_catches_up_gets_everything_in_order(self) -> None:
        world, client = self.connected(login_seconds="1000")
        client.transport.reads = False
        client.say("say 70000", "say 5", "say 6")
        client.say("say 7")
        self.assertEqual(rounds(world, client), [69_999, 4, 5, 6])
        client.transport.reads = True
        world.wait(60)
        self.assertFalse(client.closed)


class HoldingTests(ConnectionCase):
    def say(self, client: Client, *words: str) -> None:
        with client.world.context.cork:
            for word in words:
                client.protocol.say(word)

    def test_nothing_is_sent_behind_a_message_for_a_time(self) -> None:
        world, client = self.connected()
        client.protocol.say_and_hold("start", 1.0)
        self.say(client, "one", "two")
        self.assertEqual((client.heard(), client.protocol.hold_seconds), (["start"], 1.0))
        world.wait(0.9)
        self.say(client, "three")
        self.assertEqual(client.heard(), [])
        world.wait(0.1)
        self.assertEqual((client.heard(), client.protocol.hold_seconds), (["one", "two", "three"], 0.0))
        self.say(client, "four")
        self.assertEqual(client.heard(), ["four"])

    def test_holds_of_messages_that_are_held_back(self) -> None:
        world, client = self.connected()
        for word in ("a", "b"):
            client.protocol.say_and_hold(word, 2.0)
            self.say(client, f"behind {word}")
        self.assertEqual(client.heard(), ["a"])
        world.wait(2)
        self.assertEqual(client.heard(), ["behind a", "b"])
        world.wait(1.9)
        self.assertEqual(client.heard(), [])
        world.wait(0.1)
        self.assertEqual(client.heard(), ["behind b"])

    def test_hold_replaces_the_one_that_runs(self) -> None:
        world, client = self.connected()
        client.protocol.hold(0.0)
        client.protocol.say_and_hold("a", 10.0)
        self.say(client, "b")
        client.protocol.hold(0.03)
        world.wait(0.03)
        self.assertEqual(client.heard(), ["a", "b"])
        client.protocol.hold(1.0)
        self.say(client, "c")
        client.protocol.hold(5.0)
        world.wait(4)
        self.assertEqual((client.heard(), client.protocol.hold_seconds), ([], 1.0))
        client.protocol.hold(0.0)
        self.assertEqual(client.heard(), ["c"])

    def test_a_message_can_go_past(self) -> None:
        world, client = self.connected()
        client.protocol.hold(1.0)
        self.say(client, "later")
        client.protocol.say_past("now")
        self.assertEqual(client.heard(), ["now"])
        world.wait(1)
        self.assertEqual(client.heard(), ["later"])

    def test_what_is_held_back_can_be_dropped(self) -> None:
        world, client = self.connected()
        self.assertFalse(client.protocol.unsay(lambda word: True))
        client.protocol.say_and_hold("a", 1.0)
        self.say(client, "b", "c", "d")
        self.assertFalse(client.protocol.unsay(lambda word: word == "a"))
        self.assertTrue(client.protocol.unsay(lambda word: word == "c"))
        world.wait(1)
        self.assertEqual(client.heard(), ["a", "b", "d"])

    def test_everything_is_sent_before_the_close(self) -> None:
        world, client = self.connected()
        client.protocol.say_and_hold("a", 10.0)
        client.protocol.say_and_hold("b", 10.0)
        client.protocol.close_with("enough")
        self.assertEqual(client.heard(), ["a", "b", "bye enough"])
        world.wait(2)
        self.assertTrue(client.closed)
        client.protocol.hold(1.0)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_a_refusal_is_held_back_and_counts_at_once(self) -> None:
        """Too many of them end the connection as always."""
        _, client = self.connected(ConnectionBounds(refusals=3))
        client.protocol.hold(1.0)
        for word in ("a", "b"):
            client.protocol.refuse(word)
        self.assertEqual(client.heard(), [])
        client.protocol.refuse("c")
        self.assertEqual(client.heard(), ["a", "b", "c", "bye too many refusals"])

    def test_what_is_held_back_is_bounded(self) -> None:
        world, client = self.connected()
        client.protocol.hold(10.0)
        for _ in range(1_000):
            client.protocol.say("x")
        self.assertFalse(client.closed)
        client.protocol.say("x")
        world.until_idle()
        self.assertTrue(client.closed)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_a_connection_lost_during_a_hold(self) -> None:
        world, client = self.connected()
        client.protocol.say_and_hold("a", 10.0)
        client.protocol.say("b")
        client.drop()
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_a_close_with_more_held_back_than_is_kept(self) -> None:
        world, client = self.connected()
        client.transport.reads = False
        client.say("say 70000")
        client.protocol.hold(10.0)
        for _ in range(200):
            client.protocol.say("x" * 1_000)
        client.protocol.hang_up("silent")
        self.assertEqual(dict(client.protocol.factory.hang_ups), {"slow_reader": 1})
        world.until_idle()
        self.assertTrue(client.closed)
        self.assertEqual(world.clock.getDelayedCalls(), [])
