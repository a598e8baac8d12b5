"""WebSocket: FastAPI on uvicorn and uvloop, with aiosqlite. A commit stores all moves that were inserted before it."""

import socket
import sys

import aiosqlite
import uvicorn
import uvloop
from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from benchmarks.python.journal import MOVE, READ_BACK, SETTINGS, TABLE
from benchmarks.python.pairs import seated


async def main() -> None:
    """Serve for ever."""
    database = await aiosqlite.connect(sys.argv[1])
    for statement in (*SETTINGS, TABLE):
        await database.execute(statement)

    async def play(player: WebSocket) -> None:
        await player.accept()
        pair = seated(player)
        try:
            while True:
                word = await player.receive_text()
                if pair.moves(player):
                    await database.execute(MOVE, (pair.number, word))
                    await database.commit()
                    for member in pair.members:
                        await member.send_text(word)
        except WebSocketDisconnect:
            pass

    app = FastAPI()
    app.add_api_websocket_route("/", play)
    # The load does not answer pings.
    config = uvicorn.Config(app, log_level="critical", ws_ping_interval=None, ws_per_message_deflate=False)
    listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
    settings = []
    for statement in READ_BACK:
        async with database.execute(statement) as found:
            settings += [str(value) for (value,) in await found.fetchall()]
    print(listening.getsockname()[1], *settings, flush=True)
    await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    uvloop.run(main())
