"""
What a move costs here, and on two servers for games that keep nothing on disk: Colyseus and boardgame.io.

    python -m benchmarks.peers [--connections 100,1000] [--pairs 5] [--seconds 1.5] [--plot build/peers/peers.svg]

npm installs both into `build/peers`, from `benchmarks/node/package.json`. The durable host plays Onitama; the relay passes the
same lines on. On the other two, two players send the same words in turns, and both are told of each. They speak WebSocket, for
they have nothing else. All four servers run at once and get the load in turn, from the same generator.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Self, overload
from xml.sax.saxutils import escape

import msgspec
from attrs import define, field

from benchmarks.load import Load, Player, Table, raise_fd_limit
from benchmarks.scripts import Step, script_of
from benchmarks.servers import LOAD_CORE, SERVER_CORE, Server, host, on_core, relay
from benchmarks.speed import machine, ratio, row, spread
from tests.kit.process import ROOT

#: Where the servers and their packages are described, and where they are installed.
SOURCES, INSTALLED = ROOT / "benchmarks" / "node", ROOT / "build" / "peers"

NODE, NPM = "node", "npm"

HEAD = " conn.  server         moves/s  us/move   busy  p50 ms  p99 ms  KiB/conn.  of the relay, by cost"


class Missing(Exception):
    """What is needed for the other servers is not on this machine, or cannot be had."""


def words_at(table: int) -> list[bytes]:
    """The moves of a table of Onitama, as words."""
    return [step.said.partition(b"|")[2].strip() for step in script_of("onitama").at_table(table)]


def frame(payload: bytes, binary: bool = False, masked: bool = True) -> bytes:
    """One WebSocket frame. The mask is zero, so a server has its work with it and the payload stands there as it is."""
    size = len(payload)
    head = bytes([0x82 if binary else 0x81, (0x80 if masked else 0) | min(size, 126)])
    return head + (size.to_bytes(2, "big") if size >= 126 else b"") + (bytes(4) if masked else b"") + payload


def handshake(port: int, path: str, patience: float) -> socket.socket:
    """A new WebSocket connection; what the server says after its answer is unread."""
    connected = socket.create_connection(("127.0.0.1", port), timeout=patience)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.sendall(
        b"GET %b HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % path.encode("ascii")
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += exactly(connected, 1)
    if b" 101 " not in answer:
        raise ConnectionError(f"the server answered a handshake with {answer!r}")
    return connected


def exactly(connected: socket.socket, size: int) -> bytes:
    """So many bytes."""
    found = b""
    while len(found) < size:
        data = connected.recv(size - len(found))
        if not data:
            raise ConnectionError("the server closed a connection")
        found += data
    return found


def hear(connected: socket.socket, beginning: bytes) -> bytes:
    """The next message that begins like this; others are passed over."""
    while True:
        size = exactly(connected, 2)[1]
        payload = exactly(connected, int.from_bytes(exactly(connected, 2), "big") if size == 126 else size)
        if payload.startswith(beginning):
            return payload


@define(eq=False)
class PeerLoad(Load):
    """The load for a server that speaks WebSocket. Two connections after each other are at one table."""

    def __enter__(self) -> Self:
        raise_fd_limit(self.connections + 100)
        self._count = self.count
        for number in range(self.connections // 2):
            pair = [Player(b"", connected) for connected in self.seated(number)]
            for player in pair:
                player.socket.setblocking(False)
                self._players[player.socket.fileno()] = player
                self._poll.register(player.socket, 1)
            table = Table(self.steps(number))
            table.seat(pair[0], pair[1], table.play)
            self.tables.append(table)
        return self

    def count(self, data: bytes) -> int:
        """How much was told: in the same unit as in the steps."""
        raise NotImplementedError

    def seated(self, number: int) -> Sequence[socket.socket]:
        """The connections of two players who wait for the first move."""
        raise NotImplementedError

    def steps(self, number: int) -> Sequence[Step]:
        """What is played at a table."""
        raise NotImplementedError


@define(eq=False)
class ColyseusLoad(PeerLoad):
    """Rooms of Colyseus: a seat is reserved by HTTP, and a message is its type and its content as MessagePack."""

    JOIN, MESSAGE = b"\x0a", b"\x0d"
    _lobby: http.client.HTTPConnection = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._lobby = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=self.patience)

    def count(self, data: bytes) -> int:
        return len(data)

    def seated(self, number: int) -> Sequence[socket.socket]:
        found = []
        for _ in range(2):
            self._lobby.request("POST", "/matchmake/joinOrCreate/pair", b"{}", {"Content-Type": "application/json"})
            seat = json.loads(self._lobby.getresponse().read())
            path = f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}"
            connected = handshake(self.server.port, path, self.patience)
            hear(connected, self.JOIN)
            connected.sendall(frame(self.JOIN, binary=True))
            found.append(connected)
        return found

    def steps(self, number: int) -> Sequence[Step]:
        steps = []
        for ply, word in enumerate(words_at(number)):
            message = self.MESSAGE + msgspec.msgpack.encode("move") + msgspec.msgpack.encode(word.decode("ascii"))
            told = frame(message, binary=True, masked=False)
            steps.append(Step(ply % 2, frame(message, binary=True), (len(told), len(told)), (told, told)))
        return steps


@define(eq=False)
class BoardgameLoad(PeerLoad):
    """Matches of boardgame.io, by Socket.IO's protocol. A move names the number of the state that it is made in."""

    def count(self, data: bytes) -> int:
        return data.count(b'42/pair,["update"')

    def seated(self, number: int) -> Sequence[socket.socket]:
        found = []
        for seat in range(2):
            connected = handshake(self.server.port, "/socket.io/?EIO=4&transport=websocket", self.patience)
            hear(connected, b"0")
            connected.sendall(frame(b"40/pair,"))
            hear(connected, b"40/pair,")
            connected.sendall(frame(b'42/pair,["sync","m%d","%d",null,2]' % (number, seat)))
            found.append(connected)
            # Both are told who is there whenever somebody comes.
            for other in found:
                hear(other, b'42/pair,["matchData"')
        return found

    def steps(self, number: int) -> Sequence[Step]:
        return Numbered(number)


