"""XML messages of players."""

import gc
import itertools
import random

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract, chunked, mutated
from gamehost.wires.framing import BLANK as EMPTY_LINE
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.elements import Element, MessageBuffer, Piece, PieceKind
from tests.kit.wires.paper_soccer_talk import leave, login, message, move, points, thanks

NUMBERS = st.integers(-999, 999)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=316).map(tuple)
IDS = st.one_of(st.none(), st.integers(1, 10**18))


#: Well-formed, and no messages of this wire. Nothing of what is secret in them is repeated.
MALFORMED = (
    "<hello/>",
    "<message/>",
    message("Move"),
    message("move"),
    message("thankyou"),
    message("move", "<move/>"),
    message("move", "<move>0 1</move>"),
    message("move", f"<move>{points((0, 1))}secret</move>"),
    message("move", f"<move>secret{points((0, 1))}</move>"),
    message("move", f"<move secret='1'>{points((0, 1))}</move>"),
    message("move", f"<move>{points((0, 1))}</move><move>{points((0, 1))}</move>"),
    message("move", f"<move>{points((0, 1))}</move>secret"),
    message("move", f"<gameId/><move>{points((0, 1))}</move>"),
    message("move", f"<gameId id='1'>1</gameId><move>{points((0, 1))}</move>"),
    message("move", f"<gameId id='1' secret=''/><move>{points((0, 1))}</move>"),
    message("logout", "now"),
    message("logout", "<now/>"),
    message("leaveGame", "<game id='1'/>"),
    message("playerLogin"),
    message("playerLogin", "<playerLogin nick='a' gameType='paper soccer' secret='b'/>"),
    message("playerLogin", "<playerLogin nick='a'>b</playerLogin>"),
    "<message type='logout' secret='1'/>",
    "<message type='logout' xmlns='secret'/>",
    "<secret:message xmlns:secret='u' type='logout'/>",
    "<point x='0' y='1'/><secret/>",
)


def read(data: str | bytes) -> list[m.Message]:
    return list(XmlCodec().feed(data.encode() if isinstance(data, str) else data))


class XmlCodecTests(CodecContract, PropertyCase):
    spreads = True
    streams = (
        (login("änn") + "\n" + move((0, 1), (1, 1)) + thanks()).encode(),
        (points((0, 1)) + "\r\n\n<?xml version='1.0'?> " + move((0, 1)) + points((0, 1)) + "<hello/>").encode(),
        move((0, 1)).encode() + b"<!DOCTYPE message>" + login("ann").encode(),
        b"<message type='error'>&lt;<b/>&b;</message>" + login("ann").encode(),
        b"<message type='" + b"a" * 17_000 + b"'/>",
        b"GET / HTTP/1.1\r\n\r\n",
    )

    read = (
        (login("\u00e4<&>\"'").encode(), m.PlayerLogin("\u00e4<&>\"'", "paper soccer")),
        (move((0, -1), game=7).encode(), m.Move(((0, -1),), "7")),
        (thanks().encode(), m.ThankYou("1")),
        (thanks(None).encode(), m.ThankYou()),
        (leave().encode(), m.LeaveGame("1")),
        (b'<message type="leaveGame"/>', m.LeaveGame()),
        (b"<message type='logout'/>", m.Logout()),
        (b"<message type='logout'> \n </message>", m.Logout()),
        (message("error", "all &lt;wrong&gt; &#33; <b>here</b>").encode(), m.Error()),
        (message("playerLogin", "<playerLogin/>").encode(), m.PlayerLogin("", "")),
        (message("gameState").encode(), m.NotForServer("gameState")),
        (message("serverShutdown").encode(), m.NotForServer("serverShutdown")),
    )
    sent = (
        (m.LoginResponse(), '<message type="loginResponse"><response accept="yes"/></message>'),
        (
            m.LoginResponse(m.LoginError.NICK),
            '<message type="loginResponse"><response accept="no"/><error id="1"/></message>',
        ),
        (
            m.GameState("1", "bob", ((0, 1),)),
            '<message type="gameState"><gameId id="1"/><nextPlayer nick="bob"/>'
            '<gameState><point x="0" y="1"/></gameState></message>',
        ),
        (
            m.GameState("1", "ann"),
            '<message type="gameState"><gameId id="1"/><nextPlayer nick="ann"/><gameState/></message>',
        ),
        (
            m.GameOver("1", "ann", "bob", ((-1, 5), (0, 6))),
            '<message type="gameState"><gameId id="1"/><gameOver><player nick="ann" result="winner"/>'
            '<player nick="bob" result="loser"/></gameOver>'
            '<gameState><point x="-1" y="5"/><point x="0" y="6"/></gameState></message>',
        ),
        (
            m.PlayerLeftGame("bob", "1"),
            '<message type="playerLeftGame"><player nick="bob"/><gameId id="1"/></message>',
        ),
        (m.ServerShutdown(), '<message type="serverShutdown"/>'),
        (m.Error(), '<message type="error"/>'),
        (m.Error("a < b & c"), '<message type="error">a &lt; b &amp; c</message>'),
        (
            m.Error('\u00e4 <gameId id="1"/> & ]]>'),
            '<message type="error">\u00e4 &lt;gameId id="1"/&gt; &amp; ]]&gt;</message>',
        ),
    )

    def new_codec(self) -> XmlCodec:
        return XmlCodec()

    def test_declarations(self) -> None:
        for said, written in self.sent:
            declared = '<?xml version="1.0" encoding="UTF-8"?>' + written + "\n"
            self.assertEqual(XmlCodec(declaration=True).encode(said), declared.encode())

    def test_what_a_client_says_is_not_said(self) -> None:
        """A server that is made to say a client's message is wrong."""
        with self.assertRaises(TypeError):
            XmlCodec().encode(m.Logout())


