"""
A player of Nim at random. It waits for a master, plays some games, and prints how each has ended.

    python nim_player.py NAME [--host 127.0.0.1] [--port 8894] [--games 1]
"""

import argparse
import random
import socket
from xml.etree import ElementTree


def play(nick, host="127.0.0.1", port=8894, games=1):
    """Play so many games. Returns how many were won."""
    try:
        connection = socket.create_connection((host, port))
    except OSError as error:
        raise SystemExit(f"{nick}: {host}:{port}: {error}") from None
    won = 0

    def say(kind, content=""):
        connection.sendall(f'<message type="{kind}">{content}</message>'.encode())

    say("playerLogin", f'<playerLogin nick="{nick}" gameType="nim"/>')
    for line in connection.makefile(encoding="utf-8"):
        message = ElementTree.fromstring(line)
        if message.get("type") == "loginResponse" and message.find("error") is not None:
            raise SystemExit(f"refused: {line.strip()}")
        if message.get("type") == "error" and "elsewhere" in line:
            raise SystemExit(f"{nick} is in use elsewhere, and ends here")
        if message.get("type") != "gameState":
            continue
        game_id = f'<gameId id="{message.find("gameId").get("id")}"/>'
        results = {player.get("nick"): player.get("result") for player in message.iterfind("gameOver/player")}
        if results:
            won += results[nick] == "winner"
            print(nick, results[nick], flush=True)
            games -= 1
            if not games:
                break
            say("thank you", game_id)
        elif message.find("nextPlayer").get("nick") == nick:
            heap = int(message.find("gameState/heap").get("left"))
            say("move", f'{game_id}<move><take n="{random.randint(1, min(3, heap))}"/></move>')
    say("logout")
    connection.close()
    return won


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Nim at random.")
    parser.add_argument("nick", metavar="name")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8894)
    parser.add_argument("--games", type=int, default=1)
    play(**vars(parser.parse_args()))
