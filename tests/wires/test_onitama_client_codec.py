"""The client's side of the pipe-separated lines."""

from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.client import PipesClientCodec
from gamehost.wires.onitama.codec import PipesCodec

#: What stands between two pipes, and a sentence at the end of a line.
FIELD = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=12)
SENTENCE = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
ANY = FIELD | st.text(max_size=10) | st.just("x" * 300)


class PipesClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.Start: st.builds(m.Start, FIELD, FIELD, st.none() | SENTENCE),
        m.MoveWasMade: st.builds(m.MoveWasMade, FIELD, FIELD, FIELD),
        m.InvalidMove: st.builds(m.InvalidMove, st.none() | SENTENCE),
        m.StalemateCard: st.builds(m.StalemateCard, FIELD, FIELD),
        m.Logout: st.builds(m.Logout, FIELD),
        m.Reconnect: st.builds(m.Reconnect, FIELD, FIELD, FIELD, FIELD, FIELD),
        m.GameOver: st.builds(m.GameOver, FIELD),
        m.Waiting: st.builds(m.Waiting, FIELD),
        m.Error: st.builds(m.Error, SENTENCE),
    }
    client_messages = {
        m.Login: st.builds(m.Login, ANY),
        m.MakeMove: st.builds(m.MakeMove, ANY, ANY, ANY),
        m.Stalemate: st.builds(m.Stalemate, ANY),
        m.Resign: st.builds(m.Resign),
    }

    def new_codec(self) -> PipesCodec:
        return PipesCodec()

    def new_client_codec(self) -> PipesClientCodec:
        return PipesClientCodec()

    def test_the_types_are_all(self) -> None:
        """Every message of the wire is drawn."""
        self.assertEqual(self.server_messages.keys(), m.SERVER_COMMANDS.keys())
        self.assertEqual(self.client_messages.keys(), {kind for kind, _, _ in m.CLIENT_COMMANDS.values()})

    def test_errors(self) -> None:
        """What was wrong is said, and nothing of the line is repeated."""
        for line, words in (
            (b"HELLO|x\n", "unknown command; expected one of START, MOVE_WAS_MADE"),
            (b"LOGIN|x\n", "unknown command"),
            (b"MOVE_WAS_MADE|tiger|c1\n", "too few fields in MOVE_WAS_MADE; expected 3"),
            (b"\xc3(\n", "a line that is not UTF-8"),
            (b"x" * 4097, "a line longer than 4096 bytes"),
        ):
            error = self.assertRaises(WireError, list, PipesClientCodec().feed(line))
            self.assertIn(words, str(error))

    def test_empty_lines_say_nothing(self) -> None:
        """A server may send them to keep the connection alive."""
        self.assertEqual(list(PipesClientCodec().feed(b"\n\r\nGAME_OVER|ann\r\n")), [m.GameOver("ann")])

    def test_what_cannot_be_written(self) -> None:
        """A pipe, a space at an end, a line end, and text that is not Unicode."""
        for name in ("a|b", " ann", "ann\t", "a\nb", "ann\r", "\ud800"):
            self.assertRaises(WireError, PipesClientCodec().encode, m.Login(name))
        self.assertEqual(PipesClientCodec().encode(m.Login("")), b"LOGIN|\n")
