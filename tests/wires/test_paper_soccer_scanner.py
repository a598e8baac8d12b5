"""Cutting XML out of a stream: the same pieces however it is cut into segments, and no more work than the bytes are worth."""

import random

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.wire_contract import chunked, mutated
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer.scanner import MessageBuffer, TokenKind
from tests.kit.wires.paper_soccer_talk import login, move, points


def pieces(*segments: bytes, guided: bool = True) -> list[tuple[TokenKind, bytes, bool] | str]:
    """What is cut, and at the end why nothing more is."""
    buffer = MessageBuffer(guided)
    found: list[tuple[TokenKind, bytes, bool] | str] = []
    try:
        for segment in segments:
            for piece in buffer.feed(segment):
                found.append((piece.kind, piece.data, piece.known))
    except WireError as error:
        found.append(str(error))
    return found


def element(data: bytes, known: bool = True) -> tuple[TokenKind, bytes, bool]:
    """A whole element."""
    return TokenKind.ELEMENT, data, known


BLANK = (TokenKind.BLANK_LINE, b"", True)
MOVE = move((0, 1)).encode()
#: Parts that streams are made of: whole, broken, and just inside or outside a limit.
PARTS = (
    MOVE,
    login("ann").encode(),
    b"<point x='0' y='1'/>",
    b"<point x='0' y='1'></point>",
    b"\n",
    b"\r\n",
    b"  \t",
    b'<?xml version="1.0" encoding="UTF-8"?>',
    b"<a b='>' c=\"'/>\"/>",
    b"<a><b>text > text</b></a>",
    b"<pointed/>",
    b"</a>",
    b"<a><b></a>",
    b"help\n",
    b"?  \r\n",
    b"{",
    b"GET ",
    b"<!-- -->",
    b"<" * 3,
    b"x",
    b"<a " + b"b='" * 9,
    b"<a>" * 8,
    b"<point/>" * 158,
    b"<message>" + b"<x/>" * 319 + b"</message>",
    b"<m>" + b" " * 8_200 + b"</m>",
    b"<?xml" + b" " * 121 + b"?>",
)


