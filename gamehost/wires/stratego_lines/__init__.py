"""Stratego as lines of ASCII, with accounts."""

from typing import Any

from gamehost.games.stratego.master import STRATEGO
from gamehost.wires.base import SeatKey, Wire, common_wire, imported

WIRE: Wire[Any] = common_wire(
    *("stratego-lines", "Stratego, ASCII lines with accounts", "tcp:8890:interface=127.0.0.1", STRATEGO),
    imported("gamehost.wires.stratego_lines.codec:LinesCodec"),
    imported("gamehost.wires.stratego_lines.conversation:LinesConversation"),
    client_codec=imported("gamehost.wires.stratego_lines.client:LinesClientCodec"),
    player=imported("gamehost.wires.stratego_lines.client:StrategoLinesPlayer"),
    checks=imported("gamehost.wires.stratego_lines.checks:CHECKS"),
    server_checks=imported("gamehost.wires.stratego_lines.checks:SERVER_CHECKS"),
    spreads=True,
    seat_key=SeatKey.PASSWORD,
)
