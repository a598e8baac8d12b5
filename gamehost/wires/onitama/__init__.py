"""Onitama as pipe-separated lines."""

from typing import Any

from gamehost.games.onitama.master import ONITAMA
from gamehost.wires.base import Wire, common_wire, imported

WIRE: Wire[Any] = common_wire(
    *("onitama", "Onitama, pipe-separated lines", "tcp:8893:interface=127.0.0.1", ONITAMA),
    imported("gamehost.wires.onitama.codec:PipesCodec"),
    imported("gamehost.wires.onitama.conversation:PipesConversation"),
    client_codec=imported("gamehost.wires.onitama.client:PipesClientCodec"),
    player=imported("gamehost.wires.onitama.client:OnitamaPlayer"),
    checks=imported("gamehost.wires.onitama.checks:CHECKS"),
    server_checks=imported("gamehost.wires.onitama.checks:SERVER_CHECKS"),
    spreads=True,
)
