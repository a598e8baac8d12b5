"""The games of the console: how each is drawn, and what is typed to play it."""

from collections.abc import Mapping

from gamehost.wires.console.screens import eriantys, onitama, paper_soccer, stratego
from gamehost.wires.console.screens.base import ScreenKind

#: By the name of the game.
SCREENS: Mapping[str, ScreenKind] = {
    "onitama": onitama.KIND,
    "paper-soccer": paper_soccer.KIND,
    "stratego": stratego.KIND,
    "eriantys": eriantys.KIND,
}
