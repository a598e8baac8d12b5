"""Those who have matches studied, and a player who waits for house players, for `benchmarks.abuse`."""

import select
import time
from itertools import count

from benchmarks.attackers import Found
from benchmarks.honest import quantile
from benchmarks.house import Opponent
from benchmarks.readers import MATCHES, asked

#: Connections, each at an address of its own.
ASKERS = 40


def studies(port: int, seconds: float) -> Found:
    """Each asks for the study of another match as soon as it is answered."""
    askers = [
        (
            f"3.{1 + number}",
            (b'{"do":"study","table":%d}\n' % (1 + (number * 97 + turn) % MATCHES) for turn in count()),
            b"",
            b"\n",
        )
        for number in range(ASKERS)
    ]
    return asked(askers, port, seconds)


def house_answers(port: int, seconds: float) -> Found:
    """One player plays a house player, game after game: how long its answers take."""
    ends = time.monotonic() + seconds
    player = Opponent(f"guest{port}", "onitama", "medium", port, "2.1")
    player.connect()
    while time.monotonic() < ends:
        if select.select([player.socket], [], [], 0.1)[0]:
            player.hear()
    player.socket.close()
    waits = sorted(player.answered)
    return {
        "answers": len(waits),
        "p50 ms": quantile(waits, 0.5) * 1000,
        "p99 ms": quantile(waits, 0.99) * 1000,
        "the slowest ms": quantile(waits, 1.0) * 1000,
    }
