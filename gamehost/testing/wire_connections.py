"""
Tests of connections, for wires of any game. They are about time limits, size limits, closing, other protocols, and
streams that are nearly valid, cut in any way. Also tests of a wire of lines for WebSocket clients on its port: they
receive the same as with lines, one text for each line.
"""

import os
import random
from collections.abc import Sequence
from typing import Any, ClassVar

from gamehost.testing.codec_contract import CONTROL, FOREIGN, chunked, mutated
from gamehost.testing.memory_host import Client, Lines, MemoryHost
from gamehost.testing.transcript import play, read_transcripts
from gamehost.testing.wire_hooks import WireHooks, received
from gamehost.wires.websocket import LONGEST_HANDSHAKE, LOOK_EVERY, LOOKS, SILENT

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: https://example.org\r\n\r\n"
)
#: The host's answer to the handshake.
SWITCHED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)
_MASK = b"\x37\xfa\x21\x3d"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(payload: bytes, kind: int = TEXT, last: bool = True) -> bytes:
    """Returns a frame of WebSocket as a client sends it."""
    length = len(payload)
    # The top bit of the length says that the content is masked. A length of 126 or more has two bytes of its own.
    size = bytes((0x80 | length,)) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
    masked = bytes(byte ^ _MASK[at % 4] for at, byte in enumerate(payload))
    # 0x80: the last frame of its message.
    return bytes((kind | 0x80 * last,)) + size + _MASK + masked


def frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """
    Splits bytes that a host has sent over WebSocket into frames.

    :returns: the complete frames, each with its opcode and its content; and the bytes after them
    """
    found = []
    while len(data) >= 2:
        # The content begins after two bytes, and after the length if it has bytes of its own: two (126) or eight
        # (127).
        size, begin = data[1], 2
        if size >= 126:
            begin = 4 if size == 126 else 10
            size = int.from_bytes(data[2:begin], "big")
        if len(data) < begin + size:
            break  # the rest of this frame has not come
        # The lower four bits of the first byte are the opcode.
        found.append((data[0] & 15, data[begin : begin + size]))
        data = data[begin + size :]
    return found, data


class SocketTexts(Lines):
    """
    Translates messages of a wire of lines for a client with WebSocket: each line is the text of a frame. So the
    transcripts of the wire can be played over WebSocket.
    """

    #: The end of a line. Texts of WebSocket have none.
    LINE: ClassVar[bytes] = b"\n"

    #: Whether the host's answer to the handshake was received.
    _switched = False
    #: Whether the handshake was sent.
    shaken = False

    def said(self, line: str) -> bytes:
        """Returns a frame with a line. Before the first frame comes the handshake."""
        shaken, self.shaken = self.shaken, True
        return (b"" if shaken else HANDSHAKE) + frame(line.encode("utf-8"))

    def heard(self, data: bytes) -> list[str]:
        """Returns the texts of the frames that are complete now. A text of several lines is split into its lines."""
        self.unread += data
        if not self._switched and self.unread.startswith(SWITCHED):
            self.unread, self._switched = self.unread.removeprefix(SWITCHED), True
        if not self._switched:
            # The answer to the handshake is not complete.
            return []
        found, self.unread = frames(self.unread)
        texts = [payload for kind, payload in found if kind == TEXT]
        return [line.decode("utf-8") for text in texts for line in text.split(self.LINE)]


