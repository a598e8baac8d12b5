"""Contests in memory: the hosts of their games, and programs that play there at random, without sockets and processes."""

import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from gamehost.extras.bots.command import PlayerProtocol, playable
from gamehost.extras.bots.command import parser as player_parser
from gamehost.extras.contest.command import _content, games_at, parser, plan_of
from gamehost.extras.contest.contest import Contest, ContestJournal
from gamehost.extras.contest.game import ContestGame
from gamehost.extras.contest.owners import Owners
from gamehost.extras.contest.ratings import Shares, most_probable, put_together
from gamehost.extras.contest.run import ContestRun
from gamehost.games.base import Game, Seat
from gamehost.games.play import new_player
from gamehost.players.base import Level
from gamehost.plugins import REGISTRY
from gamehost.programs.clients import client_of
from gamehost.testing.memory_host import MessageText, StrictTransport
from gamehost.wires.base import Wire
from tests.kit.memory_host import Client
from tests.kit.wires.eriantys_java_players import JavaPlayer

#: The wires for programs.
WIRES = {wire.name: wire for wire in REGISTRY.wires if not wire.for_people}
#: The command of a program with a player of each wire that has one; and on the wire that has none.
RANDOM = "./random player {wire} --to {{host}}:{{port}} --name {{name}} --password {{password}} --level random"
JAVA = "./java {port} {name} {seats}"
#: Nobody has this number.
NOBODY = 2**30


def program(wire: str, seats: int, game: str = "") -> str:
    """The command of a program that plays at random."""
    if wire not in playable(REGISTRY.wires):
        return JAVA.replace("{seats}", str(seats))
    more = " --match {match}" if wire == "litama" else ""
    more += f" --game {game}" if game else ""
    return RANDOM.format(wire=wire) + more + (f" --seats {seats}" if seats > 2 else "")


class MemoryOwners(Owners):
    """Which process has a connection in memory."""

    def __init__(self) -> None:
        #: The process of each connection, which stands for the number of its socket.
        self._processes: list[tuple[Any, MemoryProcess]] = []
        #: The process that connects now.
        self.connecting: MemoryProcess | None = None

    def add(self, transport: Any, process: "MemoryProcess") -> None:
        self._processes.append((transport, process))

    def number_of(self, transport: Any) -> int:
        return next((process.number for one, process in self._processes if one is transport), 0)

    def number_at(self, peer: Any, here: tuple[str, int]) -> int:
        return 0 if self.connecting is None else self.connecting.number

    def among(self, root: int, number: int) -> int | None:
        return root if root == number else None

    def anywhere(self, number: int) -> int | None:
        return number

    def words(self, pid: int) -> str:
        return f"process {pid - NOBODY}"


class MemoryProcess:
    """The process of a program."""

    def __init__(self, protocol: Any, number: int) -> None:
        self.number = number
        self.pid: int | None = number
        self._protocol = protocol
        #: What it does next; whether there was something to do.
        self.step: Callable[[], bool] = lambda: False
        #: Closes its connection.
        self.close: Callable[[], None] = lambda: None

    def end(self, status: int = 0) -> None:
        if self.pid is not None:
            self.pid = None
            self.step = lambda: False
            self.close()
            reason = Failure(ProcessTerminated(status) if status else ProcessDone(0))
            self._protocol.processExited(reason)
            self._protocol.processEnded(reason)

    def prints(self, text: str) -> None:
        self._protocol.errReceived(text.encode())

    def signalProcess(self, name: str) -> None:
        self.end(9)

    def loseConnection(self) -> None:
        pass


