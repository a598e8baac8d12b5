"""WebSocket: the package `websockets` on uvloop, and a thread that commits moves in groups."""

import asyncio
import sys
from functools import partial

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve

from benchmarks.python.journal import Journal
from benchmarks.python.pairs import seated


async def main() -> None:
    """Serve for ever."""
    journal = Journal(sys.argv[1])

    async def play(player: ServerConnection) -> None:
        pair = seated(player)
        async for word in player:
            if isinstance(word, str) and pair.moves(player):
                journal.append(pair.number, word, partial(broadcast, pair.members, word))

    # The load does not answer pings.
    async with serve(play, "127.0.0.1", 0, ping_interval=None, compression=None) as server:
        [listening] = server.sockets
        print(listening.getsockname()[1], journal.settings(), flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    uvloop.run(main())