class AnsweringHost(MemoryHost):
    """A host in memory whose clients with WebSocket answer the host's pings while time passes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._clients: list[Client] = []
        super().__init__(*arguments, **named)

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        self._clients.append(super().connect(wire, address))
        return self._clients[-1]

    def wait(self, seconds: float) -> None:
        """Advances the clock in short steps. After each step all clients with WebSocket send a pong."""
        while seconds > 0:
            step = min(seconds, LOOK_EVERY)
            seconds -= step
            super().wait(step)
            for client in self._clients:
                if not client.closed and isinstance(client.message_text, SocketTexts) and client.message_text.shaken:
                    # Before the handshake a client cannot send frames.
                    client.send(frame(b"", PONG))


class SocketContract(WireHooks):
    """Tests of a wire of lines over WebSocket. For a wire without WebSocket, they do nothing."""

    #: How many damaged streams of WebSocket are made.
    socket_streams: int = 60

    def socket(self, **limits: str) -> tuple[MemoryHost, Client]:
        """Returns a new host, and a client that has made its handshake."""
        host, client = self.connected(unlimited="yes", **limits)
        client.send(HANDSHAKE)
        self.assertEqual(client.transport.read(), SWITCHED)
        return host, client

    def told(self, client: Client) -> list[tuple[int, bytes]]:
        """Returns the frames that a client has received since the last call, each with its opcode and its content."""
        found, rest = frames(client.transport.read())
        self.assertEqual(rest, b"")
        return found

    def line(self, name: str) -> bytes:
        """Returns the line with which a client logs in, without its end."""
        return self.log_in(name).rstrip(b"\r\n")

    def test_transcripts_over_websocket(self) -> None:
        """The transcripts of the wire can also be played over WebSocket: each line is the text of a frame."""
        if not self.wire.websocket:
            return
        for transcript in read_transcripts(self.transcripts / self.wire.name):
            before = self.text, self.host_class
            # For this host only, messages are frames, and clients answer pings.
            self.text, self.host_class = SocketTexts, type("Answering", (AnsweringHost, self.host_class), {})
            host = self.new_host(settings=transcript.settings)
            self.text, self.host_class = before
            play(transcript, host)

    def test_pings_are_answered(self) -> None:
        """The host answers a ping with a pong of the same content; also if the ping comes between two frames of a text."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(b"1", PING))
        self.assertEqual(self.told(client), [(PONG, b"1")])
        text = self.line("ann")
        # The log-in in two frames (0: it continues the text), with a ping between them.
        client.send(frame(text[:2], last=False) + frame(b"2", PING) + frame(text[2:], 0))
        self.assertEqual(self.told(client)[0], (PONG, b"2"))
        self.assertTrue(self.is_in(host, "ann"))

    def test_a_close_is_answered(self) -> None:
        """The host answers a close frame with a close frame of the same code, and ignores later bytes."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        # The code 1001, and then a log-in, which must be ignored.
        client.send(frame(b"\x03\xe9", CLOSE) + frame(self.line("ann")))
        self.assertEqual(self.told(client), [(CLOSE, b"\x03\xe9")])
        host.wait(2)
        self.assertTrue(client.closed)
        self.assertFalse(self.is_in(host, "ann"))

    def test_wrong_frames_end_the_connection(self) -> None:
        """Each wrong frame is answered with its close code in RFC 6455."""
        if not self.wire.websocket:
            return
        wrong = {
            # Not masked; binary; not UTF-8; two lines in one text; too long.
            1002: frame(b"x")[:1] + b"\x01x",
            1003: frame(b"x", BINARY),
            1007: frame(b"\xff"),
            1008: frame(b"a\nb") * 2,
            1009: frame(self.begun + self.begun[-1:] * len(self.too_long)),
        }
        for code, data in wrong.items():
            host, client = self.socket()
            client.send(data + frame(self.line("ann")))
            self.assertEqual(self.told(client)[-1], (CLOSE, code.to_bytes(2, "big")))
            host.wait(2)
            self.assertTrue(client.closed)
            self.assertFalse(self.is_in(host, "ann"))

    def test_requests_that_open_no_socket(self) -> None:
        """
        The host answers a request that is no valid handshake in HTTP, and closes the connection. The answer repeats
        nothing of the request, and later bytes are ignored.
        """
        if not self.wire.websocket:
            return
        wrong = {
            # Another protocol; a wrong key; another version; a malformed header; a path that is too long.
            b" 426 ": HANDSHAKE.replace(b"websocket", b"canary"),
            b" 400 ": HANDSHAKE.replace(b"Sec-WebSocket-Key: ", b"Sec-WebSocket-Key: canary"),
            b" 426": HANDSHAKE.replace(b"Version: 13", b"Version: 8"),
            b" 400": HANDSHAKE.replace(b"Host", b"Ho st"),
            b" 40": b"GET /" + b"canary" * LONGEST_HANDSHAKE + b" HTTP/1.1\r\n\r\n",
        }
        for status, request in wrong.items():
            host, client = self.connected(unlimited="yes")
            client.send(request + frame(self.line("ann")))
            host.wait(2)
            self.assertTrue(client.closed)
            answer = client.transport.read()
            if len(request) < LONGEST_HANDSHAKE:
                # A request that is too long may be cut off without an answer.
                self.assertIn(b"HTTP/1.1" + status, answer)
            self.assertNotIn(b"canary", answer)
            self.assertFalse(self.is_in(host, "ann"))

    def test_a_client_that_says_nothing_is_asked(self) -> None:
        """
        The host sends a ping to a silent client. The client remains connected while it answers, and is closed if it
        does not.
        """
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(self.line("ann")))
        # The client answers three times, and then no more.
        for _ in range(3):
            self.told(client)
            for _ in range(LOOKS):
                host.wait(LOOK_EVERY)
            self.assertIn((PING, b""), self.told(client))
            client.send(frame(b"", PONG))
        for _ in range(1 + int(SILENT / LOOK_EVERY)):
            host.wait(LOOK_EVERY)
        host.wait(2)
        self.assertTrue(client.closed)

    def test_a_host_that_stops_closes_sockets(self) -> None:
        """When the host stops, the last frame to a client is a close frame with the code for that."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(self.line("ann")))
        host.factories[self.wire.name].close("the host is stopping")
        # The code 1001: the other side is going away.
        self.assertEqual(self.told(client)[-1], (CLOSE, b"\x03\xe9"))

    def test_fuzz_over_websocket(self) -> None:
        """Nearly valid streams raise nothing, and have the same answers however they are cut."""
        if not self.wire.websocket:
            return
        corpus = [HANDSHAKE + b"".join(map(frame, stream.splitlines())) for stream in self.corpus()]
        for seed in range(self.socket_streams if FUZZED is None else FUZZED):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            whole = self._answer([data])
            self.assertEqual(self._answer([data[n : n + 1] for n in range(len(data))]), whole, (seed, data))
            self.assertEqual(self._answer(chunked(data, rng)), whole, (seed, data))

    def _answer(self, pieces: Sequence[bytes]) -> bytes:
        """Returns the bytes that a new client receives when it sends these pieces."""
        _, client = self.connected(unlimited="yes")
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break  # the host reads no further
            client.send(piece)
        return client.transport.read()


