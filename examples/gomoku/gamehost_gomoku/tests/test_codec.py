"""The codec: what all codecs must do, with the lines of this one."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.framing import BLANK, NOT_UTF8
from gamehost_gomoku.wire import messages
from gamehost_gomoku.wire.codec import GomokuCodec
from gamehost_gomoku.wire.messages import Malformed, Name, Play, Resign


class CodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

    streams = (
        b"NAME ann\nPLAY h8\nRESIGN\n",
        b"NAME ann \r\n\r\n\nname x\nGAME a b 15\nPLAY\n",
        b"NAME \xc3\xa9\n\xc3(\nPLAY h8\n",
        b"NAME a\n" + b"x" * 128 + b"\nNAME b\n" + b"x" * 129 + b"\nNAME c\n",
    )
    read = (
        (b"NAME ann\n", Name("ann")),
        ('NAME Zden\u011bk|"\n'.encode(), Name('Zden\u011bk|"')),
        (b"PLAY h8\r\n", Play("h8")),
        (b"RESIGN\n", Resign()),
        (b"\n", BLANK),
        (b"\xc3(\n", NOT_UTF8),
        (b"PLAY\n", Malformed("PLAY and one point, such as PLAY h8")),
        (b"RESIGN now\n", Malformed("RESIGN alone")),
        (b"OVER ann x\n", Malformed("one of NAME, PLAY, RESIGN")),
    )
    sent = (
        (messages.Waiting("Zden\u011bk"), "WAITING Zden\u011bk"),
        (messages.Game("ann", "bob", "15"), "GAME ann bob 15"),
        (messages.Played("ann", "h8"), "PLAYED ann h8"),
        (messages.Refused('expected "PLAY"'), 'REFUSED expected "PLAY"'),
        (messages.Away("bob"), "AWAY bob"),
        (messages.Back("bob", "ann", "bob", "15", "h8,j9"), "BACK bob ann bob 15 h8,j9"),
        (messages.Over("-", "the board is full"), "OVER - the board is full"),
        (messages.Closing("bye"), "CLOSING bye"),
    )

    def new_codec(self) -> GomokuCodec:
        return GomokuCodec()
