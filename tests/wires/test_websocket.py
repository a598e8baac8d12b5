"""Frames to messages and back: what RFC 6455 demands, in whole and in pieces."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import UndecodableLine
from gamehost.wires.websocket import (
    FRAGMENT,
    MOST_FRAGMENTS,
    Close,
    FrameCodec,
    FrameError,
    Ping,
    Pong,
    Switching,
    control_frame,
    text_frame,
)
from tests.kit.web_host import MASK, FrameText, close, frame, message, part

# No text is longer than the limit here: the other library counts the payloads of control frames, too.
DIGITS = st.tuples(st.sampled_from((0, 0, 1, 1, 1, 9, 10, 11)), st.sampled_from((b"1", b"22")))
CLOSING = st.tuples(
    st.just(8), st.sampled_from((b"", b"\x03", b"\x03\xe8", b"\x03\xe82", b"\x03\xed", b"\x03\xe7", b"\x0b\xb8"))
)
BITS = st.sampled_from((0, 0, 0, 0, 1))
MASKS = st.sampled_from((MASK, MASK, MASK, MASK, b""))

BAD = UndecodableLine("no digits")


class Echo(FrameCodec[Any]):
    """Texts of digits."""

    LIMIT = 200

    def read(self, text: bytes) -> Any:
        return text.decode() if text.isdigit() else BAD

    def encode(self, message: Any) -> bytes:
        return text_frame(message.encode()) if isinstance(message, str) else control_frame(message)


class CodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

    text = FrameText
    streams = (
        message("1")
        + frame(9, b"?")
        + message("23", fin=False)
        + frame(10)
        + part("4")
        + part("")
        + part("5", fin=True),
        message("1" * 126) + message("2" * 200) + close(1001, "gone ü") + message("never"),
        message("1", fin=False) + part("2" * 199, fin=True) + close(None),
        message("x") + message("1") + message("y"),
        message("1") + message("1" * 201),
        message("1", fin=False) + part("2" * 199) + part("3"),
        message("1") + frame(1, length=1 << 62),
        message("ü") + message(b"\xc3") + message("1"),
        message(b"12\xff", fin=False),
        message(b"\xc3", fin=False) + part(b"\xbc", fin=True) + message(b"\xed\xa0\x80"),
        message("1") + frame(2, b"1"),
        message("1") + part("2"),
        message("1", fin=False) + message("2"),
        message("1") + frame(3, b"x"),
        message("1") + frame(9, b"x", fin=False),
        message("1") + frame(9, b"x" * 126),
        message("1") + frame(1, b"2", mask=b""),
        message("1") + frame(1, b"2", bits=4),
        message("1") + frame(8, b"\x03"),
        message("1") + close(1005),
        message("1") + close(999),
        message("1") + frame(8, b"\x03\xe8\xff"),
    )
    read = (
        (message("1"), "1"),
        (message("123", fin=True), "123"),
        (frame(9, b"ping"), Ping(b"ping")),
        (frame(10, b"pong"), Pong(b"pong")),
        (message("x"), BAD),
        (close(1000, "bye"), Close(1000, "bye")),
    )
    sent = (
        (Switching("dGhlIHNhbXBsZSBub25jZQ=="), "HTTP/1.1 101 Switching Protocols"),
        ("1", "1"),
        ("2" * 126, "2" * 126),
        ("3" * 70_000, "3" * 70_000),
        ("grün", "grün"),
        (Ping(), "ping b''"),
        (Pong(b"x"), "pong b'x'"),
        (Close(1001, "ü" * 99), "close 1001 " + "ü" * 61),
    )

    def new_codec(self) -> Echo:
        return Echo()


class RuleTests(PropertyCase):
    """The close codes, and what is kept."""

    def test_each_frame_of_a_message_counts(self) -> None:
        """The work is in the frame: a message in fragments is as dear as so many messages, and not before it is whole."""
        codec = Echo()
        begun = message("1", fin=False) + part("") * 10 + frame(9) + part("2")
        self.assertEqual(list(codec.feed(begun)), [Ping()])
        self.assertTrue(codec.unfinished)
        self.assertEqual(list(codec.feed(part("3", fin=True) + message("4"))), [FRAGMENT] * 12 + ["123", "4"])

    def test_fragments_of_a_message_are_few(self) -> None:
        """Also those without a byte, which no limit of sizes would end."""
        codec = Echo()
        most = message("1", fin=False) + part("") * (MOST_FRAGMENTS - 1)
        self.assertEqual(list(codec.feed(most + part("2", fin=True))), [FRAGMENT] * MOST_FRAGMENTS + ["12"])
        self.assertEqual(list(codec.feed(most)), [])
        with self.assertRaisesRegex(FrameError, "more than 64 fragments"):
            list(codec.feed(part("")))

    def test_the_answer_to_a_handshake(self) -> None:
        """RFC 6455, section 1.3."""
        answer = control_frame(Switching("dGhlIHNhbXBsZSBub25jZQ=="))
        self.assertIn(b"\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", answer)
        self.assertNotIn(b"Extensions", answer)

    def test_close_codes(self) -> None:
        """Each fault has the code that the RFC names, and a reason that repeats nothing."""
        for stream, code, reason in (
            (frame(1, b"1", mask=b""), 1002, "a frame that RFC 6455 does not allow"),
            (frame(1, b"1", bits=1), 1002, "a frame that RFC 6455 does not allow"),
            (frame(11), 1002, "a frame that RFC 6455 does not allow"),
            (frame(9, b"x" * 126), 1002, "a frame that RFC 6455 does not allow"),
            (frame(8, b"\x03"), 1002, "a frame that RFC 6455 does not allow"),
            (part("1"), 1002, "a frame that RFC 6455 does not allow"),
            (frame(2, b"\x00"), 1003, "a binary message; expected text"),
            (message(b"canary\xff"), 1007, "a message that is not UTF-8"),
            (message("x") + message("canary"), 1007, "messages that are not JSON"),
            (message("1" * 201), 1009, "a message longer than 200 bytes"),
        ):
            error = self.assertRaises(FrameError, list, Echo().feed(stream))
            self.assertEqual((error.code, str(error)), (code, reason))

    def test_what_is_too_long_is_not_kept(self) -> None:
        """In one frame, in fragments, or announced: the header is refused, before there is a payload."""
        for stream in (
            frame(1, length=201),
            frame(1, length=1 << 62),
            message("1" * 100, fin=False) + frame(0, length=101),
            *(message("", fin=False) + part("") * count + frame(0, length=201) for count in (1, 50)),
        ):
            self.assertEqual(self.assertRaises(FrameError, list, Echo().feed(stream)).code, 1009)

    def test_pings_between_fragments_count_for_nothing(self) -> None:
        """A message of the greatest length is read, whatever stands between its parts."""
        codec = Echo()
        parts = [
            message("1" * 100, fin=False),
            frame(9, b"?" * 125),
            part("2" * 99),
            frame(10, b"!" * 125),
            part("3", fin=True),
        ]
        self.assertEqual(list(codec.feed(b"".join(parts)))[-1], "1" * 100 + "2" * 99 + "3")
        self.assertFalse(codec.unfinished)

    @given(st.lists(st.tuples(st.one_of(DIGITS, DIGITS, DIGITS, CLOSING), st.booleans(), BITS, MASKS), max_size=6))
    def test_a_second_opinion(self, frames: list[tuple[tuple[int, bytes], bool, int, bytes]]) -> None:
        """Another library finds the same messages and the same close code in frames of every kind, good and bad."""
        stream = b"".join(frame(*one, fin=fin, bits=bits, mask=mask) for one, fin, bits, mask in frames)
        self.assertEqual(ours(stream), theirs(stream))


def ours(stream: bytes) -> tuple[list[str], int | None]:
    """The texts, and the close code."""
    texts: list[str] = []
    codec = Echo()
    try:
        for message in codec.feed(stream):
            if isinstance(message, str):
                texts.append(message)
            elif isinstance(message, Close):
                return texts, message.code
    except FrameError as error:
        return texts, error.code
    return texts, None


def theirs(stream: bytes) -> tuple[list[str], int | None]:
    """The same by `websockets`."""
    server = Protocol(Side.SERVER, max_size=1000)
    server.receive_data(stream)
    texts: list[str] = []
    parts = b""
    for one in server.events_received():
        assert isinstance(one, Frame)
        if one.opcode is Opcode.TEXT or one.opcode is Opcode.CONT:
            parts += bytes(one.data)
            if one.fin:
                texts.append(parts.decode())
                parts = b""
    closed = server.close_rcvd or (server.close_sent if server.parser_exc is not None else None)
    code = None if closed is None else int(closed.code)
    return texts, 1000 if code == 1005 else code