class Numbered(Sequence[Step]):
    """A match without an end at a table of boardgame.io."""

    #: Each is told the new state and the log's last entries.
    ENDS = (b"]]", b"]]")

    def __init__(self, table: int) -> None:
        self._table = table
        self._words = words_at(table)

    def __len__(self) -> int:
        return 1 << 30

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | Sequence[Step]:
        if isinstance(at, slice):
            raise TypeError("a match without an end is not cut")
        said = (
            b'42/pair,["update",{"type":"MAKE_MOVE","payload":{"type":"move","args":["%b"],"playerID":"%d"}},%d,"m%d","%d"]'
            % (self._words[at % len(self._words)], at % 2, at, self._table, at % 2)
        )
        return Step(at % 2, frame(said), (1, 1), self.ENDS)


#: The file of each server, and its load.
PEERS: Mapping[str, tuple[str, type[PeerLoad]]] = {
    "Colyseus": ("colyseus.js", ColyseusLoad),
    "boardgame.io": ("boardgame.js", BoardgameLoad),
}


def install() -> None:
    """
    Install the packages, if that is not done yet.

    :raises Missing: there is no Node, or npm cannot install them
    """
    for program in (NODE, NPM):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    wanted = (SOURCES / "package.json").read_text("utf-8")
    done = INSTALLED / "package.json"
    for source in SOURCES.glob("*.js"):
        shutil.copy(source, INSTALLED)
    if done.exists() and done.read_text("utf-8") == wanted:
        return
    with TemporaryDirectory(dir=INSTALLED.parent) as folder:
        shutil.copy(SOURCES / "package.json", folder)
        words = (
            "install",
            "--omit=dev",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--fetch-retries=0",
        )
        ended = subprocess.run([NPM, *words], cwd=folder, capture_output=True, text=True, timeout=600)
        if ended.returncode:
            raise Missing(
                f"npm could not install the packages: {(ended.stderr.splitlines() or ['it said nothing'])[0]}"
            )
        shutil.rmtree(INSTALLED / "node_modules", ignore_errors=True)
        shutil.move(Path(folder, "node_modules"), INSTALLED)
    shutil.copy(SOURCES / "package.json", done)


