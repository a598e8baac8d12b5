"""The wire as the host knows it."""

from gamehost.games.onitama.master import ONITAMA
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost.wires.onitama_pipes.codec import PipesCodec
from gamehost.wires.onitama_pipes.conversation import PipesConversation
from gamehost.wires.onitama_pipes.messages import Message

NAME = "onitama"


def configure(settings: Settings) -> CommonWireConfig[Message]:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return CommonWireConfig(NAME, PipesCodec, PipesConversation, *common_settings(settings, NAME, ONITAMA))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Onitama, pipe-separated lines",
    endpoint="tcp:8893:interface=127.0.0.1",
    game=ONITAMA,
    configure=configure,
    options=COMMON_OPTIONS,
)
