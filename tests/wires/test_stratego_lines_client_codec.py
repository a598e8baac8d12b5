"""The client's side of the ASCII lines."""

from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.client import LinesClientCodec
from gamehost.wires.stratego_lines.codec import WORDS, LinesCodec

LETTER = st.sampled_from(sorted(m.PIECES))
SQUARE = st.builds(m.square, st.integers(0, 9), st.integers(0, 9))
SENTENCE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)
ROW = st.text(st.sampled_from("#.~" + "".join(m.PIECES)), min_size=10, max_size=10)
ROWS = st.lists(ROW, min_size=10, max_size=10).map(tuple)


class LinesClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.AuthReq: st.builds(m.AuthReq),
        m.AuthOk: st.builds(m.AuthOk),
        m.AuthErr: st.builds(m.AuthErr),
        m.New: st.builds(m.New),
        m.Color: st.builds(m.Color, st.sampled_from(("red", "blue"))),
        m.EndSetup: st.builds(m.EndSetup),
        m.GetMove: st.builds(m.GetMove),
        m.Met: st.builds(m.Met, st.none() | LETTER),
        m.Moved: st.builds(m.Moved, SQUARE, SQUARE, st.none() | LETTER),
        m.Winner: st.builds(m.Winner, st.sampled_from(("red", "blue", "none"))),
        m.Err: st.builds(m.Err, SENTENCE),
        m.Resume: st.builds(m.Resume),
        m.Board: st.builds(m.Board, ROWS),
    }
    client_messages = {
        m.Text: st.builds(
            m.Text,
            SENTENCE | st.text(max_size=20) | st.sampled_from(("*\x01", "SSH-2.0", "GET / HTTP/1.1", "x" * 161, "a\r")),
        )
    }

    def new_codec(self) -> LinesCodec:
        return LinesCodec()

    def new_client_codec(self) -> LinesClientCodec:
        return LinesClientCodec()

    def test_the_types_are_all(self) -> None:
        """Every message of the server is drawn."""
        self.assertEqual(self.server_messages.keys(), WORDS.keys())

    def test_errors(self) -> None:
        """What was wrong is said, and nothing of the line is repeated."""
        for line, words in (
            (b"hello\n", "not a line that the server sends"),
            (b"color green\n", "not a line that the server sends"),
            (b"A0-A1\n", "not a line that the server sends"),
            (b"board\nxyz\n", "expected a row of a board: 10 letters, #, . or ~"),
            (b"\xc3(\n", "a line that is not ASCII"),
            (b"x" * 4097, "a line longer than 4096 bytes"),
        ):
            error = self.assertRaises(WireError, list, LinesClientCodec().feed(line))
            self.assertEqual(str(error), words)

    def test_another_protocol_s_beginning(self) -> None:
        """It can be a password, but not the first line; and after a refusal the codec can be used further."""
        codec = LinesClientCodec()
        self.assertRaises(WireError, codec.encode, m.Text("SSH-2.0"))
        self.assertRaises(WireError, codec.encode, m.Text("*\x01"))
        self.assertEqual(codec.encode(m.Text("ann")), b"ann\n")
        self.assertEqual(codec.encode(m.Text("SSH-2.0")), b"SSH-2.0\n")
