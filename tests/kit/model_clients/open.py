"""A client of the open wire, which plays Onitama."""

import json
import random
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SQUARES, Card, Move, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.open import messages as m
from tests.kit.model_clients.base import ProgramClient
from tests.kit.model_clients.onitama import moves_in_turn

#: Messages of the host that rest on nothing in the journal.
CHATTER = frozenset(
    {
        "entered",
        "seeking",
        "stopped",
        "seated",
        "away",
        "claim",
        "left",
        "refused",
        "sorry",
        "pong",
        "bye",
        "suspended",
        "rematch",
        "holiday",
        "kept",
        "history",
    }
)

#: When something must be done.
_DUE = re.compile(r',"due":\[[0-9]+,[0-9]+\]')


def text(**message: Any) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def position_shown(shown: dict[str, Any]) -> Position:
    """The position in a view, or in `dealt`."""
    white, black = ([Card(card) for card in hand] for hand in shown["hands"])
    position = Position(((white[0], white[1]), (black[0], black[1])), Card(shown["spare"]))
    return replace(position, board=shown["board"], turn=shown["turn"]) if "board" in shown else position


def hands(position: Position) -> list[list[str]]:
    """The hands as the wire's page writes them."""
    return [sorted(hand) for hand in position.hands]


#: What is sought, in turns: any opponent, one at a table of one's own, and the last one.
WISHES = (
    text(do="seek", game="onitama"),
    text(do="seek", game="onitama", settings={"move_time": 600}),
    text(do="seek", game="onitama"),
    text(do="rematch"),
)


class OpenClient(ProgramClient):
    wire = "open"
    inside_after = ("Seeking", "Seated")

    def __init__(self, name: str) -> None:
        self._sought = 0
        super().__init__(name)

    def connected(self) -> None:
        super().connected()
        self._entered = self._waits = False

    def log_in(self) -> Sequence[str]:
        if not self._entered:
            return super().log_in()
        self.program.again()
        self._sought += 1
        return [WISHES[self._sought % len(WISHES)]]

    def take(self, message: Any) -> None:
        super().take(message)
        match message:
            case m.Seeking() | m.Seated():
                self._waits = isinstance(message, m.Seeking)
            case m.Entered(table=table):
                self._entered, self.inside = True, isinstance(table, int)
            case m.Stopped():
                self._waits = self.inside = False

    def move(self, rng: random.Random) -> Sequence[str]:
        """A move; or to wait no longer, after some time: the others may seek something else."""
        if self._waits and not rng.randrange(30):
            return [text(do="stop")]
        return super().move(rng)

    @property
    def _table(self) -> int:
        """The table at which it sits, or has sat."""
        number: int = self.program._program._table  # type: ignore[attr-defined]
        return number

    def guess(self, rng: random.Random) -> Sequence[str]:
        actions = () if self.program.match is None else moves_in_turn(self.program.match.player)
        if not actions:
            return self.nonsense(rng)
        return [text(do="act", table=self._table, action=str(rng.choice(actions)), id=rng.randrange(100))]

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [
            rng.choice(
                (
                    text(do="act", table=self._table, action="tiger a1 a5", id=7),
                    text(do="act", table=10**9, action="tiger c1 c3"),
                    text(do="act", table=self._table, action="MAKE_MOVE"),
                    text(do="enter", name="b o b"),
                    text(do="seek", game="chess"),
                    text(do="dance"),
                    text(**{"is": "over"}),
                )
            )
        ]

    @classmethod
    def all_told(
        cls, events: Sequence[object], seat: Seat, names: Sequence[str], table: TableId, n: int, view: object
    ) -> Sequence[str]:
        return [
            text(**{**json.loads(line), "n": n}) for event in events for line in cls.told(event, seat, names, table)
        ]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        at: dict[str, Any] = {"table": table, "n": 0}
        match event:
            case Dealt(position):
                dealt = {"kind": "dealt", "hands": hands(position), "spare": position.spare}
                return [text(**{"is": "event"}, **at, event=dealt)]
            case Moved(mover, Move(card, start, end)):
                moved = {"kind": "moved", "seat": mover, "card": card, "from": SQUARES[start], "to": SQUARES[end]}
                return [text(**{"is": "event"}, **at, event=moved)]
            case Exchanged(mover, old, new):
                exchanged = {"kind": "exchanged", "seat": mover, "old": old, "new": new}
                return [text(**{"is": "event"}, **at, event=exchanged)]
            case Back(back, Situation(position)):
                view = {
                    "board": position.board,
                    "hands": hands(position),
                    "spare": position.spare,
                    "turn": position.turn,
                }
                return [text(**{"is": "back"}, **at, seat=back, **({"view": view} if back == seat else {}))]
            case Over(result):
                ended = {"winners": list(result.winners), "cause": result.cause.value, "why": result.why}
                return [text(**{"is": "over"}, **at, **ended)]
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def plain(line: str) -> str:
        return _DUE.sub("", line)

    @staticmethod
    def chatter(line: str) -> bool:
        return json.loads(line)["is"] in CHATTER

    @staticmethod
    def waits(line: str) -> bool:
        message = json.loads(line)
        return message["is"] == "entered" and "table" not in message