@contextmanager
def peer(name: str, file: str) -> Iterator[Server]:
    """
    One of the other servers.

    :raises Missing: it does not start
    """
    with on_core(SERVER_CORE):
        process = subprocess.Popen(
            [NODE, file],
            cwd=INSTALLED,
            env={**os.environ, "NODE_ENV": "production"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    with process:
        try:
            assert process.stdout is not None
            port = next((line for line in process.stdout if line.strip().isdigit()), None)
            if port is None:
                raise Missing(f"{name} does not start")
            yield Server(name, int(port), process.pid)
        finally:
            process.kill()


def measure(connections: int, pairs: int, seconds: float) -> dict[str, float]:
    """Microseconds a move of each server, medians; and a table of what was seen, printed."""
    script = script_of("onitama")
    with ExitStack() as stack:
        servers = [stack.enter_context(relay(script)), stack.enter_context(host(script))]
        servers += [stack.enter_context(peer(name, file)) for name, (file, _) in PEERS.items()]
        stack.enter_context(on_core(LOAD_CORE))
        before = [server.memory() for server in servers]
        loads = [Load(script, server, connections, bare=server.name == "relay") for server in servers[:2]]
        loads += [PEERS[server.name][1](script, server, connections) for server in servers[2:]]
        for load in loads:
            stack.enter_context(load)
        turns = [[load.run(seconds) for load in loads] for _ in range(pairs)]
        memory = [(server.memory() - least) / connections for server, least in zip(servers, before, strict=True)]
    costs = {}
    for number, (server, each) in enumerate(zip(servers, memory, strict=True)):
        windows = [turn[number] for turn in turns]
        of_relay = spread([ratio(turn[0].cost, turn[number].cost) for turn in turns])
        print(f"{row('', connections, server.name, windows, each)[16:]}  {of_relay}", flush=True)
        costs[server.name] = median(window.cost for window in windows)
    return costs


#: How the bars of each server are filled.
FILLS = {"relay": "#9aa3a8", "host": "#0f6b57"}


def plot(costs: Mapping[int, Mapping[str, float]]) -> str:
    """A bar for each server and number of connections, as SVG."""
    scale = 400 / max(cost for each in costs.values() for cost in each.values())
    lines, y = [], 40
    for connections, each in costs.items():
        lines.append(f'<text class="head" x="10" y="{y + 14}">{connections:,} connections</text>')
        for name, cost in each.items():
            y += 24
            fill = FILLS.get(name, "#c0803c")
            label = {"relay": "bare relay", "host": "gamehost, on disk"}.get(name, f"{name}, in memory")
            lines.append(f'<text class="name" x="190" y="{y + 14}">{escape(label)}</text>')
            lines.append(f'<rect x="200" y="{y}" width="{cost * scale:.1f}" height="18" fill="{fill}"/>')
            lines.append(f'<text x="{206 + cost * scale:.1f}" y="{y + 14}">{cost:.0f}</text>')
        y += 40
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{y}" viewBox="0 0 640 {y}">',
            "<title>Microseconds of a core for a move</title>",
            "<style>text { font: 14px system-ui, sans-serif; fill: #1d2429 } .name { text-anchor: end }"
            " .head { font-weight: 700 }</style>",
            f'<rect width="640" height="{y}" fill="#fffdf8"/>',
            '<text class="head" x="10" y="24">Microseconds of a core for a move: less is better</text>',
            *lines,
            "</svg>\n",
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description="What a move costs here, and on two other servers for games.")
    parser.add_argument("--connections", default="100,1000")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--plot", type=Path, default=INSTALLED / "peers.svg")
    words = parser.parse_args(arguments)
    try:
        install()
        print(machine())
        print(HEAD, flush=True)
        costs = {each: measure(each, words.pairs, words.seconds) for each in map(int, words.connections.split(","))}
    except Missing as missing:
        print(f"{missing}, so Colyseus and boardgame.io are not measured")
        return
    words.plot.write_text(plot(costs), "ascii")
    print(f"drawn in {words.plot}")


if __name__ == "__main__":
    main()
