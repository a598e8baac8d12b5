"""The wire's token, which the entry point in `pyproject.toml` names."""

from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, common_settings
from gamehost_gomoku.codec import GomokuCodec
from gamehost_gomoku.conversation import GomokuConversation
from gamehost_gomoku.master import GOMOKU
from gamehost_gomoku.messages import Message

NAME = "gomoku"


def configure(settings: Settings) -> CommonWireConfig[Message]:
    """
    Read the wire's settings, once for each port.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    return CommonWireConfig(NAME, GomokuCodec, GomokuConversation, *common_settings(settings, NAME, GOMOKU))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Gomoku, lines of words",
    endpoint="tcp:8895:interface=127.0.0.1",
    games=(GOMOKU,),
    configure=configure,
    options=COMMON_OPTIONS,
    api=1,
)
