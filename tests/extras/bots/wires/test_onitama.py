"""The client's codec of Onitama."""

from hypothesis import strategies as st

from gamehost.extras.bots.wires.onitama import PipesClientCodec
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.codec import PipesCodec
from tests.kit.drawn_messages import drawn

#: What stands between two pipes, and a sentence at the end of a line.
WORD = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=12)


SENTENCE = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


ANY = WORD | st.text(max_size=10) | st.just("x" * 300)


MAYBE = st.none() | SENTENCE


class PipesClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        m.SERVER_COMMANDS, {str: WORD, "reason": SENTENCE, "InvalidMove.reason": MAYBE, "Start.cards": MAYBE}
    )
    client_messages = drawn((kind for kind, _, _ in m.CLIENT_COMMANDS.values()), {str: ANY})

    def new_codec(self) -> PipesCodec:
        return PipesCodec()

    def new_client_codec(self) -> PipesClientCodec:
        return PipesClientCodec()

    def test_errors(self) -> None:
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
        self.assertEqual(list(PipesClientCodec().feed(b"\n\r\nGAME_OVER|ann\r\n")), [m.GameOver("ann")])

    def test_what_cannot_be_written(self) -> None:
        for name in ("a|b", " ann", "ann\t", "a\nb", "ann\r", "\ud800"):
            self.assertRaises(WireError, PipesClientCodec().encode, m.Login(name))
        self.assertEqual(PipesClientCodec().encode(m.Login("")), b"LOGIN|\n")
