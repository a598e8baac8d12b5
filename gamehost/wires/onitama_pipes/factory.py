"""The wire as the host knows it."""

from gamehost.games.onitama.master import ONITAMA
from gamehost.wires.base import Wire, common_wire
from gamehost.wires.onitama_pipes.client_codec import PipesClientCodec
from gamehost.wires.onitama_pipes.codec import PipesCodec
from gamehost.wires.onitama_pipes.conversation import PipesConversation
from gamehost.wires.onitama_pipes.messages import Message

NAME = "onitama"

WIRE: Wire[Message] = common_wire(
    NAME,
    "Onitama, pipe-separated lines",
    "tcp:8893:interface=127.0.0.1",
    ONITAMA,
    PipesCodec,
    PipesConversation,
    client_codec=PipesClientCodec,
    spreads=True,
)
