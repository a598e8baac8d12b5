"""
The wires and games that this host knows.
"""

from collections.abc import Sequence
from typing import Any

from gamehost.wires.base import Wire
from gamehost.wires.eriantys_json.factory import WIRE as ERIANTYS_JSON
from gamehost.wires.onitama_pipes.factory import WIRE as ONITAMA_PIPES
from gamehost.wires.paper_soccer_xml.factory import WIRE as PAPER_SOCCER_XML
from gamehost.wires.stratego_frames.factory import WIRE as STRATEGO_FRAMES
from gamehost.wires.stratego_lines.factory import WIRE as STRATEGO_LINES

WIRES: Sequence[Wire[Any]] = (STRATEGO_LINES, STRATEGO_FRAMES, ERIANTYS_JSON, ONITAMA_PIPES, PAPER_SOCCER_XML)


GAMES = {wire.game.name: wire.game for wire in WIRES}


#: Options without a value.
FLAGS = {"strict", "accept-loss", *(name for wire in WIRES for name in wire.flags)}
