"""
What those who watch a match cost: the host's time for each watcher of a move, and how long players wait for their answers.

    python -m benchmarks.watchers [--watchers 0,100,1000] [--moves 200] [--rate 10] [--repeat 3] [--web]

Two players play Onitama on the open wire, with a store in memory. The same moves are made with each number of watchers. With
`--web` those who watch use WebSocket, as browsers do.
"""

import argparse
import os
import random
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import msgspec
from attrs import frozen

from benchmarks.load import raise_fd_limit
from benchmarks.servers import LOAD_CORE, SERVER_CORE, Server, on_core
from benchmarks.speed import machine
from gamehost.games.base import ScriptedChance, Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.rules import Move, Position
from tests.kit.process import ROOT, HostProcess

DEAL = "boar,ox/crab,eel/tiger"
HEAD = "watchers   moves   us/move   us/watcher   ack p50 ms   ack p95 ms   last told p50 ms   p95 ms   KiB/watcher"

#: Seconds without a word from the host after which something is wrong.
PATIENCE = 20.0


@frozen
class Figures:
    """What was seen with one number of watchers. Times are in seconds, in order of size."""

    watchers: int
    moves: int
    #: Of the host's core, for all moves.
    cpu: float
    #: From a move to its answer.
    answered: Sequence[float]
    #: From a move to the last watcher that was told.
    last_told: Sequence[float]
    #: Bytes of the host for each watcher.
    memory: float

    @property
    def cost(self) -> float:
        """Microseconds of the host's core a move."""
        return self.cpu / self.moves * 1e6


def at(times: Sequence[float], share: float) -> float:
    """A percentile, in milliseconds."""
    return times[min(len(times) - 1, int(len(times) * share))] * 1000 if times else 0.0


def moves() -> Iterator[tuple[Seat, bytes]]:
    """A match without an end: the seat that moves, and its action."""
    master = ONITAMA.new_master(2, {"deal": DEAL, "max_plies": "100000"}, ScriptedChance())
    master.begin(0)
    rng = random.Random(1)
    while True:
        position = master.position
        quiet = [move for move in position.moves() if _is_quiet(position, move)]
        move = rng.choice(quiet or list(position.moves()))
        yield Seat(position.turn), ONITAMA.write(move)
        master.act(Seat(position.turn), move, 0)
        if master.result is not None:
            return


def _is_quiet(position: Position, move: Move) -> bool:
    """Whether nothing is taken and nobody wins."""
    after = position.after(move)
    return after.won is None and after.board.count(".") == position.board.count(".")


class Client:
    """A connection to the open wire."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def say(self, **message: object) -> None:
        """Send a message."""
        self.socket.sendall(msgspec.json.encode(message) + b"\n")

    def hear(self, kind: str) -> dict[str, object]:
        """The next message of this kind; others are passed over."""
        while True:
            while b"\n" not in self.unread:
                data = self.socket.recv(65_536)
                if not data:
                    raise ConnectionError("the host closed a connection")
                self.unread += data
            line, self.unread = self.unread.split(b"\n", 1)
            message: dict[str, object] = msgspec.json.decode(line)
            if message["is"] == kind:
                return message
            if message["is"] in ("sorry", "bye", "refused"):
                raise ConnectionError(f"the host said {message}")


class WebClient:
    """One who watches over WebSocket."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.sendall(
            b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        self.unread = b""
        while b"\r\n\r\n" not in self.unread:
            self.unread += self.socket.recv(65_536)
        self.unread = self.unread.partition(b"\r\n\r\n")[2]

    def say(self, **message: object) -> None:
        """Send a message. The mask is zero, so the text stands in the frame as it is."""
        text = msgspec.json.encode(message)
        self.socket.sendall(bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text)

    def hear(self, kind: str) -> None:
        """Wait for one message."""
        while not self.count(self.socket.recv(65_536)):
            pass

    def count(self, data: bytes) -> int:
        """How many texts are complete with these bytes."""
        self.unread += data
        found = at = 0
        unread = self.unread
        while len(unread) >= at + 2:
            length, start = unread[at + 1], at + 2
            if length == 126 and len(unread) < at + 4:
                break
            if length == 126:
                length, start = int.from_bytes(unread[at + 2 : at + 4], "big"), at + 4
            if len(unread) < start + length:
                break
            found += unread[at] == 0x81
            at = start + length
        self.unread = unread[at:]
        return found


