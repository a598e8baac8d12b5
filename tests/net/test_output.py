"""The output of a connection: one write for each turn, and what happens if a client does not read."""

from tests.net.test_connection import ConnectionCase
from tests.net.test_input import rounds


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


class ReadingTests(ConnectionCase):
    """Who does not read is heard no more, kept little for, and cut off."""

    def test_client_that_does_not_read_is_not_read(self) -> None:
        """Row 12: it asks for no more than it takes; what it asked meanwhile is answered once it has read."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.reads = False
        for _ in range(200):
            client.say("say 1000")
        self.assertLessEqual(client.transport.queued, 65_536 + 1_000)
        before = client.transport.queued
        world.wait(9)
        self.assertEqual((client.transport.queued, len(client.protocol.input._buffer)), (before, 0))
        client.transport.reads = True
        self.assertEqual(rounds(world, client, 200), [999] * 200)
        world.wait(60)
        self.assertFalse(client.closed)

    def test_messages_that_wait_for_their_turn_wait_for_the_reader_too(self) -> None:
        """Row 12: one segment that asks for a megabyte gets what fits, then what was read, and the rest in order."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.reads = False
        client.transport.receive(b"".join(b"say %d\n" % (5_000 + number) for number in range(200)))
        for _ in range(100):
            world.wait(0.01)
        self.assertLessEqual(client.transport.queued, 65_536 + 16_384 + 5_200)
        self.assertEqual(rounds(world, client, 100), list(range(4_999, 5_199)))

    def test_slow_reader_is_bounded_and_cut_off(self) -> None:
        """Row 12: of what others make it hear, no more than the transport's 64 KiB and as much again is kept."""
        world, client = self.connected(unlimited="yes")
        client.transport.reads = False
        sent = 0
        while not client.transport.aborted and sent < 1_000_000:
            client.protocol.say("x" * 1_000)
            sent += 1_000
        self.assertLessEqual(sent, 65_536 + 65_536 + 2_000)
        world.settle()
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
        """Row 12: even if nothing more is said."""
        world, client = self.connected(login_seconds="1000")
        client.transport.reads = False
        client.say("say 70000")
        world.wait(9.9)
        self.assertFalse(client.closed)
        world.wait(0.2)
        self.assertTrue(client.closed)

    def test_reader_that_catches_up_gets_everything_in_order(self) -> None:
        """Being slow for a moment costs nothing."""
        world, client = self.connected(login_seconds="1000")
        client.transport.reads = False
        client.say("say 70000", "say 5", "say 6")
        client.say("say 7")
        self.assertEqual(rounds(world, client), [69_999, 4, 5, 6])
        client.transport.reads = True
        world.wait(60)
        self.assertFalse(client.closed)
