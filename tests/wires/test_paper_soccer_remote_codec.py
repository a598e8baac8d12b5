"""The messages of remote games as bytes: contents go through untouched, the envelope is the host's own."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.codec import XmlCodec

MASTER_LOGIN = (
    '<message type="gameMasterLogin">'
    '<gameMasterLogin id="nim-1" gameType="nim" playersMin="2" playersMax="2"/></message>'
)

#: Well-formed contents: elements, quotes, references, name spaces, text, line ends.
CONTENTS = st.recursive(
    st.one_of(
        st.sampled_from(
            (
                "",
                "<pass/>",
                "<x a='1'/>",
                '<x  a = "1>2" />',
                "&amp;",
                "&#x41;",
                "\r\n",
                " ",
                "<move/>",
                "<gameState a=''/>",
            )
        ),
        st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="<>&\ufffe\uffff"), max_size=8),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: f"<x>{text}</x>"),
        inner.map(lambda text: f'<a:x xmlns:a="urn:a" a:b="c">{text}</a:x >'),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=6,
)


def remote_codec(dialect: m.Dialect = m.Dialect.EXACT, **options: Any) -> XmlCodec:
    """A codec whose connection has logged in for a remote game."""
    codec = XmlCodec(**options)
    codec.encode(m.LoginResponse(dialect=dialect))
    return codec


def read(data: str, dialect: m.Dialect = m.Dialect.EXACT) -> list[m.Message]:
    return list(remote_codec(dialect).feed(data.encode()))


class CodecTests(CodecContract, PropertyCase):
    spreads = True
    streams = (
        b'<message type="gameState"><gameId id="1"/><nextPlayer nick="ann"/><gameState><a>\xc3\xa4</a></gameState></message>'
        b'<message type="move"> <gameId id="1"/>\n<move>x<b c=\'"\'/></move></message><message type="logout"/>',
        b'<?xml version="1.0"?><message type="error">&lt;</message><point x="1" y="1"/>\n<message type="thank you"/>',
        b'<message type="move"><move><a></b></move></message>',
        b"<message type='move'><move>" + b"<a>" * 20,
    )
    read = (
        (
            b'<message type="playerLogin"><playerLogin nick="a&amp;b" gameType="nim"/></message>',
            m.PlayerLogin("a&b", "nim"),
        ),
        (MASTER_LOGIN.encode(), m.GameMasterLogin("nim-1", "nim", "2", "2")),
        (b'<message type="gameMasterLogin"><gameMasterLogin/></message>', m.GameMasterLogin("", "", "", "")),
        (
            b'<message type="gameState"><gameState><a b="&lt;"/></gameState><gameId id="7.2"/><nextPlayer nick="\xc3\xa4"/>'
            b"</message>",
            m.RemoteState("7.2", b'<a b="&lt;"/>', "\u00e4"),
        ),
        (
            b'<message type="gameState"><gameId id="7"/><gameOver><player nick="ann" result="winner"/> '
            b'<player result="loser" nick="bob"/></gameOver><gameState/></message>',
            m.RemoteState("7", b"", "", (("ann", True), ("bob", False))),
        ),
        (b"<message type='move'><gameId id='7'/><move> x </move></message>", m.RemoteMove(b" x ", "7")),
        (b'<message type="move"><move/></message>', m.RemoteMove(b"")),
        (
            b'<message type="playerLeftGame"><player nick="bob"/><gameId id="7"/></message>',
            m.PlayerLeftGame("bob", "7"),
        ),
        (b'<message type="thank you"><gameId id="7"/></message>', m.ThankYou("7")),
        (b'<message type="leaveGame"/>', m.LeaveGame()),
        (b'<message type="logout"></message>', m.Logout()),
        (b'<message type="error">a &lt; <b/></message>', m.Error()),
        (b'<message type="beginGame"/>', m.NotForServer("beginGame")),
    )
    sent = (
        (m.LoginResponse(dialect=m.Dialect.EXACT), '<message type="loginResponse"><response accept="yes"/></message>'),
        (
            m.LoginResponse(m.LoginError.PLAYERS),
            '<message type="loginResponse"><response accept="no"/><error id="5"/></message>',
        ),
        (
            m.BeginGame("7.2", ("ann", "bob")),
            '<message type="beginGame"><gameId id="7.2"/><player nick="ann"/><player nick="bob"/></message>',
        ),
        (m.RemoteMove(b"", "7"), '<message type="move"><gameId id="7"/><move/></message>'),
        (m.RemoteMove(b"<a b='1'/>", "7"), '<message type="move"><gameId id="7"/><move><a b=\'1\'/></move></message>'),
        (
            m.RemoteState("7", b"x", "ann"),
            '<message type="gameState"><gameId id="7"/><nextPlayer nick="ann"/><gameState>x</gameState></message>',
        ),
        (
            m.RemoteState("7", b"", "", (("ann", True), ("bob", False))),
            '<message type="gameState"><gameId id="7"/><gameOver><player nick="ann" result="winner"/>'
            '<player nick="bob" result="loser"/></gameOver><gameState/></message>',
        ),
        (
            m.ChampionsList((("ann", 3, 0), ("bob", 0, 3))),
            '<message type="championsList"><player nick="ann" won="3" lost="0"/>'
            '<player nick="bob" won="0" lost="3"/></message>',
        ),
        (m.PlayerLeftGame("bob", "7"), '<message type="playerLeftGame"><player nick="bob"/><gameId id="7"/></message>'),
        (m.ServerShutdown(), '<message type="serverShutdown"/>'),
        (m.Error("a < b & c"), '<message type="error">a &lt; b &amp; c</message>'),
    )

    def new_codec(self) -> XmlCodec:
        return remote_codec()


class ContentTests(PropertyCase):
    @given(CONTENTS, st.data())
    def test_told_is_said(self, content: str, data: st.DataObject) -> None:
        """Any content, cut anywhere, is written byte for byte as it was read, to players and to masters."""
        stream = (
            f'<message type="move"><gameId id="1"/><move>{content}</move></message>'
            f'<message type="gameState"><gameId id="1"/><nextPlayer nick="ann"/><gameState>{content}</gameState></message>'
        ).encode()
        cut = data.draw(st.integers(0, len(stream)))
        codec = remote_codec()
        heard = [*codec.feed(stream[:cut]), *codec.feed(stream[cut:])]
        self.assertEqual(heard, [m.RemoteMove(content.encode(), "1"), m.RemoteState("1", content.encode(), "ann")])
        told = b"".join(codec.encode(message) for message in heard).replace(b"/></message>\n", b"/></message>")
        if content:
            self.assertEqual(told.count(content.encode()), stream.count(content.encode()))
            self.assertEqual(list(remote_codec().feed(told)), heard)

    def test_broken_contents_end_the_stream(self) -> None:
        for content in (
            "<a>",
            "<a></b>",
            "<a:x/>",
            "<a b='1' b='2'/>",
            "&foo;",
            "<!-- -->",
            "<![CDATA[x]]>",
            "<?a?>",
            "<a b=1/>",
        ):
            self.assertRaises(WireError, read, f'<message type="move"><move>{content}</move></message>')
        self.assertRaises(WireError, list, remote_codec().feed(b'<message type="move"><move>\xff</move></message>'))
        self.assertRaises(WireError, list, remote_codec().feed(b'<message type="move"><move>\x01</move></message>'))

    def test_long_name_spaces(self) -> None:
        long = "u" * 100
        for content in (
            f"""<a:b xmlns:a="{long}" a:c="{long}" d="it's" e='{long}"'>it's "a" 'text {long}</a:b>""",
            f"""<a b="'" c="{long}" d='"' xmlns:e='{long}'><e:f/></a>""",
            f"""<a b='"'/>'{long}"<c:d xmlns:c="{long}{long}"/>""",
        ):
            said = f'<message type="move"><move>{content}</move></message>'
            self.assertEqual(read(said), [m.RemoteMove(content.encode())])
        # Two prefixes for one name space: the attribute is there twice.
        twice = f"<a xmlns:b='{long}' xmlns:c='{long}' b:d='' c:d=''/>"
        self.assertRaises(WireError, read, f'<message type="move"><move>{twice}</move></message>')

    def test_long_values_are_checked(self) -> None:
        """A value that is too long to stand in each name is read before it is shortened."""
        for wrong in ("&secret;", "\x01"):
            value = wrong + "x" * 70
            for message in (
                f"<message type='move'><move><a:b xmlns:a='u' c='{value}'/></move></message>",
                f"<message type='move'><gameId id='{value}'/><move>:</move></message>",
            ):
                self.assertRaises(WireError, read, message)

    def test_too_many_elements_of_the_host(self) -> None:
        for kind, inner in (("gameState", "<z/>"), ("move", "<move/>"), ("gameState", "<gameOver/>")):
            [message] = read(f'<message type="{kind}">{inner * 500}</message>')
            self.assertEqual(message, m.Malformed("expected at most 80 elements outside the content"))

    def test_limits(self) -> None:
        """2,048 elements and 16 levels in 16 KiB; points are not counted."""
        for elements, depth, allowed in ((2_046, 3, True), (2_047, 3, False), (14, 16, True), (15, 17, False)):
            inner = "<a>" * elements + "</a>" * elements if depth > 3 else "<a/>" * elements
            stream = f'<message type="move"><move>{inner}</move></message>'
            if allowed:
                self.assertEqual(read(stream), [m.RemoteMove(inner.encode())])
            else:
                self.assertRaises(WireError, read, stream)
        points = '<point x="1" y="1"/>' * 400
        self.assertEqual(read(f'<message type="move"><move>{points}</move></message>'), [m.RemoteMove(points.encode())])
        self.assertRaises(WireError, read, f'<message type="move"><move>{"x" * 16_400}</move></message>')

    def test_the_envelope_is_read_strictly(self) -> None:
        for wrong in (
            '<move type="move"/>',
            '<message type="jump"/>',
            '<message kind="move"/>',
            '<message type="move"/>',
            '<message type="move" x="1"><move/></message>',
            '<message type="move"><move x="1"/></message>',
            '<message type="move"><move/><move/></message>',
            '<message type="move">text<move/></message>',
            '<message type="move"><gameId id="1" x=""/><move/></message>',
            '<message type="move"><gameId><a/></gameId><move/></message>',
            '<message type="move" xmlns:a="u"><move><a:x/></move></message>',
            '<message type="move"><move xmlns:a="u"><a:x/></move></message>',
            '<message type="gameState"><gameState/></message>',
            '<message type="gameState"><nextPlayer nick="a"/></message>',
            '<message type="gameState"><nextPlayer/><gameState/></message>',
            '<message type="gameState"><nextPlayer nick="a"/><gameOver/><gameState/></message>',
            '<message type="gameState"><gameOver/><gameState/></message>',
            '<message type="gameState"><gameOver><player nick="a" result="looser"/></gameOver><gameState/></message>',
            '<message type="gameState"><gameOver><a nick="a" result="loser"/></gameOver><gameState/></message>',
            '<message type="playerLeftGame"><gameId id="1"/></message>',
            '<message type="playerLogin"/>',
            '<message type="gameMasterLogin"/>',
            '<message type="thankYou"/>',
            '<message type="logout">x</message>',
            "<a/>",
            '<point x="1" y="1"/>\n',
        ):
            first, second = read(wrong + '<message type="logout"/>')
            self.assertIsInstance(first, m.Malformed, wrong)
            self.assertEqual(second, m.Logout(), wrong)


