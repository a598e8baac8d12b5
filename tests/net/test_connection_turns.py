"""A connection among others: whose turn it is to be heard, and what becomes of one that does not read."""

from tests.kit.memory_host import Client, MemoryHost
from tests.net.test_connection import ConnectionCase


def rounds(world: MemoryHost, client: Client, number: int = 10) -> list[int]:
    """Let so many rounds of turns go by; the lengths of what a client hears meanwhile."""
    lengths = []
    for _ in range(number):
        world.wait(0.01)
        lengths += [len(line) for line in client.heard()]
    return lengths


class TurnsTests(ConnectionCase):
    """Who has much to say lets the others be heard."""

    def test_others_are_heard_after_64_messages(self) -> None:
        """Row 2: a flood of one connection waits for the turn of the others."""
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
        self.assertEqual(len(client.heard()), 3)

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

    def test_reading_pauses_while_messages_wait(self) -> None:
        """What comes meanwhile is not taken from the transport, and is heard after what waits."""
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
        self.assertFalse(client.protocol._kept)

    def test_held_connection_goes_on_where_it_was(self) -> None:
        """While the disk is late nothing is heard, of what waits for its turn neither; then all of it is, in order."""
        world, client = self.connected(unlimited="yes", login_seconds="1000")
        client.transport.receive(b"say 2\n" * 100 + b"say 3\n")
        client.protocol.pause_input(True)
        self.assertEqual(rounds(world, client), [1] * 64)
        client.protocol.pause_input(False)
        self.assertEqual(rounds(world, client), [1] * 36 + [2])


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
        self.assertEqual((client.transport.queued, len(client.protocol._kept)), (before, 0))
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
