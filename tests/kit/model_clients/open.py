"""A client of the open wire, which plays Onitama."""

import json
import random
import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Exchange, Move, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.onitama import PositionClient

#: Messages of the host that rest on nothing in the journal.
CHATTER = frozenset(
    {
        "entered",
        "seeking",
        "stopped",
        "seated",
        "away",
        "left",
        "refused",
        "sorry",
        "pong",
        "bye",
        "suspended",
        "rematch",
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


class OpenClient(PositionClient):
    """Follows the position from `dealt`, or from the view of `back`."""

    wire = "open"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._sought = 0
        self.connected()

    def connected(self) -> None:
        super().connected()
        self._entered = self._seeks = self._waits = False
        self._table = self._seat = 0

    def log_in(self) -> Sequence[str]:
        if not self._entered:
            return [text(do="enter", name=self.name)]
        self._sought += 1
        return [WISHES[self._sought % len(WISHES)]]

    def hear(self, line: str) -> None:
        message = json.loads(line)
        if message["is"] in ("seeking", "stopped", "seated"):
            self._waits = message["is"] == "seeking"
        match message["is"]:
            case "entered":
                self._entered = True
                self._seeks = "table" not in message
                self.inside = not self._seeks
            case "seeking":
                self.inside = True
            case "seated":
                self.inside = True
                self._table, self._seat = message["table"], message["seat"]
            case "event":
                self._event(message["event"])
            case "back" if "view" in message:
                self._position = position_shown(message["view"])
            case "stopped":
                self.inside = False
            case "over":
                self.inside = False
                self._position = None

    def _event(self, event: dict[str, Any]) -> None:
        if event["kind"] == "dealt":
            self._position = position_shown(event)
        elif self._position is not None and event["kind"] == "moved":
            move = Move(Card(event["card"]), SQUARE_NAMED[event["from"]], SQUARE_NAMED[event["to"]])
            self._position = self._position.after(move)
        elif self._position is not None:
            self._position = self._position.exchanged(Card(event["old"]), Card(event["new"]))

    def replies(self, rng: random.Random) -> Sequence[str]:
        if not self._seeks:
            return ()
        self._seeks = False
        return [WISHES[0]]

    def move(self, rng: random.Random) -> Sequence[str]:
        """A move; or to wait no longer, after some time: the others may seek something else."""
        if self._waits and not rng.randrange(30):
            return [text(do="stop")]
        return super().move(rng)

    def in_words(self, action: Move | Exchange, rng: random.Random) -> str:
        return text(do="act", table=self._table, action=str(action), id=rng.randrange(100))

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