class LooseTests(PropertyCase):
    def read(self, data: str) -> list[m.Message]:
        return read(data, m.Dialect.LOOSE)

    def test_reading(self) -> None:
        self.assertEqual(
            self.read('<message type="move" x="1"><move a="1"/> <move xmlns:a="u"><a:x/></move></message>'),
            [m.RemoteMove(b'<move a="1"/><move xmlns:a="u"><a:x/></move>')],
        )
        self.assertEqual(
            self.read(
                '<message type="gameState"><gameOver><player nick="a" result="looser" z=""/></gameOver></message>'
                '<message type="gameState"><nextPlayer nick="a"/><gameState b="c">x</gameState></message>'
                '<message type="thankYou"/>'
            ),
            [
                m.RemoteState(None, b"", "", (("a", False),)),
                m.RemoteState(None, b'<gameState b="c">x</gameState>', "a"),
                m.ThankYou(),
            ],
        )
        self.assertIsInstance(self.read('<message type="move" xmlns:a="u"><move/></message>')[0], m.Malformed)

    def test_writing(self) -> None:
        codec = remote_codec(m.Dialect.LOOSE, line_ends=False)
        for message, written in (
            (m.RemoteMove(b"<move/><move/>", "1"), '<message type="move"><gameId id="1"/><move/><move/></message>'),
            (
                m.RemoteState("1", b"", "a"),
                '<message type="gameState"><gameId id="1"/><nextPlayer nick="a"/></message>',
            ),
            (
                m.RemoteState("1", b"", "", (("a", False),)),
                '<message type="gameState"><gameId id="1"/><gameOver><player nick="a" result="looser"/></gameOver></message>',
            ),
            (m.ServerShutdown(), '<message type="serverShutdown"></message>'),
        ):
            self.assertEqual(codec.encode(message), written.encode())

    def test_a_broken_log_in_is_answered_as_without_loose_types(self) -> None:
        twice = b'<message type="playerLogin"><playerLogin nick="a" nick="b" gameType="nim"/></message>'
        for loose in ((), ("nim",)):
            [message] = XmlCodec(loose=loose).feed(twice)
            self.assertEqual(message, m.Malformed("an attribute is given twice"))

    def test_log_ins(self) -> None:
        master = MASTER_LOGIN.replace(" id=", ' port="1" id=')
        player = '<message type="playerLogin"><playerLogin nick="a" gameType="Nim" colour="red"/></message>'
        for loose, expected in (
            (("nim",), [m.GameMasterLogin("nim-1", "nim", "2", "2"), m.PlayerLogin("a", "Nim")]),
            (("go",), [m.Malformed, m.Malformed]),
        ):
            for codec in (XmlCodec(loose=loose), remote_codec(loose=loose)):
                heard = list(codec.feed((master + player).encode()))
                self.assertEqual([type(one) if expected[0] is m.Malformed else one for one in heard], expected)


