"""XML to messages and back: every message both ways, odd spellings, and the line between broken and merely wrong."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, WireError
from gamehost.wires.paper_soccer import codec, parser
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.messages import (
    Error,
    GameOver,
    GameState,
    LeaveGame,
    LoginError,
    LoginResponse,
    Logout,
    Malformed,
    Message,
    Move,
    NotForServer,
    PlayerLeftGame,
    PlayerLogin,
    ServerShutdown,
    ThankYou,
)
from tests.kit.wires.paper_soccer_talk import leave, login, message, move, parse, points, thanks

NUMBERS = st.integers(-999, 999)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=316).map(tuple)
IDS = st.one_of(st.none(), st.integers(1, 10**18))
NICKS = st.text(st.characters(whitelist_categories=("L", "Nd")), min_size=1, max_size=20)
#: What XML can hold, without the white space that a parser turns into spaces.
TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"), max_size=40)


def read(data: str | bytes) -> list[Message]:
    """The messages in a stream."""
    return list(XmlCodec().feed(data.encode() if isinstance(data, str) else data))


SAID = st.one_of(
    st.builds(LoginResponse, st.one_of(st.none(), st.sampled_from(LoginError))),
    st.builds(GameState, IDS.map(str), NICKS, st.one_of(st.just(()), POINTS)),
    st.builds(GameOver, IDS.map(str), NICKS, NICKS, st.one_of(st.just(()), POINTS)),
    st.builds(PlayerLeftGame, NICKS, IDS.map(str)),
    st.builds(ServerShutdown),
    st.builds(Error, TEXTS),
)


class WritingTests(PropertyCase):
    """What the server says."""

    def test_bytes(self) -> None:
        """Every message, byte by byte as it is documented."""
        for said, written in (
            (LoginResponse(), '<message type="loginResponse"><response accept="yes"/></message>'),
            (
                LoginResponse(LoginError.NICK),
                '<message type="loginResponse"><response accept="no"/><error id="1"/></message>',
            ),
            (
                GameState("1", "bob", ((0, 1),)),
                '<message type="gameState"><gameId id="1"/><nextPlayer nick="bob"/>'
                '<gameState><point x="0" y="1"/></gameState></message>',
            ),
            (
                GameState("1", "ann"),
                '<message type="gameState"><gameId id="1"/><nextPlayer nick="ann"/><gameState/></message>',
            ),
            (
                GameOver("1", "ann", "bob", ((-1, 5), (0, 6))),
                '<message type="gameState"><gameId id="1"/><gameOver><player nick="ann" result="winner"/>'
                '<player nick="bob" result="loser"/></gameOver>'
                '<gameState><point x="-1" y="5"/><point x="0" y="6"/></gameState></message>',
            ),
            (
                PlayerLeftGame("bob", "1"),
                '<message type="playerLeftGame"><player nick="bob"/><gameId id="1"/></message>',
            ),
            (ServerShutdown(), '<message type="serverShutdown"/>'),
            (Error(), '<message type="error"/>'),
            (Error("a < b & c"), '<message type="error">a &lt; b &amp; c</message>'),
        ):
            self.assertEqual(XmlCodec().encode(said), written.encode() + b"\n")
            declared = b'<?xml version="1.0" encoding="UTF-8"?>' + written.encode() + b"\n"
            self.assertEqual(XmlCodec(declaration=True).encode(said), declared)

    @given(SAID)
    def test_others_can_read_it(self, said: Message) -> None:
        """Whatever is said reads as what was meant."""
        self.assertEqual(parse(XmlCodec().encode(said)), said)

    def test_what_a_client_says_is_not_said(self) -> None:
        """A server that is made to say a client's message is wrong."""
        with self.assertRaises(TypeError):
            XmlCodec().encode(Logout())


class XmlCodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

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
        (login("\u00e4<&>\"'").encode(), PlayerLogin("\u00e4<&>\"'", "paper soccer")),
        (move((0, -1), game=7).encode(), Move(((0, -1),), "7")),
        (thanks().encode(), ThankYou("1")),
        (leave().encode(), LeaveGame("1")),
        (b"<message type='logout'/>", Logout()),
    )
    sent = (
        (
            Error('\u00e4 <gameId id="1"/> & ]]>'),
            '<message type="error">\u00e4 &lt;gameId id="1"/&gt; &amp; ]]&gt;</message>',
        ),
        (LoginResponse(), '<message type="loginResponse"><response accept="yes"/></message>'),
        (ServerShutdown(), '<message type="serverShutdown"/>'),
    )

    def new_codec(self) -> XmlCodec:
        return XmlCodec()


class ReadingTests(PropertyCase):
    """What clients say."""

    @given(POINTS, IDS)
    def test_moves(self, drawn: tuple[tuple[int, int], ...], game: int | None) -> None:
        """Every move that can be written reads as that move, and without the envelope, too."""
        self.assertEqual(read(move(*drawn, game=game)), [Move(drawn, None if game is None else str(game))])
        self.assertEqual(read(points(*drawn) + "\n"), [Move(drawn)])

    def test_usual_moves_are_what_a_parser_makes_of_them(self) -> None:
        """A move that is read without a parser is what it is with one; changed by a character it is so too, or left to one."""
        for game in (None, 17):
            for quote in "'\"":
                text = move((0, 1), (-20, 999), game=game).replace("'", quote).replace('"', quote)
                self.assertIsNotNone(codec._usual_move(text.encode()))
                for at, odd, instead in itertools.product(range(len(text)), "01-+\"' /<&x\n\u00b2", (0, 1)):
                    data = (text[:at] + odd + text[at + instead :]).encode()
                    usual = codec._usual_move(data)
                    if usual is not None:
                        self.assertEqual(usual, codec._read_message(parser.parsed(data, True)), data)

    @given(TEXTS, TEXTS)
    def test_log_ins(self, nick: str, game_type: str) -> None:
        """Every text that an attribute can hold is read as it was meant."""
        self.assertEqual(read(login(nick, game_type)), [PlayerLogin(nick, game_type)])

    def test_other_messages(self) -> None:
        """The rest, with and without what may be left out."""
        for said, meant in (
            (thanks(), ThankYou("1")),
            (thanks(None), ThankYou()),
            (leave(), LeaveGame("1")),
            ('<message type="leaveGame"/>', LeaveGame()),
            (message("logout"), Logout()),
            ("<message type='logout'> \n </message>", Logout()),
            (message("error", "all &lt;wrong&gt; &#33; <b>here</b>"), Error()),
            (message("playerLogin", "<playerLogin/>"), PlayerLogin("", "")),
            (message("gameState"), NotForServer("gameState")),
            (message("serverShutdown"), NotForServer("serverShutdown")),
        ):
            self.assertEqual(read(said), [meant], said)
        self.assertEqual(read("\n"), [BLANK])

    def test_spellings(self) -> None:
        """Quotes, the order of attributes, white space, empty elements and references do not matter."""
        for said in (
            "<message type='move'><gameId id='1'/><move><point x=\"0\" y=\"1\"/></move></message>",
            "<?xml version='1.0' encoding='utf-8'?>\r\n"
            "<message\n type = 'move' >\n<gameId id='1' ></gameId>\t<move >\n<point y='1' x='0'> </point>\n</move ></message >",
            "<message type='m&#111;ve'><move><point x='&#48;' y='1'/></move><gameId id='1'/></message>",
        ):
            self.assertEqual(read(said), [Move(((0, 1),), "1")], said)

    def test_malformed(self) -> None:
        """Well-formed, and no message: said so in words that hold nothing of it."""
        for said in (
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
        ):
            answers = read(said)
            self.assertTrue(answers)
            for answer in answers:
                if answer is BLANK:
                    continue  # a second element on a line that was refused
                assert isinstance(answer, Malformed), (said, answer)
                self.assertNotIn("secret", answer.reason)

    def test_broken(self) -> None:
        """Not well-formed, not UTF-8, or with what has no place here: the end, and nothing of it in the reason."""
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

    def test_every_cut(self) -> None:
        """Cut in two anywhere, byte by byte, and with something behind: the same messages."""
        data = (login("änn") + "\n" + move((0, 1), (1, 1)) + thanks() + points((0, 1)) + "\r\n" + "<hello/>").encode()
        whole = read(data)
        self.assertEqual(len(whole), 5)
        for cut in range(len(data)):
            codec = XmlCodec()
            self.assertEqual([*codec.feed(data[:cut]), *codec.feed(data[cut:])], whole)
            self.assertFalse(codec.unfinished)
        codec = XmlCodec()
        self.assertEqual([one for n in range(len(data)) for one in codec.feed(data[n : n + 1])], whole)
        self.assertEqual(read(data + b"<mess"), whole)

    @given(st.binary(max_size=200))
    def test_anything_is_read_or_refused(self, data: bytes) -> None:
        """Whatever bytes come: messages, or the one error, also within a message."""
        for stream in (data, b"<message type='error'>" + data + b"</message>", b"<message " + data + b"/>"):
            try:
                read(stream)
            except WireError:
                continue


