"""A speaker of the lines of Stratego, with an account."""

import random
import re
from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.stratego import events
from gamehost.games.stratego.rules import KINDS, MOVERS, survivor
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.stratego_lines.messages import LETTERS, board_rows, read_move, square
from tests.kit.model_clients.base import ModelClient
from tests.kit.model_clients.stratego_frames import BARE, SIDE
from tests.kit.wires.stratego_lines import set_up_lines

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
            case events.Opened():
                return ["new", f"color {COLORS[seat]}"]
            case events.Playing():
                return ["endsetup"]
            case events.Moved(mover, move):
                return ["none"] if mover == seat else [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}"]
            case events.Fought(mover, move, attacker, defender):
                if mover == seat:
                    return [LETTERS[defender]]
                return [f"{square(move.x, move.y)}-{square(move.to_x, move.to_y)}-{LETTERS[attacker]}"]
            case Back(back, events.Situation(_, phase, squares)):
                if back != seat:
                    return ()
                if phase is events.Phase.SETUP:
                    return ["new", f"color {COLORS[seat]}"]
                return ["resume", f"color {COLORS[seat]}", "board", *board_rows(squares), "endsetup"]
            case Over(result):
                return [f"winner {COLORS[result.winners[0]] if result.winners else 'none'}"]
            case events.Placed() | events.Board() | events.PlacedAll() | events.ReadySet() | events.Over():
                return ()
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        # A move is asked for after every refusal, too.
        return line in ("auth-req", "auth-ok", "auth-err", "get-move") or line.startswith("err ")

    @staticmethod
    def waits(line: str) -> bool:
        return False
