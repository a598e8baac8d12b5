"""
kill -9 at random instants, under games on the open wire: guests take their seats back with their keys.

`python -m tests.kit.sigkill_open 1000` does it a thousand times; `make test-sigkill` does it, too.
"""

import json
from contextlib import suppress
from typing import Any, ClassVar

from attrs import define, field

from gamehost.games.onitama.position import Move
from tests.kit.model_clients.open import position_of, text
from tests.kit.process import HostProcess, Socket
from tests.kit.sigkill import Lost, Pair, main


@define(eq=False)
class OpenPair(Pair):
    """Two guests at one table. Each entry of it has a number, and they must be told each number once."""

    wire: ClassVar[str] = "open"
    #: Without a key nobody takes a seat back.
    options: ClassVar[tuple[str, ...]] = ("--set", "onitama.max_plies=1000000", "--resume=never")

    keys: dict[str, str] = field(factory=dict)
    #: The number of the last entry that both know of.
    n: int = 0
    table: int = 0

    def log_in(self, host: HostProcess) -> None:
        """As on the other wire. `entered` says at once whether there is a seat."""
        self.sockets = [host.connect(self.wire) for _ in self.names]
        found = [self._enter(name, player) for name, player in zip(self.names, self.sockets, strict=True)]
        if not any(found):
            if self.known is not None:
                raise Lost(f"a match of {self.moves} moves is gone")
            self._begin()
        elif not all(found):
            raise Lost(f"one has a seat, and the other one has not: {found}")

    def _enter(self, name: str, player: Socket) -> bool:
        """Log in. Whether there is a seat, where everything is as it was told."""
        player.say(text(do="enter", name=name, **({"key": self.keys[name]} if name in self.keys else {})))
        entered = self._hear(player, "entered")
        self.keys[name] = entered["key"]
        if "table" not in entered:
            return False
        back = self._hear(player, "back", own=True)
        if self.known is None and back["n"] > 1:
            # The host died when it had told the end, and before it noted that: the end is told once more.
            self._hear(player, "over")
            return False
        self.table = back["table"]
        sent = self.sent
        self._check(position_of(back["view"]))
        applied = sent is not None and self.sent is None and back["n"] == self.n + 1
        if self.n and back["n"] != self.n and not applied:
            raise Lost(f"the last entry is {back['n']}, and {self.n} were acknowledged")
        self.n = back["n"]
        return True

    def _begin(self) -> None:
        for player in self.sockets:
            player.say(text(do="seek", game="onitama"))
        for player in self.sockets:
            seated = self._hear(player, "seated")
            dealt = self._hear(player, "event")
            self.known, self.n, self.table = position_of(dealt["event"]), dealt["n"], seated["table"]
        if seated["seat"] == 0:
            self.names, self.sockets = (self.names[1], self.names[0]), self.sockets[::-1]

    def _hear(self, player: Socket, kind: str, own: bool = False) -> dict[str, Any]:
        while True:
            line = player.hear()
            if not line:
                raise ConnectionError("the host is gone")
            message: dict[str, Any] = json.loads(line)
            if message["is"] == kind and (not own or "view" in message):
                return message
            if message["is"] == "bye":
                raise ConnectionError(message["why"])
            if message["is"] in ("refused", "sorry", "suspended"):
                raise Lost(f"what fits all that was acknowledged is refused: {message}")

    def send(self, move: Move) -> None:
        assert self.known is not None
        self.sent = move
        self.sockets[self.known.turn].say(text(do="act", table=self.table, action=str(move)))

    def move(self) -> None:
        position = self.known
        assert position is not None
        quiet = [move for move in position.moves() if position.after(move).won is None]
        self.send(self.rng.choice(sorted(quiet or position.moves(), key=str)))
        for player in self.sockets:
            n = self._hear(player, "event")["n"]
            if self.sent is not None:
                self._told(n)
            elif n != self.n:
                raise Lost(f"entry {n} was told to one player, and {self.n} to the other")
        if self.known is not None and self.known.won is not None:
            for player in self.sockets:
                self._hear(player, "over")
            self.known = None
            self.moves = self.n = 0

    def _told(self, n: int) -> None:
        if n != self.n + 1:
            raise Lost(f"entry {n} was told after entry {self.n}")
        self._acknowledged()
        self.n = n

    def read_what_came(self) -> None:
        for player in self.sockets:
            with suppress(OSError):
                while (line := player.hear()) != "":
                    message = json.loads(line)
                    if message["is"] == "event" and self.sent is not None:
                        self._told(message["n"])


if __name__ == "__main__":
    main(OpenPair)
