"""The pipe-separated wire's codec: lines to messages, messages to lines."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, NOT_UTF8, WireError
from gamehost.wires.onitama.codec import LINE_LIMIT, PipesCodec, parse
from gamehost.wires.onitama.messages import (
    CLIENT_COMMANDS,
    SERVER_COMMANDS,
    Error,
    GameOver,
    HelpAsked,
    InvalidMove,
    Login,
    Logout,
    MakeMove,
    MoveWasMade,
    NotForServer,
    OtherLanguage,
    Reconnect,
    Resign,
    Stalemate,
    StalemateCard,
    Start,
    Unknown,
    Waiting,
    WrongFields,
)

FIELD = st.text(st.characters(exclude_characters="|\n\r", exclude_categories=("Cs", "Cc")), max_size=12).map(str.strip)


class PipesCodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

    spreads = True

    def new_codec(self) -> PipesCodec:
        return PipesCodec()

    read = (
        ("LOGIN|Zden\u011bk\n".encode(), Login("Zden\u011bk")),
        (b'LOGIN|\\"&<x> y\r\n', Login('\\"&<x> y')),
        (b"MAKE_MOVE|tiger|c1|c3\n", MakeMove("tiger", "c1", "c3")),
        (b"STALEMATE|ox\n", Stalemate("ox")),
        (b"RESIGN\n", Resign()),
    )
    sent = (
        (Error('"why" & <what>: LOGIN|username'), 'ERROR|"why" & <what>: LOGIN|username'),
        (Start("Zden\u011bk", "bob"), "START|Zden\u011bk|bob"),
        (MoveWasMade("tiger", "c1", "c3"), "MOVE_WAS_MADE|tiger|c1|c3"),
        (InvalidMove(), "INVALID_MOVE"),
    )
    streams = (
        b"LOGIN|ann\nMAKE_MOVE|tiger|c1|c3\nSTALEMATE|ox\n",
        b"LOGIN | ann \r\n\r\n\nlogin|x\nSTART|a|b\n\xff\xfd\x03MAKE_MOVE|a\n",
        b"LOGIN|\xc3\xa9\n\xc3(\nLOGIN|b\n",
        b"LOGIN|a\n" + b"x" * 256 + b"\nLOGIN|b\n" + b"x" * 257 + b"\nLOGIN|c\n",
        b"LOGIN|a\n\xc3(\nLOGIN|b\n\xc3(\nLOGIN|c\n",
    )


class ParsingTests(PropertyCase):
    """One line."""

    def test_document_s_messages(self) -> None:
        """Every message a client may send, with its arguments in the document's order."""
        self.assertEqual(parse("LOGIN|ann"), Login("ann"))
        self.assertEqual(parse("MAKE_MOVE|tiger|c1|c3"), MakeMove("tiger", "c1", "c3"))
        self.assertEqual(parse("STALEMATE|ox"), Stalemate("ox"))
        self.assertEqual(parse("RESIGN"), Resign())

    def test_spaces_around_fields_are_for_reading(self) -> None:
        """As the document prints them."""
        self.assertEqual(parse("MAKE_MOVE | tiger | c1 |\tc3 "), MakeMove("tiger", "c1", "c3"))
        self.assertEqual(parse("LOGIN|an n"), Login("an n"))

    def test_what_is_not_quite_a_message_says_so(self) -> None:
        """Wrong fields, the server's own words, lower case, and anything else."""
        self.assertEqual(parse("MAKE_MOVE|tiger"), WrongFields("MAKE_MOVE", CLIENT_COMMANDS["MAKE_MOVE"][2]))
        self.assertEqual(parse("GAME_OVER|ann"), NotForServer("GAME_OVER"))
        self.assertEqual(parse("login"), Unknown("LOGIN"))
        self.assertEqual(parse("RESIGN|"), WrongFields("RESIGN", "RESIGN and no field"))
        self.assertEqual(parse("|"), Unknown())
        self.assertEqual(parse(" Help"), HelpAsked())
        self.assertIsInstance(parse('{"type": "x"}'), OtherLanguage)
        self.assertEqual(parse(" "), BLANK)

    @given(st.text(max_size=300))
    def test_any_line_is_some_message(self, line: str) -> None:
        """Nothing raises."""
        parse(line)

    @given(st.lists(st.sampled_from(sorted(CLIENT_COMMANDS)) | FIELD, min_size=1, max_size=5))
    def test_client_s_messages_read_back(self, fields: list[str]) -> None:
        """A message that was read, written again with the same fields, is the same message."""
        line = "|".join(fields)
        message: Any = parse(line)
        if isinstance(message, Login | MakeMove | Stalemate):
            self.assertEqual(parse(line.replace("|", " | ")), message)


class EncodingTests(PropertyCase):
    """The server's messages, to the byte."""

    def test_every_message_of_the_server(self) -> None:
        """As the wire's page prints them."""
        cards = "white=boar,ox;black=crab,eel;spare=tiger"
        examples: list[tuple[Any, str]] = [
            (Start("ann", "bob", cards), f"START|ann|bob|{cards}"),
            (Start("ann", "bob"), "START|ann|bob"),
            (MoveWasMade("tiger", "c1", "c3"), "MOVE_WAS_MADE|tiger|c1|c3"),
            (InvalidMove(), "INVALID_MOVE"),
            (InvalidMove("why"), "INVALID_MOVE|why"),
            (StalemateCard("ox", "eel"), "STALEMATE_CARD|ox|eel"),
            (Logout("Zdeněk"), "LOGOUT|Zdeněk"),
            (Reconnect("bob", "black", "b", cards, "ann"), f"RECONNECT|bob|black|b|{cards}|ann"),
            (GameOver("ann"), "GAME_OVER|ann"),
            (Waiting("ann"), "WAITING|ann"),
            (Error("why"), "ERROR|why"),
            (Login("ann"), "LOGIN|ann"),
            (MakeMove("ox", "c1", "c2"), "MAKE_MOVE|ox|c1|c2"),
        ]
        for message, line in examples:
            self.assertEqual(PipesCodec().encode(message), line.encode() + b"\n")
        self.assertEqual({type(message) for message, _ in examples} - {Login, MakeMove}, set(SERVER_COMMANDS))

    def test_line_limit(self) -> None:
        """The limit holds the longest message; one byte more is not this wire."""
        longest = "MAKE_MOVE|" + "x" * (LINE_LIMIT - 16) + "|c1|c3"
        self.assertEqual(len(longest), LINE_LIMIT)
        self.assertEqual(len(list(PipesCodec().feed(longest.encode() + b"\r\n"))), 1)
        self.assertRaises(WireError, list, PipesCodec().feed(longest.encode() + b"x\n"))

    def test_second_unreadable_line_ends_it(self) -> None:
        """The first is a value, the second an error."""
        codec = PipesCodec()
        self.assertEqual(list(codec.feed(b"\xc3(\nLOGIN|a\n")), [NOT_UTF8, Login("a")])
        self.assertRaises(WireError, list, codec.feed(b"\xc3(\n"))
