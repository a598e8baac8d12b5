"""Frames as bytes."""

import struct
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.wires.framing import WireError, from_modified_utf8, modified_utf8
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import FramesCodec
from tests.kit.memory_host import (
    client_frames,
    frame,
    read_utf,
    server_frame,
    write_utf,
)

#: All that can stand in a Python string which can be written: no lone surrogates.
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


def heard(chunks: Sequence[bytes]) -> tuple[list[m.Message], str | None, bool]:
    """What a codec makes of these chunks: messages, what broke it, and whether a frame has begun."""
    codec = FramesCodec()
    found: list[m.Message] = []
    try:
        for chunk in chunks:
            for message in codec.feed(chunk):
                found.append(message)
    except WireError as error:
        return found, str(error), False
    return found, None, codec.unfinished


def encoded(message: m.Message, sequence: int = 0) -> bytes:
    """A server's message as the connection's frame of that number."""
    codec = FramesCodec()
    for _ in range(sequence):
        codec.encode(m.Wait())
    return codec.encode(message)


class ExampleTests(SynchronousTestCase):
    def test_sign_on(self) -> None:
        data = bytes.fromhex("2A 01 00 00 00 05  00 03 61 6E 6E")
        self.assertEqual(heard([data]), ([m.SignOn("ann")], None, False))

    def test_setup(self) -> None:
        data = bytes.fromhex("2A 02 00 01 00 0A  00 39 00 00 00 00 00 00 00 03")
        self.assertEqual(heard([data]), ([m.Setup("9", 0, 3)], None, False))

    def test_move(self) -> None:
        data = bytes.fromhex("2A 04 00 29 00 10  00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 04")
        self.assertEqual(heard([data]), ([m.Move(0, 3, 0, 4)], None, False))

    def test_wait(self) -> None:
        self.assertEqual(encoded(m.Wait()), bytes.fromhex("2A 01 00 00 00 06  00 04 77 61 69 74"))

    def test_battle(self) -> None:
        data = bytes.fromhex("2A 09 00 2C 00 09  00 03 61 6E 6E 00 33 00 38")
        self.assertEqual(encoded(m.Battle("ann", "3", "8"), 44), data)

    def test_the_servers_words(self) -> None:
        said: dict[m.Message, bytes] = {
            m.Wait(): b"\x00\x04wait",
            m.Connected(): b"\x00\x09connected",
            m.PlacementValid(): b"\x00\x05valid",
            m.PlacementInvalid(): b"\x00\x07invalid",
            m.MoveInvalid(): b"\x00\x0cinvalid move",
        }
        for message, payload in said.items():
            self.assertEqual(encoded(message)[6:], payload)

    def test_frame_types(self) -> None:
        """Ten of the document, and the two extensions."""
        move = m.Move(0, 0, 0, 1)
        said: list[m.Message] = [
            m.Wait(),
            m.Connected(),
            m.PlacementValid(),
            m.PlacementInvalid(),
            m.Playing("a"),
            move,
        ]
        said += [m.Board("." * 100), m.MoveInvalid(), m.Battle("a", "1", "2"), m.GameOver("a"), m.Error("a")]
        said.append(m.Side("1"))
        self.assertEqual([encoded(message)[1] for message in said], [*range(1, 11), 15, 16])
        self.assertEqual(len(said), len(m.SERVER_FRAMES))


