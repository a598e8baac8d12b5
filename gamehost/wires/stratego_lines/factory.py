"""The wire as the host knows it."""

from gamehost.games.stratego import STRATEGO
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost.wires.stratego_lines.codec import LinesCodec
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.messages import Message

NAME = "stratego-lines"


def configure(settings: Settings) -> CommonWireConfig[Message]:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return CommonWireConfig(NAME, LinesCodec, LinesConversation, *common_settings(settings, NAME, STRATEGO))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Stratego, ASCII lines with accounts",
    endpoint="tcp:8890:interface=127.0.0.1",
    game=STRATEGO,
    configure=configure,
    options=COMMON_OPTIONS,
)
