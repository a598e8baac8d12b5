"""
The load: two players at each of any number of tables, in one thread. It uses non-blocking sockets, one epoll object and bytes
that are made before, so that it needs as little time as possible.

A move is complete when both players have received it. Only then the next move at that table is sent.
"""

import resource
import select
import socket
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Self

from attrs import define, evolve, field, frozen

from benchmarks.scripts import GAME, ME, Script, Step
from benchmarks.servers import Server

PATIENCE = 20.0


class Astray(Exception):
    """The server said something else than the script has, or nothing at all."""


@frozen
class Window:
    """What was seen for some seconds."""

    moves: int
    seconds: float
    #: Seconds of a core that the server used.
    cpu: float
    #: Seconds from each move to its acknowledgement, in order of size.
    took: Sequence[float]

    @property
    def rate(self) -> float:
        """Moves a second."""
        return self.moves / self.seconds

    @property
    def cost(self) -> float:
        """Microseconds of the server's core a move."""
        return self.cpu / max(1, self.moves) * 1e6

    @property
    def busy(self) -> float:
        """The share of its core that the server used."""
        return self.cpu / self.seconds

    def at(self, share: float) -> float:
        """A percentile of the acknowledgements, in milliseconds."""
        return self.took[min(len(self.took) - 1, int(len(self.took) * share))] * 1000 if self.took else 0.0


class Table:
    """Two players at a match, and where they are in their script."""

    __slots__ = ("at", "due", "game", "play", "players", "said_at", "step", "steps", "waiting")

    def __init__(self, play: Sequence[Step]) -> None:
        #: What is played here.
        self.play = play
        #: In the order in which they move; nobody: the table is free.
        self.players: Sequence[Player] = ()
        self.steps: Sequence[Step] = ()
        self.at = 0
        self.step: Step | None = None
        self.waiting = 0
        #: The match's number, where one player must name it to the server.
        self.game = b""
        self.said_at = 0.0
        #: When moves were to be made, at a given rate, that are not made yet.
        self.due: deque[float] = deque()

    def seat(self, first: "Player", second: "Player", steps: "Sequence[Step]") -> None:
        """A match of these two."""
        self.players = (first, second)
        self.steps, self.at = steps, 0
        for number, player in enumerate(self.players):
            player.number = number
            player.table = self


class Player:
    """One connection."""

    __slots__ = ("awaited", "heard", "name", "number", "recv", "send", "socket", "table")

    def __init__(self, name: bytes, connected: socket.socket) -> None:
        self.name = name
        self.socket = connected
        self.recv, self.send = connected.recv, connected.send
        #: `None`: in the lobby.
        self.table: Table | None = None
        self.number = 0
        #: How much is to be told still.
        self.awaited = 0
        #: In the lobby: what was told there.
        self.heard = b""


