"""A wire of Stratego: binary frames."""

from typing import Any

from gamehost.entries import imported
from gamehost.games.stratego.master import STRATEGO
from gamehost.wires.base import Wire, common_wire

WIRE: Wire[Any] = common_wire(
    "stratego-frames",
    "Stratego, binary frames",
    "tcp:8891:interface=127.0.0.1",
    game=STRATEGO,
    new_codec=imported("gamehost.wires.stratego_frames.codec:FramesCodec"),
    conversation=imported("gamehost.wires.stratego_frames.conversation:FramesConversation"),
    strict_codec=imported("gamehost.wires.stratego_frames.codec:strict_codec"),
    spreads=True,
)
