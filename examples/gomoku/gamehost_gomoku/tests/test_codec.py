"""The codec: what all codecs must do, and the lines of this one."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, NOT_UTF8
from gamehost_gomoku import messages
from gamehost_gomoku.codec import GomokuCodec
from gamehost_gomoku.messages import Malformed, Name, Play, Resign


class CodecTests(CodecContract, PropertyCase):
    """What all codecs do. `streams` are what clients may send, good and bad."""

    streams = (
        b"NAME ann\nPLAY h8\nRESIGN\n",
        b"NAME ann \r\n\r\n\nname x\nGAME a b 15\nPLAY\n",
        b"NAME \xc3\xa9\n\xc3(\nPLAY h8\n",
        b"NAME a\n" + b"x" * 128 + b"\nNAME b\n" + b"x" * 129 + b"\nNAME c\n",
    )

    read = (
        ('NAME Zden\u011bk|"\n'.encode(), Name('Zden\u011bk|"')),
        (b"PLAY h8\r\n", Play("h8")),
        (b"RESIGN\n", Resign()),
    )
    sent = (
        (messages.Waiting("Zden\u011bk"), "WAITING Zden\u011bk"),
        (messages.Refused('expected "PLAY" and a point'), 'REFUSED expected "PLAY" and a point'),
        (messages.Closing("bye"), "CLOSING bye"),
    )

    def new_codec(self) -> GomokuCodec:
        return GomokuCodec()


class LineTests(PropertyCase):
    """One line."""

    def test_read(self) -> None:
        """Every message of a client, and what is none."""
        for line, message in (
            (b"NAME ann", Name("ann")),
            (b"PLAY h8", Play("h8")),
            (b"RESIGN", Resign()),
            (b"", BLANK),
            (b"\xc3(", NOT_UTF8),
            (b"PLAY", Malformed("PLAY and one point, such as PLAY h8")),
            (b"RESIGN now", Malformed("RESIGN alone")),
            (b"OVER ann x", Malformed("one of NAME, PLAY, RESIGN")),
        ):
            self.assertEqual(GomokuCodec().read(line), message)

    def test_encode(self) -> None:
        """Every message of the server."""
        for message, line in (
            (messages.Waiting("ann"), b"WAITING ann\n"),
            (messages.Game("ann", "bob", "15"), b"GAME ann bob 15\n"),
            (messages.Played("ann", "h8"), b"PLAYED ann h8\n"),
            (messages.Refused("it is late"), b"REFUSED it is late\n"),
            (messages.Away("bob"), b"AWAY bob\n"),
            (messages.Back("bob", "ann", "bob", "15", "h8,j9"), b"BACK bob ann bob 15 h8,j9\n"),
            (messages.Over("-", "the board is full"), b"OVER - the board is full\n"),
            (messages.Closing("bye"), b"CLOSING bye\n"),
        ):
            self.assertEqual(GomokuCodec().encode(message), line)
