"""The wire of Onitama: lines with fields separated by pipes."""

from typing import Any

from gamehost.entries import imported
from gamehost.games.onitama.master import ONITAMA
from gamehost.wires.base import Wire, common_wire

WIRE: Wire[Any] = common_wire(
    "onitama",
    "Onitama, pipe-separated lines",
    "tcp:8893:interface=127.0.0.1",
    game=ONITAMA,
    new_codec=imported("gamehost.wires.onitama.codec:PipesCodec"),
    conversation=imported("gamehost.wires.onitama.conversation:PipesConversation"),
    spreads=True,
)
