"""The client's codec of Stratego's lines, and the program."""

from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots.wires.stratego_lines import LinesClientCodec, StrategoLinesPlayer
from gamehost.games.play import new_player
from gamehost.games.stratego.rules import Place, Ready
from gamehost.players.base import Level
from gamehost.programs.wire_player import ProgramError
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.codec import WORDS, LinesCodec
from tests.kit.drawn_messages import drawn

LETTER = st.sampled_from(sorted(m.PIECES))


SQUARE = st.builds(m.square, st.integers(0, 9), st.integers(0, 9))


SENTENCE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)


ROW = st.text(st.sampled_from("#.~" + "".join(m.PIECES)), min_size=10, max_size=10)


ROWS = st.lists(ROW, min_size=10, max_size=10).map(tuple)


class LinesClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        WORDS,
        {
            **{"start": SQUARE, "end": SQUARE, "piece": st.none() | LETTER, "attacker": st.none() | LETTER},
            **{"reason": SENTENCE, "rows": ROWS, "Color.color": st.sampled_from(("red", "blue"))},
            "Winner.color": st.sampled_from(("red", "blue", "none")),
        },
    )
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

    def test_errors(self) -> None:
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


class PlayerTests(SynchronousTestCase):
    def player(self) -> StrategoLinesPlayer:
        return StrategoLinesPlayer("ann", "secret", lambda game, seat: new_player(game, seat, Level.EASY, 1))

    def test_a_set_up_piece_by_piece(self) -> None:
        """What a player of the other wire would do has no line here."""
        for action in (Ready(), Place("9", 0, 0)):
            error = self.assertRaises(ProgramError, self.player().act, action)
            self.assertIn("piece by piece", str(error))

    def test_a_move_before_the_board_is_known(self) -> None:
        """The match begins with a set-up of an earlier connection, which a new program does not know."""
        player = self.player()
        for message in (m.New(), m.Color("red"), m.EndSetup()):
            player.hear(message)
        error = self.assertRaises(ProgramError, player.hear, m.Moved("A4", "A5"))
        self.assertEqual(str(error), "the server tells of a move before the board is known")
