"""The programs for all wires at a host in memory."""

from collections.abc import Callable
from typing import Any

from gamehost.games.base import Seat
from gamehost.players.base import Level, Player
from gamehost.players.registry import new_player
from gamehost.plugins import WIRES as INSTALLED
from gamehost.programs.command import playable
from gamehost.programs.wire_player import WirePlayer
from tests.kit.house import HouseProcess
from tests.kit.memory_host import MemoryHost

#: The wires that bring a program that plays, by their names.
WIRES = playable(INSTALLED)


def program_of(wire: str, name: str, password: str, new_player: Callable[[str, Seat], Player]) -> WirePlayer:
    """The program of a wire, for Onitama where there are several games."""
    made = WIRES[wire].player
    assert made is not None
    player: WirePlayer = made(name, password, new_player, "onitama")
    return player


def client_codec_of(wire: str) -> Any:
    """A codec of the client's side."""
    made = WIRES[wire].client_codec
    assert made is not None
    return made()


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
        self.program = program_of(wire, name, "secret secret", self.new_player)
        self.connect()

    def new_player(self, game: str, seat: Seat) -> Player:
        return new_player(game, seat, self.level, self.seed, effort=0.05)

    def connect(self) -> None:
        """Make a connection."""
        self._codec = client_codec_of(self.wire)
        self.link = self.host.connect(self.wire)
        self._say(self.program.begin())

    def drop(self) -> None:
        """Lose the connection; the program that comes next is a new one, which knows nothing."""
        self.link.drop()
        self.program = program_of(self.wire, self.program.name, "secret secret", self.new_player)
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
