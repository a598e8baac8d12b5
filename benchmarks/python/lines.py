"""Lines over plain sockets: asyncio on uvloop, and a thread that commits moves in groups."""

import asyncio
import sys
from functools import partial

import uvloop

from benchmarks.python.journal import Journal
from benchmarks.python.pairs import Pair, seated


class Player(asyncio.Protocol):
    """One of two."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._pair = seated(self)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._pair.moves(self):
                self._journal.append(self._pair.number, line.decode("ascii"), partial(tell, self._pair, line + b"\n"))


def tell(pair: Pair, line: bytes) -> None:
    """Both of a pair are told of a move."""
    for player in pair.members:
        player.transport.write(line)


async def main() -> None:
    """Serve for ever."""
    journal = Journal(sys.argv[1])
    server = await asyncio.get_running_loop().create_server(lambda: Player(journal), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], journal.settings(), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
