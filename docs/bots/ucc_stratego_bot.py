"""A bot for Stratego in the protocol of the UCC Programming Competition 2012: it attacks where it can."""

import random
import sys

BACK, THEN, MIDDLE, FRONT = "FB8sB479B8", "BB31555583", "6724898974", "967B669999"
DIRECTIONS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}


def choose(rows, ahead):
    """A move, on the board as rows from the top down; better ones weigh more."""
    moves, weights = [], []
    for y, row in enumerate(rows):
        for x, piece in enumerate(row):
            if piece in "123456789s":
                for direction, (dx, dy) in DIRECTIONS.items():
                    if 0 <= x + dx < 10 and 0 <= y + dy < 10:
                        target = rows[y + dy][x + dx]
                        if target in ".#":
                            moves.append(f"{x} {y} {direction}")
                            weights.append(20 if target == "#" else 5 if direction == ahead else 1)
    return random.choices(moves, weights)[0] if moves else "SURRENDER"


def main():
    colour = input().split()[0]
    rows = [BACK, THEN, MIDDLE, FRONT]
    print("\n".join(rows if colour == "RED" else rows[::-1]), flush=True)
    while not input().startswith("QUIT"):  # START, or the opponent's move
        board = [input() for _ in range(10)]
        print(choose(board, "DOWN" if colour == "RED" else "UP"), flush=True)
        if input().startswith("QUIT"):  # the own move, and what has come of it
            break


if __name__ == "__main__":
    if len(sys.argv) > 1:
        random.seed(sys.argv[1])
    main()
