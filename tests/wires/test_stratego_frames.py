"""The binary frames as a wire among wires, from bytes to bytes."""

from tests.properties import PropertyCase
from tests.wire_contract import WireContract
from tests.wires.stratego_frames_words import client_frames, frame


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    name = "stratego-frames"
    begun = frame(1, b"\x00\xfe" + b"a" * 254)[:9]
    too_long = frame(1, b"\x00\xff" + b"a" * 255)

    def log_in(self, name: str) -> bytes:
        return client_frames(f'Sign On "{name}"', 0)[0]
