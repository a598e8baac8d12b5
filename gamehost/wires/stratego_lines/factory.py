"""The wire as the host knows it."""

from gamehost.games.stratego import STRATEGO
from gamehost.wires.base import Wire, common_wire
from gamehost.wires.stratego_lines.client_codec import LinesClientCodec
from gamehost.wires.stratego_lines.codec import LinesCodec
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.messages import Message

NAME = "stratego-lines"

WIRE: Wire[Message] = common_wire(
    NAME,
    "Stratego, ASCII lines with accounts",
    "tcp:8890:interface=127.0.0.1",
    STRATEGO,
    LinesCodec,
    LinesConversation,
    client_codec=LinesClientCodec,
    spreads=True,
)
