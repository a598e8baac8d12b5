"""A first bot for Stratego as ASCII lines: python stratego_lines_bot.py NAME PASSWORD [HOST [PORT]]"""

import random
import socket
import sys

RANKS, BOX = "MGKJPLSIRO", "VMGKKJJJPPPPLLLLSSSSIIIIIRRRRRRRROBBBBBB"
COLUMNS, LAKES = "ABCDEFGHIJ", "C5 D5 C6 D6 G5 H5 G6 H6"
name, password, host, port = [*sys.argv[1:], *("bot", "secret", "127.0.0.1", "8890")[len(sys.argv) - 1 :]]
wire = socket.create_connection((host, int(port)))
board, start, end = {}, "", ""

for line in wire.makefile(newline="\n", encoding="ascii"):
    word, *more = line.split()
    if word == "auth-req":
        wire.sendall(f"{name}\n{password}\n".encode())
    elif word == "color":
        board = {f"{column}{row}": "#" for row in (1, 2, 3, 4, 7, 8, 9, 10) for column in COLUMNS}
        home = [f"{c}{row}" for row in ((1, 2, 3, 4) if more == ["red"] else (10, 9, 8, 7)) for c in COLUMNS]
        board.update(zip(home, random.sample(BOX, 40)))
        wire.sendall("".join(board[at] + "\n" * (at[0] == "J") for at in home).encode())
    elif word == "get-move":  # a step of a piece that moves; after an err another one
        steps = [(at, at[0], int(at[1:]) + step) for at in board if board[at] in RANKS for step in (-1, 1)]
        steps += [(at, chr(ord(at[0]) + step), int(at[1:])) for at in board if board[at] in RANKS for step in (-1, 1)]
        steps = [(at, f"{x}{y}") for at, x, y in steps if x in COLUMNS and 1 <= y <= 10 and f"{x}{y}" not in LAKES]
        steps = [step for step in steps if board.get(step[1], "#") == "#"]
        start, end = random.choice([step for step in steps if step[1] in board] * 5 + steps)
        wire.sendall(f"{start}-{end}\n".encode())
    elif word == "none" or word[0].isupper():  # what my move met, or the other's move
        piece, met = board.get(start), word.replace("none", "")
        if "-" in word:
            start, end, piece, *_ = [*word.split("-"), "#"]
            met = board.get(end, "") if piece != "#" else ""
        wins = not met or met == "V" or piece + met in ("IB", "OM") or RANKS.find(piece) < RANKS.find(met)
        left, mine = piece if wins else met, met if "-" in word else piece
        board.update({start: "", end: "" if piece == met else left if left == mine else "#"})
        board = {at: what for at, what in board.items() if what}
    elif word in ("winner", "auth-err"):
        sys.exit(print("won by" if more else "wrong", *(more or ["password"])))

sys.exit("the host has closed the connection")
