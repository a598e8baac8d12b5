"""The wire as the host knows it."""

from gamehost.games.stratego.game import STRATEGO
from gamehost.wires.base import Wire, common_wire
from gamehost.wires.stratego_frames.client_codec import FramesClientCodec
from gamehost.wires.stratego_frames.codec import FramesCodec, strict_codec
from gamehost.wires.stratego_frames.conversation import FramesConversation
from gamehost.wires.stratego_frames.messages import Message

NAME = "stratego-frames"

WIRE: Wire[Message] = common_wire(
    NAME,
    "Stratego, binary frames",
    "tcp:8891:interface=127.0.0.1",
    STRATEGO,
    FramesCodec,
    FramesConversation,
    strict_codec,
    FramesClientCodec,
    spreads=True,
)