class ParserTests(PropertyCase):
    """What the parser behind it is shown."""

    def test_it_is_shown_no_names_of_a_clients_own(self) -> None:
        """A parser never forgets a name; so those it does not know are numbered before it sees them."""
        root = parser.parsed(b"<message a1='1' x='2' b1='&lt;a1'><c1:d/>a1<c1:d/></message>", False)
        self.assertEqual([root.tag, *root.attrib], ["message", "u1", "x", "u2"])
        self.assertEqual(root.attrib["u2"], "<a1")
        self.assertEqual([child.tag for child in root], ["u3", "u3"])
        self.assertEqual(root[0].tail, "a1")

    def test_what_is_well_formed_stays_so(self) -> None:
        """Numbering the names does not join what was different, nor part what was the same."""
        self.assertIsNotNone(parser.parsed("<éa b='1' c='2'><d/></éa>".encode(), False))
        for broken in (b"<a></b>", b"<a b=''c=''/>", b"<a b=c/>", b"<a $='1'/>", b"<a 1b='1'/>", b"<u1><a></u1></a>"):
            self.assertRaises(WireError, parser.parsed, broken, False)

    def test_an_attribute_twice(self) -> None:
        """The one fault of form that leaves the stream in order; with another one it is the end all the same."""
        self.assertRaises(parser.AttributeTwice, parser.parsed, b"<point x='0' x='1'/>", True)
        self.assertRaises(parser.AttributeTwice, parser.parsed, b"<a b='0' b='1'/>", False)
        self.assertRaises(WireError, parser.parsed, b"<a b='0' b='1'><c></a>", False)

    def test_entities_are_refused_before_it_sees_them(self) -> None:
        """None but XML's own five: no parser is asked what it would do with others."""
        for data in (b"<a>&b;</a>", b"<a b='&c;'/>", b"<a>&lt</a>", b"<a>&#x;</a>", b"<a>&%b;</a>"):
            with self.assertRaises(WireError) as caught:
                parser.parsed(data, False)
            self.assertIn("entities", str(caught.exception))
        self.assertEqual(parser.parsed(b"<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a>", False).text, "<>&\"'AB")

    def test_names_are_counted(self) -> None:
        """A message of nothing but strange names is no mistake that anyone makes."""
        most = b" ".join(b"a%d=''" % number for number in range(parser.NAME_LIMIT - 1))
        self.assertIsNotNone(parser.parsed(b"<a " + most + b"/>", False))
        self.assertRaises(WireError, parser.parsed, b"<a b='' " + most + b"/>", False)

    def test_it_resolves_nothing(self) -> None:
        """Should a document type get this far, its entities are not looked up: neither inside nor outside."""
        root = etree.fromstring(
            b"<!DOCTYPE a [<!ENTITY b 'secret'><!ENTITY c SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", parser._PARSER
        )
        self.assertNotIn("secret", root.text or "")
