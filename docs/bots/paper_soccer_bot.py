"""
A bot for Paper Soccer in XML. It plays at random, as many games as you like:

    python paper_soccer_bot.py NICK [--games 3] [--host 127.0.0.1] [--port 8894]

It prints what happens. If the connection is lost or the host restarts, it logs in again and plays on. It gives up when the
host cannot be reached for 20 seconds.
"""

import argparse
import itertools
import random
import socket
import time
from xml.etree import ElementTree

# The way of the ball begins with the points of the border: the ball bounces there, too. It ends at the centre.
BORDER = [(x, y) for x in range(-4, 5) for y in range(-5, 6) if abs(x) == 4 or (abs(y) == 5 and x)]
KICKOFF = [*BORDER, (0, 0)]
GIVE_UP = 20  # seconds without a connection
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def steps(way):
    """Where the ball can go after its way so far: along new lines whose middle is inside the field or a goal."""
    x, y = way[-1]
    drawn = [{start, end} for start, end in itertools.pairwise(way)]
    for right, up in DIRECTIONS:
        across, along = abs(x + right / 2), abs(y + up / 2)
        inside = (across < 4 and along < 5) or (across < 1 and along < 6)
        if inside and {(x, y), (x + right, y + up)} not in drawn:
            yield x + right, y + up


def choose(way):
    """A random move: step by step, as long as the ball bounces and can go on."""
    after = [*way, random.choice([*steps(way)])]
    while after[-1] in after[:-1] and (ahead := [*steps(after)]):
        after.append(random.choice(ahead))
    return after[len(way) :]


def send(wire, kind, content):
    """Send one message."""
    wire.sendall(f'<message type="{kind}">{content}</message>\n'.encode())


def play(nick, wire, winners, games):
    """Play on one connection, until enough games are over (the winners are added to a list) or it ends."""
    login = f'<playerLogin nick="{nick}" gameType="paper soccer"/>'
    way, game = [*KICKOFF], ""
    send(wire, "playerLogin", login)
    for line in wire.makefile(newline="\n", encoding="utf-8"):  # the server writes one message a line
        message = ElementTree.fromstring(line)
        winner = message.find("gameOver/player[@result='winner']")
        following = message.find("nextPlayer")
        if message.find("gameId") is not None:
            game = f'<gameId id="{message.find("gameId").get("id")}"/>'
        if winner is not None:
            winners.append(winner.get("nick"))
            print(f"{nick}: game {len(winners)} was won by {winners[-1]}")
            send(wire, "thank you", game)
            if len(winners) >= games:
                return
            way = [*KICKOFF]
            send(wire, "playerLogin", login)
        elif following is not None:
            # It has the points of the last move; for a player who comes back, all points so far; for a new game, none.
            way += [(int(point.get("x")), int(point.get("y"))) for point in message.iter("point")]
            if way == KICKOFF:
                print(nick, "plays:", following.get("nick"), "moves first")
            if following.get("nick") == nick:
                points = "".join(f"<point x='{x}' y='{y}'/>" for x, y in choose(way))
                send(wire, "move", f"{game}<move>{points}</move>")
        else:
            print(nick, "hears:", line.rstrip())  # loginResponse, playerLeftGame, error, serverShutdown
            if message.get("type") == "error" and "elsewhere" in line:  # to log in again would throw the other one off
                raise SystemExit(f"{nick} is in use elsewhere, and ends here")
        if message.find("response[@accept='no']") is not None:
            return


def run(nick, host="127.0.0.1", port=8894, games=1, pause=1.0):
    """Play so many games and return the list of winners. After a lost connection, try again every `pause` seconds."""
    winners = []
    last = time.monotonic()  # when there was a connection
    while len(winners) < games and time.monotonic() - last < GIVE_UP:
        try:
            with socket.create_connection((host, port)) as wire:
                # Without this option the system may hold a short message back until the host has confirmed the last one.
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    play(nick, wire, winners, games)
                finally:
                    last = time.monotonic()
        except OSError as error:
            print(f"{nick}: {host}:{port}: {error}")
        if len(winners) < games:
            print(nick, "has lost the connection and tries again")
            time.sleep(pause)
    return winners


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plays Paper Soccer at random.")
    parser.add_argument("nick")
    parser.add_argument("--games", type=int, default=1, help="how many; default 1")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8894)
    run(**vars(parser.parse_args()))
