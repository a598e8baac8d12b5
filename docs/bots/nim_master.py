"""
A master of Nim: players take one to three from a heap of seven, and who takes the last one has won.

    python nim_master.py [--host 127.0.0.1] [--port 8894]

It logs in again when the connection is lost. It has no luck, so it needs no file: the host tells it its games anew.
"""

import argparse
import socket
import time
from xml.etree import ElementTree

LOGIN = '<gameMasterLogin id="nim-1" gameType="nim" playersMin="2" playersMax="2"/>'


def rule(connection):
    """Rule all games of one connection, until it is lost."""
    games = {}  # the id of a game -> [the heap, the player who moves, the other one]

    def say(kind, content):
        connection.sendall(f'<message type="{kind}">{content}</message>'.encode())

    def say_state(game_id):
        heap, first, _ = games[game_id]
        say(
            "gameState",
            f'<gameId id="{game_id}"/><nextPlayer nick="{first}"/><gameState><heap left="{heap}"/></gameState>',
        )

    def say_end(game_id, winner, loser):
        results = f'<player nick="{winner}" result="winner"/><player nick="{loser}" result="loser"/>'
        say("gameState", f'<gameId id="{game_id}"/><gameOver>{results}</gameOver><gameState/>')
        del games[game_id]

    say("gameMasterLogin", LOGIN)
    for line in connection.makefile(encoding="utf-8"):
        message = ElementTree.fromstring(line)
        kind = message.get("type")
        game_id = message.find("gameId").get("id") if message.find("gameId") is not None else ""
        if kind == "beginGame":
            games[game_id] = [7, *(player.get("nick") for player in message.findall("player"))]
            say_state(game_id)
        elif kind == "playerLeftGame":
            games.pop(game_id, None)  # the host has ended it: one player is left
        elif kind == "move" and game_id in games:
            heap, mover, other = games[game_id]
            take = message.find("move/take")
            taken = int(take.get("n", "0")) if take is not None and take.get("n", "0").isdecimal() else 0
            if not 1 <= taken <= min(3, heap):
                say_end(game_id, other, mover)
            elif taken == heap:
                say_end(game_id, mover, other)
            else:
                games[game_id] = [heap - taken, other, mover]
                say_state(game_id)
        elif kind == "loginResponse":
            print("logged in" if message.find("error") is None else f"refused: {line.strip()}", flush=True)
        else:
            print(line.strip(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Rules Nim.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8894)
    asked = parser.parse_args()
    while True:
        try:
            rule(socket.create_connection((asked.host, asked.port)))
        except OSError as error:
            print(f"{asked.host}:{asked.port}: {error}", flush=True)
        time.sleep(1)
