"""What a house player cannot know changes nothing: neither what it is told, nor what it does."""

import json
import re
from itertools import takewhile

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Level
from tests.kit.house import RULES, HouseProcess
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.open_case import act, line

#: The rows in front of the back row, where nobody gets soon.
ROWS = ("5566667777", "BBBBBB999S", "8888899999")
#: The back row of the first match, and of the second.
BACK_ROWS = ("F123344455", "554443321F")


class Told:
    """A match of a person who plays by a list of moves, whatever it is worth."""

    def __init__(self, level: Level, seed: int, back_row: str, moves: int) -> None:
        host = MemoryHost(house_rules=RULES)
        process = HouseProcess(host, seed=seed)
        ann = host.connect("open")
        ann.send(line(do="enter", name="ann") + line(do="seek", game="stratego", house=level.value, seat="first"))
        ann.send(act("/".join((back_row, *ROWS))))
        process.settle()
        columns = "ABEFIJ"
        for number in range(moves):
            column, back = columns[number % 6], number // 6 % 2
            start, end = (f"{column}5", f"{column}4") if back else (f"{column}4", f"{column}5")
            ann.send(act(f"{start}-{end}"))
            process.settle()
        # Whoever gets to the back row learns what stands there.
        acts = [one for player in process.seen for one in player.acts]
        self.acts = list(takewhile(lambda one: not re.search("-[A-J]1$", one), acts))
        told = [json.loads(text) for player in process.seen for text in player.told.splitlines()]
        self.told = list(takewhile(lambda one: not re.search("^[A-J]1$", one.get("event", {}).get("to", "")), told))


def check_pair(test: SynchronousTestCase, level: Level, seed: int, moves: int) -> None:
    """Two matches that differ in the person's back row."""
    one, other = (Told(level, seed, row, moves) for row in BACK_ROWS)
    test.assertGreater(len(one.acts), 3)
    test.assertEqual(one.acts, other.acts)
    test.assertEqual(one.told, other.told)


class NoninterferenceTests(SynchronousTestCase):
    """Stratego: the one game in which a player hides something for long."""

    def test_pairs(self) -> None:
        """The same set-up but for the back row: the same is told, and the same is done."""
        for level in (Level.EASY, Level.HARD):
            check_pair(self, level, seed=3, moves=12)