class ConnectionContract(WireHooks):
    """Tests of the connections of a wire: time limits, size limits, and how connections end."""

    def assert_closed(self, world: MemoryHost, client: Client) -> None:
        """Checks that the host has closed a connection, or closes it within two seconds, which its last message may take."""
        world.wait(2)
        self.assertTrue(client.closed)

    def test_nagle_is_off_and_keepalive_on(self) -> None:
        """The host sends a move at once, and detects a dead connection."""
        _, client = self.connected()
        self.assertTrue(client.transport.no_delay)
        self.assertTrue(client.transport.keep_alive)

    def test_silence_is_closed_at_ten_seconds(self) -> None:
        """
        Row 9: a client that connects and sends nothing receives the reason, and is closed. On wires for people it takes
        a minute, or as long as the wire sets.
        """
        world, client = self.connected()
        # Just before the time is over, and then just after it.
        world.wait(max(60 if self.wire.for_people else 10, self.wire.login_seconds) - 0.1)
        self.assertFalse(client.closed)
        received(client)
        world.wait(0.2)
        self.assert_told("closing", received(client))
        self.assert_closed(world, client)

    def test_a_refused_log_in_does_not_stop_the_clock(self) -> None:
        """A refused client still has to log in within a minute, or in the time of its wire."""
        world, client = self.connected()
        # A log-in with an impossible name. If the wire takes every name: a message that no state accepts.
        client.send(b"".join(map(self.log_in, self.impossible_names[:1])) or self.nonsense[0])
        world.wait(10.1)
        world.wait(max(60, self.wire.login_seconds) - 10)
        self.assert_closed(world, client)

    def test_logged_out_is_closed_within_a_minute(self) -> None:
        """A client that has logged out may remain connected as long as one that has just connected."""
        if not self.log_out:
            return
        world, client = self.connected(unlimited="yes")
        client.send(self.log_in("ann"))
        client.send(self.log_out)
        self.assertFalse(self.is_in(world, "ann"), "a player that has logged out is in the lobby")
        world.wait(10.1)
        world.wait(max(60, self.wire.login_seconds) - 10)
        self.assert_closed(world, client)

    def test_logged_in_may_be_silent(self) -> None:
        """A client that has logged in is not closed for silence."""
        world, client = self.connected(**({"unlimited": "yes"}))
        client.send(self.log_in("ann"))
        self.assertTrue(self.is_in(world, "ann"), "`log_in` does not log in")
        world.wait(10.1)
        world.wait(60)
        self.assertFalse(client.closed)

    def test_slow_drip_of_one_message_is_closed(self) -> None:
        """
        Row 10: a connection with an endless message is closed ten seconds after the first byte of it, even if bytes arrive
        steadily. Before the log-in, and where people type, it takes a minute.
        """
        for log_in in (b"", self.log_in("ann")):
            world, client = self.connected(login_seconds="1000")
            client.send(log_in)
            begun = self.begun
            # Eleven bytes, one after another: 11 s, or 66 s where the client has a minute.
            for _ in range(11):
                client.send(begun[:1])
                # The last byte is repeated: with it the message never ends.
                begun = begun[1:] or begun
                world.wait(1 if log_in and not self.wire.for_people else 6)
            self.assert_closed(world, client)

    def test_too_long_message_is_closed_and_nothing_after_it_heard(self) -> None:
        """Rows 4, 6 and 7: later messages of the same segment are ignored."""
        world, client = self.connected()
        # One segment.
        client.transport.receive(self.too_long + self.log_in("ann"))
        self.assertFalse(self.is_in(world, "ann"))
        self.assert_closed(world, client)

    def test_nothing_is_heard_after_a_hang_up_in_a_later_segment(self) -> None:
        """Row 8: bytes that arrive while the connection closes are not acted on."""
        world, client = self.connected()
        # The client does not read, so the connection remains until the host's last message is sent.
        client.transport.reads = False
        client.transport.receive(self.too_long)
        # Directly, because the transport would not deliver it.
        client.protocol.dataReceived(self.log_in("ann"))
        self.assertFalse(self.is_in(world, "ann"))
        self.assert_closed(world, client)

    def test_never_ending_message_is_closed_at_the_limit(self) -> None:
        """Row 5: the limit is also for a message that has not ended."""
        world, client = self.connected()
        sent = 0
        while not client.transport.disconnecting and not client.closed and sent < 100_000:
            # Shorter segments would be read more slowly.
            client.send(self.begun[-1:] * 256 if sent else self.begun)
            sent += 256
        # Not much later than at the limit.
        self.assertLess(sent, len(self.too_long) + 1024)
        self.assert_closed(world, client)

    def test_nothing_shows_what_was_sent(self) -> None:
        """Row 153: the `repr` of a connection's parts does not show what its client has sent."""
        world, client = self.connected()
        client.send(self.log_in("canary7"))
        client.send(self.log_in("canary8")[:-1])
        protocol: Any = client.protocol
        for part in (protocol, protocol._codec, protocol.conversation, protocol.factory, world.lobby, world.context):
            self.assertNotIn("canary8", repr(part))
        self.assertNotIn("canary", repr(protocol) + repr(protocol._codec) + repr(protocol.conversation))

    def test_reset_in_mid_message_leaves_nothing(self) -> None:
        """Row 16: a message that is cut off has no effect."""
        world, client = self.connected()
        # Without its last byte, the log-in is not a whole message.
        client.send(self.log_in("ann")[:-1])
        client.drop()
        self.assertFalse(self.is_in(world, "ann"))
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_other_protocols_get_at_most_one_error_and_no_echo(self) -> None:
        """Row 21: a browser, a TLS client and an SSH client are closed, and do not get back what they sent."""
        for opening in FOREIGN:
            world, client = self.connected()
            client.send(opening)
            answer = client.transport.read()
            if self.wire.websocket and opening.startswith(b"GET "):
                # A wire with WebSocket answers HTTP in HTTP.
                self.assertTrue(answer.startswith(b"HTTP/1.1 426 "), answer)
                answer = answer.removeprefix(b"HTTP/1.1")
            for word in (b"HTTP/1.1", b"SSH-2", b"\x16\x03"):
                self.assertNotIn(word, answer)
            world.wait(10.1)
            self.assert_closed(world, client)

    def test_lost_connections_leave_no_timers(self) -> None:
        """Row 20: a connection that is lost has no timer any more."""
        world, _ = self.connected()
        before = len(world.clock.getDelayedCalls())
        for _ in range(10):
            client = world.connect(self.wire.name, "192.0.2.9")
            client.send(self.begun)
            client.drop()
        self.assertEqual(len(world.clock.getDelayedCalls()), before)

    def test_a_table_and_its_players_gone_leave_no_timers(self) -> None:
        """
        When a match is over, and all clients have left, the clock has no calls left. If the wire sends a missed end
        later, the host stores it for a day, so the test waits a day.
        """
        world, client = self.connected()
        other = world.connect(self.wire.name)
        self.join(client, "ann")
        self.join(other, "bob")
        other.drop()
        # The grace time of the absent player, who then loses.
        world.wait(61)
        client.drop()
        world.wait(86_500 if self.wire.tells_missed_end else 3)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_too_many_connections_are_told_and_closed(self) -> None:
        """
        Row 18: one connection too many from an address receives the reason, and is closed. The others remain open.
        """
        world, client = self.connected(connections_per_address="1")
        turned_away = world.connect(self.wire.name)
        self.assert_told("closing", received(turned_away))
        self.assert_closed(world, turned_away)
        self.assertFalse(client.closed)
        other = world.connect(self.wire.name, "192.0.2.77")
        world.wait(2)
        self.assertFalse(other.closed)

    def test_a_host_that_stops_says_so(self) -> None:
        """In every state a client receives that the host stops, and is closed."""
        for name, reach in self.situations().items():
            situation = reach()
            if situation.client.closed:
                continue
            received(situation.client)
            situation.host.factories[self.wire.name].close("the host is stopping")
            situation.host.until_idle()
            if name != "connected":
                self.assert_told("shutdown", received(situation.client))
            self.assert_closed(situation.host, situation.client)


