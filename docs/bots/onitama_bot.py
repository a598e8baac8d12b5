"""
A bot for Onitama in pipe-separated lines. It plays at random, as many games as you like:

    python onitama_bot.py NAME [--games 3] [--host 127.0.0.1] [--port 8893]

It prints what happens. If the connection is lost or the host restarts, it logs in again and plays on. It gives up when the
host cannot be reached for 20 seconds.
"""

import argparse
import os
import random
import socket
import time

# The vectors of each card: (right, forward), as the player who holds the card sees them.
CARDS = {
    "tiger": [(0, 2), (0, -1)], "dragon": [(-2, 1), (2, 1), (-1, -1), (1, -1)], "crab": [(-2, 0), (2, 0), (0, 1)],
    "elephant": [(-1, 1), (1, 1), (-1, 0), (1, 0)], "monkey": [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    "mantis": [(-1, 1), (1, 1), (0, -1)], "crane": [(0, 1), (-1, -1), (1, -1)], "boar": [(0, 1), (-1, 0), (1, 0)],
    "goose": [(-1, 1), (-1, 0), (1, 0), (1, -1)], "rooster": [(1, 1), (-1, 0), (1, 0), (-1, -1)],
    "eel": [(-1, 1), (-1, -1), (1, 0)], "cobra": [(1, 1), (1, -1), (-1, 0)], "rabbit": [(1, 1), (2, 0), (-1, -1)],
    "frog": [(-1, 1), (-2, 0), (1, -1)], "ox": [(0, 1), (0, -1), (1, 0)], "horse": [(0, 1), (0, -1), (-1, 0)],
}  # fmt: skip
GIVE_UP = 20  # seconds without a connection
# START tells the cards in an extension. For a server without it they must be agreed on in another way.
DEAL = os.environ.get("GAMEHOST_DEAL", "white=boar,ox;black=crab,eel;spare=tiger")
START = "ppkpp/...../...../...../PPKPP"
WHITE, BLACK = 0, 1


class Game:
    """The position as the server has told it. `me` and `turn` are WHITE or BLACK."""

    def __init__(self, me, board, cards, turn):
        self.me, self.turn = me, turn
        holders = dict(part.split("=") for part in cards.split(";"))
        self.hands = [holders["white"].split(","), holders["black"].split(",")]
        self.spare = holders["spare"]
        squares = [column + row for row in "54321" for column in "abcde"]
        pieces = zip(squares, board.replace("/", ""))
        self.owners = {square: WHITE if piece.isupper() else BLACK for square, piece in pieces if piece != "."}

    def moved(self, card, start, end):
        hand = self.hands[self.turn]
        hand[hand.index(card)], self.spare = self.spare, card
        self.owners[end] = self.owners.pop(start)
        self.turn = 1 - self.turn

    def exchanged(self, old, new):
        hand = self.hands[self.turn]
        hand[hand.index(old)] = new
        self.turn = 1 - self.turn

    def choose(self):
        """The line for a random move, or for an exchange if there is no move."""
        side, moves = 1 if self.me == WHITE else -1, []
        for start in [square for square, owner in self.owners.items() if owner == self.me]:
            for card in self.hands[self.me]:
                for right, forward in CARDS[card]:
                    end = chr(ord(start[0]) + side * right) + chr(ord(start[1]) + side * forward)
                    if end[0] in "abcde" and end[1] in "12345" and self.owners.get(end) != self.me:
                        moves.append(f"MAKE_MOVE|{card}|{start}|{end}")
        return random.choice(moves) if moves else f"STALEMATE|{self.hands[self.me][0]}"


def play(name, wire, winners, games):
    """Play on one connection, until enough games are over (the winners are added to a list) or it ends."""
    game = None
    login, name = f"LOGIN|{name}\n".encode(), name.split(":")[0]  # NAME:KEY: the others see the name alone
    wire.sendall(login)
    for line in wire.makefile(newline="\n", encoding="utf-8"):
        command, *fields = line.rstrip("\n").split("|")
        if command == "START":
            print(name, "plays:", fields[0], "is White,", fields[1], "is Black")
            cards = fields[2] if len(fields) > 2 else DEAL
            game = Game(WHITE if fields[0] == name else BLACK, START, cards, WHITE)
        elif command == "RECONNECT":
            who, colour, board, cards, on_turn = fields
            print(name, "hears that", who, "is back")
            if who != name:
                continue  # nothing has changed on the board, and a move that was sent meanwhile counts
            mine = WHITE if colour == "white" else BLACK
            game = Game(mine, board, cards, mine if on_turn == name else 1 - mine)
        elif command == "MOVE_WAS_MADE":
            game.moved(*fields)
        elif command == "STALEMATE_CARD":
            game.exchanged(*fields)
        elif command == "GAME_OVER":
            winners.append(fields[0])
            print(f"{name}: game {len(winners)} was won by {fields[0]}")
            if len(winners) >= games:
                return
            wire.sendall(login)
        else:
            print(f"{name} hears: {line.rstrip()}")  # WAITING, LOGOUT, ERROR, INVALID_MOVE
            if command == "ERROR" and "elsewhere" in line:  # to log in again would throw the other one off
                raise SystemExit(f"{name} is in use elsewhere, and ends here")
        if (
            command in ("START", "RECONNECT", "MOVE_WAS_MADE", "STALEMATE_CARD", "INVALID_MOVE")
            and game.turn == game.me
        ):
            wire.sendall((game.choose() + "\n").encode())


def run(name, host="127.0.0.1", port=8893, games=1, pause=1.0):
    """Play so many games and return the list of winners. After a lost connection, try again every `pause` seconds."""
    winners = []
    last = time.monotonic()  # when there was a connection
    while len(winners) < games and time.monotonic() - last < GIVE_UP:
        try:
            with socket.create_connection((host, port)) as wire:
                # Without this option the system may hold a short message back until the host has confirmed the last one.
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    play(name, wire, winners, games)
                finally:
                    last = time.monotonic()
        except OSError as error:
            print(f"{name}: {host}:{port}: {error}")
        if len(winners) < games:
            print(name, "has lost the connection and tries again")
            time.sleep(pause)
    return winners


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Onitama at random.")
    parser.add_argument("name")
    parser.add_argument("--games", type=int, default=1, help="how many; default 1")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8893)
    run(**vars(parser.parse_args()))
