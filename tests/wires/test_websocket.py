"""Wires of lines over WebSocket: the example of the tutorial, on its own port and at a path of the web port."""

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from twisted.trial.unittest import SynchronousTestCase
from wsproto.frame_protocol import FrameProtocol

from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.codec import LitamaCodec
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import heard_by, taken
from gamehost.testing.memory_host import MemoryHost
from gamehost.testing.wire_connections import SWITCHED, TEXT, SocketContract, frame, frames
from gamehost.wires.framing import WireError
from gamehost.wires.open.conversation import WIRE as OPEN
from gamehost.wires.open.websocket import SocketCodec
from gamehost.wires.websocket import ClientSocket, LineOrTextCodec, Ping, control_frame
from tests.kit.plugin_games import GOMOKU_WIRE, gomoku_tests
from tests.kit.web_host import WebClient, WebHost, request

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
HEADERS = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": KEY}


class GomokuTests(SocketContract, PropertyCase):
    """The wire of the tutorial has WebSocket by one line of its token."""

    wire = GOMOKU_WIRE
    transcripts = gomoku_tests.WireTests.transcripts
    begun, too_long = gomoku_tests.WireTests.begun, gomoku_tests.WireTests.too_long
    log_in = gomoku_tests.WireTests.log_in

    def test_lines_and_texts_meet(self) -> None:
        host, ann = self.socket()
        ann.send(frame(b"NAME ann"))
        bob = host.connect("gomoku")
        self.assertEqual(bob.ask("NAME bob"), ["GAME ann bob 15"])
        ann.send(frame(b"PLAY h8"))
        self.assertEqual(bob.heard(), ["PLAYED ann h8"])
        self.assertEqual(self.told(ann)[-2:], [(TEXT, b"GAME ann bob 15"), (TEXT, b"PLAYED ann h8")])

    def test_a_line_that_begins_as_a_request(self) -> None:
        _, client = self.connected()
        self.assertEqual(client.ask("GET out"), ["REFUSED expected one of NAME, PLAY, RESIGN"])
        self.assertEqual(client.ask("NAME ann"), ["WAITING ann"])


class ClientTests(SynchronousTestCase):
    """The client's side: what is below the codec of a program that plays, checks or looks on."""

    def pair(self) -> ClientSocket:
        self.host = LineOrTextCodec(LitamaCodec())
        client = ClientSocket()
        [switching] = self.host.feed(client.opening("example.org"))
        self.assertEqual(client.received(self.host.encode(switching)), b"")
        return client

    def test_lines_become_texts_and_back(self) -> None:
        client = self.pair()
        heard = [list(self.host.feed(bytes((byte,)))) for byte in client.sent("create \u011b\nstate 1\n".encode())]
        self.assertEqual([each.text for found in heard for each in found], ["create \u011b", "state 1"])
        answers = [m.Done("spectate", "1"), m.Standing({"board": "\u011b" * 200})]
        data = b"".join(map(self.host.encode, answers))
        self.assertEqual(b"".join(client.received(bytes((byte,))) for byte in data), client_lines(data))
        self.assertEqual(client.sent(b""), b"")

    def test_a_text_has_no_line_end(self) -> None:
        """The end of each line is left out, and only one: a line may be empty."""
        host = FrameProtocol(client=False, extensions=[])
        host.receive_bytes(self.pair().sent(b"HELLO\r\n\r\n\nBYE\n"))
        self.assertEqual([frame.payload for frame in host.received_frames()], ["HELLO", "", "", "BYE"])

    def test_pings_are_answered(self) -> None:
        client = self.pair()
        self.assertEqual((client.received(self.host.encode(Ping(b"x"))), client.answers()[:2]), (b"", b"\x8a\x81"))
        self.assertEqual(client.answers(), b"")

    def test_what_is_no_such_server(self) -> None:
        """Another answer, that to another handshake, one without an end, and frames that cannot be texts of lines."""
        for data, why in (
            (b"HTTP/1.1 404 Not Found\r\n\r\n", "the server opens no WebSocket"),
            (b"hello\r\n\r\n", "the server opens no WebSocket"),
            (SWITCHED, "not that to this one"),
            (b"x" * 10_000, "no answer to the handshake"),
        ):
            self.assertIn(why, str(self.assertRaises(WireError, ClientSocket().received, data)))
        for data, why in (
            (b"\x82\x01x", "a binary message"),
            (b"\x81\x03a\nb", "a text with a line end"),
            (b"\xf1\x00", "RFC 6455"),
        ):
            self.assertIn(why, str(self.assertRaises(WireError, self.pair().received, data)))

    def test_who_looks_on_reads_either(self) -> None:
        looks_on = ClientSocket(looks_on=True)
        self.assertEqual(looks_on.received(SWITCHED + control_frame(Ping()) + b"\x81\x02{}"), b"{}\n")
        self.assertEqual(looks_on.answers(), b"")
        for pieces in ((b"H", b"ello\n"), (b'{"a":1}\n', b"HTTP/\n")):
            looks_on = ClientSocket(looks_on=True)
            self.assertEqual(b"".join(map(looks_on.received, pieces)), b"".join(pieces))


def client_lines(data: bytes) -> bytes:
    return b"".join(text + b"\n" for _, text in frames(data)[0])