#: The number of streams that the fuzzer makes for each wire; `make fuzz` sets more. `None`: the number of the wire's tests.
FUZZED = int(os.environ["GAMEHOST_FUZZED"]) if "GAMEHOST_FUZZED" in os.environ else None


class FuzzingContract(WireHooks):
    """Tests of a wire with streams that are nearly valid: streams of the corpus with a few random faults."""

    #: The number of streams by default: about half a second of work.
    streams_in_suite: int = 100

    @property
    def _streams(self) -> int:
        """The number of streams of a test."""
        return self.streams_in_suite if FUZZED is None else FUZZED

    def test_fuzz(self) -> None:
        """Rows 1 and 16: nearly valid streams raise nothing, and have the same answers however they are cut."""
        corpus = self.corpus()
        self.assertTrue(corpus)
        for seed in range(self._streams):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            whole = self._answers([data])
            self.assertEqual(self._answers([data[n : n + 1] for n in range(len(data))]), whole, (seed, data))
            self.assertEqual(self._answers(chunked(data, rng)), whole, (seed, data))

    def test_fuzz_while_waiting(self) -> None:
        """Nearly valid streams of a client that waits for an opponent have the same answers however they are cut."""
        corpus = self.corpus()
        for seed in range(self._streams // 4):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            self.assertEqual(self._answers(chunked(data, rng), True), self._answers([data], True), (seed, data))

    def _answers(self, pieces: Sequence[bytes], waiting: bool = False) -> tuple[bytes, bytes]:
        """
        Sends pieces of a stream to a new host, where another client is connected.

        :param waiting: whether the sender has logged in; otherwise the other client has, and may become its opponent
        :returns: the bytes that the sender receives, and those that the other client receives
        """
        if waiting:
            situation = self.waiting()
            world, client = situation.host, situation.client
            other = world.connect(self.wire.name)
        else:
            world, client = self.connected(unlimited="yes")
            other = world.connect(self.wire.name)
            self.join(other, "opponent")
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break  # the host reads no further
            client.send(piece)
        answers = client.transport.read()
        if self.text is Lines:
            self.assertIsNone(CONTROL.search(answers), (pieces, "an answer holds a control byte"))
        return answers, other.transport.read()
