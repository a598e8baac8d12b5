"""A person at the console, who plays Onitama and reads the board from what is drawn."""

import random
import re
from collections.abc import Sequence

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SIDE, SQUARES, TEMPLE, Card, Exchange, Move, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient

COLOURS = ("White", "Black")
_ROW = re.compile(r"   ([1-5])  ([pPkK._](?: [pPkK._]){4})(?:     (.*))?")
_PLAYER = re.compile(r"(\S+) \((White|Black)\): ([a-z]+), ([a-z]+)")
#: How lines begin that rest on the journal, those of others with a name before them.
_TOLD = re.compile(
    r"Match \d+: Onitama\.|You are back in match|\S+ (played|could not move)|(You|\S+) wins?:|The match is a "
)


class Played(str):
    """How a move is told. What it took stands behind it, and the event does not say it."""

    def __eq__(self, other: object) -> bool:
        return str(other).startswith(self[:-1]) and bool(
            re.fullmatch(r"( and took a (pupil|master))?\.", str(other)[len(self) - 1 :])
        )

    def __hash__(self) -> int:
        return super().__hash__()


def drawn(position: Position, seat: Seat, names: Sequence[str]) -> list[str]:
    """The board as it is drawn for a seat: the rows with the players and the next card beside them, and the letters."""
    columns = range(SIDE) if seat == 0 else range(SIDE)[::-1]
    rows = range(SIDE)[::-1] if seat == 0 else range(SIDE)

    def beside(player: int) -> str:
        name = "you" if player == seat else names[player]
        return f"{name} ({COLOURS[player]}): {', '.join(sorted(position.hands[player]))}"

    notes = (beside(1 - seat), "", f"next: {position.spare}", "", beside(seat))
    lines = []
    for row, note in zip(rows, notes, strict=True):
        places = [row * SIDE + column for column in columns]
        squares = ["_" if position.board[at] == "." and at in TEMPLE else position.board[at] for at in places]
        lines.append(f"   {row + 1}  {' '.join(squares)}     {note}".rstrip())
    return ["", *lines, f"      {' '.join('abcde'[column] for column in columns)}"]


def ended(result: Result, seat: Seat, names: Sequence[str]) -> str:
    """How the end is told."""
    if not result.winners:
        return f"The match is a draw: {result.why}."
    [winner] = result.winners
    who = "You win" if winner == seat else f"{names[winner]} wins"
    if result.cause is Cause.LEFT:
        return f"{who}: {'you left the match' if winner != seat else f'{names[1 - winner]} has left'}."
    return f"{who}: {result.why}."


class ConsoleClient(ModelClient):
    """Reads the board each time it is drawn, and types when it is asked to."""

    wire = "console"
    draws = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.connected()

    def connected(self) -> None:
        super().connected()
        self._named = self._to_play = False
        self._rows: dict[int, str] = {}
        self._hands: dict[str, tuple[Card, Card]] = {}
        self._seat = 0
        self._spare = Card("ox")
        self._turn = False

    def log_in(self) -> Sequence[str]:
        return ["play onitama" if self._named else f"name {self.name}"]

    def hear(self, line: str) -> None:
        if line.startswith(f"You are {self.name}"):
            self._named = True
            self._to_play = "yours again" not in line
            self.inside = not self._to_play
        elif line.startswith(("You wait for", "Match ", "You are back")):
            self.inside = True
        elif re.match(r"(You|\S+) wins?:|The match is a draw", line):
            self.inside = self._turn = False
        elif (row := _ROW.fullmatch(line)) is not None:
            self._row(int(row[1]) - 1, row[2].replace(" ", "").replace("_", "."), row[3] or "")
        elif line.startswith("      e d c b a"):
            self._rows = {number: text[::-1] for number, text in self._rows.items()}
        elif line.startswith(("Type a move", "You cannot move")):
            self._turn = True
        elif line.startswith(("You played", "You could not move")):
            self._turn = False

    def _row(self, number: int, squares: str, note: str) -> None:
        if not self._rows or len(self._rows) == SIDE:
            self._rows = {}
        self._rows[number] = squares
        if note.startswith("next: "):
            self._spare = Card(note.removeprefix("next: "))
        elif (player := _PLAYER.match(note)) is not None:
            self._hands[player[2]] = (Card(player[3]), Card(player[4]))
            if player[1] == "you":
                self._seat = COLOURS.index(player[2])

    def replies(self, rng: random.Random) -> Sequence[str]:
        if not self._to_play:
            return ()
        self._to_play = False
        return ["play onitama"]

    def _position(self) -> Position | None:
        if len(self._rows) != SIDE:
            return None
        board = "".join(self._rows[number] for number in range(SIDE))
        return Position((self._hands["White"], self._hands["Black"]), self._spare, board, self._seat)

    def move(self, rng: random.Random) -> Sequence[str]:
        return self.guess(rng) if self._turn else ()

    def guess(self, rng: random.Random) -> Sequence[str]:
        position = self._position()
        if position is None:
            return self.nonsense(rng)
        moves: list[Move | Exchange] = list(position.moves())
        return [str(rng.choice(moves or [Exchange(card) for card in position.hands[self._seat]]))]

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        lines = (
            "tiger a1 a5",
            "play chess",
            "watch 1000000000",
            "name b o b",
            "dance",
            "join x",
            "set width 7",
            "next",
        )
        return [rng.choice(lines)]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        other = names[1 - seat]
        match event:
            case Dealt():
                return [f"Match {table}: Onitama. You play against {other}."]
            case Moved(mover, Move(card, start, end)):
                who = "You" if mover == seat else other
                return [Played(f"{who} played {card} {SQUARES[start]} {SQUARES[end]}.")]
            case Exchanged(mover, old, new):
                return [f"{'You' if mover == seat else other} could not move, gave {old} and got {new}."]
            case Back(back, Situation(position)):
                if back != seat:
                    return [f"{other} is back."]
                return [f"You are back in match {table}: Onitama against {other}.", *drawn(position, seat, names)]
            case Over(result):
                return [ended(result, seat, names)]
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return _TOLD.match(line) is None and not line.endswith(" is back.")

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith("You are ") and line.endswith("To play, type: play onitama")