class Machine(Clock):
    """Time, the ports that hosts listen on, and the programs that are started."""

    texts: ClassVar[Mapping[str, type[MessageText]]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.clock = self
        self.hosts: dict[int, Any] = {}
        self.processes: list[MemoryProcess] = []
        self.owners = MemoryOwners()
        self._numbers = count(NOBODY)
        #: The words of a program that comes to each host before all others, on its own account; empty: there is none.
        self.early: Sequence[str] = ()
        #: After so many turns no program does anything more; `None`: all play on.
        self.stalled: int | None = None
        self.turns = 0
        #: How many programs have come to each port.
        self.came: dict[int, int] = {}

    # -- the reactor

    def listenTCP(self, port: int, factory: Any, interface: str) -> Any:
        number = len(self.hosts) + 1
        self.hosts[number] = factory
        if self.early:
            words = [word.replace("{port}", str(number)) for word in self.early]
            self._start(MemoryProcess(ProcessProtocol(), next(self._numbers)), words)
        return SimpleNamespace(getHost=lambda: SimpleNamespace(port=number), stopListening=lambda: None)

    def spawnProcess(self, protocol: Any, executable: str, words: Sequence[str], **more: Any) -> MemoryProcess:
        process = MemoryProcess(protocol, next(self._numbers))
        protocol.makeConnection(process)
        self._start(process, words)
        return process

    # -- the programs

    def _start(self, process: MemoryProcess, words: Sequence[str]) -> None:
        self.processes.append(process)
        if "./java" in words:
            port, name, seats = words[words.index("./java") + 1 :]
            self._java(process, int(port), name, int(seats))
        elif "player" in words:
            self._player(process, words[words.index("player") + 1 :])
        elif "./ends" in words:
            self.callLater(0, process.end, 3)
        if "./stalls" in words:
            turns, step = iter(range(int(words[words.index("./stalls") + 1]))), process.step
            process.step = lambda: next(turns, None) is not None and step()

    def _player(self, process: MemoryProcess, words: Sequence[str]) -> None:
        options = player_parser(REGISTRY.wires).parse_args(words)
        wire = playable(REGISTRY.wires)[options.wire]
        client = client_of(wire.name)
        assert client is not None and client.player is not None
        number = len(self.processes)

        def player_of(game: str, seat: Seat) -> Any:
            return new_player(game, seat, Level.RANDOM, number)

        player = client.player(options.name, options.password, player_of, options.game)
        player.joins, player.seats = options.match, options.seats
        protocol = PlayerProtocol(player, wire, 1, lambda line: None)

        def done(reason: str | None) -> None:
            if reason is not None:
                process.prints(reason)
            self.callLater(0, process.end, 1 if reason else 0)

        protocol.done.addCallback(done)
        near, far = StrictTransport(self), self.connect(process, int(options.to.rpartition(":")[2]))
        near.protocol = protocol

        def step() -> bool:
            sent, told = near.read(), far.transport.read()
            if sent:
                far.send(sent)
            if told and not near.disconnected:
                near.receive(told)
            if near.disconnected:
                far.drop()
            elif far.closed:
                near.hang_up()
            return bool(sent or told)

        process.step, process.close = step, far.drop
        protocol.makeConnection(near)

    def _java(self, process: MemoryProcess, port: int, name: str, seats: int) -> None:
        world: Any = SimpleNamespace(clock=self, connect=lambda wire: self.connect(process, port))
        player = JavaPlayer(world, name, random.Random(port))
        self.came[port] = self.came.get(port, 0) + 1
        player.opens = (seats, False) if self.came[port] == 1 else None

        def step() -> bool:
            if player.over or player.client.closed:
                self.callLater(0, process.end)
            return bool(player.hear()) or player.reply()

        process.step, process.close = step, player.client.drop

    def connect(self, process: MemoryProcess, port: int) -> Client:
        host: Any = self
        self.owners.connecting = process
        client = Client(host, self.hosts[port], "127.0.0.1")
        self.owners.add(client.transport, process)
        return client

    def until_idle(self) -> None:
        """The programs have turns; see `play`."""

    def turn(self) -> None:
        """Each program has a turn. If there is nothing to do, some time passes."""
        # One that has come early goes ahead of the others.
        ahead, others = self.processes[: bool(self.early)], self.processes[bool(self.early) :]
        self.turns += 1
        if self.stalled is not None and self.turns > self.stalled:
            ahead, others = [], []
        busy = any([one.step() for one in ahead]) or any([one.step() for one in others])
        self.processes = [one for one in self.processes if one.pid is not None]
        self.advance(0 if busy else 0.05)


def content_of(*words: str) -> Mapping[str, Any]:
    return _content(parser(REGISTRY.wires).parse_args(words))


class MemoryContest:
    """A whole contest, with its journal in a folder."""

    def __init__(self, folder: Path, *words: str, machine: Machine | None = None) -> None:
        self.machine, self.folder = machine or Machine(), folder
        self.plan = plan_of({"out": str(folder), **content_of(*words)}, REGISTRY.wires)
        self.wire: Wire[Any] = WIRES[self.plan.wire]
        self.game: Game[Any, Any] = next(one for one in self.wire.games if one.name == self.plan.game)
        self.ends: list[str] = []
        #: Who has a connection; `None`: that cannot be seen.
        self.owners: Owners | None = self.machine.owners
        #: The games, as they were made.
        self.games: list[ContestGame] = []

    def play(self, at_once: int = 1) -> Contest:
        """Play it to its end."""
        contest = self.begin(at_once)
        self.go_on()
        return contest

    def begin(self, at_once: int = 1) -> Contest:
        self._journal = ContestJournal(self.folder)
        self.contest = self._journal.open(self.plan)
        make = partial(self._new_game, games_at(None, self.machine, self.wire, self.game, self.plan, self.owners))
        ContestRun(
            *(self.machine, self.contest, self._journal, make, at_once, lambda what: None, self.ends.append)
        ).start()
        return self.contest

    def go_on(self, games: int = sys.maxsize) -> None:
        """Play until so many games are decided, or to the end."""
        until = self.machine.seconds() + 100_000.0
        while not self.ends and len(self.contest.played) < games:
            assert self.machine.seconds() < until, "there is no end"
            self.machine.turn()
        if self.ends:
            self._journal.close()

    def _new_game(self, make: Callable[..., ContestGame], **named: Any) -> ContestGame:
        self.games.append(make(**named))
        return self.games[-1]


def tables() -> Iterator[tuple[str, str, int]]:
    """Each wire for programs, with each of its games and numbers of players that a contest can have."""
    for wire in WIRES.values():
        for game in wire.games:
            if game.name != "remote" and (game.name == "eriantys" or game is wire.games[0] or wire.name == "open"):
                yield from ((wire.name, game.name, seats) for seats in range(game.least_seats, game.most_seats + 1))


def most_likely(count: int, outcomes: Iterable[Shares]) -> list[float]:
    """
    The strengths of maximum likelihood, as natural logarithms: before the first game everything is as good as equally
    probable. Nobody may have won or lost all games.
    """
    return most_probable(put_together(count, outcomes), 1e-10)
