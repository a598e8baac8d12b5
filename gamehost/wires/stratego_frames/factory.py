"""The wire as the host knows it."""

from gamehost.games.stratego.game import STRATEGO
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost.wires.stratego_frames.codec import FramesCodec, strict_codec
from gamehost.wires.stratego_frames.conversation import FramesConversation
from gamehost.wires.stratego_frames.messages import Message

NAME = "stratego-frames"


def configure(settings: Settings) -> CommonWireConfig[Message]:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    strict, queue = common_settings(settings, NAME, STRATEGO)
    return CommonWireConfig(NAME, strict_codec if strict else FramesCodec, FramesConversation, strict, queue)


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Stratego, binary frames",
    endpoint="tcp:8891:interface=127.0.0.1",
    game=STRATEGO,
    configure=configure,
    options=COMMON_OPTIONS,
)
