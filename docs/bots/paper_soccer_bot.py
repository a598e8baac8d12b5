"""A first bot for the XML paper soccer wire: python paper_soccer_bot.py NICK [HOST [PORT]]"""

import random
import socket
import sys
from xml.etree import ElementTree


def inside(x, y):
    return (abs(x) <= 4 and abs(y) <= 5) or (abs(x) <= 1 and abs(y) == 6)


def steps(ball, drawn):
    """Where the ball can go: inside the pitch, not along the border, not round a post, not along a drawn line."""
    for right, up in [(r, u) for r in (-1, 0, 1) for u in (-1, 0, 1) if r or u]:
        x, y = ball[0] + right, ball[1] + up
        post = 6 in (abs(y), abs(ball[1])) and (max(abs(x), abs(ball[0])) > 1 or (up and x == ball[0] and abs(x) == 1))
        side = not right and abs(x) == 4
        line = not up and (abs(y) == 6 or (abs(y) == 5 and max(abs(x), abs(ball[0])) > 1))
        if inside(x, y) and not (post or side or line) and frozenset((ball, (x, y))) not in drawn:
            yield x, y


def play(nick, host="127.0.0.1", port=8894):
    """Log in, play one game with random moves, and return the winner's nick."""
    with socket.create_connection((host, int(port))) as wire:
        login = f'<playerLogin nick="{nick}" gameType="paper soccer"/>'
        wire.sendall(f'<message type="playerLogin">{login}</message>'.encode())
        ball, drawn = (0, 0), set()
        touched = {(x, y) for x in range(-4, 5) for y in range(-6, 7) if abs(x) == 4 or abs(y) > 4} - {(0, 5), (0, -5)}
        touched.add(ball)
        for line in wire.makefile(newline="\n", encoding="utf-8"):
            message = ElementTree.fromstring(line)
            if (winner := message.find("gameOver/player[@result='winner']")) is not None:
                return winner.get("nick")
            if message.get("type") == "error" or message.find("response[@accept='no']") is not None:
                sys.exit(line)
            for point in message.findall("gameState/point"):
                start, ball = ball, (int(point.get("x")), int(point.get("y")))
                drawn.add(frozenset((start, ball)))
                touched.add(ball)
            if message.find(f"nextPlayer[@nick='{nick}']") is not None:
                at, lines, points = ball, set(drawn), []
                while not points or (at in touched and abs(at[1]) < 6 and any(steps(at, lines))):
                    start, at = at, random.choice(list(steps(at, lines)))
                    lines.add(frozenset((start, at)))
                    points.append(f"<point x='{at[0]}' y='{at[1]}'/>")
                wire.sendall(f'<message type="move"><move>{"".join(points)}</move></message>'.encode())


if __name__ == "__main__":
    print("won by", play(*sys.argv[1:]))
