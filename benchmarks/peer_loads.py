"""
The load of servers that speak WebSocket: the same moves of Onitama, as the words that each server passes on.
"""

import http.client
import json
import socket
from collections.abc import Sequence
from typing import Self, overload

import msgspec
from attrs import define, field

from benchmarks.load import Load, Player, Table, raise_fd_limit
from benchmarks.scripts import Step, script_of


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
class WordsLoad(PeerLoad):
    """The servers in `benchmarks.python`: two connections after each other are a pair, and a message is the words alone."""

    def count(self, data: bytes) -> int:
        return len(data)

    def seated(self, number: int) -> Sequence[socket.socket]:
        return [handshake(self.server.port, "/", self.patience) for _ in range(2)]

    def steps(self, number: int) -> Sequence[Step]:
        steps = []
        for ply, word in enumerate(words_at(number)):
            told = frame(word, masked=False)
            steps.append(Step(ply % 2, frame(word), (len(told), len(told)), (told, told)))
        return steps


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
