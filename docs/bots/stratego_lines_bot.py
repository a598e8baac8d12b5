"""
A first bot for Stratego as ASCII lines. It plays at random. Start two of them:

    python stratego_lines_bot.py NAME PASSWORD [--host 127.0.0.1] [--port 8890] [--games 1]
"""

import argparse
import random
import socket
import sys
import time

GIVE_UP = 20  # seconds without a connection
COLUMNS, LAKES = "ABCDEFGHIJ", ("C5", "D5", "C6", "D6", "G5", "H5", "G6", "H6")
RANKS = "MGKJPLSIRO"  # the letters that move, the strongest first; V is the flag, B a bomb
BOX = "V" + "B" * 6 + "MGKKJJJPPPPLLLLSSSSIIIIIRRRRRRRRO"


class Bot:
    def __init__(self, name, password, host="127.0.0.1", port=8890, games=1):
        self.name, self.password, self.address, self.games = name, password, (host, port), games
        self.winners = []  # of each game that is over
        self.board = {}  # square -> own letter, or # for the enemy's; an empty square is not in it
        self.rows = None  # the numbers of the board's rows that are still to come
        self.move = ("", "")  # my move that is not answered yet: from, to
        self.log_in_failed = self.resuming = False

    def run(self):
        """Play all games, through lost connections and restarts of the host."""
        last = time.monotonic()  # when there was a connection
        while len(self.winners) < self.games:
            if time.monotonic() - last > GIVE_UP:
                sys.exit(f"{self.name}: the host cannot be reached")
            try:
                with socket.create_connection(self.address) as self.connection:
                    # By default the system may hold a short line back until the one before it is confirmed. That can
                    # cost 40 ms for each move. With TCP_NODELAY every line is sent at once.
                    self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.log_in_failed = False
                    try:
                        self.talk()
                    finally:
                        last = time.monotonic()
            except OSError as error:
                self.tell(f"no connection to {self.address[0]}:{self.address[1]} ({error}): trying again")
                time.sleep(0.5)

    def talk(self):
        for line in self.connection.makefile(encoding="ascii", newline="\n"):
            self.hear(*line.split())
            if len(self.winners) == self.games:
                return
        raise ConnectionError("closed by the host")

    def hear(self, word, *more):
        if self.rows:
            self.read_row(self.rows.pop(0), word)
        elif word in ("auth-req", "auth-err", "err"):
            self.log_in(word, " ".join(more))
        else:
            self.play(word, *more)

    def log_in(self, word, reason):
        if word == "auth-req":
            self.send(self.name, self.password)
        elif word == "auth-err":
            self.log_in_failed = True
        else:
            self.tell(f"refused: {reason}")
            # Whoever has the password has the seat. To log in again would throw the other one off.
            if "elsewhere" in reason:
                sys.exit(f"{self.name} is in use elsewhere, and ends here")
            if self.log_in_failed:
                sys.exit(1)

    def play(self, word, *more):
        if word in ("new", "resume"):  # a new game, or one that was interrupted and goes on
            self.resuming = word == "resume"
        elif word == "color":
            self.color = more[0]
            self.tell(f"playing {self.color}")
            if not self.resuming:
                self.set_up()
        elif word == "board":
            self.board, self.rows = {}, list(range(10, 0, -1))
        elif word == "winner":
            self.winners.append(more[0])
            self.tell(f"game {len(self.winners)} won by {more[0]}")
        elif word == "get-move":
            self.send_move()
        elif word == "none" or word in RANKS + "VB":  # what my move has met
            self.moved(*self.move, mine=self.board.get(self.move[0], ""), met=word.replace("none", ""))
        elif "-" in word:  # the other's move, and the letter of its piece if it attacked one of mine
            start, end, *attacker = word.split("-")
            self.moved(start, end, mine="#", met=self.board.get(end, ""), attacker="".join(attacker))

    def set_up(self):
        rows = (1, 2, 3, 4) if self.color == "red" else (10, 9, 8, 7)
        home = [f"{column}{row}" for row in rows for column in COLUMNS]
        self.board = {f"{column}{row}": "#" for row in (1, 2, 3, 4, 7, 8, 9, 10) for column in COLUMNS}
        self.board.update(zip(home, random.sample(BOX, 40)))
        self.send(*("".join(self.board[f"{column}{row}"] for column in COLUMNS) for row in rows))

    def read_row(self, row, letters):
        self.board.update((f"{c}{row}", letter) for c, letter in zip(COLUMNS, letters) if letter not in ".~")

    def moved(self, start, end, mine, met, attacker=""):
        """Keep the board: the piece on `start` moved to `end` and met a piece there, or nothing."""
        attacker, stays = attacker or mine, mine
        if met:
            beats = met == "V" or attacker + met in ("IB", "OM")
            if met == attacker:
                stays = ""
            elif not beats and (met == "B" or RANKS.index(met) < RANKS.index(attacker)):
                stays = "#" if mine != "#" else met
        self.board.pop(start, None)
        self.board.pop(end, None)
        if stays:
            self.board[end] = stays

    def send_move(self):
        """One step of a piece that can move, onto an enemy piece if there is one in reach. If it is refused: another."""
        steps = []
        for square in (square for square, letter in self.board.items() if letter in RANKS):
            column, row = COLUMNS.index(square[0]), int(square[1:])
            for x, y in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if 0 <= x < 10 and 1 <= y <= 10 and f"{COLUMNS[x]}{y}" not in LAKES:
                    end = f"{COLUMNS[x]}{y}"
                    steps += [(square, end)] * {"": 1, "#": 5}.get(self.board.get(end, ""), 0)
        self.move = random.choice(steps)
        self.send("-".join(self.move))

    def send(self, *lines):
        self.connection.sendall("".join(line + "\n" for line in lines).encode("ascii"))

    def tell(self, text):
        print(f"{self.name}: {text}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Stratego at random.")
    parser.add_argument("name")
    parser.add_argument("password")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8890)
    parser.add_argument("--games", type=int, default=1)
    Bot(**vars(parser.parse_args())).run()
