"""
A player of tic-tac-toe on 20 by 20 squares. It plays beside marks that are there, and otherwise at random.

    python tictactoe_player.py NICK [--games 1] [--host 127.0.0.1] [--port 8894]
"""

import argparse
import random
import socket
from xml.etree import ElementTree

SIZE = 20


def choose(marks):
    """An empty square, beside a mark if there is one."""
    beside = {(x + right, y + down) for x, y in marks for right in (-1, 0, 1) for down in (-1, 0, 1)}
    squares = beside or {(SIZE // 2, SIZE // 2)}
    free = [(x, y) for x, y in sorted(squares - marks) if 0 <= x < SIZE and 0 <= y < SIZE]
    return random.choice(free)


class Player:
    """What the player says to each message of the host."""

    def __init__(self, nick):
        self.nick = nick
        self.marks = set()
        self.results = []

    def login(self):
        """The first message."""
        return f'<message type="playerLogin"><playerLogin nick="{self.nick}" gameType="tic-tac-toe"/></message>'

    def answer(self, line):
        """The message that answers a message, or nothing."""
        message = ElementTree.fromstring(line)
        if message.get("type") != "gameState":
            return ""
        game_id = f'<gameId id="{message.find("gameId").get("id")}"/>'
        for mark in message.iterfind("gameState/mark"):
            self.marks.add((int(mark.get("x")), int(mark.get("y"))))
        for player in message.iterfind("gameOver/player"):
            if player.get("nick") == self.nick:
                self.results.append(player.get("result"))
                self.marks.clear()
                return f'<message type="thank you">{game_id}</message>'
        if message.find("nextPlayer").get("nick") != self.nick:
            return ""
        x, y = choose(self.marks)
        return f'<message type="move">{game_id}<move><mark x="{x}" y="{y}"/></move></message>'


def main():
    """Play some games, and print how they have ended."""
    options = argparse.ArgumentParser(description="a player of tic-tac-toe on 20 by 20 squares")
    options.add_argument("nick")
    options.add_argument("--games", type=int, default=1)
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8894)
    given = options.parse_args()
    player = Player(given.nick)
    with socket.create_connection((given.host, given.port)) as connection:
        connection.sendall(player.login().encode())
        for line in connection.makefile(encoding="utf-8"):
            if 'accept="no"' in line:
                raise SystemExit(f"refused: {line.strip()}")
            answer = player.answer(line)
            if len(player.results) == given.games:
                break
            connection.sendall(answer.encode())
    print(*player.results)


if __name__ == "__main__":
    main()
