"""
Bytes to lines and frames: however they are cut, the same pieces come out, and what is kept is bounded.

`heard` feeds chunks to a fresh buffer as a connection does, and tells all that can be seen from outside: the pieces,
whether the buffer broke, and whether something is unfinished.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

from gamehost.testing.cases import Mixin, PropertyCase
from gamehost.testing.codec_contract import CodecContract, taken
from gamehost.wires.framing import (
    Buffer,
    FrameBuffer,
    LastEncoded,
    LineBuffer,
    LineCodec,
    OtherProtocol,
    TelnetAnswer,
    UndecodableLine,
    WireError,
)
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

LIMIT = 6


class PlainCodec(LineCodec[bytes]):
    LIMIT = LIMIT
    UNREADABLE = "no line is"

    def read(self, line: bytes) -> bytes:
        return line


def heard(buffer: Buffer, chunks: Iterable[bytes]) -> tuple[list[bytes], bool, bool]:
    pieces: list[bytes] = []
    for chunk in chunks:
        try:
            pieces.extend(buffer.feed(chunk))
        except WireError:
            return pieces, True, False
    return pieces, False, buffer.unfinished


def one_by_one(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    ends = sorted({place for place in places if place < len(data)})
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]


class Counted(bytearray):
    """A buffer that counts the bytes it looks at, copies and moves."""

    work = 0

    def find(self, part: Any, start: Any = 0, end: Any = None) -> int:
        found = super().find(part, start)
        self.work += (found if found >= 0 else len(self)) - start + 1
        return found

    def __getitem__(self, key: Any) -> Any:
        piece = super().__getitem__(key)
        self.work += len(piece) if isinstance(key, slice) else 1
        return piece

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.work += len(self) + 1


def work_for(buffer: Any, data: bytes) -> int:
    buffer._rest = counted = Counted()
    for _ in buffer.feed(data):
        pass
    return counted.work


class CutContract(Mixin):
    """What holds for lines and frames alike. Subclasses say what a stream may look like."""

    #: A new buffer.
    buffer: Callable[[], Buffer]
    #: Streams, good and broken ones.
    streams: st.SearchStrategy[bytes]
    #: The shortest piece there is.
    shortest: bytes

    @given(st.data())
    def test_cuts_make_no_difference(self, data: st.DataObject) -> None:
        stream = data.draw(self.streams)
        places = data.draw(st.lists(st.integers(1, max(1, len(stream) - 1)), max_size=5))
        whole = heard(self.buffer(), [stream])
        self.assertEqual(heard(self.buffer(), cut(stream, places)), whole)
        self.assertEqual(heard(self.buffer(), one_by_one(stream)), whole)

    @given(st.data())
    def test_left_standing_and_gone_on_with(self, data: st.DataObject) -> None:
        stream = data.draw(self.streams)
        turns = data.draw(st.lists(st.integers(1, 3), max_size=6))
        buffer = self.buffer()
        pieces: list[bytes] = []
        coming = buffer.feed(stream)
        broke = False
        try:
            for turn in turns:
                for _, piece in zip(range(turn), coming, strict=False):
                    pieces.append(piece)
            pieces.extend(coming)
        except WireError:
            broke = True
        self.assertEqual((pieces, broke, not broke and buffer.unfinished), heard(self.buffer(), [stream]))

    @given(st.data())
    def test_let_go_of_in_the_middle(self, data: st.DataObject) -> None:
        """What an iterator that is let go of had not given yet comes out of the next one, and nothing twice."""
        stream = data.draw(self.streams)
        buffer = self.buffer()
        pieces, broke, unfinished = heard(self.buffer(), [stream])
        for piece in pieces:
            coming = buffer.feed(stream)
            stream = b""
            self.assertEqual(next(coming), piece)
            del coming
        self.assertEqual(heard(buffer, [stream]), ([], broke, unfinished))

    def test_nothing_is_nothing(self) -> None:
        self.assertEqual(heard(self.buffer(), [b"", b""]), ([], False, False))

    def test_work_grows_with_the_chunk_alone(self) -> None:
        """64 KiB of the shortest pieces cost twice what 32 KiB cost, and a few steps a byte."""
        half, whole = (
            work_for(self.buffer(), self.shortest * (size // len(self.shortest))) for size in (1 << 15, 1 << 16)
        )
        self.assertLess(whole, 2.1 * half)
        self.assertLess(whole, 8 * (1 << 16))


def frame_size(header: bytes) -> int:
    if header[0] == 0xFF:
        raise WireError("an unknown type")
    if header[1] > LIMIT:
        raise WireError("a payload longer than 6 bytes")
    return header[1]


def mostly(alphabet: bytes) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(list(alphabet)), max_size=24).map(bytes)


class LineCutTests(CutContract, PropertyCase):
    buffer = staticmethod(lambda: LineBuffer(LIMIT))
    streams = st.one_of(
        mostly(b"ab\r\n\n"),
        mostly(b"\xff\xff\xfb\xfe\x01a\n"),
        st.lists(st.sampled_from([b"\xff\xfb\x01", b"\xff", b"\xfb\x01", b"\n"]), max_size=6).map(b"".join),
        st.tuples(st.sampled_from([b"\x16\x03\x01", b"SSH-2.0-x", b"GET / HTTP/1.1"]), mostly(b"a\r\n\x16\x03")).map(
            b"".join
        ),
    )
    shortest = b"\n"


class FrameCutTests(CutContract, PropertyCase):
    buffer = staticmethod(lambda: FrameBuffer(2, frame_size))
    streams = st.one_of(
        st.binary(max_size=24),
        st.lists(st.binary(max_size=LIMIT).map(lambda payload: bytes((1, len(payload))) + payload)).map(b"".join),
        mostly(b"\x00\x01\x02\x07\xff"),
    )
    shortest = b"\x01\x00"


class LineTests(SynchronousTestCase):
    def lines(self, *chunks: bytes, limit: int = LIMIT) -> list[bytes]:
        lines, broke, _ = heard(LineBuffer(limit), chunks)
        self.assertFalse(broke, "the stream broke")
        return lines

    def test_both_endings(self) -> None:
        self.assertEqual(self.lines(b"a\nb\r\n\n\r\nc\r\r\nd\re\n"), [b"a", b"b", b"", b"", b"c\r", b"d\re"])

    def test_unfinished(self) -> None:
        buffer = LineBuffer(LIMIT)
        for chunk, unfinished in ((b"a", True), (b"b\n", False), (b"c\nd", True), (b"\n", False)):
            for _ in buffer.feed(chunk):
                pass
            self.assertEqual(buffer.unfinished, unfinished)

    def test_unfinished_negotiation(self) -> None:
        for rest, unfinished in ((b"\x01", False), (b"\x01a", True)):
            buffer = LineBuffer(LIMIT)
            for chunk in (b"\xff", b"\xfb"):
                self.assertEqual(list(buffer.feed(chunk)), [])
                self.assertTrue(buffer.unfinished)
            self.assertEqual(list(buffer.feed(rest)), [])
            self.assertEqual(buffer.unfinished, unfinished)

    def test_limit_exactly(self) -> None:
        for ending in (b"\n", b"\r\n"):
            stream = b"abcdef" + ending
            self.assertEqual(self.lines(stream), [b"abcdef"])
            self.assertEqual(self.lines(*one_by_one(stream)), [b"abcdef"])

    def test_one_more_than_the_limit(self) -> None:
        for ending in (b"\n", b"\r\n", b"\r\r\n"):
            stream = b"a\nabcdefg"[: 2 + LIMIT + (not ending.startswith(b"\r\r"))] + ending + b"b\n"
            self.assertEqual(heard(LineBuffer(LIMIT), [stream]), ([b"a"], True, False))
            self.assertEqual(heard(LineBuffer(LIMIT), one_by_one(stream)), ([b"a"], True, False))

    def test_never_terminated(self) -> None:
        """A line without an end breaks at the first byte past the limit: no more than that is ever kept."""
        buffer = LineBuffer(LIMIT)
        self.assertEqual(heard(buffer, [b"a"] * LIMIT), ([], False, True))
        self.assertEqual(heard(buffer, [b"a"]), ([], True, False))

    def test_a_return_past_the_limit_is_waited_for(self) -> None:
        """After a full line a carriage return may be half of its ending: one, and no more."""
        self.assertEqual(self.lines(b"abcdef", b"\r", b"\n"), [b"abcdef"])
        self.assertTrue(heard(LineBuffer(LIMIT), [b"abcdef", b"\r", b"\r"])[1])
        self.assertTrue(heard(LineBuffer(LIMIT), [b"abcdef", b"\r", b"g"])[1])

    def test_the_tail_of_a_long_line_is_no_line(self) -> None:
        """What looks like a command behind an over-long line's first part is never heard."""
        self.assertEqual(heard(LineBuffer(LIMIT), [b"x" * 50 + b"\nquit\n"]), ([], True, False))

    def test_errors_hold_nothing_of_the_line(self) -> None:
        """The reason names the limit, and does not repeat what was sent."""
        error = self.assertRaises(WireError, list, LineBuffer(LIMIT).feed(b"sEcReT" * 9))
        self.assertIn("6 bytes", str(error))
        self.assertNotIn("sEcReT", str(error))


