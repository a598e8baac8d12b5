"""The games of the wires that play all games. This module and the factories of wires are the only ones that know several."""

from gamehost.games.clock import CLOCK_SETTINGS
from gamehost.games.eriantys.face import FACE as ERIANTYS_FACE
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.onitama.face import FACE as ONITAMA_FACE
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.paper_soccer.face import FACE as PAPER_SOCCER_FACE
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.stratego.face import FACE as STRATEGO_FACE
from gamehost.games.stratego.game import STRATEGO
from gamehost.wires.seeking import PlayedGame

_TIMES = frozenset({"move_time", *CLOCK_SETTINGS})

PLAYED = (
    PlayedGame(ONITAMA, ONITAMA_FACE, _TIMES | {"deal"}),
    PlayedGame(ERIANTYS, ERIANTYS_FACE, _TIMES | {"expert", "planning_order"}, defaults={"expert": "no"}),
    PlayedGame(PAPER_SOCCER, PAPER_SOCCER_FACE, _TIMES),
    PlayedGame(STRATEGO, STRATEGO_FACE, _TIMES | {"setup_time", "two_squares"}),
)
