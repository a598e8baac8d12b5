"""A first bot for the XML paper soccer wire: python paper_soccer_bot.py NICK [HOST [PORT]]"""

import random
import socket
import sys
from xml.etree import ElementTree


def steps(way):
    """Where the ball can go after its way so far: along new lines with their middle inside the field or a goal."""
    (x, y), drawn = way[-1], [{way[n - 1], way[n]} for n in range(1, len(way))]
    for right, up in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]:
        across, along = abs(x + right / 2), abs(y + up / 2)
        inside = (across < 4 and along < 5) or (across < 1 and along < 6)
        if inside and {(x, y), (x + right, y + up)} not in drawn:
            yield x + right, y + up


def play(nick, host="127.0.0.1", port=8894):
    """Play a game at random; the winner's nick. The way begins with the points of the border: they bounce, too."""
    way = [(x, y) for x in range(-4, 5) for y in range(-5, 6) if abs(x) == 4 or (abs(y) == 5 and x)] + [(0, 0)]
    with socket.create_connection((host, int(port))) as wire:
        login = f'<playerLogin nick="{nick}" gameType="paper soccer"/>'
        wire.sendall(f'<message type="playerLogin">{login}</message>'.encode())
        for message in map(ElementTree.fromstring, wire.makefile(newline="\n", encoding="utf-8")):
            if message.get("type") == "error" or message.find("response[@accept='no']") is not None:
                sys.exit(ElementTree.tostring(message, "unicode"))
            if (winner := message.find("gameOver/player[@result='winner']")) is not None:
                return winner.get("nick")
            way += [(int(point.get("x")), int(point.get("y"))) for point in message.iter("point")]
            if message.find(f"nextPlayer[@nick='{nick}']") is not None:
                after = [*way, random.choice([*steps(way)])]
                while after[-1] in after[:-1] and (ahead := [*steps(after)]):
                    after.append(random.choice(ahead))
                points = "".join(f"<point x='{x}' y='{y}'/>" for x, y in after[len(way) :])
                wire.sendall(f'<message type="move"><move>{points}</move></message>'.encode())
    sys.exit("the host has closed the connection")


if __name__ == "__main__":
    print("won by", play(*sys.argv[1:]))