class TelnetTests(PropertyCase):
    #: Options, and what Ctrl-C and other keys send.
    TRIPLES = (
        *(b"\xff\xfb\x01", b"\xff\xfc\x0a", b"\xff\xfd\xff", b"\xff\xfe\x0d"),
        *(b"\xff\xf0", b"\xff\xf4", b"\xff\xf9", b"\xff\xf4\xff\xfd\x06"),
    )

    def test_every_place_and_every_cut(self) -> None:
        stream = b"ab\r\nc\n"
        for triple in self.TRIPLES:
            for place in range(len(stream) + 1):
                mixed = stream[:place] + triple + stream[place:]
                for end in range(len(mixed)):
                    chunks = [mixed[:end], mixed[end:]]
                    self.assertEqual(heard(LineBuffer(LIMIT), chunks), ([b"ab", b"c"], False, False), (mixed, end))

    @given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", *TRIPLES]), max_size=12))
    def test_lines_are_as_without_them(self, parts: Sequence[bytes]) -> None:
        plain = b"".join(part for part in parts if part not in self.TRIPLES)
        mixed = b"".join(parts)
        self.assertEqual(heard(LineBuffer(20), one_by_one(mixed)), heard(LineBuffer(20), [plain]))
        self.assertEqual(heard(LineBuffer(20), [mixed]), heard(LineBuffer(20), [plain]))

    def test_other_bytes_of_255_are_kept(self) -> None:
        """A byte 255 that begins no negotiation belongs to its line, at the end of a chunk too."""
        self.assertEqual(heard(LineBuffer(LIMIT), [b"a\xff", b"b\n\xff\n"]), ([b"a\xffb", b"\xff"], False, False))

    def test_a_removed_triple_joins_nothing(self) -> None:
        """What stands on both sides of a triple does not become a triple by its going, however it is cut."""
        for chunks in ([b"\xff\xff\xfb\x01\xfb\x02\n"], [b"\xff\xff\xfb\x01", b"\xfb\x02\n"]):
            self.assertEqual(heard(LineBuffer(LIMIT), chunks), ([b"\xff\xfb\x02"], False, False))

    def test_commands_are_answered_in_their_place(self) -> None:
        """An option is refused once, and a timing mark is answered each time, however the bytes are cut."""
        refused = [TelnetAnswer(b"\xff\xfc\x01"), TelnetAnswer(b"\xff\xfe\x01"), TelnetAnswer(b"\xff\xfc\x06")]
        interrupt = b"\xff\xf4\xff\xfd\x06"
        stream = b"a\nb\xff\xfd\x01\n\xff\xfb\x01\xff\xfd\x01" + interrupt + b"c\n\xff\xfc\x07\xff\xfe\x07" + interrupt
        expected = [b"a", refused[0], b"b", refused[1], refused[2], b"c", refused[2]]
        for pieces in ([stream], one_by_one(stream), *([stream[:at], stream[at:]] for at in range(len(stream)))):
            codec = PlainCodec()
            self.assertEqual([message for piece in pieces for message in taken(codec, piece)], expected, pieces)
            self.assertFalse(codec.unfinished)

    def test_no_more_is_answered_than_is_asked(self) -> None:
        """Each option of every kind a hundred times: each is refused once, and a timing mark is not longer than its answer."""
        asked = b"".join(bytes((255, verb, option)) for verb in range(251, 255) for option in range(256)) * 100
        answers = [message.data for message in PlainCodec().feed(asked) if isinstance(message, TelnetAnswer)]
        self.assertEqual(len(answers), 2 * 256 + 99)
        self.assertEqual(answers.count(b"\xff\xfc\x06"), 100)

    def test_triples_count_for_no_limit(self) -> None:
        self.assertEqual(heard(LineBuffer(2), [b"a", b"\xff\xfb\x01" * 9, b"b\n"]), ([b"ab"], False, False))


