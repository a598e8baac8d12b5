"""
A master of tic-tac-toe on 20 by 20 squares: five marks in a row win.

    python tictactoe_master.py [--host 127.0.0.1] [--port 8894] [--id tictactoe]

A move is one mark, such as `<mark x="0" y="19"/>`. A state has the last mark, or nothing. A move that the rules forbid loses.
On a full board both have lost, because the protocol has no draw.

The master keeps nothing on disk. When it is killed and started again within the grace time of the host, the host tells it all
games anew, and they go on.
"""

import argparse
import re
import socket
import time
from xml.etree import ElementTree

SIZE = 20
IN_A_ROW = 5
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
NUMBER = re.compile(r"1?[0-9]", re.ASCII)


class Board:
    """One game."""

    def __init__(self, nicks):
        self.nicks = nicks
        self.turn = 0
        self.marks = {}

    def play(self, x, y):
        """Make a mark for the player whose turn it is. Whether that wins."""
        self.marks[x, y] = self.turn
        won = any(self.length(x, y, *direction) >= IN_A_ROW for direction in DIRECTIONS)
        self.turn = 1 - self.turn
        return won

    def length(self, x, y, right, down):
        """How many marks of one player are in a row."""
        found = 1
        for way in (1, -1):
            step = 1
            while self.marks.get((x + way * step * right, y + way * step * down)) == self.marks[x, y]:
                step += 1
            found += step - 1
        return found


def square(message):
    """The square of a move; `None`: it is none."""
    move = message.find("move")
    marks = list(move)
    if len(marks) != 1 or marks[0].tag != "mark":
        return None
    x, y = marks[0].get("x", ""), marks[0].get("y", "")
    return (int(x), int(y)) if NUMBER.fullmatch(x) and NUMBER.fullmatch(y) else None


class Master:
    """What the master says to each message of the host. It knows no socket, so it can be tested without one."""

    def __init__(self):
        self.games = {}

    def answer(self, line):
        """The messages that answer a message."""
        message = ElementTree.fromstring(line)
        game_id = message.find("gameId")
        number = "" if game_id is None else game_id.get("id")
        if message.get("type") == "beginGame":
            self.games[number] = Board([player.get("nick") for player in message.findall("player")])
            return [self.state(number)]
        if message.get("type") == "playerLeftGame":
            self.games.pop(number, None)  # one player is left, so the host has ended the game
        elif message.get("type") == "move" and number in self.games:
            return [self.move(number, square(message))]
        return []

    def move(self, number, at):
        """The state after a move."""
        board = self.games[number]
        mover = board.turn
        if at is None or at in board.marks:
            return self.end(number, {1 - mover}, "")
        content = f'<mark x="{at[0]}" y="{at[1]}"/>'
        if board.play(*at):
            return self.end(number, {mover}, content)
        if len(board.marks) == SIZE * SIZE:
            return self.end(number, set(), content)
        return self.state(number, content)

    def state(self, number, content=""):
        """A state: the last mark, and who is next."""
        board = self.games[number]
        turn = f'<nextPlayer nick="{board.nicks[board.turn]}"/>'
        return f'<message type="gameState"><gameId id="{number}"/>{turn}<gameState>{content}</gameState></message>'

    def end(self, number, winners, content):
        """The end."""
        results = "".join(
            f'<player nick="{nick}" result="{"winner" if place in winners else "loser"}"/>'
            for place, nick in enumerate(self.games.pop(number).nicks)
        )
        return (
            f'<message type="gameState"><gameId id="{number}"/><gameOver>{results}</gameOver>'
            f"<gameState>{content}</gameState></message>"
        )


def serve(connection, name):
    """Rule all games of one connection, until it is lost."""
    login = f'<gameMasterLogin id="{name}" gameType="tic-tac-toe" playersMin="2" playersMax="2"/>'
    connection.sendall(f'<message type="gameMasterLogin">{login}</message>'.encode())
    master = Master()
    for line in connection.makefile(encoding="utf-8"):
        if 'type="loginResponse"' in line:
            print("registered" if 'accept="yes"' in line else f"refused: {line.strip()}", flush=True)
        connection.sendall("".join(master.answer(line)).encode())


def main():
    """Log in again whenever the connection is lost."""
    options = argparse.ArgumentParser(description="a master of tic-tac-toe on 20 by 20 squares")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8894)
    options.add_argument("--id", default="tictactoe")
    given = options.parse_args()
    while True:
        try:
            with socket.create_connection((given.host, given.port)) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                serve(connection, given.id)
        except OSError as error:
            print(f"no connection: {error}", flush=True)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
