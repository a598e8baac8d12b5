"""
A bot for Onitama, on the open wire and on Twisted. It plays at random:

    python onitama_twisted_bot.py NAME [--games 1] [--host 127.0.0.1] [--port 8889]

If the connection is lost or the host restarts, it plays on.
"""

import argparse
import random

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.task import react

from gamehost.client.core import Lost
from gamehost.client.twisted_client import Client
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.messages import MESSAGES
from gamehost.wires.open.messages import Back, Enter, Entered, Event, Over, Seek


async def play(reactor, name, endpoint, games=1):
    """Play so many games. `reactor` is Twisted's."""
    client, played = Client(reactor, endpoint, Enter(name)), 0
    async for message in client:
        if isinstance(message, Lost) and message.again is None:  # such as: the name is in use elsewhere
            raise SystemExit(f"{name}: {message.why}")
        if isinstance(message, Over):
            names, played = client.tables.get(message.table).names, played + 1
            print(f"game {played} won by", *[names[seat] for seat in message.winners] or ["nobody"])
            if played == games:
                break
        if isinstance(message, Event | Back) and client.own and client.own.view.turn == client.own.seat:
            view = MESSAGES.read_view(client.own.view, client.own.seat)
            moves = list(ONITAMA.legal(view, client.own.seat))
            client.act(str(random.choice(moves)))
        # A match may also have ended while the connection was lost: then `entered` names no table.
        if isinstance(message, Entered | Over) and not client.own and not client.seeking:
            client.say(Seek("onitama"))
    await client.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Onitama at random.")
    parser.add_argument("name")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8889)
    given = parser.parse_args()

    def main(reactor):
        endpoint = HostnameEndpoint(reactor, given.host, given.port)
        return Deferred.fromCoroutine(play(reactor, given.name, endpoint, given.games))

    react(main)