class StringTests(PropertyCase):
    @given(TEXTS)
    @example("\0")
    @example("\N{MUSICAL SYMBOL G CLEF}")
    @example("a\0\N{MUSICAL SYMBOL G CLEF}é\uffff\x7f\x80\u07ff\u0800")
    def test_both_ways(self, text: str) -> None:
        data = modified_utf8(text)
        self.assertEqual(data, write_utf(text)[2:])
        self.assertEqual(read_utf(struct.pack(">H", len(data)) + data), text)
        self.assertEqual(from_modified_utf8(data), text)

    @given(
        st.binary(max_size=12) | st.text(st.characters(), max_size=6).map(lambda t: t.encode("utf-8", "surrogatepass"))
    )
    def test_only_one_form_is_read(self, data: bytes) -> None:
        """Bytes either are what would be written, or are refused: no two forms of one name."""
        try:
            text = from_modified_utf8(data)
        except WireError:
            return
        self.assertEqual(modified_utf8(text), data)

    def test_known_forms(self) -> None:
        """NUL in two bytes, a letter beyond U+FFFF as two surrogates of three bytes each."""
        self.assertEqual(modified_utf8("a\0b"), b"a\xc0\x80b")
        self.assertEqual(modified_utf8("\U00010400"), bytes.fromhex("ED A0 81 ED B0 80"))
        self.assertEqual(from_modified_utf8(bytes.fromhex("ED A0 81 ED B0 80")), "\U00010400")

    def test_malformed(self) -> None:
        for data in (
            b"\0",  # a bare NUL
            "\U00010400".encode(),  # four bytes
            bytes.fromhex("ED A0 81"),  # half a pair
            bytes.fromhex("ED B0 80 ED A0 81"),  # a pair the wrong way round
            b"\xc1\x81",  # overlong
            b"\xe0\x80\x80",  # NUL in three bytes
            b"\xc3",  # cut
            b"\x80",  # a continuation of nothing
            b"\xe1\xc0\x80",  # the two bytes of NUL within another character
            b"\xff",
        ):
            self.assertRaises(WireError, from_modified_utf8, data)

    def test_string_that_does_not_fill_its_frame(self) -> None:
        """A frame that is whole is no reason to hang up: the String in it is unreadable, the next frame is read."""
        for payload in (b"\x00\x02ann", b"\x00\x04ann", b"\xff\xffann", b"\x00\x03an\xff", b"\x00\x01\x00"):
            data = frame(1, payload) + frame(3, payload) + frame(3, write_utf("ready"))
            self.assertEqual(heard([data]), ([m.SignOn(None), m.Ready(""), m.Ready("ready")], None, False))


class SequenceTests(SynchronousTestCase):
    def test_sequence_wraps(self) -> None:
        numbers = [int.from_bytes(encoded(m.Wait(), sequence)[2:4], "big") for sequence in (65_534, 65_535, 65_536)]
        self.assertEqual(numbers, [65_534, 65_535, 0])

    def test_words_are_the_same(self) -> None:
        said = client_frames('Sign On "ann"', 0) + client_frames("Setup 9 (0,3)", 1)
        self.assertEqual(said[0].hex(), "2a0100000005" + "0003616e6e")
        self.assertEqual(said[1].hex(), "2a020001000a" + "00390000000000000003")
        self.assertEqual(server_frame('Battle "ann" 3 8', 44).hex(), "2a09002c0009" + "0003616e6e00330038")


class HeaderTests(SynchronousTestCase):
    """Headers that no client's frame can have break the wire, before any payload is waited for."""

    def assert_broken(self, data: bytes) -> None:
        found, error, unfinished = heard([data])
        self.assertEqual((found, unfinished), ([], False))
        self.assertIsNot(error, None)

    def test_first_byte(self) -> None:
        for first in {*range(256)} - {0x2A, 0xEF}:
            self.assert_broken(bytes([first]))
        for third in range(256):
            self.assert_broken(
                bytes((0xEF, 0xBB, third))
            )  # with 0xBF it is a byte order mark, and the error names that
        self.assertEqual(heard([client_frames('Ready "ready"', 0)[0] + b"+"])[1], "a frame begins with 0x2A")

    def test_types(self) -> None:
        for kind in {*range(256)} - {1, 2, 3, 4}:
            self.assert_broken(struct.pack(">BBHH", 0x2A, kind, 0, 16))

    def test_sizes(self) -> None:
        """A placement and a move have one size, a String 2 to 256 bytes: more is not waited for."""
        good = {1: range(2, 257), 2: (10,), 3: range(2, 257), 4: (16,)}
        for kind, sizes in good.items():
            for size in (*range(300), 0x7FFF, 0x8000, 0xFFFF):
                header = struct.pack(">BBHH", 0x2A, kind, 0, size)
                if size in sizes:
                    self.assertEqual(heard([header]), ([], None, True))
                else:
                    self.assert_broken(header)

    def test_what_came_before_is_heard(self) -> None:
        data = client_frames("Move (0,3) (0,4)", 0)[0]
        found, error, _ = heard([data + b"GET / HTTP/1.1"])
        self.assertEqual((found, error), ([m.Move(0, 3, 0, 4)], "a frame begins with 0x2A"))

    def test_sequence_numbers_of_clients_are_not_looked_at(self) -> None:
        """Clients of the course often send 0 throughout."""
        for sequence in (0, 7, 65_535):
            self.assertEqual(heard([frame(3, write_utf("ready"), sequence)])[0], [m.Ready("ready")])

    def test_the_longest_name_fits(self) -> None:
        name = "\U00010400" * 20
        self.assertEqual(heard([frame(1, write_utf(name))])[0], [m.SignOn(name)])