class DialectTests(PropertyCase):
    def test_back_to_the_built_in_game(self) -> None:
        codec = remote_codec()
        codec.encode(m.LoginResponse(m.LoginError.NICK))
        data = b'<message type="move"><move><point x="1" y="1"/></move></message>'
        self.assertIsInstance(next(iter(codec.feed(data))), m.RemoteMove)
        codec.encode(m.LoginResponse())
        self.assertNotIsInstance(next(iter(codec.feed(data))), m.RemoteMove)
        self.assertRaises(WireError, list, codec.feed(b"<a>" * 9))

    def test_a_log_in_is_accepted_in_the_middle_of_a_message(self) -> None:
        """All of the message is then read as one of the remote game, wherever the answer comes."""
        data = b"<message type='move'><gameId id='7'/><move><a b='>'/></move></message>"
        for cut in range(1, len(data)):
            codec = XmlCodec()
            self.assertEqual(list(codec.feed(data[:cut])), [])
            codec.encode(m.LoginResponse(dialect=m.Dialect.EXACT))
            self.assertEqual(list(codec.feed(data[cut:])), [m.RemoteMove(b"<a b='>'/>", "7")], cut)

    def test_a_master_logs_in_first(self) -> None:
        """Its log-in is read on a connection that has said nothing else."""
        self.assertEqual(list(XmlCodec().feed(MASTER_LOGIN.encode())), [m.GameMasterLogin("nim-1", "nim", "2", "2")])
        self.assertEqual(
            next(iter(XmlCodec(strict=True).feed(MASTER_LOGIN.encode()))), m.GameMasterLogin("nim-1", "nim", "2", "2")
        )

    def test_declarations(self) -> None:
        told = remote_codec(declaration=True).encode(m.RemoteMove(b"", "1"))
        self.assertTrue(told.startswith(b'<?xml version="1.0" encoding="UTF-8"?><message type="move">'), told)
