"""A wire of Stratego: lines of ASCII."""

from typing import Any

from gamehost.entries import imported
from gamehost.games.stratego.master import STRATEGO
from gamehost.wires.base import SeatKey, Wire, common_wire

WIRE: Wire[Any] = common_wire(
    "stratego-lines",
    "Stratego, ASCII lines with accounts",
    "tcp:8890:interface=127.0.0.1",
    game=STRATEGO,
    new_codec=imported("gamehost.wires.stratego_lines.codec:LinesCodec"),
    conversation=imported("gamehost.wires.stratego_lines.conversation:LinesConversation"),
    spreads=True,
    seat_key=SeatKey.PASSWORD,
)