class ReadingTests(PropertyCase):
    @given(POINTS, IDS)
    def test_moves(self, drawn: tuple[tuple[int, int], ...], game: int | None) -> None:
        self.assertEqual(read(move(*drawn, game=game)), [m.Move(drawn, None if game is None else str(game))])
        self.assertEqual(read(points(*drawn) + "\n"), [m.Move(drawn)])

    def test_usual_messages_are_what_a_parser_makes_of_them(self) -> None:
        moves = [
            move((0, 1), (-4, 5), game=game).replace("'", quote).replace('"', quote)
            for game in (None, 17)
            for quote in "'\""
        ]
        for text in (*moves, login("ann-1", "paper soccer").replace("'", '"')):
            self.assertIsNotNone(XmlCodec().whole(text.encode() + b"\n"), text)
            for at, odd, instead in itertools.product(range(10, len(text)), "01-+\"' /<&x\n\t\u00b2", (0, 1)):
                changed = text[:at] + odd + text[at + instead :]
                whole = XmlCodec().whole(changed.encode() + b"\n")
                if whole is not None:
                    # Two spaces are left to a parser.
                    self.assertEqual(read(changed.replace("<message ", "<message  ")), [whole], changed)
                    self.assertEqual(read(changed), [whole], changed)

    def test_a_long_line_is_as_long_in_every_way(self) -> None:
        """A move in the usual spelling has the limits of all messages."""
        for long in (move((0, 1), game=1).replace('"1"', f'"{"1" * 16_400}"'), move(*[(0, 1)] * 317)):
            self.assertIsNone(XmlCodec().whole(long.encode() + b"\n"))
            self.assertRaises(WireError, read, long)

    def test_spellings(self) -> None:
        for said in (
            "<message type='move'><gameId id='1'/><move><point x=\"0\" y=\"1\"/></move></message>",
            "<?xml version='1.0' encoding='utf-8'?>\r\n"
            "<message\n type = 'move' >\n<gameId id='1' ></gameId>\t<move >\n<point y='1' x='0'> </point>\n</move ></message >",
            "<message type='m&#111;ve'><move><point x='&#48;' y='1'/></move><gameId id='1'/></message>",
        ):
            self.assertEqual(read(said), [m.Move(((0, 1),), "1")], said)

    def test_malformed(self) -> None:
        for said in MALFORMED:
            answers = read(said)
            self.assertTrue(answers)
            for answer in answers:
                if answer is EMPTY_LINE:
                    continue  # a second element on a line that was refused
                assert isinstance(answer, m.Malformed), (said, answer)
                self.assertNotIn("secret", answer.reason)

    def test_broken(self) -> None:
        for said in (
            b"<message type='logout'></massage>",
            b"<message type='logout' type2=secret/>",
            b"<message type='logout'x=''/>",
            b"<message type='a<b'/>",
            b"<message type='error'>\x00</message>",
            b"<message type='error'>\x1b</message>",
            b"<message type='error'>\xff</message>",
            b"<message type='error'>\xc0\x80</message>",
            b"<message type='error'>\xed\xa0\x80</message>",
            b"<message type='error'>&secret;</message>",
            b"<message type='error'>&#0;</message>",
            b"<message type='error'>a & b</message>",
            b"<message type='error'>]]></message>",
            b"<sec$ret/>",
            b"<message><secret></secrets></message>",
            b"<message type='error'/ ></message>",
            b"<point x='0' y='1'/></point>\n",
        ):
            with self.assertRaises(WireError) as caught:
                read(said)
            self.assertNotIn("secret", str(caught.exception))

    @given(st.binary(max_size=200))
    def test_anything_is_read_or_refused(self, data: bytes) -> None:
        for stream in (data, b"<message type='error'>" + data + b"</message>", b"<message " + data + b"/>"):
            try:
                read(stream)
            except WireError:
                continue


