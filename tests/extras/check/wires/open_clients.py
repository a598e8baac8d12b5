"""A sound client for the open wire, which plays any game by asking for its moves, and clients with one fault each."""

import json
from collections.abc import Mapping
from typing import Any

from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import PlaceRows
from tests.kit.checker import (
    MemoryLauncher,
    MessageClient,
    NeverEnds,
    NeverGivesUp,
    NeverReads,
    OneMessageASegment,
    WholeSegments,
    with_fault,
)


class SoundClient(MessageClient):
    wire = "open"
    game = "onitama"
    matches = 3

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.key: str | None = None
        self.table = self.seat = 0
        self.asks = False
        self.again = False

    def connected(self) -> None:
        super().connected()
        self.asks = self.again = False
        self.log_in()

    def log_in(self) -> None:
        self.say("enter", name=self.name, **({} if self.key is None else {"key": self.key}))

    def say(self, do: str, **fields: Any) -> None:
        self.send(self.written({"do": do, **fields}))

    def written(self, message: Mapping[str, Any]) -> bytes:
        return json.dumps(message).encode() + b"\n"

    def read(self, message: bytes) -> None:
        self.hear(json.loads(message))

    def hear(self, message: dict[str, Any]) -> None:
        hears = getattr(self, f"hear_{message['is']}", None)
        if hears is not None:
            hears(message)

    def hear_entered(self, message: dict[str, Any]) -> None:
        self.key = message.get("key", self.key)
        if "table" not in message:
            self.in_match = False
            self.seek()

    def seek(self) -> None:
        self.say("seek", game=self.game)

    def hear_seated(self, message: dict[str, Any]) -> None:
        self.in_match = True
        self.table, self.seat = message["table"], message["seat"]

    def hear_event(self, message: dict[str, Any]) -> None:
        self.ask()

    def hear_back(self, message: dict[str, Any]) -> None:
        self.ask()

    def hear_refused(self, message: dict[str, Any]) -> None:
        self.asks = False
        if self.in_match:
            self.ask()

    def ask(self) -> None:
        if self.asks:
            self.again = True
        else:
            self.asks = True
            self.say("moves", table=self.table)

    def hear_moves(self, message: dict[str, Any]) -> None:
        self.asks = False
        if self.again:
            self.again = False
            self.ask()
        elif message["moves"]:
            move = self.rng.choice(message["moves"])
            if "more" in move:
                self.asks = True
                self.say("moves", table=self.table, begun=move["action"])
            else:
                self.act(move["action"])

    def act(self, action: str) -> None:
        self.say("act", table=self.table, action=action)

    def hear_over(self, message: dict[str, Any]) -> None:
        self.over += 1
        self.in_match = self.asks = self.again = False
        if self.over < self.matches:
            self.seek()
        else:
            self.end()


class PlaysStratego(SoundClient):
    """Asks what it may do. Where that is refused, because there are too many ways, it places all pieces at once."""

    game = "stratego"
    rows = ("BFB8B8B8B8", "B8S7777915", "5556666924", "9943994399")

    def hear_seated(self, message: dict[str, Any]) -> None:
        super().hear_seated(message)
        self.placed = False

    def hear_refused(self, message: dict[str, Any]) -> None:
        self.asks = False
        if self.in_match and not self.placed:
            self.placed = True
            self.act(STRATEGO.write(PlaceRows(self.rows if self.seat == 0 else self.rows[::-1])).decode())


class AsksForSteps(SoundClient):
    def ask(self) -> None:
        self.say("moves", table=self.table, begun="ox")


class ReadsAscii(SoundClient):
    """Cannot read a letter of two bytes."""

    def hear(self, message: dict[str, Any]) -> None:
        str(message).encode("ascii")
        super().hear(message)


class IgnoresRefused(SoundClient):
    def hear_refused(self, message: dict[str, Any]) -> None:
        pass


class ActsOutOfTurn(SoundClient):
    last = ""

    def act(self, action: str) -> None:
        self.last = action
        super().act(action)

    def hear_event(self, message: dict[str, Any]) -> None:
        if message["event"].get("seat") == self.seat and self.last:
            super().act(self.last)
        super().hear_event(message)


class ActsTwice(SoundClient):
    def act(self, action: str) -> None:
        super().act(action)
        super().act(action)


class NamesAnotherTable(SoundClient):
    def act(self, action: str) -> None:
        self.say("act", table=self.table - 1 if self.table else 7, action=action)


class TurnsItsMoves(SoundClient):
    def act(self, action: str) -> None:
        card, *squares = action.split(" ")
        super().act(" ".join((card, *squares[::-1])))


class OtherNotation(SoundClient):
    def act(self, action: str) -> None:
        super().act(action.replace(" ", "|"))


class UnknownKeys(SoundClient):
    def act(self, action: str) -> None:
        self.say("act", table=self.table, action=action, comment="a good move")


class NoJson(SoundClient):
    """Writes Python instead of JSON."""

    def written(self, message: Mapping[str, Any]) -> bytes:
        return repr(dict(message)).encode() + b"\n"


class ForgetsTheLineEnd(SoundClient):
    def written(self, message: Mapping[str, Any]) -> bytes:
        return json.dumps(message).encode()


class SeeksDuringAMatch(SoundClient):
    def hear_away(self, message: dict[str, Any]) -> None:
        self.seek()


class EndsAtAway(SoundClient):
    def hear_away(self, message: dict[str, Any]) -> None:
        self.end()


class ForgetsBack(SoundClient):
    def hear_back(self, message: dict[str, Any]) -> None:
        pass


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    with_fault(OneMessageASegment, SoundClient): "joined",
    with_fault(WholeSegments, SoundClient): "bytes",
    ReadsAscii: "random-cuts",
    IgnoresRefused: "refused",
    ActsOutOfTurn: "first-seat",
    ActsTwice: "first-seat",
    NamesAnotherTable: "first-seat",
    TurnsItsMoves: "second-seat",
    OtherNotation: "first-seat",
    UnknownKeys: "first-seat",
    NoJson: "first-seat",
    ForgetsTheLineEnd: "first-seat",
    with_fault(NeverReads, SoundClient): "first-seat",
    SeeksDuringAMatch: "drop-in-clients-turn",
    EndsAtAway: "drop-in-clients-turn",
    ForgetsBack: "own-drop-in-turn",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
}
