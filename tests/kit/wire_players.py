"""The programs for all wires at a host in memory."""

from collections.abc import Callable
from typing import Any

from gamehost.games.base import Seat
from gamehost.players.base import Level, Player
from gamehost.players.registry import new_player
from gamehost.programs.command import WIRES
from gamehost.programs.wire_player import WirePlayer
from tests.kit.house import HouseProcess
from tests.kit.memory_host import MemoryHost


class WirePerson:
    """
    A program on one wire, with one connection at a time. It plays as many matches as it is asked to.

    :param games: how many
    """

    def __init__(
        self,
        host: MemoryHost,
        wire: str,
        name: str = "ann",
        *,
        level: Level = Level.EASY,
        games: int = 1,
        seed: int = 1,
    ) -> None:
        self.host, self.wire, self.seed, self.level = host, wire, seed, level
        self.results: list[str] = []
        self._games = games
        more = ("onitama",) if wire == "open" else ()
        self.program: WirePlayer = WIRES[wire][1](name, "secret secret", self.new_player, *more)
        self.connect()

    def new_player(self, game: str, seat: Seat) -> Player:
        return new_player(game, seat, self.level, self.seed, effort=0.05)

    def connect(self) -> None:
        """Make a connection."""
        self._codec = WIRES[self.wire][0]()
        self.link = self.host.connect(self.wire)
        self._say(self.program.begin())

    def drop(self) -> None:
        """Lose the connection; the program that comes next is a new one, which knows nothing."""
        self.link.drop()
        more = ("onitama",) if self.wire == "open" else ()
        self.program = WIRES[self.wire][1](self.program.name, "secret secret", self.new_player, *more)
        self.connect()

    @property
    def done(self) -> bool:
        return len(self.results) == self._games

    def _say(self, messages: Any) -> None:
        for message in messages:
            self.link.send(self._codec.encode(message))

    def go_on(self, think: bool = True) -> bool:
        """Hear and say what there is. Whether there was anything."""
        told = self.link.transport.read()
        said: list[Any] = []
        for message in self._codec.feed(told):
            said += self.program.hear(message)
            if self.program.result is not None:
                self.results.append(self.program.result)
                if self.done:
                    return True
                said += self.program.again()
        if think:
            said += self.program.think()
        self._say(said)
        return bool(told or said)


def play(
    host: MemoryHost,
    people: list[WirePerson],
    process: HouseProcess | None = None,
    each: Callable[[int], None] | None = None,
) -> None:
    """
    Let all play until they are done.

    :param each: called with the number of each round
    """
    for number in range(20_000):
        did = any([*(person.go_on() for person in people if not person.done), *([process.settle()] if process else [])])
        if all(person.done for person in people):
            return
        if not did:
            host.wait(1)
            assert number < 10_000, "nobody does anything"
        if each is not None:
            each(number)
    raise AssertionError("the matches have no end")
