"""
What a wire of lines does with clients that speak WebSocket on its port: the same as with lines, one text for each of them.
"""

import random
from collections.abc import Sequence
from typing import Any, ClassVar

from gamehost.testing.memory_host import Client, Lines, MemoryHost
from gamehost.testing.transcript import play, read_transcripts
from gamehost.testing.wire_connections import FUZZED, chunked, mutated
from gamehost.testing.wire_hooks import WireHooks
from gamehost.wires.websocket import LONGEST_HANDSHAKE, LOOK_EVERY, LOOKS, SILENT

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: https://example.org\r\n\r\n"
)
#: The answer to it.
SWITCHED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)
_MASK = b"\x37\xfa\x21\x3d"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(payload: bytes, kind: int = TEXT, last: bool = True) -> bytes:
    """A frame as a client sends it."""
    length = len(payload)
    size = bytes((0x80 | length,)) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
    masked = bytes(byte ^ _MASK[at % 4] for at, byte in enumerate(payload))
    return bytes((kind | 0x80 * last,)) + size + _MASK + masked


def frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The frames of a host that are whole, each with its kind, and the bytes behind them."""
    found = []
    while len(data) >= 2:
        size, begin = data[1], 2
        if size >= 126:
            begin = 4 if size == 126 else 10
            size = int.from_bytes(data[2:begin], "big")
        if len(data) < begin + size:
            break
        found.append((data[0] & 15, data[begin : begin + size]))
        data = data[begin + size :]
    return found, data


class SocketTexts(Lines):
    """How transcripts of a wire of lines are played over WebSocket: each line is a text."""

    #: The end of a line, where texts have none.
    LINE: ClassVar[bytes] = b"\n"

    def __init__(self) -> None:
        super().__init__()
        self._switched = False
        #: Whether the handshake was sent.
        self.shaken = False

    def said(self, line: str) -> bytes:
        """A text; the first one stands behind the handshake."""
        shaken, self.shaken = self.shaken, True
        return (b"" if shaken else HANDSHAKE) + frame(line.encode("utf-8"))

    def heard(self, data: bytes) -> list[str]:
        """The texts that are whole. A text of several lines counts as these lines."""
        self._unread += data
        if not self._switched and self._unread.startswith(SWITCHED):
            self._unread, self._switched = self._unread.removeprefix(SWITCHED), True
        if not self._switched:
            return []
        found, self._unread = frames(self._unread)
        texts = [payload for kind, payload in found if kind == TEXT]
        return [line.decode("utf-8") for text in texts for line in text.split(self.LINE)]


class AnsweringHost(MemoryHost):
    """A host whose clients answer its pings."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._clients: list[Client] = []
        super().__init__(*arguments, **named)

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        self._clients.append(super().connect(wire, address))
        return self._clients[-1]

    def wait(self, seconds: float) -> None:
        while seconds > 0:
            step = min(seconds, LOOK_EVERY)
            seconds -= step
            super().wait(step)
            for client in self._clients:
                if not client.closed and isinstance(client.message_text, SocketTexts) and client.message_text.shaken:
                    client.send(frame(b"", PONG))


class SocketContract(WireHooks):
    """The behaviours of a wire with WebSocket. A wire without it has nothing to show."""

    #: How many damaged streams of WebSocket are made.
    socket_streams: int = 200

    def socket(self, **limits: str) -> tuple[MemoryHost, Client]:
        """A connection that has made its handshake."""
        host, client = self.connected(unlimited="yes", **limits)
        client.send(HANDSHAKE)
        self.assertEqual(client.transport.read(), SWITCHED)
        return host, client

    def told(self, client: Client) -> list[tuple[int, bytes]]:
        """The frames that a client has received."""
        found, rest = frames(client.transport.read())
        self.assertEqual(rest, b"")
        return found

    def line(self, name: str) -> bytes:
        """The text that logs in."""
        return self.log_in(name).removesuffix(b"\n")

    def test_a_wire_with_websocket_does_not_spread(self) -> None:
        """Another host of a cluster could not go on in the middle of a connection."""
        self.assertFalse(self.wire.websocket and self.wire.spreads)

    def test_transcripts_over_websocket(self) -> None:
        """Each line is a text, and everything else is the same."""
        if not self.wire.websocket:
            return
        for transcript in read_transcripts(self.transcripts / self.wire.name):
            before = self.text, self.host_class
            self.text, self.host_class = SocketTexts, type("Answering", (AnsweringHost, self.host_class), {})
            host = self.new_host(settings=transcript.settings)
            self.text, self.host_class = before
            play(transcript, host)

    def test_pings_are_answered(self) -> None:
        """Before the log-in and after it, with what they hold; also between two frames of one text."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(b"1", PING))
        self.assertEqual(self.told(client), [(PONG, b"1")])
        text = self.line("ann")
        client.send(frame(text[:2], last=False) + frame(b"2", PING) + frame(text[2:], 0))
        self.assertEqual(self.told(client)[0], (PONG, b"2"))
        self.assertTrue(self.is_in(host, "ann"))

    def test_a_close_is_answered(self) -> None:
        """With its code, and nothing behind it is heard."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(b"\x03\xe9", CLOSE) + frame(self.line("ann")))
        self.assertEqual(self.told(client), [(CLOSE, b"\x03\xe9")])
        host.wait(2)
        self.assertTrue(client.closed)
        self.assertFalse(self.is_in(host, "ann"))

    def test_wrong_frames_end_the_connection(self) -> None:
        """Each with the code of RFC 6455 for it."""
        if not self.wire.websocket:
            return
        wrong = {
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
        """They are answered in HTTP, hold nothing of what was sent, and are closed. Nothing behind them is heard."""
        if not self.wire.websocket:
            return
        wrong = {
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
                self.assertIn(b"HTTP/1.1" + status, answer)
            self.assertNotIn(b"canary", answer)
            self.assertFalse(self.is_in(host, "ann"))

    def test_a_client_that_says_nothing_is_asked(self) -> None:
        """It stays as long as it answers, and is gone when it does not."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(self.line("ann")))
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
        """The last frame says that the host goes away."""
        if not self.wire.websocket:
            return
        host, client = self.socket()
        client.send(frame(self.line("ann")))
        host.factories[self.wire.name].close("the host is stopping")
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
        _, client = self.connected(unlimited="yes")
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break
            client.send(piece)
        return client.transport.read()