class ForeignTests(SynchronousTestCase):
    OPENINGS = (
        b"GET / HTTP/1.1\r\n",
        b"POST /login HTTP/1.0\r\n",
        b"HEAD * HTTP/1.1\n",
        b"CONNECT a:1 HTTP/1.1\r\n",
        b"PRI * HTTP/2.0\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"SSH-1.99-x\n",
    )

    def reason(self, *chunks: bytes, limit: int = 40) -> str:
        buffer = LineBuffer(limit)
        return str(self.assertRaises(WireError, lambda: [list(buffer.feed(chunk)) for chunk in chunks]))

    def test_openings(self) -> None:
        for opening in self.OPENINGS:
            self.assertEqual(self.reason(opening), "another protocol")
            self.assertEqual(self.reason(*one_by_one(opening)), "another protocol")

    def test_the_opening_is_kept_for_a_sentence(self) -> None:
        """The error carries the first bytes, so that a wire can say which protocol it is."""
        for opening in self.OPENINGS:
            error = self.assertRaises(OtherProtocol, list, LineBuffer(40).feed(opening))
            self.assertEqual(error.opening, opening)

    def test_tls_is_known_by_three_bytes(self) -> None:
        hello = b"\x16\x03\x01\x02\x00" + bytes(512)
        self.assertEqual(self.reason(hello), "another protocol")
        self.assertEqual(self.reason(hello + b"\n"), "another protocol")
        self.assertEqual(self.reason(b"\x16", b"\x03"), "another protocol")

    def test_only_the_first_line_is_looked_at(self) -> None:
        """Later the same words are a line as any other: somebody may say them."""
        self.assertEqual(
            heard(LineBuffer(40), [b"a\nGET / HTTP/1.1\n\x16\x03"]), ([b"a", b"GET / HTTP/1.1"], False, True)
        )

    def test_words_that_only_look_like_it(self) -> None:
        for line in (b"GET", b"GET /", b"PUT the cat", b"SSH-3", b"get / HTTP/1.1"):
            self.assertEqual(heard(LineBuffer(40), [line + b"\n"]), ([line], False, False))


