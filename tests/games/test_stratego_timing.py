"""Time tells nothing: whichever piece is hidden, a refusal runs through the same lines of the program."""

import os
import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

import gamehost
from gamehost.games.base import IllegalAction
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.master import StrategoMaster
from tests.kit.games.stratego_table import BLUE, RED, in_play, rows_of, shuffled_rows

#: Only the package itself counts: callbacks of the garbage collector belong to other packages, whatever their path.
PACKAGE = str(Path(gamehost.__file__).parent) + os.sep


def lines_of(master: StrategoMaster, move: Move) -> list[tuple[str, int]]:
    """Every line of the package that runs while a move is refused, in order."""
    ran: list[tuple[str, int]] = []

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            ran.append((frame.f_code.co_filename, frame.f_lineno))
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        master.act(RED, move, 0)
    except IllegalAction:
        return ran
    finally:
        sys.settrace(before)
    raise AssertionError(f"{move} was to be refused")


class RefusalTimeTests(SynchronousTestCase):
    """Row 129."""

    def test_row_129_same_lines_whatever_is_hidden(self) -> None:
        """Moves onto, from and through hidden pieces, diagonal ones and none: 40 set-ups of the enemy, one way."""
        own = rows_of("".join(shuffled_rows(random.Random(1))))
        refused = [
            Move(x, y, to_x, to_y)
            for x, y, to_x, to_y in (
                *((column, 6, column, 5) for column in range(10)),  # the enemy's own pieces
                *((column, 9, column, 8) for column in range(10)),
                *((column, 3, column, 7) for column in range(10)),  # through or too far
                *((column, 0, column, 9) for column in range(10)),
                (4, 4, 4, 5),
                (2, 3, 2, 4),
                (0, 3, 1, 4),
                (0, 6, 0, 6),
            )
        ]
        paths: dict[Move, list[tuple[str, int]]] = {}
        for seed in range(40):
            master = in_play(own, shuffled_rows(random.Random(seed)))
            self.assertEqual((RED, BLUE), (0, 1))
            for move in refused:
                ran = lines_of(master, move)
                self.assertTrue(ran)
                self.assertEqual(paths.setdefault(move, ran), ran, move)