@define(eq=False)
class Load:
    """
    All tables of one run; a context manager that closes their connections.

    :param connections: how many, two a table
    :param bare: whether the server is a relay, which has no log-in
    """

    script: Script
    server: Server
    connections: int
    bare: bool = False
    #: Seconds without a word from the server after which something is wrong.
    patience: float = PATIENCE
    tables: list[Table] = field(factory=list)
    moves: int = 0
    took: list[float] = field(factory=list)
    _players: dict[int, Player] = field(factory=dict)
    _poll: select.epoll = field(factory=select.epoll)
    _count: Callable[[bytes], int] = len
    #: Steps that somebody is to be told of still.
    _under_way: int = 0
    _going: bool = False
    #: Matches of which one player has been told, by their name.
    _begun: dict[bytes, Player] = field(factory=dict)
    _free: list[Table] = field(factory=list)

    def __enter__(self) -> Self:
        raise_fd_limit(self.connections + 100)
        if self.script.lines:
            self._count = _lines
        for number in range(self.connections // 2):
            pair = (self._connect(b"a%05d" % number), self._connect(b"b%05d" % number))
            table = Table(self.script.at_table(number, self.bare))
            self.tables.append(table)
            if self.bare:
                table.seat(*pair, table.play)
            elif self.script.log_in:
                self._free.append(table)
                for player in pair:
                    self._to_lobby(player)
            else:
                # The lobby is to put these two together, so they come in one pair after the other.
                table.seat(*pair, self._steps(pair, (*self.script.arrival, *self.script.opening)))
                self._say(table, perf_counter())
            self._rest()
        return self

    def __exit__(self, *exc_info: object) -> None:
        for player in self._players.values():
            player.socket.close()
        self._poll.close()

    def _connect(self, name: bytes) -> Player:
        connected = socket.create_connection(("127.0.0.1", self.server.port), timeout=self.patience)
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        player = self._players[connected.fileno()] = Player(name, connected)
        self._poll.register(connected, select.EPOLLIN)
        return player

    # -- runs

    def spread(self) -> None:
        """Play on to another place of the match at every table, so that a short run is a sample of whole matches."""
        for number, table in enumerate(self.tables):
            table.due.extend([perf_counter()] * (number * len(table.play) // len(self.tables)))
            self._go_on(table)
        self._rest()

    def run(self, seconds: float, warm: float = 0.3) -> Window:
        """As fast as it goes. What happens in the first `warm` seconds is not counted."""
        self._going = True
        for table in self.tables:
            if table.players:
                self._say(table, perf_counter())
        self._until(perf_counter() + warm)
        window = self._watch(lambda: self._until(perf_counter() + seconds))
        self._going = False
        self._rest()
        return window

    def offer(self, seconds: float, rate: float) -> Window:
        """So many moves a second, table after table; a move that has to wait counts from when it was due."""

        def pace() -> None:
            begin = perf_counter()
            for number in range(int(rate * seconds)):
                due = begin + number / rate
                while perf_counter() < due:
                    self._hear(0)
                table = self.tables[number % len(self.tables)]
                if table.waiting or table.due or not table.players:
                    table.due.append(due)
                else:
                    self._say(table, due)
            self._rest()

        return self._watch(pace)

    def _watch(self, run: Callable[[], None]) -> Window:
        begin, cpu, moves = perf_counter(), self.server.cpu(), self.moves
        self.took = []
        run()
        seconds, cpu = perf_counter() - begin, self.server.cpu() - cpu
        return Window(self.moves - moves, seconds, cpu, sorted(self.took))

    def _until(self, end: float) -> None:
        while perf_counter() < end:
            self._hear(self.patience)

    def _rest(self) -> None:
        """Hear what is under way, until everybody sits at a table."""
        while self._under_way or self._free:
            self._hear(self.patience)

    # -- saying and hearing

    def _say(self, table: Table, due: float) -> None:
        step = table.step = table.steps[table.at]
        first, second = table.players
        first.awaited, second.awaited = told = step.told
        table.waiting = (told[0] > 0) + (told[1] > 0)
        table.said_at = due
        self._under_way += 1
        said = step.said if table.steps is table.play else step.said.replace(GAME, table.game)
        if said:
            table.players[step.sender].send(said)
        if not table.waiting:
            self._stepped(table)

    def _hear(self, timeout: float) -> None:
        """Hear whoever has something to say."""
        players = self._players
        found = self._poll.poll(timeout)
        if not found and timeout:
            raise Astray(f"nothing heard from the {self.server.name} for {timeout:g} s")
        for descriptor, _ in found:
            player = players[descriptor]
            data = player.recv(65536)
            if not data:
                raise Astray(f"the {self.server.name} closed a connection")
            if player.table is None:
                self._told_in_lobby(player, data)
                continue
            player.awaited -= self._count(data)
            if player.awaited <= 0:
                self._told(player, player.table, data)

    def _told(self, player: Player, table: Table, data: bytes) -> None:
        """A player has heard all that was awaited."""
        step = table.step
        if step is None or player.awaited or not data.endswith(step.ends[player.number]):
            raise Astray(f"the {self.server.name} said {data[-300:]!r} after {step}")
        if player.number == step.sender:
            self.took.append(perf_counter() - table.said_at)
        if self.script.opening and table.steps is not table.play:
            numbered = self.script.number.search(data)
            table.game = numbered["game"] if numbered else table.game
        table.waiting -= 1
        if not table.waiting:
            self._stepped(table)

    def _stepped(self, table: Table) -> None:
        """All have been told: on to the next step, if it is time for it."""
        self._under_way -= 1
        table.at += 1
        if table.steps is table.play:
            self.moves += 1
            if table.at == len(table.play):
                self._ended(table)
                if table.steps is not table.play:
                    return
        elif table.at == len(table.steps):
            table.steps, table.at = table.play, 0
        else:
            self._say(table, perf_counter())
            return
        self._go_on(table)

    def _go_on(self, table: Table) -> None:
        """The next move, if it is time for it."""
        if self._going and table.players:
            self._say(table, perf_counter())
        elif table.due and table.players:
            self._say(table, table.due.popleft())

    def _steps(self, players: Sequence[Player], steps: Sequence[Step]) -> Sequence[Step]:
        """Steps as these players say them."""
        return [evolve(step, said=step.said.replace(ME, players[step.sender].name)) for step in steps]

    # -- matches that end

    def _ended(self, table: Table) -> None:
        table.at = 0
        if self.bare:
            return
        if self.script.opening:
            table.steps = self._steps(table.players, self.script.opening)
            self._say(table, perf_counter())
        elif self.script.log_in:
            self._part(table)

    def _part(self, table: Table) -> None:
        """Both go back to the lobby, and may meet others there."""
        players, table.players = table.players, ()
        self._free.append(table)
        for player in players:
            self._to_lobby(player)

    def _to_lobby(self, player: Player) -> None:
        player.table = None
        player.heard = b""
        player.send(self.script.log_in.replace(ME, player.name))

    def _told_in_lobby(self, player: Player, data: bytes) -> None:
        """With whom a player plays now is the server's to say: with the one who is told of the same match."""
        player.heard += data
        begins = self.script.begins.search(player.heard)
        if begins is None:
            if len(player.heard) > 4096:
                raise Astray(f"the {self.server.name} said {player.heard[-300:]!r} to a log-in")
            return
        other = self._begun.pop(begins["game"], None)
        if other is None:
            self._begun[begins["game"]] = player
            return
        first, second = (player, other) if begins["first"] == player.name else (other, player)
        table = self._free.pop()
        table.seat(first, second, table.play)
        self._go_on(table)


def _lines(data: bytes) -> int:
    return data.count(b"\n")


def raise_fd_limit(number: int) -> None:
    """
    Open so many files, if the system lets us.

    :raises OSError: it does not
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(number, hard), hard))
    if hard != resource.RLIM_INFINITY and hard < number:
        raise OSError(f"{number} open files are needed, and the system allows {hard}")
