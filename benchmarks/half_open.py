"""
How long a host takes to find that a cable was pulled. It makes a network of its own (Linux, as root), and takes down the link
under pairs of players of every wire. One player of each pair was silent for longer. When the host finds that connection
gone, it tells the other player, and has to wait for that connection too: the worst case.

python -m benchmarks.half_open
"""

import os
import random
import socket
import subprocess
import sys
import time

from benchmarks.honest import host
from benchmarks.soak import counts
from tests.kit.memory_host import message_text_of
from tests.kit.model_clients import MODEL_CLIENTS

GOAL = 35.0


def network() -> str:
    """Which network this process is in."""
    return os.readlink("/proc/self/ns/net")


def main(outside: str) -> int:
    """
    The status.

    :param outside: the network of everybody else
    """
    if network() == outside:
        print("not in a network of its own: nothing is taken down")
        return 2
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with host(module="tests.kit.altered_hosts:counts_resources", wires=tuple(MODEL_CLIENTS)) as process:
        players = []
        seconds = []
        for wire, client_model in MODEL_CLIENTS.items():
            for name in ("ann", "bob"):
                player = socket.create_connection(("127.0.0.1", process.ports[wire]))
                player.sendall(b"".join(map(message_text_of(wire).said, client_model(f"{wire[-6:]}{name}").log_in())))
                players.append(player)
            nonsense = client_model("bob").nonsense(random.Random(1)) or ["nonsense"]
            seconds.append((player, b"".join(map(message_text_of(wire).said, nonsense))))
        time.sleep(8)
        for player, data in seconds:
            player.sendall(data)
        time.sleep(0.5)
        before = counts(process)["connections"]
        began = time.monotonic()
        subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
        print(f"{before} connections, and the link is down")
        left = before
        while left and time.monotonic() - began < 2 * GOAL:
            time.sleep(0.5)
            now = counts(process)["connections"]
            if now != left:
                print(f"after {time.monotonic() - began:.1f} s: {now} left")
            left = now
    return 0 if not left and time.monotonic() - began <= GOAL + 1 else 1


if __name__ == "__main__":
    if not sys.argv[1:]:
        os.execvp("unshare", ["unshare", "-n", sys.executable, "-m", "benchmarks.half_open", network()])
    sys.exit(main(sys.argv[1]))
