"""
kill -9 while something is offered or has just been agreed on: is what anybody was told of there afterwards?

    python -m tests.kit.offer_kills 100 [SEED]

An offer itself ends with the host. As soon as one of the two was told, a move that was taken back stays taken back, and an
agreed draw is the end. What was accepted, and of which nobody was told, may be there or not, but as a whole.
"""

import json
import random
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from attrs import define, field

from gamehost.games.onitama.rules import Position
from tests.kit.kills import Lost, OpenPair, kill_at_random, same
from tests.kit.model_clients.open import position_shown, text
from tests.kit.process import HostProcess

#: Of the moves, before so many somebody offers something.
OFFERS = 0.4
#: Of the answers to an offer of a draw, so many accept it: a match should have some moves.
DRAWS = 0.1


@define(eq=False)
class OfferPair(OpenPair):
    """Two guests who take moves back and agree on draws."""

    #: The positions before the moves that stand.
    past: list[Position] = field(factory=list)
    #: Who has made an offer since the own last move.
    offered: set[int] = field(factory=set)
    #: What was accepted when the host died, and not told: the position to which moves are taken back, or a draw.
    taking: Position | None = None
    drawing: bool = False
    #: What was told: moves that were taken back, and draws.
    agreed: int = 0

    def log_in(self, host: HostProcess) -> None:
        self.offered.clear()
        if self.drawing and not self._still_seated(host):
            self._told_draw()
        self.drawing = False
        super().log_in(host)
        self.taking = None

    def _still_seated(self, host: HostProcess) -> bool:
        """Whether the match goes on after an accepted draw that nobody was told of: then it has not ended for either."""
        seated = []
        for name in self.names:
            player = host.connect(self.wire)
            player.say(text(do="enter", name=name, key=self.keys[name]))
            on = "table" in self._hear(player, "entered")
            if on:
                back = self._hear(player, "back", own=True)
                # The end is told once more, if the host died before it noted that it was told.
                on = back["n"] == self.n
            seated.append(on)
            player.close()
        if seated[1] and not seated[0]:
            raise Lost("after a draw one has a seat, and the other one has not")
        return seated[0]

    def _check(self, found: Position) -> None:
        taking, before = self.taking, self.known
        self.taking = None
        if taking is not None and same(taking, found):
            self._told_taken_back(taking, self.n + 1)
            return
        super()._check(found)
        if before is not None and self.known is not None and not same(before, self.known):
            self.past.append(before)

    def _acknowledged(self) -> None:
        assert self.known is not None
        self.past.append(self.known)
        self.offered.discard(self.known.turn)
        super()._acknowledged()

    def move(self) -> None:
        """Sometimes an offer and its answer, and then a move."""
        if self.rng.random() < OFFERS:
            self._agree()
        if self.known is not None:
            super().move()
        if self.known is None:
            self.past.clear()
            self.offered.clear()

    def leave_in_flight(self) -> None:
        """A move, an offer that nobody has answered, or one that was accepted just now."""
        what = self.rng.choice(("move", "offer", "accepted", "accepted"))
        made = self._offer(self.rng.random() < 0.3) if what != "move" and self.known is not None else None
        if made is None:
            super().leave_in_flight()
        elif what == "accepted":
            self._answer(made, "accept")
            if made[0] == "draw":
                self.drawing = True
            else:
                self.taking = self._position_before(made[1])
            time.sleep(self.rng.random() * 0.002)

    def _agree(self) -> None:
        """An offer, which both are told of, and its answer."""
        made = self._offer(self.rng.random() < 0.3)
        if made is None:
            return
        offer, seat = made
        accepted = self.rng.random() < (DRAWS if offer == "draw" else 0.6)
        self._answer(made, "accept" if accepted else "decline")
        if not accepted:
            for player in self.sockets:
                self._hear(player, "declined")
        elif offer == "draw":
            for player in self.sockets:
                self._hear(player, "over")
            self._told_draw()
        else:
            position = self._position_before(seat)
            for player in self.sockets:
                message = self._hear(player, "event")
                self._compare(message, position)
                if message["n"] != self.n + 1:
                    raise Lost(f"entry {message['n']} was told after entry {self.n}")
            self._told_taken_back(position, self.n + 1)

    def _offer(self, draw: bool) -> tuple[Literal["draw", "takeback"], int] | None:
        """One of those who may offer something does, and both are told. `None`: nobody may."""
        assert self.known is not None
        seats = [
            seat for seat in (0, 1) if seat not in self.offered and (draw or self._moves_of(seat) <= len(self.past))
        ]
        if not seats:
            return None
        offer: Literal["draw", "takeback"] = "draw" if draw else "takeback"
        seat = self.rng.choice(seats)
        self.offered.add(seat)
        self.sockets[seat].say(text(do=offer, table=self.table, step="offer"))
        for player in self.sockets:
            self._hear(player, "offered")
        return offer, seat

    def _answer(self, made: tuple[str, int], step: str) -> None:
        offer, seat = made
        self.sockets[1 - seat].say(text(do=offer, table=self.table, step=step))

    def _moves_of(self, seat: int) -> int:
        """How many moves are undone if a seat takes its last one back."""
        assert self.known is not None
        return 2 if self.known.turn == seat else 1

    def _position_before(self, seat: int) -> Position:
        return self.past[-self._moves_of(seat)]

    @staticmethod
    def _compare(message: dict[str, Any], position: Position) -> None:
        found = position_shown(message["event"]["view"])
        if not same(found, position):
            raise Lost(f"what was taken back leads to {found}, and not to {position}")

    def _told_taken_back(self, position: Position, n: int) -> None:
        assert self.known is not None
        undone = 1 if position.turn != self.known.turn else 2
        del self.past[-undone:]
        self.known, self.n, self.taking = position, n, None
        self.moves -= undone
        self.agreed += 1

    def _told_draw(self) -> None:
        self.known, self.n, self.moves, self.drawing = None, 0, 0, False
        self.past.clear()
        self.offered.clear()
        self.agreed += 1

    def read_what_came(self) -> None:
        """As for moves. Both are told the same, so what the first one was told is looked at once."""
        for player in self.sockets:
            with suppress(OSError):
                while (line := player.hear()) != "":
                    self._read(json.loads(line))

    def _read(self, message: dict[str, Any]) -> None:
        if message["is"] == "over" and self.drawing:
            self._told_draw()
        elif message["is"] == "event" and message["event"]["kind"] == "taken-back":
            if self.taking is not None:
                self._compare(message, self.taking)
                self._told_taken_back(self.taking, message["n"])
        elif message["is"] == "event" and self.sent is not None:
            self._told(message["n"])


def main(times: str, seed: str = "1") -> None:
    """Kill, and say what came of it."""
    pairs = list[OfferPair]()

    def new_pair(names: tuple[str, str], rng: random.Random) -> OfferPair:
        pairs.append(OfferPair(names, rng))
        return pairs[-1]

    with tempfile.TemporaryDirectory() as folder:
        moves = kill_at_random(int(times), int(seed), Path(folder).absolute(), new_pair=new_pair)
    print(f"{times} kills, {moves} moves, {pairs[0].agreed} takebacks and draws that were told: all are there")


if __name__ == "__main__":
    main(*sys.argv[1:])
