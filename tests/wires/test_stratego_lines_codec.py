"""ASCII lines of Stratego, from both sides."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.stratego.rules import KINDS
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, WireError
from gamehost.wires.stratego_lines import messages as m
from gamehost.wires.stratego_lines.codec import LINE_LIMIT, WORDS, LinesCodec
from tests.kit.wires.stratego_lines import BLUE, RED


class LinesCodecTests(CodecContract, PropertyCase):
    spreads = True

    def new_codec(self) -> LinesCodec:
        return LinesCodec()

    read = ((b' a|"\\ b\n', m.Text(' a|"\\ b')), (b"\r\n", BLANK), (b"B4-B5\r\n", m.Text("B4-B5")))
    sent = (
        (m.AuthReq(), "auth-req"),
        (m.AuthOk(), "auth-ok"),
        (m.AuthErr(), "auth-err"),
        (m.New(), "new"),
        (m.Color("red"), "color red"),
        (m.Color("blue"), "color blue"),
        (m.EndSetup(), "endsetup"),
        (m.GetMove(), "get-move"),
        (m.Met(None), "none"),
        (m.Met("V"), "V"),
        (m.Moved("A7", "A4"), "A7-A4"),
        (m.Moved("A7", "A4", "R"), "A7-A4-R"),
        (m.Winner("red"), "winner red"),
        (m.Winner("none"), "winner none"),
        (m.Err("'a move' is written like B4-B5"), "err 'a move' is written like B4-B5"),
        (m.Resume(), "resume"),
        (m.Board(("MGKKJJJPPP", "..~~..~~..")), "board\nMGKKJJJPPP\n..~~..~~.."),
    )
    streams = (
        b"ann\nsecret\nVMGKKJJJPP\nB4-B5\n",
        b"ann\r\n\r\n\n secret \r\n\xff\xfd\x03B4-B5\n",
        b"ann\n\xc3\xa9\nB4-B5\n",
        b"ann\n" + b"x" * 160 + b"\nbob\n" + b"x" * 161 + b"\ncarl\n",
        b"ann\n\xc3(\nbob\n\x80\ncarl\n",
    )

    def test_every_message_of_the_server_is_among_them(self) -> None:
        self.assertEqual({type(message) for message, _ in self.sent}, set(WORDS))


class ReadingTests(PropertyCase):
    def test_an_empty_line_and_one_beyond_ascii(self) -> None:
        codec = LinesCodec()
        self.assertEqual(list(codec.feed(b"\n\r\n\xe9\nann\n")), [BLANK, BLANK, m.NOT_ASCII, m.Text("ann")])
        self.assertRaises(WireError, list, codec.feed("é\n".encode()))

    def test_line_limit(self) -> None:
        """160 bytes without the end of the line; one more is not this wire."""
        self.assertEqual(len(list(LinesCodec().feed(b"x" * LINE_LIMIT + b"\r\n"))), 1)
        self.assertRaises(WireError, list, LinesCodec().feed(b"x" * (LINE_LIMIT + 1) + b"\n"))

    def test_a_line_shows_nothing(self) -> None:
        [message] = LinesCodec().feed(b"canary\n")
        self.assertNotIn("canary", repr(message) + str(message))


class SpellingTests(PropertyCase):
    def test_letters_are_the_document_s(self) -> None:
        """Twelve of them, one for each of the game's kinds, as many as the game has; `S` is the sergeant, `O` the spy."""
        self.assertEqual("".join(m.LETTERS[kind] for kind in "F123456789SB"), "VMGKJPLSIROB")
        self.assertEqual({m.PIECES[letter]: count for letter, count in m.COUNTS.items()}, _counts())

    def test_moves(self) -> None:
        squares = [m.square(x, y) for y, x in itertools.product(range(10), range(10))]
        self.assertEqual((squares[0], squares[9], squares[-1]), ("A1", "J1", "J10"))
        for number, start in enumerate(squares):
            expected = (number % 10, number // 10, 9 - number % 10, 9 - number // 10)
            for text in (f"{start}-{squares[99 - number]}", f"{start}-{squares[99 - number]}".lower()):
                self.assertEqual(m.read_move(text), expected)
        for text in ("", "B4", "B4B5", "B4-", "B4 -B5", " B4-B5", "B4-B5 ", "B4-B5-R", "A0-A1", "K1-K2", "A11-A10"):
            self.assertIsNone(m.read_move(text), text)
        for text in ("A04-A05", "A4–A5", "A٤-A٥", "A4-A5\n", "4A-5A", "A4-A5-", "A4--A5", "A1_-A2", "ſ4-B5"):
            self.assertIsNone(m.read_move(text), text)

    @given(st.text(max_size=12))
    def test_any_text_is_a_move_or_none(self, text: str) -> None:
        move = m.read_move(text)
        if move is not None:
            self.assertEqual(f"{m.square(*move[:2])}-{m.square(*move[2:])}", text.upper())

    def test_set_ups(self) -> None:
        self.assertIsNone(m.fault_of_set_up(RED))
        self.assertIsNone(m.fault_of_set_up(BLUE))
        for number, line in enumerate(("", "VMGKKJJJP", "VMGKKJJJPPP", "VMGKKJJJPF", "VMGKKJJJP.", "canary  +-"), 1):
            lines = list(RED)
            lines[number % 4] = line
            fault = m.fault_of_set_up(tuple(lines))
            assert fault is not None
            self.assertEqual(
                fault, f"line {number % 4 + 1} of the set-up is not ten letters of V M G K J P L S I R O B"
            )
        fault = m.fault_of_set_up(("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRRRBBBBBB"))
        self.assertEqual(fault, "the set-up has 9 R instead of 8, 0 O instead of 1")


def _counts() -> dict[str, int]:
    return {kind.id: kind.count for kind in KINDS.values()}