class Match:
    """
    One match and those who watch it; a context manager that closes all connections.

    Those who watch are a process of their own, so that they do not take the players' time.
    """

    def __init__(self, port: int, watchers: int, web: int = 0) -> None:
        self._actions = moves()
        players = [Client(port) for _ in range(2)]
        for number, player in enumerate(players):
            player.say(do="enter", name=f"player{number}")
            player.hear("entered")
            player.say(do="seek", game="onitama")
        seated = {int(str(player.hear("seated")["seat"])): player for player in players}
        self._players = [seated[0], seated[1]]
        for player in players:
            player.hear("event")
        self._watchers: subprocess.Popen[bytes] | None = None
        if watchers:
            place = f"{web or port},{watchers},{web}"
            command = [sys.executable, "-m", "benchmarks.watchers", "--watch", place]
            self._watchers = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
            self._told()

    def __enter__(self) -> "Match":
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._players:
            client.socket.close()
        if self._watchers is not None and self._watchers.stdout is not None:
            self._watchers.kill()
            self._watchers.wait(10)
            self._watchers.stdout.close()

    def _told(self) -> float:
        """When all who watch had been told."""
        if self._watchers is None or self._watchers.stdout is None:
            return time.perf_counter()
        return float(self._watchers.stdout.readline())

    def move(self) -> tuple[float, float]:
        """One move: the seconds until its answer, and until the last one who watches was told."""
        seat, action = next(self._actions)
        mover = self._players[seat]
        began = time.perf_counter()
        mover.say(do="act", table=1, action=action.decode())
        mover.hear("event")
        answered = time.perf_counter() - began
        self._players[1 - seat].hear("event")
        return answered, self._told() - began


def watch(port: int, count: int, web: int = 0) -> None:
    """So many watch table 1. A line when all have been shown it, and after each move: the time then."""
    os.nice(19)  # on the core of the load, the players come first
    watchers: dict[int, Client | WebClient] = {}
    poll = select.epoll()
    for _ in range(count):
        watcher = WebClient(port) if web else Client(port)
        watcher.say(do="watch", table=1)
        watchers[watcher.socket.fileno()] = watcher
    for number, watcher in watchers.items():
        watcher.hear("shown")
        poll.register(number, select.EPOLLIN)
    print(time.perf_counter(), flush=True)
    while True:
        missing = len(watchers)
        while missing:
            for number, _ in poll.poll():
                told = watchers[number]
                data = told.socket.recv(65_536)
                if not data:
                    return
                missing -= told.count(data) if isinstance(told, WebClient) else data.count(b"\n")
        print(time.perf_counter(), flush=True)


def measure(watchers: int, count: int, rate: float, web: bool = False) -> Figures:
    """
    A match with so many watchers.

    :param count: how many moves
    :param rate: moves a second, at most
    :param web: whether they watch over WebSocket
    """
    settings = [f"--set=onitama.deal={DEAL}", "--set=onitama.max_plies=100000", "--set=limits.connections=20000"]
    with ExitStack() as stack:
        with on_core(SERVER_CORE):
            running = stack.enter_context(HostProcess(*settings, wires=["open", "web"]))
        server = Server("host", running.ports["open"], running.process.pid)
        stack.enter_context(on_core(LOAD_CORE))
        before = server.memory()
        match = stack.enter_context(Match(server.port, watchers, running.ports["web"] if web else 0))
        memory = (server.memory() - before) / watchers if watchers else 0.0
        for _ in range(5):
            match.move()
        cpu, took = server.cpu(), []
        for _ in range(count):
            took.append(match.move())
            time.sleep(max(0.0, 1 / rate - took[-1][1]))
        cpu = server.cpu() - cpu
    answered, last = (sorted(times) for times in zip(*took, strict=True))
    return Figures(watchers, count, cpu, answered, last, memory)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="What those who watch a match cost.")
    parser.add_argument("--watchers", default="0,100,1000")
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--web", action="store_true", help="watch over WebSocket")
    parser.add_argument("--watch", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if words.watch:
        watch(*map(int, words.watch.split(",")))
        return
    numbers = [int(number) for number in words.watchers.split(",")]
    raise_fd_limit(max(numbers) + 100)
    print(machine())
    print(HEAD, flush=True)
    for _ in range(words.repeat):
        alone = 0.0
        for number in numbers:
            figures = measure(number, words.moves, words.rate, words.web)
            alone = figures.cost if number == 0 else alone
            print(row(figures, alone), flush=True)


def row(figures: Figures, alone: float) -> str:
    """One line of the report. `alone`: what a move costs without watchers."""
    each = (figures.cost - alone) / figures.watchers if figures.watchers else 0.0
    ack50, ack95 = (at(figures.answered, share) for share in (0.5, 0.95))
    told50, told95 = (at(figures.last_told, share) for share in (0.5, 0.95))
    return (
        f"{figures.watchers:8,} {figures.moves:7,} {figures.cost:9,.0f} {each:12.1f} {ack50:12.2f} {ack95:12.2f}"
        f" {told50:18.2f} {told95:8.2f} {figures.memory / 1024:13.1f}"
    )


if __name__ == "__main__":
    main()
