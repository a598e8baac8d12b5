"""A speaker of the frames of Stratego."""

import random
from collections import Counter, deque
from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.stratego import events
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient

#: All forty pieces of a side.
SIDE = "F12334445555666677778888899999999SBBBBBB"
BARE = "." * 40 + "..~~..~~.." * 2 + "." * 40

INVALID = 'Placement Invalid "invalid"'


def board(squares: str) -> str:
    """A board in words."""
    return "Board " + "/".join(squares[start : start + 10] for start in range(0, 100, 10))


class FramesClient(ModelClient):
    """Knows its own pieces and where the enemy stands, as the boards show them."""

    wire = "stratego-frames"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._squares = BARE
        self._setting_up = False
        self._my_turn = False
        #: Whether its own rows are those of y 0 to 3, as far as it knows.
        self._low = True
        #: Placements that were not answered yet, in order; `None`: one that means nothing.
        self._asked: deque[tuple[int, str] | None] = deque()

    def connected(self) -> None:
        super().connected()
        self._setting_up = self._my_turn = False
        self._asked.clear()

    def log_in(self) -> Sequence[str]:
        return [f'Sign On "{self.name}"']

    def hear(self, line: str) -> None:
        match line.split(" "):
            case ["Wait", _]:
                self._low = self._low or not self.inside
                self.inside = True
            case ["Connected", _]:
                self._begin()
            case ["Placement", "Valid", _] if self._asked:
                self._stand(self._asked.popleft())
            case ["Placement", "Invalid", _] if self._asked:
                if self._asked.popleft() is not None and not self._own():
                    self._low = not self._low
            case ["Playing", name]:
                self.inside = True
                self._setting_up = False
                self._my_turn = name == f'"{self.name}"'
            case ["Board", rows]:
                self._squares = rows.replace("/", "")
                if self._setting_up and self._own():
                    self._low = self._squares[:40].strip(".") != ""
            case ["Move", *_] | ["Battle", *_] if not self._setting_up and line != 'Move Invalid "invalid move"':
                self._my_turn = not self._my_turn
            case ["Game", "Over", _]:
                self.inside = self._setting_up = self._my_turn = False

    def _begin(self) -> None:
        if not self._setting_up:
            self._setting_up = self.inside = True
            self._squares = BARE
            self._asked.clear()

    def _stand(self, placed: tuple[int, str] | None) -> None:
        if placed is not None:
            square, piece = placed
            self._squares = self._squares[:square] + piece + self._squares[square + 1 :]

    def _own(self) -> str:
        return "".join(piece for piece in self._squares if piece not in ".~#")

    def move(self, rng: random.Random) -> Sequence[str]:
        if self._setting_up:
            return () if self._asked else self._set_up(rng)
        return self._any(rng) if self._my_turn else ()

    def guess(self, rng: random.Random) -> Sequence[str]:
        return self.nonsense(rng) if self._setting_up else self._any(rng)

    def _any(self, rng: random.Random) -> Sequence[str]:
        steps = list(self._steps())
        if not steps:
            return ()
        x, y, to_x, to_y = rng.choice([step for step in steps if self._at(*step[2:]) == "#"] or steps)
        return [f"Move ({x},{y}) ({to_x},{to_y})"]

    def _set_up(self, rng: random.Random) -> Sequence[str]:
        rows = range(40) if self._low else range(60, 100)
        free = [square for square in rows if self._squares[square] == "."]
        missing = list((Counter(SIDE) - Counter(self._own())).elements())
        if not missing:
            return ['Ready "ready"']
        rng.shuffle(missing)
        # One to find out whose rows these are, then the rest in one go.
        placed = list(zip(free, missing, strict=False))[: 40 if self._own() else 1]
        self._asked.extend(placed)
        return [f"Setup {piece} ({square % 10},{square // 10})" for square, piece in placed]

    def _at(self, x: int, y: int) -> str:
        return self._squares[y * 10 + x] if 0 <= x < 10 and 0 <= y < 10 else "~"

    def _steps(self) -> Sequence[tuple[int, int, int, int]]:
        """What can be moved by one square, as far as anybody sees."""
        found = []
        for square, piece in enumerate(self._squares):
            if piece not in ".~#BF":
                x, y = square % 10, square // 10
                ways = ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1))
                found += [(x, y, to_x, to_y) for to_x, to_y in ways if self._at(to_x, to_y) in ".#"]
        return found

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        line = rng.choice(("Setup F (4,4)", "Setup X (0,0)", 'Ready "no"', "Move (0,0) (9,9)", 'Sign On "b o b"'))
        if self._setting_up and line.startswith(("Setup", "Ready")):
            self._asked.append(None)
        return [line]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case events.Opened():
                return ['Connected "connected"', _side(seat)]
            case events.Placed():
                return ['Placement Valid "valid"']
            case events.Playing(first):
                return [f'Playing "{names[first]}"']
            case events.Board(squares):
                return [board(squares)]
            case events.Moved(_, move):
                return [f"Move ({move.x},{move.y}) ({move.to_x},{move.to_y})"]
            case events.Fought(mover, _, attacker, defender, winner):
                left = {"attacker": mover, "defender": Seat(1 - mover)}.get(winner)
                return [f'Battle "{"tie" if left is None else names[left]}" {attacker} {defender}']
            case Back(back, events.Situation(_, phase, squares, _, turn)):
                return _resumed(back == seat, seat, phase, squares, None if turn is None else names[turn])
            case Over(result):
                return [f'Game Over "{names[result.winners[0]] if result.winners else "tie"}"']
            case events.PlacedAll() | events.ReadySet() | events.Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return line.startswith((INVALID, "Move Invalid ", "Wait ", "Error "))

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith("Wait ")


def _side(seat: Seat) -> str:
    return f"Side {seat + 1}"


def _resumed(own: bool, seat: Seat, phase: events.Phase, squares: str, on_turn: str | None) -> Sequence[str]:
    """What is told when somebody is back: to that player, or to the other."""
    connected = ['Connected "connected"', _side(seat)] if phase is events.Phase.SETUP else []
    if not own:
        return connected
    return [*(connected or [_side(seat)]), *([f'Playing "{on_turn}"'] if on_turn else []), board(squares)]