def made(payload: bytes, first: int = 0x81, mask: bytes = b"\x37\xfa\x21\x3d", size: int = 0) -> bytes:
    """
    A frame as it is asked for, whether RFC 6455 allows it or not.

    :param mask: empty: the frame says that it has none
    :param size: in how many bytes its length is, at least
    """
    length = len(payload)
    size = max(size, 2 * (length > 125))
    head = bytes((first, 0x80 * bool(mask) | {0: length, 2: 126, 8: 127}[size]))
    key = mask or bytes(4)
    return (
        head
        + (length.to_bytes(size, "big") if size else b"")
        + mask
        + bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))
    )


#: Messages of both wires, and texts that are none or are at a border of sizes.
TEXTS = (
    *(
        b'{"do":"ping"}',
        b'{"do":"ping","id":7}',
        b"state 1",
        b"create ann",
        b"create \xc4\x9b",
        b"\n",
        b"state 1\n",
        b"\xff",
        b"",
    ),
    *(b'{"do":"ping"}' + b" " * length for length in (112, 113, 4083, 4084)),
    *(b"create " + b"x" * length for length in (118, 119, 242, 243, 249, 250)),
)
MASKS = (bytes(4), b"\x81\x00\xff\x7f")
#: Frames in which nothing or one thing is unusual: the first byte, the mask, or a length in more bytes than it needs.
ODD_FRAMES = (
    *(made(text, mask=mask) for text in TEXTS for mask in MASKS),
    *(made(text, first) for text in TEXTS[:9] for first in (0x01, 0x80, 0x00, 0x82, 0x89, 0x8A, 0x88, 0xC1, 0x91)),
    *(made(text, mask=b"") for text in TEXTS[:9]),
    *(made(text, size=size) for text in TEXTS[:9] for size in (2, 8)),
)
#: What came before: nothing, a whole message, a fragment, a fragment with a ping, and half a frame.
BEFORE = (
    *((), (made(b"state 1"),), (made(b"sta", 0x01),), (made(b"sta", 0x01), made(b"", 0x89))),
    *((made(b"state 1")[:size],) for size in (1, 6)),
)


class ShortWayTests(SynchronousTestCase):
    """A segment that is one frame is read directly, and nobody can tell the difference."""

    def new_codecs(self) -> Iterator[Any]:
        yield from (SocketCodec(), SocketCodec())
        for _ in range(2):
            codec = LineOrTextCodec(LitamaCodec())
            self.assertEqual(len([*codec.feed(request("/", **HEADERS))]), 1)
            yield codec

    def test_both_ways_hear_the_same(self) -> None:
        for before in BEFORE:
            for odd in ODD_FRAMES:
                for segment in (odd, odd[:-1], odd + made(b"state 2")):
                    segments = [made(b"state 0"), *before, segment, made(b"state 3")]
                    codecs = self.new_codecs()
                    for codec, plain in zip(codecs, codecs, strict=True):
                        heard = heard_by(partial(taken, codec), segments)
                        self.assertEqual(heard, heard_by(plain.feed, segments), segments)

    def test_usual_messages_are_read_directly(self) -> None:
        """From the first one on with a codec of frames; lines have looked for another protocol in the first one."""
        codec, _, lines, _ = self.new_codecs()
        for payload in (b'{"do":"ping"}', b'{"do":"ping","id":"%b"}' % (b"1" * 200)):
            self.assertIsNotNone(codec.whole(frame(payload)))
        self.assertEqual(len([*lines.feed(frame(b"create ann"))]), 1)
        self.assertIsNotNone(lines.whole(frame(b"state 5")))


class PathTests(SynchronousTestCase):
    HEADERS: ClassVar[Any] = HEADERS

    def web(self) -> tuple[WebHost, WebClient]:
        host = MemoryHost(wires=(OPEN, GOMOKU_WIRE))
        web = WebHost(host)
        web.site.wires = {"gomoku": host.factories["gomoku"]}
        return web, web.connect()

    def test_a_wire_at_a_path(self) -> None:
        web, client = self.web()
        client.send(request("/socket/gomoku", **HEADERS) + frame(b"NAME ann"))
        data = client.transport.read()
        self.assertTrue(data.startswith(SWITCHED), data)
        self.assertEqual(frames(data.removeprefix(SWITCHED)), ([(TEXT, b"WAITING ann")], b""))
        self.assertEqual(len(web.host.factories["gomoku"].connections), 1)
        self.assertEqual(web.site.channels, set())

    def test_refusals(self) -> None:
        """Pages of other sites get in no more than at `/socket`, and there is no address of a wire without WebSocket."""
        for path, headers, status in (
            ("/socket/gomoku", {**HEADERS, "Origin": "http://evil.example"}, 403),
            ("/socket/gomoku", {**HEADERS, "Sec_WebSocket_Version": "8"}, 426),
            ("/socket/onitama", HEADERS, 404),
            ("/socket/gomoku/1", HEADERS, 404),
        ):
            web, client = self.web()
            [answer] = client.ask(request(path, **headers))
            self.assertEqual(answer.status, status, path)
            self.assertEqual(web.host.factories["gomoku"].connections, set())
