"""
What every wire must do with whatever is sent to it. A wire's test module derives `class WireTests(WireContract, PropertyCase)`.
"""

import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gamehost.testing.cases import Mixin
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.message_text import Lines, MessageText
from gamehost.testing.transcript import Says, read_transcripts
from gamehost.wires.base import Wire

#: So many streams does the fuzzer make up for each wire; `make fuzz` asks for more.
FUZZED = int(os.environ.get("GAMEHOST_FUZZED", "2000"))

FOREIGN = (
    b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)),
    b"SSH-2.0-OpenSSH_9.2p1\r\n",
)


def chunked(data: bytes, rng: random.Random) -> list[bytes]:
    """The same bytes in pieces of any sizes."""
    pieces = []
    while data:
        size = rng.choice((1, 1, 2, 3, 7, 20, 100))
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Nearly the same bytes."""
    result = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        at = rng.randrange(len(result) + 1)
        match rng.randrange(5):
            case 0:
                result[at:at] = bytes([rng.randrange(256)])
            case 1:
                del result[at : at + rng.choice((1, 1, 4, 30))]
            case 2:
                result[at : at + 1] = rng.choice((b"\n", b"\x00", b"\xff", b"|", b"9", b"-", b"\r", b"<", b"\xc2\xb2"))
            case 3:
                piece = bytes(result[at : at + rng.randrange(40)])
                result[at:at] = piece
            case 4:
                result[at:at] = rng.choice(FOREIGN)[:20]
    return bytes(result)


class WireContract(Mixin):
    """
    The behaviours shared by all wires.

    Subclasses set `wire`, `transcripts`, `begun`, `too_long` and `log_in`; `corpus` is what the fuzzer starts from.
    """

    wire: Wire[Any]
    #: The folder of the transcripts of all wires; those of this wire are in the folder with its name.
    transcripts: Path
    #: How transcripts write the wire's messages.
    text: type[MessageText] = Lines
    host_settings: Mapping[str, str] = {}
    #: The first bytes of a message, without its end; may be sent a byte at a time for ever.
    begun: bytes
    #: A whole message just over the limit.
    too_long: bytes

    def log_in(self, name: str) -> bytes:
        """What a client sends to log in."""
        raise NotImplementedError

    def is_in(self, world: MemoryHost, name: str) -> bool:
        """Whether somebody of this name is in the lobby."""
        return world.lobby.registry.get(name) is not None

    def corpus(self) -> Sequence[bytes]:
        """What clients say: of each transcript, all that one connection says."""
        streams = []
        for transcript in read_transcripts(self.transcripts / self.wire.name, self.text is not Lines):
            numbers = {step.number for step in transcript.steps if isinstance(step, Says)}
            for number in numbers:
                said = [step.line for step in transcript.steps if isinstance(step, Says) and step.number == number]
                streams.append(b"".join(map(self.text().said, said)))
        return streams

    def connected(self, **limits: str) -> tuple[MemoryHost, Client]:
        """A host, and a connection that has said nothing yet."""
        settings = {**self.host_settings, **{f"limits.{name}": text for name, text in limits.items()}}
        world = MemoryHost(settings, wires=(self.wire,))
        return world, world.connect(self.wire.name)

    def assert_closed(self, world: MemoryHost, client: Client) -> None:
        """The host has hung up, or does within the two seconds that its last words may take."""
        world.wait(2)
        self.assertTrue(client.closed)

    def test_nagle_is_off_and_keepalive_on(self) -> None:
        """A move is sent at once, and a pulled cable is found."""
        _, client = self.connected()
        self.assertTrue(client.transport.no_delay)
        self.assertTrue(client.transport.keep_alive)

    def test_silence_is_closed_at_ten_seconds(self) -> None:
        """Row 9: who connects and says nothing is told so and closed."""
        world, client = self.connected()
        world.wait(9.9)
        self.assertFalse(client.closed)
        world.wait(0.2)
        self.assert_closed(world, client)

    def test_logged_in_may_be_silent(self) -> None:
        """Who has logged in is not closed for thinking."""
        world, client = self.connected(**({"unlimited": "yes"}))
        client.send(self.log_in("ann"))
        self.assertTrue(self.is_in(world, "ann"))
        world.wait(40)
        self.assertFalse(client.closed)

    def test_slow_drip_of_one_message_is_closed(self) -> None:
        """Row 10: a message that never ends is closed ten seconds after its first byte, however steadily it comes."""
        world, client = self.connected(login_seconds="1000", login_patience_seconds="1")
        for _ in range(11):
            client.send(self.begun[:1])
            self.begun = self.begun[1:] or self.begun
            world.wait(1)
        self.assert_closed(world, client)

    def test_too_long_message_is_closed_and_nothing_after_it_heard(self) -> None:
        """Rows 4, 6 and 7: past the limit nothing of the same segment is acted on."""
        world, client = self.connected()
        client.transport.receive(self.too_long + self.log_in("ann"))
        self.assertFalse(self.is_in(world, "ann"))
        self.assert_closed(world, client)

    def test_nothing_is_heard_after_a_hang_up_in_a_later_segment(self) -> None:
        """Row 8: bytes that arrive while the connection closes are not heard either."""
        world, client = self.connected()
        client.transport.reads = False
        client.transport.receive(self.too_long)
        client.protocol.dataReceived(self.log_in("ann"))
        self.assertFalse(self.is_in(world, "ann"))
        self.assert_closed(world, client)

    def test_never_ending_message_is_closed_at_the_limit(self) -> None:
        """Row 5: the limit holds for what has not ended, too."""
        world, client = self.connected()
        sent = 0
        while not client.transport.disconnecting and not client.closed and sent < 100_000:
            client.send(self.begun[-1:] * 64 if sent else self.begun)
            sent += 64
        self.assertLess(sent, len(self.too_long) + 256)
        self.assert_closed(world, client)

    def test_nothing_shows_what_was_sent(self) -> None:
        """Row 153: what stands in a traceback or a log of a connection's parts is not what its client has sent."""
        world, client = self.connected()
        client.send(self.log_in("canary7"))
        client.send(self.log_in("canary8")[:-1])
        protocol: Any = client.protocol
        for part in (protocol, protocol._codec, protocol._conversation, protocol.factory, world.lobby, world.context):
            self.assertNotIn("canary8", repr(part))
        self.assertNotIn("canary", repr(protocol) + repr(protocol._codec) + repr(protocol._conversation))

    def test_reset_in_mid_message_leaves_nothing(self) -> None:
        """Row 16: half a message is no message."""
        world, client = self.connected()
        client.send(self.log_in("ann")[:-1])
        client.drop()
        self.assertFalse(self.is_in(world, "ann"))
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_other_protocols_get_at_most_one_error_and_no_echo(self) -> None:
        """Row 21: a browser, a TLS client and an SSH client are sent away, and never their own words."""
        for opening in FOREIGN:
            world, client = self.connected()
            client.send(opening)
            answer = client.transport.read()
            for word in (b"HTTP/1.1", b"SSH-2", b"\x16\x03"):
                self.assertNotIn(word, answer)
            world.wait(10.1)
            self.assert_closed(world, client)

    def test_lost_connections_leave_no_timers(self) -> None:
        """Row 20: connecting and going leaves nothing behind."""
        world, _ = self.connected()
        before = len(world.clock.getDelayedCalls())
        for _ in range(10):
            client = world.connect(self.wire.name, "192.0.2.9")
            client.send(self.begun)
            client.drop()
        self.assertEqual(len(world.clock.getDelayedCalls()), before)

    def test_a_table_and_its_players_gone_leave_no_timers(self) -> None:
        """A match that is over, and everybody gone, leaves the clock empty."""
        world, client = self.connected()
        other = world.connect(self.wire.name)
        client.send(self.log_in("ann"))
        other.send(self.log_in("bob"))
        other.drop()
        world.wait(61)
        client.drop()
        world.wait(3)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_too_many_connections_are_told_and_closed(self) -> None:
        """Row 18: one more than may be from one address is closed, and those inside stay."""
        world, client = self.connected(connections_per_address="1")
        turned_away = world.connect(self.wire.name)
        self.assert_closed(world, turned_away)
        self.assertFalse(client.closed)
        other = world.connect(self.wire.name, "192.0.2.77")
        world.wait(2)
        self.assertFalse(other.closed)

    def test_fuzz(self) -> None:
        """Rows 1 and 16: nearly valid streams raise nothing, and give the same answers however they are cut."""
        corpus = self.corpus()
        self.assertTrue(corpus)
        for seed in range(FUZZED):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            whole = self._answers([data])
            self.assertEqual(self._answers([data[n : n + 1] for n in range(len(data))]), whole, (seed, data))
            self.assertEqual(self._answers(chunked(data, rng)), whole, (seed, data))

    def _answers(self, pieces: Sequence[bytes]) -> tuple[bytes, bytes]:
        """What a client, and the opponent it may find, hear when these pieces are sent."""
        world, client = self.connected(unlimited="yes")
        other = world.connect(self.wire.name)
        other.send(self.log_in("opponent"))
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break
            client.send(piece)
        return client.transport.read(), other.transport.read()
