"""Speakers of both wires of Stratego: the frames, and the lines with an account."""

import random
import re
from collections import Counter, deque
from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.stratego import rules
from gamehost.games.stratego.rules import KINDS, MOVERS, survivor
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.stratego_lines.messages import LETTERS, board_rows, read_move, square
from tests.kit.model_clients.base import ModelClient
from tests.kit.wires.stratego_lines import set_up_lines

#: All forty pieces of a side.
SIDE = "F12334445555666677778888899999999SBBBBBB"
BARE = "." * 40 + "..~~..~~.." * 2 + "." * 40

INVALID = 'Placement Invalid "invalid"'


def board(squares: str) -> str:
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
        for place, piece in enumerate(self._squares):
            if piece not in ".~#BF":
                x, y = place % 10, place // 10
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
            case rules.Opened():
                return ['Connected "connected"', _side(seat)]
            case rules.Placed():
                return ['Placement Valid "valid"']
            case rules.Playing(first):
                return [f'Playing "{names[first]}"']
            case rules.Board(squares):
                return [board(squares)]
            case rules.Moved(_, move):
                return [f"Move ({move.x},{move.y}) ({move.to_x},{move.to_y})"]
            case rules.Fought(mover, _, attacker, defender, winner):
                left = {"attacker": mover, "defender": Seat(1 - mover)}.get(winner)
                return [f'Battle "{"tie" if left is None else names[left]}" {attacker} {defender}']
            case Back(back, rules.Situation(_, phase, squares, _, turn)):
                return _resumed(back == seat, seat, phase, squares, None if turn is None else names[turn])
            case Over(result):
                return [f'Game Over "{names[result.winners[0]] if result.winners else "tie"}"']
            case rules.PlacedAll() | rules.ReadySet() | rules.Over():
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


def _resumed(own: bool, seat: Seat, phase: rules.Phase, squares: str, on_turn: str | None) -> Sequence[str]:
    """What is told when somebody is back: to that player, or to the other."""
    connected = ['Connected "connected"', _side(seat)] if phase is rules.Phase.SETUP else []
    if not own:
        return connected
    return [*(connected or [_side(seat)]), *([f'Playing "{on_turn}"'] if on_turn else []), board(squares)]


COLORS = ("red", "blue")
_IDS = {letter: piece for piece, letter in LETTERS.items()}
_MOVE = re.compile(r"([A-K][0-9]+-[A-K][0-9]+)(?:-(.))?")