def one_piece(data: bytes) -> Piece:
    """The only piece, which is an element."""
    [piece] = MessageBuffer().feed(data)
    return piece


def parsed(data: bytes) -> Element:
    return one_piece(data).root


class ParserTests(SynchronousTestCase):
    def test_elements(self) -> None:
        root = parsed("<éa b='1' c='&lt;&#65;'>one<d/>\n<e:f xmlns:e=''><g/></e:f>two</éa>".encode())
        self.assertEqual((root.tag, root.attributes, root.text), ("éa", {"b": "1", "c": "<A"}, "one\ntwo"))
        self.assertEqual([child.tag for child in root.children], ["d", "e:f"])
        self.assertEqual([child.tag for child in root.children[1].children], ["g"])
        self.assertEqual(parsed(b"<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a>").text, "<>&\"'AB")

    def test_where_elements_end(self) -> None:
        """What looks like an end is none: in a value, in a text, of an element inside."""
        for data in (
            b"<a b='>'/>",
            b"<a b='/>'></a>",
            b"<a>/></a >",
            b"<message a='/'></message>",
            b"<message>/&gt;</message\n>",
            b"<message><message></message></message>",
            b"<a b = \">'\" c='\">'/>",
        ):
            for behind in (b"", b"\n", b"<b/>", b"</a>", b"x", b"<?xml version='1.0'?><message/>"):
                for cut in range(len(data) + 1):
                    found = pieces(data[:cut], data[cut:] + behind)
                    self.assertEqual(found[0], element(data), (data, behind, cut))

    def test_what_is_not_well_formed(self) -> None:
        for broken in (
            b"<a b=c/>",
            b"<a $='1'/>",
            b"<a 1b='1'/>",
            b"<a>]]></a>",
            b"<a>\x01</a>",
            b"<a>&#0;</a>",
        ):
            self.assertEqual(pieces(broken), ["not well-formed XML"], broken)

    def test_an_attribute_twice(self) -> None:
        """The one fault of form that leaves the stream in order; with another one it is the end all the same."""
        for twice in (
            b"<point x='0' x='1'/>",
            b"<a b='0' b='1' b_1=''>it's <c d = '' d='>'/></a>",
            b"<a><b>text<c d='' d=''><e/></c></b>more<f g='' g=''></f></a>",
        ):
            for cut in range(len(twice) + 1):
                *before, piece = MessageBuffer().feed(twice + b"<logout/>")
                self.assertEqual(piece.data, b"<logout/>")
                buffer = MessageBuffer()
                found = [*before, *buffer.feed(twice[:cut]), *buffer.feed(twice[cut:])]
                self.assertEqual([(one.twice, one.data) for one in found], [(True, twice)] * len(found))
        for broken in (
            b"<a b='0' b='1'><c></a>",
            b"<a b='0' b='1'>&#0;</a>",
            b"<a b='0' b='1' c='&#0;'/>",
            b"<a b='0' b='1' c='&d;'/>",
            b"<a 1b='0' 1b='1'/>",
        ):
            self.assertRaises(WireError, parsed, broken)

    def test_entities(self) -> None:
        """None but XML's own five: no parser is asked what it would do with others."""
        for data in (b"<a>&b;</a>", b"<a b='&c;'/>", b"<a>&lt</a>", b"<a>&#x;</a>", b"<a>&%b;</a>"):
            self.assertIn("entities", str(self.assertRaises(WireError, parsed, data)))

    def test_attributes_are_counted(self) -> None:
        most = b" ".join(b"a%d=''" % number for number in range(48))
        self.assertEqual(len(parsed(b"<a " + most + b"/>").attributes), 48)
        self.assertRaises(WireError, parsed, b"<a b='' " + most + b"/>")

    def test_it_resolves_nothing(self) -> None:
        """There is no document type in which an entity could be declared, in front of an element or in it."""
        for data in (
            b"<!DOCTYPE a [<!ENTITY b 'secret'>]><a>&b;</a>",
            b"<a><!DOCTYPE a [<!ENTITY b 'secret'>]>&b;</a>",
        ):
            self.assertIn("no DOCTYPE", str(self.assertRaises(WireError, parsed, data)))

    def test_nothing_is_left_for_the_collector(self) -> None:
        """A parser and what reads from it know each other: with the message their circle ends."""
        for data in (b"<a><b c='>'/></a>", b"<a b='' b=''/>", b"<message type='logout'/>"):
            buffer = MessageBuffer()
            self.assertEqual(list(buffer.feed(data[:-1])), [])
            gc.collect()
            gc.disable()
            try:
                self.assertEqual(len(list(buffer.feed(data[-1:]))), 1)
                self.assertEqual(gc.collect(), 0, data)
            finally:
                gc.enable()


