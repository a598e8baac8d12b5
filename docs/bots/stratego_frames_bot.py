"""A first bot for Stratego as binary frames: python stratego_frames_bot.py NAME [HOST [PORT [PAUSE]]]"""

import random
import socket
import struct
import sys
import time

name, host, port, pause = [*sys.argv[1:], *("bot", "127.0.0.1", "8891", "0.25")[len(sys.argv) - 1 :]]
connection = socket.create_connection((host, int(port)))
stream = connection.makefile("rb")


def send(kind, payload):
    connection.sendall(struct.pack(">BBHH", 0x2A, kind, 0, len(payload)) + payload)


low, box, my_turn, steps = 6, "F12334445555666677778888899999999SBBBBBB", False, []
send(1, struct.pack(">H", len(name.encode())) + name.encode())
while header := stream.read(6) or sys.exit("the host has closed the connection"):
    kind, payload = header[1], stream.read(header[4] * 256 + header[5])
    if kind == 1:  # Wait: whoever waits is the first player, and owns rows 0 to 3
        low = 0
    elif kind == 2:  # Connected
        for number, piece in enumerate(random.sample(box, len(box))):
            send(2, struct.pack(">Hii", ord(piece), number % 10, low + number // 10))
        box = send(3, b"\0\5ready") or ""  # the box is empty now
    elif kind in (5, 6, 9):  # Playing, Move, Battle
        my_turn = not my_turn if kind != 5 else payload[2:].decode() == name
    elif kind == 7:  # Board: a step of a piece that moves, onto an empty square or, rather, an enemy
        board = {(at % 10, at // 10): char for at, char in enumerate(payload.decode("utf-16-be"))}
        mine = [square for square in board if board[square] in "123456789S"]
        steps = [(x, y, x + dx, y + dy) for x, y in mine for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        steps = [step for step in random.sample(steps, len(steps)) if board.get(step[2:], "~") in ".#"]
        steps.sort(key=lambda step: board[step[2:]])
    elif kind in (10, 15):  # Game Over, Error
        sys.exit(print("won by" if kind == 10 else "error:", payload[2:].decode()))
    if my_turn and kind in (7, 8) and steps:  # my turn, or Move Invalid: the next one, then
        time.sleep(float(pause))
        send(4, struct.pack(">iiii", *steps.pop(0)))