class LinesClient(ModelClient):
    """Knows its own pieces and where the enemy stands, and works out every battle."""

    wire = "stratego-lines"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._forget()

    def _forget(self) -> None:
        self._squares = list(BARE)
        self._seat = 0
        self._to_set_up = self._my_turn = False
        #: The lines of a board that are still to come.
        self._rows: list[str] | None = None
        #: Whether what it knows does not fit what it hears: an answer was missed, or an earlier set-up of its own stands. It
        #: waits until the board is told anew.
        self._blind = False
        #: From and to, of a move that is not answered.
        self._moving: tuple[int, int] | None = None

    def connected(self) -> None:
        super().connected()
        self._forget()

    def log_in(self) -> Sequence[str]:
        return [self.name, "secret"]

    def hear(self, line: str) -> None:
        if self._rows is not None:
            self._row(line)
            return
        match line.split(" "):
            case ["auth-ok"]:
                self.inside = True
            case ["new"]:
                self._to_set_up = True
            case ["color", color]:
                self._seat = COLORS.index(color)
            case ["board"]:
                self._rows = []
            case ["get-move"]:
                self._my_turn = True
                self._moving = None  # refused, if there still was one
            case ["winner", _]:
                self._forget()
            case [words] if (found := _MOVE.fullmatch(words)) is not None:
                x, y, to_x, to_y = read_move(found[1]) or (0, 0, 0, 0)
                self._move(y * 10 + x, to_y * 10 + to_x, found[2])
            case [words] if words == "none" or words in _IDS:
                if self._moving is not None:
                    self._move(*self._moving, None if words == "none" else words)
                else:
                    self._blind = True  # a nonsense crossed the question, and its refusal the answer
                self._moving = None

    def _row(self, line: str) -> None:
        assert self._rows is not None
        self._rows.append("".join(_IDS.get(letter, letter) for letter in line))
        if len(self._rows) == 10:
            self._squares = list("".join(reversed(self._rows)))
            self._rows = None
            self._blind = False

    def _move(self, start: int, end: int, letter: str | None) -> None:
        """A piece moves; `letter` is of the enemy's piece in a battle, if there is one."""
        squares, piece = self._squares, self._squares[start]
        enemys = piece == "#"
        attacker, defender = (piece, squares[end]) if letter is None else (piece, _IDS[letter])
        if letter is not None and enemys:
            attacker, defender = _IDS[letter], squares[end]
        if piece in ".~" or (letter is not None and (attacker not in MOVERS or defender not in KINDS)):
            self._blind = True
        if self._blind:
            return
        left = "attacker" if letter is None else survivor(attacker, defender)
        squares[start] = "."
        squares[end] = {"attacker": piece, "defender": squares[end]}.get(left, ".")

    def move(self, rng: random.Random) -> Sequence[str]:
        if self._to_set_up:
            return self._set_up(rng)
        steps = list(self._steps()) if self._my_turn and not self._blind else []
        if not steps:
            return ()
        self._my_turn = False
        self._moving = start, end = rng.choice([step for step in steps if self._squares[step[1]] == "#"] or steps)
        return [f"{square(start % 10, start // 10)}-{square(end % 10, end // 10)}"]

    def _set_up(self, rng: random.Random) -> Sequence[str]:
        self._to_set_up = self._blind = False
        pieces = list(SIDE)
        rng.shuffle(pieces)
        own = range(40) if self._seat == 0 else range(60, 100)
        self._squares = list(BARE)
        for place in (*range(40), *range(60, 100)):
            self._squares[place] = pieces[place - own[0]] if place in own else "#"
        return set_up_lines(self._seat, ["".join(pieces[row : row + 10]) for row in range(0, 40, 10)])

    def _steps(self) -> Sequence[tuple[int, int]]:
        """What can be moved by one square, as far as anybody sees."""
        found = []
        for start, piece in enumerate(self._squares):
            if piece not in ".~#BF":
                sides = [start - 1] * (start % 10 > 0) + [start + 1] * (start % 10 < 9) + [start - 10, start + 10]
                found += [(start, end) for end in sides if 0 <= end < 100 and self._squares[end] in ".#"]
        return found

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        # Any line is a name or a password outside, and may well be a good one; a row of pieces in the set-up.
        if not self.inside or self._to_set_up or self._my_turn or self._moving is not None:
            return ()
        return [rng.choice(("A0-A1", "K1-K2", "winner red", "A4 -A5", "hello there"))]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case rules.Opened():
                return ["new", f"color {COLORS[seat]}"]
            case rules.Playing():
                return ["endsetup"]
            case rules.Moved(mover, move):
                return ["none"] if mover == seat else [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}"]
            case rules.Fought(mover, move, attacker, defender):
                if mover == seat:
                    return [LETTERS[defender]]
                return [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}-{LETTERS[attacker]}"]
            case Back(back, rules.Situation(_, phase, squares)):
                if back != seat:
                    return ()
                if phase is rules.Phase.SETUP:
                    return ["new", f"color {COLORS[seat]}"]
                return ["resume", f"color {COLORS[seat]}", "board", *board_rows(squares), "endsetup"]
            case Over(result):
                return [f"winner {COLORS[result.winners[0]] if result.winners else 'none'}"]
            case rules.Placed() | rules.Board() | rules.PlacedAll() | rules.ReadySet() | rules.Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        # A move is asked for after every refusal, too.
        return line in ("auth-req", "auth-ok", "auth-err", "get-move") or line.startswith("err ")

    @staticmethod
    def waits(line: str) -> bool:
        return False