class ScannerTests(PropertyCase):
    """Pieces, kinds, limits."""

    def test_messages_need_no_separator(self) -> None:
        """Joined, split by line ends or white space: the same messages; only line ends beyond the first count."""
        self.assertEqual(pieces(MOVE + MOVE), [element(MOVE)] * 2)
        self.assertEqual(pieces(MOVE + b" \r\n\t " + MOVE), [element(MOVE)] * 2)
        self.assertEqual(pieces(MOVE + b"\n\n" + MOVE), [element(MOVE), BLANK, element(MOVE)])
        self.assertEqual(pieces(b"\n" * 3), [BLANK] * 3)

    def test_points_are_ended_by_a_line_end(self) -> None:
        """A run of points is one piece, without the line end; what else follows makes it stray."""
        run = points((0, 1), (0, 2)).encode()
        self.assertEqual(pieces(run), [])
        self.assertEqual(pieces(run + b"\r\n\n"), [(TokenKind.POINTS, run + b"\r", True), BLANK])
        self.assertEqual(pieces(run + b" " + MOVE), [(TokenKind.STRAY_POINTS, run + b" ", True), element(MOVE)])
        self.assertEqual(
            pieces(run + b"<pointy/>"), [(TokenKind.STRAY_POINTS, run, True), element(b"<pointy/>", False)]
        )

    def test_declarations_are_dropped(self) -> None:
        """With a declaration in front, or without; not with two, and not with another encoding."""
        for declaration in (
            b'<?xml version="1.0" encoding="UTF-8"?>',
            b"<?xml  version = '1.0' encoding='utf-8' standalone='yes' ?>",
            b"<?xml version='1.0'?>\n",
        ):
            self.assertEqual(pieces(declaration + MOVE), [element(MOVE)], declaration)
            self.assertIsInstance(pieces(declaration + declaration)[-1], str)
        for wrong in (b"<?xml version='1.1'?>", b"<?xml version='1.0' encoding='latin-1'?>", b"<?php ?>", b"<?xml?>"):
            self.assertIsInstance(pieces(wrong)[0], str, wrong)
        self.assertEqual(pieces(b"<?xml" + b" " * 200), pieces(b"<?php"))

    def test_unfinished(self) -> None:
        """What has begun and not ended is known to be so: a tag, an element, points, a declaration."""
        for begun in (b"<", b"<a", b"<a>", b"<a>text", b"<a b='", b"<point/>", b"<point/> ", b"<?xml version='1.0'?>"):
            buffer = MessageBuffer()
            self.assertEqual([piece.kind for piece in buffer.feed(b" \n")], [TokenKind.BLANK_LINE])
            self.assertFalse(buffer.unfinished)
            self.assertEqual(list(buffer.feed(begun)), [])
            self.assertTrue(buffer.unfinished, begun)

    def test_known_names(self) -> None:
        """A piece is known if every tag of it is; what is between quotes does not matter."""
        self.assertEqual(pieces(b"<message type='<'/>")[0], "not well-formed: < in a tag")
        self.assertEqual(pieces(b"<message type=' foo=\">\" '/>"), [element(b"<message type=' foo=\">\" '/>")])
        for unknown in (b"<messages/>", b"<message foo=''/>", b"<message><a></a></message>", b"<message x:id=''/>"):
            self.assertEqual(pieces(unknown), [element(unknown, False)])

    def test_wrong_end_tags_end_the_stream(self) -> None:
        """At the tag's own end, without a byte of what follows; foreign names are not repeated."""
        for wrong, reason in (
            (b"<message type='move'><move></message>", "not well-formed: </message> ends <move>"),
            (b"<message><gameId id='1'></move >", "not well-formed: </move> ends <gameId>"),
            (b"<point x='0' y='1'></points>", "not well-formed: an end tag with another name than its start tag"),
            (b"<secret></message>", "not well-formed: an end tag with another name than its start tag"),
        ):
            self.assertEqual(pieces(wrong), [reason])
            self.assertEqual(pieces(wrong[:-1]), [])
        self.assertEqual(len(pieces(b"<a ><b\n></b\t></a\n>")), 1)

    def test_calls_for_help(self) -> None:
        """A line with such a word, in any case; nothing else that is not XML, and nothing at all if not guided."""
        asked = (TokenKind.HELP, b"", True)
        for line in (b"help\n", b"HELP\r\n", b"  ?  \n", b"quit\n", b"Exit \r\n"):
            self.assertEqual(pieces(line + MOVE), [asked, element(MOVE)], line)
            self.assertEqual(pieces(line.strip()), [], line)
            self.assertIn("expected XML", str(pieces(line, guided=False)[0]))
        for line in (b"helped\n", b"help me\n", b"??", b"help" + b" " * 9, b"q<"):
            self.assertIn("expected XML", str(pieces(line)[0]), line)

    def test_other_protocols(self) -> None:
        """They are known by their first bytes, however these come; what cannot become one ends the stream at once."""
        for opening in (b"GET / HTTP/1.1", b"SSH-2.0", b"\x16\x03\x01", b'{"type": 1}', b"[1]"):
            self.assertEqual(pieces(opening), ["another protocol"])
            self.assertEqual(pieces(*(opening[n : n + 1] for n in range(len(opening)))), ["another protocol"])
        for other in (b"GETX", b"{x", b"\x16\x02", b"hello", b"\x0c<message", b"\x0b[1]"):
            self.assertIn("expected XML", str(pieces(other)[0]), other)

    def test_pieces_on_one_line(self) -> None:
        """A piece knows whether a line end stands before it."""
        found = list(MessageBuffer().feed(b"<a/><b/> <c/>\n<d/>\n<?xml version='1.0'?><e/>"))
        self.assertEqual([piece.same_line for piece in found], [False, True, True, False, False])

    def test_limits(self) -> None:
        """Size, depth, elements and points: the last that is allowed, and the first that is not."""
        self.assertEqual(len(pieces(b"<m a='" + b"x" * 16_375 + b"'/>")), 1)
        for too_much in (
            b"<m a='" + b"x" * 16_376 + b"'/>",
            b"<a>" * 9,
            b"<a>" * 8 + b"<b/>",
            b"<message>" + b"<x/>" * 320,
            b"<point/>" * 317,
            b"<message>" + b"<move>" + b"<point/>" * 317,
        ):
            self.assertIsInstance(pieces(too_much)[-1], str, too_much[:40])
        for allowed in (b"<a>" * 7 + b"<b/>" + b"</a>" * 7, b"<message>" + b"<x/>" * 319 + b"</message>"):
            self.assertEqual(pieces(allowed), [element(allowed, False)])
        run = b"<point/>" * 316
        self.assertEqual(pieces(run + b"\n"), [(TokenKind.POINTS, run, True)])
        most = move(*[(-1, -1)] * 316).encode()
        self.assertEqual(pieces(most), [element(most)])

    @given(st.lists(st.sampled_from(PARTS), max_size=6), st.randoms(use_true_random=False))
    def test_segments_do_not_matter(self, parts: list[bytes], rng: random.Random) -> None:
        """Whole, byte by byte, in two at any place, in any pieces, and with damage: always the same."""
        data = mutated(b"".join(parts), rng)
        whole = pieces(data)
        self.assertEqual(pieces(*chunked(data, rng)), whole)
        self.assertEqual(pieces(*(data[n : n + 1] for n in range(len(data)))), whole)
        cut = rng.randrange(len(data) + 1)
        self.assertEqual(pieces(data[:cut], data[cut:]), whole)

    def test_every_cut_of_an_exchange(self) -> None:
        """Cut in two at each byte, an exchange gives the same pieces."""
        data = login("ann").encode() + b"\n" + MOVE + points((0, 1)).encode() + b"\r\n<?xml version='1.0'?> " + MOVE
        whole = pieces(data)
        self.assertEqual(len(whole), 4)
        for cut in range(len(data)):
            self.assertEqual(pieces(data[:cut], data[cut:]), whole)

    def test_nothing_is_looked_at_again_and_again(self) -> None:
        """However small the segments, what is kept is bounded, and the next look begins where the last one ended."""
        for begun in (b"<message type='" + b"a" * 17_000, b"<message>" + b"a" * 17_000, b"<message " + b"a " * 8_500):
            buffer = MessageBuffer()
            for number, byte in enumerate(begun):
                if number == 16_384:
                    with self.assertRaises(WireError):
                        list(buffer.feed(bytes([byte])))
                    break
                self.assertEqual(list(buffer.feed(bytes([byte]))), [])
                self.assertGreaterEqual(buffer._at, number - 1)
            self.assertLessEqual(len(buffer._rest), 16_385)