def pieces(*segments: bytes, guided: bool = True) -> list[tuple[PieceKind, bytes] | str]:
    """What is cut, and at the end why nothing more is."""
    buffer = MessageBuffer(guided)
    found: list[tuple[PieceKind, bytes] | str] = []
    try:
        for segment in segments:
            for piece in buffer.feed(segment):
                found.append((piece.kind, piece.data))
    except WireError as error:
        found.append(str(error))
    return found


def element(data: bytes) -> tuple[PieceKind, bytes]:
    return PieceKind.ELEMENT, data


BLANK = (PieceKind.BLANK_LINE, b"")
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
    def test_messages_need_no_separator(self) -> None:
        self.assertEqual(pieces(MOVE + MOVE), [element(MOVE)] * 2)
        self.assertEqual(pieces(MOVE + b" \r\n\t " + MOVE), [element(MOVE)] * 2)
        self.assertEqual(pieces(MOVE + b"\n\n" + MOVE), [element(MOVE), BLANK, element(MOVE)])
        self.assertEqual(pieces(b"\n" * 3), [BLANK] * 3)

    def test_points_are_ended_by_a_line_end(self) -> None:
        """A run of points is one piece, without the line end; what else follows makes it stray."""
        run = points((0, 1), (0, 2)).encode()
        self.assertEqual(pieces(run), [])
        self.assertEqual(pieces(run + b"\r\n\n"), [(PieceKind.POINTS, run + b"\r"), BLANK])
        self.assertEqual(pieces(run + b" " + MOVE), [(PieceKind.STRAY_POINTS, run + b" "), element(MOVE)])
        self.assertEqual(pieces(run + b"<pointy/>"), [(PieceKind.STRAY_POINTS, run), element(b"<pointy/>")])

    def test_declarations_are_dropped(self) -> None:
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
        for begun in (b"<", b"<a", b"<a>", b"<a>text", b"<a b='", b"<point/>", b"<point/> ", b"<?xml version='1.0'?>"):
            buffer = MessageBuffer()
            self.assertEqual([piece.kind for piece in buffer.feed(b" \n")], [PieceKind.BLANK_LINE])
            self.assertFalse(buffer.unfinished)
            self.assertEqual(list(buffer.feed(begun)), [])
            self.assertTrue(buffer.unfinished, begun)

    def test_quotes(self) -> None:
        self.assertEqual(pieces(b"<message type='<'/>")[0], "not well-formed: < in a tag")
        self.assertEqual(pieces(b"<message type=' foo=\">\" '/>"), [element(b"<message type=' foo=\">\" '/>")])

    def test_wrong_end_tags_end_the_stream(self) -> None:
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
        asked = (PieceKind.HELP, b"")
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
        found = list(MessageBuffer().feed(b"<a/><b/> <c/>\n<d/>\n<?xml version='1.0'?><e/>"))
        self.assertEqual([piece.same_line for piece in found], [False, True, True, False, False])

    def test_limits(self) -> None:
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
            self.assertEqual(pieces(allowed), [element(allowed)])
        run = b"<point/>" * 316
        self.assertEqual(pieces(run + b"\n"), [(PieceKind.POINTS, run)])
        most = move(*[(-1, -1)] * 316).encode()
        self.assertEqual(pieces(most), [element(most)])

    @given(st.lists(st.sampled_from(PARTS), max_size=6), st.randoms(use_true_random=False))
    def test_segments_do_not_matter(self, parts: list[bytes], rng: random.Random) -> None:
        data = mutated(b"".join(parts), rng)
        whole = pieces(data)
        self.assertEqual(pieces(*chunked(data, rng)), whole)
        self.assertEqual(pieces(*(data[n : n + 1] for n in range(len(data)))), whole)
        cut = rng.randrange(len(data) + 1)
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
                self.assertGreaterEqual(buffer._seen, number - 1)
            self.assertLessEqual(len(buffer._rest), 16_385)
