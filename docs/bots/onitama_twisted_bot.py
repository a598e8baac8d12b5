"""
A bot for Onitama, on the open wire and on Twisted. It plays one game at random:

    python onitama_twisted_bot.py NAME [tcp:127.0.0.1:8889]
"""

import random
import sys

from twisted.internet.defer import Deferred
from twisted.internet.task import react

from gamehost.client.twisted_client import Client
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.messages import MESSAGES
from gamehost.wires.open.messages import Back, Enter, Event, Over, Seek


async def play(reactor, name, endpoint="tcp:127.0.0.1:8889"):
    """Play one game. `reactor` is Twisted's."""
    client = Client(reactor, endpoint, Enter(name))
    client.say(Seek("onitama"))
    async for message in client:
        if isinstance(message, Over):
            names = client.tables.get(message.table).names
            print("game 1 won by", *[names[seat] for seat in message.winners] or ["nobody"])
            break
        if isinstance(message, Event | Back) and client.own and client.own.view.turn == client.own.seat:
            view = MESSAGES.read_view(client.own.view, client.own.seat)
            moves = list(ONITAMA.legal(view, client.own.seat))
            client.act(str(random.choice(moves)))
    await client.close()


if __name__ == "__main__":
    react(lambda reactor: Deferred.fromCoroutine(play(reactor, *sys.argv[1:])))
