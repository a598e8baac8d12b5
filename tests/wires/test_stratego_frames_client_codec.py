"""The client's side of the frames."""

from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.client import FramesClientCodec
from gamehost.wires.stratego_frames.codec import FramesCodec
from tests.kit.wires.stratego_frames_words import frame

NAME = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CHAR = st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF)
INT = st.integers(-(2**31), 2**31 - 1)
ANY_INT = INT | st.integers()
ANY = NAME | st.text(max_size=10) | st.just("x" * 300)


class FramesClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.Wait: st.builds(m.Wait),
        m.Connected: st.builds(m.Connected),
        m.PlacementValid: st.builds(m.PlacementValid),
        m.PlacementInvalid: st.builds(m.PlacementInvalid),
        m.Playing: st.builds(m.Playing, NAME),
        m.Move: st.builds(m.Move, INT, INT, INT, INT),
        m.Board: st.builds(m.Board, st.text(CHAR, min_size=100, max_size=100)),
        m.MoveInvalid: st.builds(m.MoveInvalid),
        m.Battle: st.builds(m.Battle, NAME, CHAR, CHAR),
        m.GameOver: st.builds(m.GameOver, NAME),
        m.Error: st.builds(m.Error, st.text(st.characters(exclude_categories=["Cs"]), max_size=200)),
        m.Side: st.builds(m.Side, CHAR),
    }
    client_messages = {
        m.SignOn: st.builds(m.SignOn, st.none() | ANY),
        m.Setup: st.builds(m.Setup, st.characters() | st.text(max_size=2), ANY_INT, ANY_INT),
        m.Ready: st.builds(m.Ready) | st.builds(m.Ready, ANY),
        m.Move: st.builds(m.Move, ANY_INT, ANY_INT, ANY_INT, ANY_INT),
        m.Resign: st.builds(m.Resign),
    }

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    def new_client_codec(self) -> FramesClientCodec:
        return FramesClientCodec()

    def test_the_types_are_all(self) -> None:
        """Every message of the wire is drawn."""
        self.assertEqual(self.server_messages.keys(), m.SERVER_FRAMES.keys())
        self.assertEqual(self.client_messages.keys(), set(m.CLIENT_FRAMES.values()))

    def test_errors(self) -> None:
        """A frame that cannot be one of the server's is refused; where possible before its payload."""
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
