"""The codec of the final dialect: bytes to messages, messages to bytes."""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, NOT_UTF8, OtherProtocol, WireError
from gamehost.wires.onitama_final import messages as m
from gamehost.wires.onitama_final.codec import MESSAGE_LIMIT, FinalCodec, parse
from tests.kit.wires.onitama_final_words import ZeroBytes

CARDS = ("crab", "eel", "tiger", "boar", "ox")
#: The longest names: one of this wire, and one of another.
LONG, LONGER = "\U00010400" * 10, "\U00010400" * 20


class FinalCodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

    spreads = True
    text = ZeroBytes
    read = (
        ("LOGIN|Zden\u011bk\0".encode(), m.Login("Zden\u011bk")),
        (b"LOGIN| a b\0", m.Login(" a b")),
        (b" LO GIN\n|ann\0", m.Login("ann")),
        (b"MAKE_MOVE|tiger|4|2|2|2\0", m.MakeMove("tiger", "4", "2", "2", "2")),
        (b"MAKE_MOVE | t iger| 4 |2\n|2|2\0", m.MakeMove("tiger", "4", "2", "2", "2")),
        (b"MAKE_PASS|ox\0", m.MakePass("ox")),
        (b"PING|PING\0", m.Ping()),
    )
    sent = (
        (m.Waiting("Zden\u011bk"), "WAITING|Zden\u011bk"),
        (m.Failed("why"), "FAILED|why"),
        (m.Start("bob", "ann", CARDS), "START|bob|ann|crab|eel|tiger|boar|ox"),
        (m.MoveWasMade("ox", "4", "2", "3", "2"), "MOVE_WAS_MADE|ox|4|2|3|2"),
        (m.PassWasMade("ox"), "PASS_WAS_MADE|ox"),
        (m.InvalidMove("why"), "INVALID_MOVE|why"),
        (m.Disconnect("bob"), "DISCONNECT|bob"),
        (m.Reconnect("bob"), "RECONNECT|bob"),
        (
            m.Restore("bob", "ann", CARDS, True, False, ("bK", *["--"] * 23, "wK")),
            "RECONNECT|bob|ann|crab|eel|tiger|boar|ox|1|0|bK" + "|--" * 23 + "|wK",
        ),
        (m.GameOver("draw"), "GAME_OVER|draw"),
        (m.Ping(), "PING|PING"),
    )
    streams = (
        b"LOGIN|ann\0PING|PING\0MAKE_MOVE|ox|4|2|3|2\0",
        b"\0\0LOGIN|\xc3\xa9\0\xc3(\0hello\0LOGIN|b\0",
        b"LOGIN|a\0\xc3(\0LOGIN|b\0\xc3(\0LOGIN|c\0",
        b"LOGIN|a\0" + b"x" * 255 + b"\0LOGIN|b\0" + b"x" * 256 + b"\0LOGIN|c\0",
        b"GET / HTTP/1.1\r\n\r\n\0",
        b"help\n ? \r\nhelp\nLOGIN|ann\0help\n\0",
        b"GET /\0x HTTP/1.1\0PING|PING\0",
    )

    def new_codec(self) -> FinalCodec:
        return FinalCodec()


class ParsingTests(PropertyCase):
    """One message."""

    def test_what_is_not_quite_a_message_says_so(self) -> None:
        """Wrong fields, the server's own words, lower case, a call for help, and anything else."""
        self.assertEqual(parse("LOGIN"), m.WrongFields("LOGIN", m.CLIENT_COMMANDS["LOGIN"][2]))
        self.assertEqual(parse("MAKE_MOVE|ox"), m.WrongFields("MAKE_MOVE", m.CLIENT_COMMANDS["MAKE_MOVE"][2]))
        self.assertEqual(parse("MAKE_PASS|ox|"), m.WrongFields("MAKE_PASS", m.CLIENT_COMMANDS["MAKE_PASS"][2]))
        for text in ("PING", "PING|", "PING|ping", "PING|PING|PING"):
            self.assertEqual(parse(text), m.WrongFields("PING", m.PING_EXPECTED))
        self.assertEqual(parse("START|a"), m.NotForServer("START"))
        self.assertEqual(parse("login|a"), m.Unknown("LOGIN"))
        self.assertEqual(parse("ping|ping"), m.Unknown("PING"))
        self.assertEqual(parse("hello"), m.Unknown())
        self.assertEqual(parse(" Help "), m.HelpAsked())
        self.assertEqual((parse(""), parse(" \n")), (BLANK, BLANK))
        self.assertEqual(parse("|"), m.Unknown())

    @given(st.text(max_size=300))
    def test_any_text_is_some_message(self, text: str) -> None:
        """Nothing raises."""
        parse(text)


class BytesTests(PropertyCase):
    """Limits, and other protocols."""

    def test_limit(self) -> None:
        """A message of 255 bytes is read; one of 256 ends the connection, whether its zero byte has come or not."""
        self.assertEqual(len(list(FinalCodec().feed(b"x" * MESSAGE_LIMIT + b"\0"))), 1)
        for end in (b"", b"\0"):
            self.assertRaises(WireError, list, FinalCodec().feed(b"x" * (MESSAGE_LIMIT + 1) + end))

    def test_second_message_that_is_not_utf8_ends_it(self) -> None:
        """The first one is a message, the second an error."""
        codec = FinalCodec()
        self.assertEqual(list(codec.feed(b"\xc3(\0LOGIN|a\0")), [NOT_UTF8, m.Login("a")])
        self.assertRaises(WireError, list, codec.feed(b"\xff\0"))

    def test_other_protocols(self) -> None:
        """They are known by how they begin, and only at the beginning of a connection."""
        self.assertRaises(OtherProtocol, list, FinalCodec().feed(b"GET / HTTP/1.1\r\n"))
        codec = FinalCodec()
        self.assertEqual(list(codec.feed(b"\0GET / HTTP/1.1\0")), [BLANK, m.Unknown()])

    def test_the_longest_messages_fit(self) -> None:
        """With the longest names and cards, the server's longest message is not longer than a client can read."""
        cards = ("elephant", "rooster", "dragon", "monkey", "mantis")
        restore = m.Restore(LONGER, LONG, cards, True, True, ("wP",) * 25)
        for message in (restore, m.Start(LONGER, LONG, cards), m.Failed("x" * 230)):
            self.assertLessEqual(len(FinalCodec().encode(message)), MESSAGE_LIMIT)
