"""What all codecs do, asked of the frames'."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.stratego_frames.codec import FramesCodec
from gamehost.wires.stratego_frames.messages import Battle, Error, Move, Ready, Setup, SignOn, Wait
from tests.kit.wires.stratego_frames_words import FrameWords, client_frames


class FramesCodecTests(CodecContract, PropertyCase):
    """However the bytes are cut."""

    spreads = True

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    text = FrameWords
    read = (
        (client_frames('Sign On "Zden\u011bk\\u0000\U0001f600"', 0)[0], SignOn("Zden\u011bk\0\U0001f600")),
        (client_frames("Setup 9 (0,-3)", 0)[0], Setup("9", 0, -3)),
        (client_frames('Ready "ready"', 0)[0], Ready()),
        (client_frames("Move (0,3) (0,4)", 0)[0], Move(0, 3, 0, 4)),
    )
    sent = (
        (Wait(), 'Wait "wait"'),
        (Error("\u011b\0\U0001f600"), 'Error "\u011b\\u0000\U0001f600"'),
        (Move(0, 3, 0, 4), "Move (0,3) (0,4)"),
        (Battle("ann", "3", "8"), 'Battle "ann" 3 8'),
    )

    @property
    def streams(self) -> tuple[bytes, ...]:  # type: ignore[override]
        words = FrameWords()
        good = words.said('Sign On "ann"') + words.said("Setup 9 (0,3)") + words.said("Move (0,3) (0,4)")
        return (good, good + b"\x2a\x02\x00\x00\xff\xff", good + b"GET /", good[:-1] + good)
