"""What all codecs do, asked of the frames'."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.stratego_frames.codec import FramesCodec
from tests.kit.wires.stratego_frames_words import FrameWords


class FramesCodecTests(CodecContract, PropertyCase):
    """However the bytes are cut."""

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    @property
    def streams(self) -> tuple[bytes, ...]:  # type: ignore[override]
        words = FrameWords()
        good = words.said('Sign On "ann"') + words.said("Setup 9 (0,3)") + words.said("Move (0,3) (0,4)")
        return (good, good + b"\x2a\x02\x00\x00\xff\xff", good + b"GET /", good[:-1] + good)
