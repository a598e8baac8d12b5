"""
The load of browsers: Onitama in JSON, in a text of WebSocket each; and the same messages by line, on the open wire's own port.
"""

import json
import socket
from collections.abc import Sequence

from attrs import define, field

from benchmarks.load import Player, Table
from benchmarks.peer_loads import PeerLoad, frame, handshake, words_at
from benchmarks.scripts import Script, Step

#: The deal and the length of `benchmarks.scripts`' matches of Onitama, which return to where they began.
SETTINGS = {"deal": "boar,crab/monkey,eel/ox"}
OPTIONS = {"onitama.max_plies": "1000000"}
#: By the words for it: where the host listens. The load makes its messages itself.
CARRIERS = {"browser": Script("web", (), (), (), OPTIONS), "open": Script("open", (), (), (), OPTIONS)}


#: What a host asks somebody who said nothing for a while.
PING = b"\x89\x00"


def _json(**message: object) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii")


@define(eq=False)
class OpenLoad(PeerLoad):
    """
    Players of Onitama on the open wire.

    :param lines: whether they speak by line, and not in frames
    """

    lines: bool = False
    #: The number of each table at the host.
    _numbers: list[int] = field(factory=list)

    def count(self, data: bytes) -> int:
        return data.count(b'"kind":"moved"')

    def _said(self, **message: object) -> bytes:
        text = _json(**message)
        return text + b"\n" if self.lines else frame(text)

    def _told(self, player: Player, table: Table, data: bytes) -> None:
        # While other servers had their turn, nobody spoke here.
        data = data if self.lines else data.removesuffix(PING)
        if data:
            super()._told(player, table, data)

    def seated(self, number: int) -> Sequence[socket.socket]:
        found = []
        for seat in "ab":
            if self.lines:
                connected = socket.create_connection(("127.0.0.1", self.server.port), timeout=self.patience)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            else:
                connected = handshake(self.server.port, "/socket", self.patience)
            connected.sendall(self._said(do="enter", name=f"{seat}{number:05}"))
            connected.sendall(self._said(do="seek", game="onitama", settings=SETTINGS))
            found.append(connected)
            if len(found) == 1:  # the second one is told of the match at once
                self._heard_until(connected, b'"is":"seeking"')
        told = [self._heard_until(one, b'"kind":"dealt"') for one in found]
        self._numbers.append(int(told[0].rpartition(b'"is":"event","table":')[2].partition(b",")[0]))
        return found

    @staticmethod
    def _heard_until(connected: socket.socket, words: bytes) -> bytes:
        """What is told up to these words and the end of their message, which nothing follows."""
        heard = b""
        while words not in heard or heard[-1:] not in b"}\n":
            data = connected.recv(65536)
            if not data:
                raise ConnectionError("the host closed a connection")
            heard += data
        return heard

    def steps(self, number: int) -> Sequence[Step]:
        steps = []
        for ply, word in enumerate(words_at(number)):
            action = word.decode("ascii").replace("|", " ")
            said = self._said(do="act", table=self._numbers[number], action=action)
            end = b"]}" + b"\n" * self.lines  # what is left of the time for the decision
            steps.append(Step(ply % 2, said, (1, 1), (end, end)))
        return steps
