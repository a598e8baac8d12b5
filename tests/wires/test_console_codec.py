"""The console's codec: lines as people type them, and what telnet tells in between."""

from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.console.codec import (
    ASK_CHARSET,
    ASK_TERMINAL,
    CONTROL,
    HIDE,
    LINE_LIMIT,
    LONGEST,
    NOT_UTF8,
    PROBE,
    SHOW,
    Agreed,
    Charset,
    ConsoleCodec,
    Line,
    Message,
    Prompt,
    Telnet,
    Terminal,
    Text,
    Window,
)
from gamehost.wires.framing import WireError
from tests.kit.memory_host import SAID, ConsoleWords


class CodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

    text = ConsoleWords
    read = (
        (b"play onitama\n", Line("play onitama")),
        ("name Zden\u011bk\n".encode(), Line("name Zden\u011bk")),
        (b"\n", Line("")),
        (b"a\tb\n", Line("a b")),
        (b"boz\x08ard\x7f\x7f\x08\x08\n", Line("b")),
        (b"\x08\x08\x7fx\n", Line("x")),
        (b"\x1b[2J\n", CONTROL),
        ("\u0085\n".encode(), CONTROL),
        (b"\xfe\n", NOT_UTF8),
    )
    sent = (
        (Text(("one", "two")), "one\ntwo"),
        (Text(("",)), ""),
        (Prompt(), ">"),
        (Text(("Zden\u011bk",)), "Zden\u011bk"),
        (Prompt("Password: "), "Password:"),
        *((option, word) for option, word in ((PROBE, "<probe>"), (ASK_TERMINAL, "<terminal?>"), (HIDE, "<hide>"))),
        *((option, word) for option, word in ((ASK_CHARSET, "<charset?>"), (SHOW, "<show>"))),
    )
    streams = (
        b"play onitama\nox c1 c2\r\nmoves\r\n\r\n\n",
        b"who\n" + b"".join(SAID.values()) + b"na\xff\xfb\x1fme\r\0ann\r\n\xff\xff\nwho\n",
        b"\xff\xf1who\xff\xfd\x01\n\xff\xfa"
        + b"\x18\0"
        + b"x" * 99
        + b"\xff\xff\xff\xf0\xff\xfa\x1f\0\xff\xf0board\r\n",
        b"who\n" + b"x" * (LINE_LIMIT + 1) + b"\nwho\n",
        b"\xfe\nwho\n\xfe\nwho\n",
    )

    def new_codec(self) -> ConsoleCodec:
        return ConsoleCodec()


class TelnetTests(SynchronousTestCase):
    """What a client's telnet tells."""

    def read(self, *pieces: bytes) -> list[Message]:
        """The messages in these pieces."""
        codec = ConsoleCodec()
        return [message for piece in pieces for message in codec.feed(piece)]

    def test_options(self) -> None:
        """Agreement, the window, the terminal and the character set. The first one says that the client is telnet."""
        for said, told in (
            ("<will terminal>", Agreed(24)),
            ("<window 60>", Window(60)),
            ("<terminal xterm>", Terminal("xterm")),
            ("<charset utf-8>", Charset("UTF-8")),
        ):
            self.assertEqual(self.read(SAID[said], SAID[said]), [Telnet(), told, told])

    def test_the_end_of_a_line_tells_it(self) -> None:
        """Before that line, and once; in one piece, and cut between the two characters."""
        expected: Sequence[Message] = [Line("a"), Telnet(), Line("b"), Line("c")]
        self.assertEqual(self.read(b"a\nb\r\nc\r\n"), expected)
        self.assertEqual(self.read(b"a\nb\r", b"\nc\r", b"\n"), expected)
        self.assertEqual(self.read(b"a\r", b"\0b\n"), self.read(b"a\r\0b\n"))

    def test_nothing_is_believed(self) -> None:
        """Options that are too long, too short, unknown, doubled or without an end are dropped; text goes on."""
        for option in (
            b"\xff\xfa\x1f\0\xff\xf0",
            b"\xff\xfa\x1f" + bytes(70) + b"\xff\xf0",
            b"\xff\xfa\x63?\xff\xf0",
            b"\xff\xfa\xff\xf0",
            b"\xff\xfe\x01\xff\xfc\x18\xff\xf6",
        ):
            self.assertEqual(self.read(option + b"who\n"), [Line("who")], option)
        [_, terminal, line] = self.read(b"\xff\xfa\x18\0" + b"x" * 9999 + b"\xff\xf0who\n")
        assert isinstance(terminal, Terminal)
        self.assertLess(len(terminal.name), LONGEST)
        self.assertEqual(line, Line("who"))

    def test_names_have_plain_letters_alone(self) -> None:
        """A terminal's name cannot hold anything that a log or a terminal would act on."""
        self.assertEqual(self.read(b"\xff\xfa\x18\0a\x1b[2J b\n\xff\xf0")[1], Terminal("a2jb"))

    def test_lines_are_ended_as_the_client_does(self) -> None:
        """As soon as it is known to be telnet."""
        codec = ConsoleCodec()
        self.assertEqual(codec.encode(Text(("a",))), b"a\n")
        list(codec.feed(b"who\r\n"))
        self.assertEqual(codec.encode(Text(("a",))), b"a\r\n")

    def test_what_a_host_does_not_say(self) -> None:
        """Only its own messages are written."""
        self.assertRaises(TypeError, ConsoleCodec().encode, Line("who"))

    def test_the_second_line_that_is_not_utf8(self) -> None:
        """It ends the connection."""
        self.assertRaises(WireError, self.read, b"\xfe\n\xfe\n")
