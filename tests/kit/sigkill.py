"""
kill -9 at random instants, under games over real sockets: is every acknowledged move there afterwards, and none twice?

`python -m tests.kit.sigkill 1000 1 onitama` does it a thousand times (`make test-sigkill`); the suite does it some fifty times.
`tests.kit.sigkill_open` does it on the open wire.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from attrs import define, evolve, field

from gamehost.games.onitama.cards import Card
from gamehost.games.onitama.position import Move, Position
from tests.kit.process import HostProcess, Socket


class Lost(AssertionError):
    """An acknowledged move is not there, or another one is."""


def position_of(board: str, cards: str, on_turn: int) -> Position:
    """The position in a RECONNECT or START."""
    held = {
        name: [Card(card) for card in text.split(",")] for name, text in (one.split("=") for one in cards.split(";"))
    }
    squares = "".join(reversed(board.split("/")))
    white, black = held["white"], held["black"]
    return Position(((white[0], white[1]), (black[0], black[1])), held["spare"][0], squares, on_turn)


def same(one: Position, other: Position) -> bool:
    """Whether two positions are the same; the order in a hand means nothing."""

    def plain(position: Position) -> Position:
        white, black = position.hands
        return evolve(position, hands=((min(white), max(white)), (min(black), max(black))))

    return plain(one) == plain(other)


@define(eq=False)
class Pair:
    """Two players at one table, and what they were told."""

    #: The wire, and what its host is started with.
    wire: ClassVar[str] = "onitama"
    options: ClassVar[tuple[str, ...]] = ("--set", "onitama.max_plies=1000000")

    names: tuple[str, str]
    rng: random.Random
    sockets: list[Socket] = field(factory=list)
    known: Position | None = None
    #: Sent, and not acknowledged when the host died.
    sent: Move | None = None
    moves: int = 0

    def log_in(self, host: HostProcess) -> None:
        """Both log in: to a new match, or back to theirs, where everything must be as they were told."""
        self.sockets = [host.connect("onitama") for _ in self.names]
        found: list[str] = []
        for name, player in zip(self.names, self.sockets, strict=True):
            player.say(f"LOGIN|{name}")
            answer = self._hear_of(player, "START", "RECONNECT", "WAITING")
            if answer[0] == "RECONNECT" and self.known is None and self._has_moves(answer):
                # The host died when it had told the end, and before it noted that: the end is told once more.
                self._hear_of(player, "GAME_OVER")
                player.say(f"LOGIN|{name}")
                answer = self._hear_of(player, "START", "RECONNECT", "WAITING")
            if answer[0] != "WAITING":
                found = answer
        if not found:
            # At two members of a cluster both may come at the same time. They meet soon.
            found = self._hear_of(self.sockets[1], "START")
        if found[0] == "START":
            if self.known is not None:
                raise Lost(f"a match of {self.moves} moves is gone")
            self._hear_of(self.sockets[0], "START")
            if self.names[0] != found[1]:
                self.sockets.reverse()
            self.names = (found[1], found[2])
            self.known = position_of("ppkpp/...../...../...../PPKPP", found[3], 0)
            return
        self._check(position_of(found[3], found[4], self.names.index(found[5])))
        self._hear_of(self.sockets[0], "RECONNECT")

    def _hear_of(self, player: Socket, *commands: str) -> list[str]:
        while True:
            fields = player.hear().split("|")
            if fields[0] in commands:
                return fields
            if fields[0] == "ERROR" and fields[1].startswith("the host is stopping"):
                raise ConnectionError("the host is going")
            if fields[0] in ("INVALID_MOVE", "ERROR"):
                raise Lost(f"what fits all that was acknowledged is refused: {fields}")
            if fields[0] == "":
                raise ConnectionError("the host is gone")

    @staticmethod
    def _has_moves(reconnect: list[str]) -> bool:
        return reconnect[3] != "ppkpp/...../...../...../PPKPP"

    def _check(self, found: Position) -> None:
        if self.known is None:
            # The host died between the commit of the beginning and the telling of it.
            self.known = found
            return
        possible = [self.known]
        if self.sent is not None and self.known.why_not(self.sent) is None:
            possible.append(self.known.after(self.sent))
        for position in possible:
            if same(position, found):
                self.known = position
                self.sent = None
                return
        raise Lost(f"after {self.moves} acknowledged moves: expected one of {possible}, found {found}")

    def send(self, move: Move) -> None:
        """Have the player on turn send a move, and wait for nothing."""
        assert self.known is not None
        self.sent = move
        self.sockets[self.known.turn].say("MAKE_MOVE|" + str(move).replace(" ", "|"))

    def move(self) -> None:
        """One move, and its acknowledgement to both."""
        position = self.known
        assert position is not None
        quiet = [move for move in position.moves() if position.after(move).won is None]
        self.send(self.rng.choice(sorted(quiet or position.moves(), key=str)))
        self.hear_answers()

    def hear_answers(self) -> None:
        """The acknowledgement of the move that was sent, to both."""
        for player in self.sockets:
            self._hear_of(player, "MOVE_WAS_MADE")
            if self.sent is not None:
                self._acknowledged()  # whoever is told first: the host may die before it tells the other
        if self.known is not None and self.known.won is not None:
            for player in self.sockets:
                self._hear_of(player, "GAME_OVER")
            self.known = None
            self.moves = 0

    def _acknowledged(self) -> None:
        assert self.known is not None and self.sent is not None
        self.known = self.known.after(self.sent)
        self.sent = None
        self.moves += 1

    def read_what_came(self) -> None:
        """The host is dead; what it said before counts."""
        for player in self.sockets:
            with suppress(OSError):
                while (line := player.hear()) != "":
                    if line.startswith("MOVE_WAS_MADE") and self.sent is not None:
                        self._acknowledged()

    def close(self) -> None:
        """Be gone."""
        for player in self.sockets:
            player.close()


#: A host is killed after at most so many moves. The count depends on the seed, not on the speed of the machine.
MOST_MOVES = 50


def kill_at_random(
    times: int,
    seed: int,
    folder: Path,
    module: str = "gamehost",
    new_pair: Callable[..., Pair] = Pair,
    store: str = "store.sqlite",
) -> int:
    """
    Kill a host so often, and check after each time.

    :param new_pair: makes the two who play
    :returns: how many moves were acknowledged in all
    :raises Lost: an acknowledged move is missing, or is there twice
    """
    rng = random.Random(seed)
    pair = new_pair(("ann", "bob"), rng)
    acknowledged = 0
    for _ in range(times):
        with HostProcess(*pair.options, wires=[pair.wire], folder=folder, store=store, module=module) as host:
            pair.log_in(host)
            for _ in range(rng.randrange(MOST_MOVES)):
                if pair.known is None:
                    pair.close()
                    pair.log_in(host)
                pair.move()
                acknowledged += 1
            _leave_in_flight(pair, rng)
            host.kill()
            pair.read_what_came()
            pair.close()
    return acknowledged


def _leave_in_flight(pair: Pair, rng: random.Random) -> None:
    """Send a move and do not wait for the answer; sometimes the host has a moment to begin with it."""
    position = pair.known
    if position is None:
        return
    quiet = [move for move in position.moves() if position.after(move).won is None]
    if quiet:
        pair.send(rng.choice(sorted(quiet, key=str)))
        time.sleep(rng.random() * 0.002)


def main(new_pair: Callable[..., Pair]) -> None:
    """So many kills, as the command line says; then their seed."""
    with tempfile.TemporaryDirectory() as temporary:
        count = int(sys.argv[1])
        seed = int(sys.argv[2]) if sys.argv[2:] else 1
        moves = kill_at_random(count, seed, Path(temporary), new_pair=new_pair)
    print(f"{count} kills, {moves} moves acknowledged: none lost, none twice")


if __name__ == "__main__":
    main(Pair)