class FrameTests(SynchronousTestCase):
    def test_frames_come_with_their_headers(self) -> None:
        self.assertEqual(
            heard(FrameBuffer(2, frame_size), [b"\x01\x02ab\x02\x00\x03\x01"]),
            ([b"\x01\x02ab", b"\x02\x00"], False, True),
        )

    def test_refused_before_anything_is_waited_for(self) -> None:
        """A header that cannot be, or promises too much, breaks as soon as it is whole; frames before it come out."""
        for header in (b"\xff\x00", b"\x01\x07"):
            self.assertEqual(heard(FrameBuffer(2, frame_size), [b"\x01\x00" + header]), ([b"\x01\x00"], True, False))
            self.assertEqual(heard(FrameBuffer(2, frame_size), one_by_one(header)), ([], True, False))

    def test_limit_exactly(self) -> None:
        frame = b"\x01\x06abcdef"
        self.assertEqual(heard(FrameBuffer(2, frame_size), one_by_one(frame * 2)), ([frame, frame], False, False))

    def test_unfinished(self) -> None:
        for begun in (b"\x01", b"\x01\x02", b"\x01\x02a"):
            self.assertEqual(heard(FrameBuffer(2, frame_size), [begun]), ([], False, True))


class LastEncodedTests(SynchronousTestCase):
    def test_encoded_once(self) -> None:
        encoded: list[list[int]] = []

        def encode(message: list[int]) -> bytes:
            encoded.append(message)
            return bytes(message)

        last = LastEncoded[list[int]]()
        for numbers in (one := [1], one, [1], [2], one):
            self.assertEqual(last.bytes_of(numbers, encode), bytes(numbers))
        self.assertEqual(encoded, [[1], [1], [2], [1]])


# No text is longer than the limit here: the other library counts the payloads of control frames, too.
DIGITS = st.tuples(st.sampled_from((0, 0, 1, 1, 1, 9, 10, 11)), st.sampled_from((b"1", b"22")))
CLOSING = st.tuples(
    st.just(8), st.sampled_from((b"", b"\x03", b"\x03\xe8", b"\x03\xe82", b"\x03\xed", b"\x03\xe7", b"\x0b\xb8"))
)
BITS = st.sampled_from((0, 0, 0, 0, 1))
MASKS = st.sampled_from((MASK, MASK, MASK, MASK, b""))

BAD = UndecodableLine("no digits")


class Echo(FrameCodec[Any]):
    LIMIT = 200

    def read(self, text: bytes) -> Any:
        return text.decode() if text.isdigit() else BAD

    def encode(self, message: Any) -> bytes:
        return text_frame(message.encode()) if isinstance(message, str) else control_frame(message)


class CodecTests(CodecContract, PropertyCase):
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
