"""The client's codec of Stratego's frames."""

from hypothesis import strategies as st

from gamehost.extras.bots.wires.stratego_frames import FramesClientCodec
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import FramesCodec
from tests.kit.drawn_messages import drawn
from tests.kit.memory_host import (
    frame,
)

NAME = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


CHAR = st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF)


INT = st.integers(-(2**31), 2**31 - 1)


ANY_INT = INT | st.integers()


ANY = NAME | st.text(max_size=10) | st.just("x" * 300)


class FramesClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        m.SERVER_FRAMES,
        {
            **{str: CHAR, int: INT, "username": NAME, "winner": NAME},
            "squares": st.text(CHAR, min_size=100, max_size=100),
            "reason": st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
        },
    )
    client_messages = drawn(
        m.CLIENT_FRAMES.values(),
        {str: ANY, int: ANY_INT, "piece": st.characters() | st.text(max_size=2), "text": st.just("ready") | ANY},
    )

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    def new_client_codec(self) -> FramesClientCodec:
        return FramesClientCodec()

    def test_errors(self) -> None:
        for data, words in (
            (b"GET", "a frame begins with 0x2A"),
            (frame(11, b"", 0), "a server sends frames of type 1 to 10, 15 (Error) or 16 (Side)"),
            (frame(7, b"\0" * 200, 0)[:5] + b"\xc7", "the payload of Board has 200 bytes"),
            (frame(15, b"", 0), "the payload of Error has 2 to 4096 bytes"),
            (frame(9, b"\0\0\0\0", 0), "the payload of Battle is a String and two chars"),
            (frame(1, b"\0\4what", 0), 'the payload of Wait is the String "wait"'),
            (frame(5, b"\0\5ann", 0), "a String whose size is not that of the payload"),
            (frame(5, b"\0\1\xff", 0), "a String that is not modified UTF-8"),
            (frame(16, b"\xd8\0", 0), "chars that are not UTF-16"),
            (frame(7, b"\xd8\0\xdc\0" + b"\0a" * 98, 0), "a board has 100 chars"),
        ):
            error = self.assertRaises(WireError, list, FramesClientCodec().feed(data))
            self.assertEqual(str(error), words)

    def test_a_refused_message_takes_no_number(self) -> None:
        """The frame after a message that cannot be written has the next sequence number."""
        codec = FramesClientCodec()
        self.assertRaises(WireError, codec.encode, m.Move(0, 0, 0, 2**31))
        self.assertRaises(WireError, codec.encode, m.SignOn(None))
        self.assertEqual(codec.encode(m.Resign()), frame(17, b"", 0))
        self.assertEqual(codec.encode(m.Resign()), frame(17, b"", 1))
