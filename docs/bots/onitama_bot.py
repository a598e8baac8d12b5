"""A first bot for the pipe-separated Onitama wire: python onitama_bot.py NAME [HOST [PORT]]"""

import random
import socket
import sys

CARDS = {
    "tiger": [(0, 2), (0, -1)], "dragon": [(-2, 1), (2, 1), (-1, -1), (1, -1)], "crab": [(-2, 0), (2, 0), (0, 1)],
    "elephant": [(-1, 1), (1, 1), (-1, 0), (1, 0)], "monkey": [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    "mantis": [(-1, 1), (1, 1), (0, -1)], "crane": [(0, 1), (-1, -1), (1, -1)], "boar": [(0, 1), (-1, 0), (1, 0)],
    "goose": [(-1, 1), (-1, 0), (1, 0), (1, -1)], "rooster": [(1, 1), (-1, 0), (1, 0), (-1, -1)],
    "eel": [(-1, 1), (-1, -1), (1, 0)], "cobra": [(1, 1), (1, -1), (-1, 0)], "rabbit": [(1, 1), (2, 0), (-1, -1)],
    "frog": [(-1, 1), (-2, 0), (1, -1)], "ox": [(0, 1), (0, -1), (1, 0)], "horse": [(0, 1), (0, -1), (-1, 0)],
}  # fmt: skip


def play(name, host="127.0.0.1", port=8893):
    """Log in, play one game with random moves, and return the winner's name."""
    with socket.create_connection((host, int(port))) as wire:
        wire.sendall(f"LOGIN|{name}\n".encode())
        for line in wire.makefile(newline="\n", encoding="utf-8"):
            command, *fields = line.rstrip("\n").split("|")
            if command == "START":
                me = 0 if fields[0] == name else 1
                holders = dict(part.split("=") for part in fields[2].split(";"))
                hands, spare = [holders["white"].split(","), holders["black"].split(",")], holders["spare"]
                board, turn = dict(zip([c + r for r in "15" for c in "abcde"], [0] * 5 + [1] * 5)), 0
            elif command == "MOVE_WAS_MADE":
                card, start, end = fields
                hands[turn][hands[turn].index(card)], spare = spare, card
                board[end], turn = board.pop(start), 1 - turn
            elif command == "STALEMATE_CARD":
                hands[turn][hands[turn].index(fields[0])], turn = fields[1], 1 - turn
            elif command == "GAME_OVER":
                return fields[0]
            elif command not in ("WAITING", "LOGOUT", "RECONNECT"):
                sys.exit(line)
            if command in ("START", "MOVE_WAS_MADE", "STALEMATE_CARD") and turn == me:
                side, moves = (1, -1)[me], []
                for start in [square for square, owner in board.items() if owner == me]:
                    for card, (right, ahead) in [(held, step) for held in hands[me] for step in CARDS[held]]:
                        end = chr(ord(start[0]) + side * right) + chr(ord(start[1]) + side * ahead)
                        if end[0] in "abcde" and end[1] in "12345" and board.get(end) != me:
                            moves.append(f"MAKE_MOVE|{card}|{start}|{end}")
                wire.sendall(random.choice(moves or ["STALEMATE|" + hands[me][0]]).encode() + b"\n")
    sys.exit("the host has closed the connection")


if __name__ == "__main__":
    print("won by", play(*sys.argv[1:]))
