"""
Two players at each of any number of tables, played from one thread with as little work as there can be: raw sockets that
never block, one epoll, bytes made beforehand.

A move is done when both players have been told of it, and only then the next one at that table is made. So much stands
between a server and the next move of a table, and nothing of it is the server's.
"""

import resource
import select
import socket
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter

from attrs import define, field, frozen

from benchmarks.scripts import ME, Script, Step
from benchmarks.servers import Server

#: Seconds without a word from the server after which something is wrong.
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
    """Two players, and where they are in their script."""

    __slots__ = ("arrival", "at", "due", "players", "said_at", "step", "steps", "waiting")

    def __init__(self, arrival: Sequence[Step]) -> None:
        self.arrival = arrival
        self.players: list[Player] = []
        self.steps: Sequence[Step] = ()
        self.at = 0
        self.step: Step | None = None
        self.waiting = 0
        self.said_at = 0.0
        #: When moves were to be made, at a given rate, that are not made yet.
        self.due: deque[float] = deque()


class Player:
    """One connection."""

    __slots__ = ("awaited", "number", "recv", "send", "socket", "table")

    def __init__(self, table: Table, number: int, connected: socket.socket) -> None:
        self.table = table
        self.number = number
        self.socket = connected
        self.recv, self.send = connected.recv, connected.send
        self.awaited = 0


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
    tables: list[Table] = field(factory=list)
    moves: int = 0
    took: list[float] = field(factory=list)
    _play: Sequence[Step] = ()
    _players: dict[int, Player] = field(factory=dict)
    _poll: select.epoll = field(factory=select.epoll)
    #: Tables whose players want to log in. One does so at a time: the lobby is to put these two together.
    _lobby: deque[Table] = field(factory=deque)
    _count: Callable[[bytes], int] = len
    _under_way: int = 0
    _going: bool = False

    def __enter__(self) -> "Load":
        allow_files(self.connections + 100)
        self._play = self.script.bare() if self.bare else self.script.play
        if self.script.lines:
            self._count = _lines
        for number in range(self.connections // 2):
            table = Table(arrival(self.script, number))
            for seat in (0, 1):
                connected = socket.create_connection(("127.0.0.1", self.server.port), timeout=10)
                connected.setblocking(False)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                player = Player(table, seat, connected)
                table.players.append(player)
                self._players[connected.fileno()] = player
                self._poll.register(connected, select.EPOLLIN)
            self.tables.append(table)
            if self.bare:
                table.steps = self._play
            else:
                self._to_lobby(table)
                while self._under_way:
                    self._hear(PATIENCE)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for player in self._players.values():
            player.socket.close()
        self._poll.close()

    # -- runs

    def run(self, seconds: float, warm: float = 0.3) -> Window:
        """As fast as it goes. What happens in the first `warm` seconds is not counted."""
        self._going = True
        for table in self.tables:
            if table.steps is self._play:
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
                if table.waiting or table.due:
                    table.due.append(due)
                else:
                    self._say(table, due)
            self._rest()

        return self._watch(pace)

    def _watch(self, run: Callable[[], None]) -> Window:
        begin, cpu, moves = perf_counter(), self.server.cpu(), self.moves
        self.took = []
        run()
        took = sorted(self.took)
        return Window(self.moves - moves, perf_counter() - begin, self.server.cpu() - cpu, took)

    def _until(self, end: float) -> None:
        while perf_counter() < end:
            self._hear(PATIENCE)

    def _rest(self) -> None:
        """Hear what is under way."""
        while self._under_way:
            self._hear(PATIENCE)

    # -- saying and hearing

    def _say(self, table: Table, due: float) -> None:
        step = table.step = table.steps[table.at]
        first, second = table.players
        first.awaited, second.awaited = told = step.told
        table.waiting = (told[0] > 0) + (told[1] > 0)
        table.said_at = due
        self._under_way += 1
        table.players[step.sender].send(step.said)

    def _hear(self, timeout: float) -> None:
        """Hear whoever has something to say."""
        players = self._players
        found = self._poll.poll(timeout)
        if not found and timeout:
            raise Astray(f"nothing heard from the {self.server.name} for {timeout:g} s")
        for descriptor, _ in found:
            player = players[descriptor]
            data = player.recv(65536)
            player.awaited -= self._count(data)
            if player.awaited <= 0:
                self._told(player, data)

    def _told(self, player: Player, data: bytes) -> None:
        """A player has heard all that was awaited."""
        table = player.table
        step = table.step
        if step is None or player.awaited or not data.endswith(step.ends[player.number]):
            raise Astray(f"the {self.server.name} said {data[-300:]!r} after {step}")
        if player.number == step.sender:
            self.took.append(perf_counter() - table.said_at)
        table.waiting -= 1
        if table.waiting:
            return
        self._under_way -= 1
        table.at += 1
        if table.steps is self._play:
            self._moved(table)
        elif table.at < len(table.steps):
            self._say(table, perf_counter())
        else:
            self._arrived(table)

    def _moved(self, table: Table) -> None:
        """A move is done: on to the next one, if it is time for it."""
        self.moves += 1
        if table.at == len(self._play):
            table.at = 0
            if self.script.ends and not self.bare:
                self._to_lobby(table)
                return
        self._go_on(table)

    def _go_on(self, table: Table) -> None:
        if self._going:
            self._say(table, perf_counter())
        elif table.due:
            self._say(table, table.due.popleft())

    def _to_lobby(self, table: Table) -> None:
        table.steps, table.at = table.arrival, 0
        self._lobby.append(table)
        if len(self._lobby) == 1:
            self._say(table, perf_counter())

    def _arrived(self, table: Table) -> None:
        table.steps, table.at = self._play, 0
        self._lobby.popleft()
        if self._lobby:
            self._say(self._lobby[0], perf_counter())
        self._go_on(table)


def arrival(script: Script, number: int) -> tuple[Step, ...]:
    """How the two players of a table come in, under names of their own."""
    return tuple(
        Step(step.sender, step.said.replace(ME, b"%c%05d" % (b"ab"[step.sender], number)), step.told, step.ends)
        for step in script.arrival
    )


def _lines(data: bytes) -> int:
    return data.count(b"\n")


def allow_files(number: int) -> None:
    """
    Open so many files, if the system lets us.

    :raises OSError: it does not
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(number, hard), hard))
    if hard != resource.RLIM_INFINITY and hard < number:
        raise OSError(f"{number} open files are needed, and the system allows {hard}")
