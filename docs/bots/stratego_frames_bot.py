"""
A first bot for Stratego as binary frames. It plays at random. Start two of them:

    python stratego_frames_bot.py NAME [--host 127.0.0.1] [--port 8891] [--games 1]
"""

import argparse
import random
import socket
import struct
import sys
import time

SIGN_ON, SETUP, READY, MOVE = 1, 2, 3, 4
WAIT, CONNECTED, PLAYING, MOVED, BOARD, MOVE_INVALID, BATTLE, GAME_OVER = 1, 2, 5, 6, 7, 8, 9, 10
ERROR = 15
GIVE_UP = 20  # seconds without a connection
EMPTY, BOX = "." * 100, "F12334445555666677778888899999999SBBBBBB"


class Bot:
    def __init__(self, name, host="127.0.0.1", port=8891, games=1):
        self.name, self.address, self.games = name, (host, port), games
        self.winners = []  # of each game that is over
        self.board = EMPTY  # y * 10 + x: own pieces by id, # for the enemy's, . empty, ~ lake
        self.low, self.setting_up, self.my_turn = 60, False, False
        self.in_game = self.interrupted = False

    def run(self):
        """Play all games, through lost connections and restarts of the host."""
        last = time.monotonic()  # when there was a connection
        while len(self.winners) < self.games:
            if time.monotonic() - last > GIVE_UP:
                sys.exit(f"{self.name}: the host cannot be reached")
            try:
                with socket.create_connection(self.address) as self.connection:
                    # By default the system may hold a short frame back until the one before it is confirmed. That can
                    # cost 40 ms for each move. With TCP_NODELAY every frame is sent at once.
                    self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    try:
                        self.talk()
                    finally:
                        last = time.monotonic()
            except OSError as error:
                self.tell(f"no connection to {self.address[0]}:{self.address[1]} ({error}): trying again")
                time.sleep(0.5)

    def talk(self):
        self.signed_on = False
        # A game that was interrupted goes on. In a new one the second player is the one that is not told to wait.
        self.interrupted, self.setting_up = self.in_game, False
        if not self.in_game:
            self.low = 60
        stream = self.connection.makefile("rb")
        self.send(SIGN_ON, self.string(self.name))
        while len(header := stream.read(6)) == 6:
            _, kind, _, size = struct.unpack(">BBHH", header)
            self.hear(kind, stream.read(size))
            if len(self.winners) == self.games:
                return
        raise ConnectionError("closed by the host")

    def hear(self, kind, payload):
        if kind == ERROR:
            self.refused(payload[2:].decode())
            return
        self.signed_on = True
        self.set_up(kind, payload)
        self.play(kind, payload)

    def refused(self, reason):
        self.tell(f"refused: {reason}")
        if "elsewhere" in reason:  # to sign on again would throw the other one off
            sys.exit(f"{self.name} is in use elsewhere, and ends here")
        if not self.signed_on and ("in use" in reason or "try again" in reason):
            raise ConnectionError("the host has not noticed yet that the old connection is lost, or has us wait")
        if not self.signed_on and "stopping" not in reason:
            sys.exit(1)

    def set_up(self, kind, payload):
        if kind == WAIT and not self.setting_up:  # who waits is the first player, with the rows 0 to 3
            self.low = 0
        elif kind == CONNECTED and not self.setting_up:
            self.setting_up = True
            if not self.interrupted:
                self.place_missing()
        elif kind == BOARD and self.setting_up and self.interrupted:  # what stands already, after a lost connection
            self.board, self.interrupted = payload.decode("utf-16-be"), False
            self.low = 0 if any(piece in BOX for piece in self.board[:40]) else self.low
            self.place_missing()

    def play(self, kind, payload):
        if kind == PLAYING:
            self.setting_up, self.interrupted, self.my_turn = False, False, payload[2:].decode() == self.name
            self.tell(f"playing; {payload[2:].decode()} is to move")
        elif kind in (MOVED, BATTLE):
            self.my_turn = not self.my_turn
            if kind == BATTLE and payload.endswith(b"F"):  # the flag is taken: Game Over comes behind the Board
                self.my_turn = False
        elif kind == BOARD:
            self.board = payload.decode("utf-16-be")
        elif kind == GAME_OVER:
            self.winners.append(payload[2:].decode())
            self.tell(f"game {len(self.winners)} won by {self.winners[-1]}")
            self.board, self.my_turn, self.setting_up, self.in_game = EMPTY, False, False, False
            self.low = 60
            if len(self.winners) < self.games:
                self.send(SIGN_ON, self.string(self.name))
        if kind in (BOARD, MOVE_INVALID) and self.my_turn:  # refused: try another move
            self.move()

    def place_missing(self):
        self.in_game = True
        home = range(self.low, self.low + 40)
        missing = list(BOX)
        for square in home:
            if self.board[square] != ".":
                missing.remove(self.board[square])
        if missing:
            random.shuffle(missing)
            for square in home:
                if self.board[square] == ".":
                    piece = missing.pop()
                    self.send(SETUP, struct.pack(">Hii", ord(piece), square % 10, square // 10))
                    self.board = self.board[:square] + piece + self.board[square + 1 :]
        self.send(READY, self.string("ready"))

    def move(self):
        """One step of a piece that can move, onto an enemy piece if there is one in reach."""
        steps = []
        for square in (square for square in range(100) if self.board[square] in "123456789S"):
            x, y = square % 10, square // 10
            for to_x, to_y in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if 0 <= to_x < 10 and 0 <= to_y < 10 and self.board[to_y * 10 + to_x] in ".#":
                    steps += [(x, y, to_x, to_y)] * (5 if self.board[to_y * 10 + to_x] == "#" else 1)
        if steps:
            self.send(MOVE, struct.pack(">iiii", *random.choice(steps)))

    @staticmethod
    def string(text):
        return struct.pack(">H", len(text.encode())) + text.encode()

    def send(self, kind, payload):
        self.connection.sendall(struct.pack(">BBHH", 0x2A, kind, 0, len(payload)) + payload)

    def tell(self, text):
        print(f"{self.name}: {text}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Stratego at random.")
    parser.add_argument("name")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8891)
    parser.add_argument("--games", type=int, default=1)
    Bot(**vars(parser.parse_args())).run()
