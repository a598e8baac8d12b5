"""A bot for paper soccer in the protocol of CodinGame: it plays at random, towards the goal where it can."""

import random
import sys
from contextlib import suppress

#: By digit: x and y of a step. Here y grows downwards, and the centre is at 0, 0.
STEPS = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]


def new_pitch():
    """All lines that can be drawn, by their ends."""
    points = [(x, y) for x in range(-4, 5) for y in range(-5, 6)] + [(x, y) for x in (-1, 0, 1) for y in (-6, 6)]
    free = set()
    for x, y in points:
        for dx, dy in STEPS:
            other = (x + dx, y + dy)
            border = (
                (dx == 0 and abs(x) == 4)  # a side line
                or (dx == 0 and abs(x) == 1 and 6 in (abs(y), abs(y + dy)))  # a post
                or (dy == 0 and (abs(y) == 6 or (abs(y) == 5 and max(abs(x), abs(x + dx)) > 1)))
            )
            beside = 6 in (abs(y), abs(y + dy)) and max(abs(x), abs(x + dx)) > 1
            if other in points and not border and not beside:
                free.add(frozenset(((x, y), other)))
    return free


def is_goal(point):
    return abs(point[1]) == 6


def main():
    goal = -6 if input() == "0" else 6
    free, ball = new_pitch(), (0, 0)
    touched = {(x, y) for x in range(-4, 5) for y in range(-5, 6) if abs(x) == 4 or (abs(y) == 5 and x != 0)}
    touched.add(ball)

    def draw(digit):
        nonlocal ball
        end = (ball[0] + STEPS[digit][0], ball[1] + STEPS[digit][1])
        free.discard(frozenset((ball, end)))
        ball, bounces = end, end in touched
        touched.add(end)
        return bounces and not is_goal(end)

    while True:
        input()  # how long the opponent's move is
        for digit in input():
            if digit != "-":
                draw(int(digit))
        move = ""
        while True:
            ways = [
                digit
                for digit, step in enumerate(STEPS)
                if frozenset((ball, (ball[0] + step[0], ball[1] + step[1]))) in free
            ]
            if not ways:
                break
            digit = random.choices(ways, [10 ** (STEPS[way][1] * goal / 6) for way in ways])[0]
            move += str(digit)
            if not draw(digit):
                break
        print(move, flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        random.seed(sys.argv[1])
    with suppress(EOFError):  # the game is over
        main()
