"""
Where the microseconds of a move go, by part of the host.

    python -m benchmarks.rooms [--wires onitama,...] [--connections 100] [--seconds 3] [--store memory]

The profiler measures the reactor's thread. Calls of Python and of the system count to the part that makes them. A
profiler makes every call slower. So the first table shows its own figures, and the second table is scaled to what a
move costs without it. Parts with many small functions look larger than they are.
"""

import argparse
import os
import pstats
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.load import Load
from benchmarks.scripts import WIRES, Script, script_of
from benchmarks.servers import LOAD_CORE, host, on_core

#: Part of a file's path -> room; the first that fits.
ROOMS = (
    ("gamehost/wires/framing", "framing"),
    ("/scanner.py", "framing"),
    ("/parser.py", "codec"),
    ("/codec.py", "codec"),
    ("/messages.py", "codec"),
    ("gamehost/wires", "conversation"),
    ("gamehost/tables/interfaces", "conversation"),
    *((f"gamehost/net/{part}", "connection") for part in ("connection", "streams", "context")),
    ("gamehost/rates", "connection"),
    ("gamehost/fairness", "connection"),
    ("gamehost/tables/table", "table"),
    ("gamehost/journal/records.py", "table"),
    ("gamehost/games/base", "table"),
    ("gamehost/journal/replay", "table"),
    ("gamehost/tables/outbox", "outbox"),
    ("gamehost/games", "rules"),
    ("gamehost/storage", "journal"),
    ("twisted/internet/abstract", "transport"),
    ("twisted/internet/tcp", "transport"),
    ("gamehost/_twisted", "transport"),
    ("twisted/internet", "reactor"),
)
OTHER = "rest"

#: To the host: look from here on, and no more. Most other signals it has a use for itself.
BEGIN, END = signal.SIGRTMIN, signal.SIGRTMIN + 1

#: The two calls of the system that every move needs, whatever serves it.
CALLS = {"<method 'send' of '_socket.socket' objects>": "send", "<method 'recv' of '_socket.socket' objects>": "recv"}


def room_of(file: str, function: str) -> str | None:
    """The room of a function; `None`: of whoever calls it."""
    if function in CALLS:
        return CALLS[function]
    if file == "~":
        return "reactor" if "select.epoll" in function else None
    if file.startswith("<attrs"):
        return None
    return next((room for part, room in ROOMS if part in file), OTHER)


def by_room(stats: Any) -> Counter[str]:
    """Seconds by room, each function's own time only."""
    seconds: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, callers) in stats.items():
        room = room_of(file, function)
        if room is not None:
            seconds[room] += own
            continue
        for (caller_file, _, caller), (_, _, from_there, _) in callers.items():
            seconds[room_of(caller_file, caller) or OTHER] += from_there
    return seconds


def look(script: Script, connections: int, seconds: float, store: str) -> tuple[Counter[str], int, float]:
    """Seconds by room, the moves that they were for, and microseconds a move without the profiler."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        running = host(script, store=store, folder=folder, module="benchmarks.profiled")
        with running as server, on_core(LOAD_CORE), Load(script, server, connections) as load:
            load.spread()
            cost = load.run(seconds).cost
            os.kill(server.pid, BEGIN)
            moves = load.run(seconds, warm=0.0).moves
            os.kill(server.pid, END)
            for _ in range(400):
                if (folder / "profile").exists():
                    break
                time.sleep(0.05)
            found: Any = pstats.Stats(str(folder / "profile"))
            return by_room(found.stats), moves, cost


def main(arguments: Sequence[str] | None = None) -> None:
    """Look, and print."""
    parser = argparse.ArgumentParser(description="Where the microseconds of a move go.")
    parser.add_argument("--wires", default=",".join(WIRES))
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--store", default="memory")
    words = parser.parse_args(arguments)
    for wire in words.wires.split(","):
        seconds, moves, cost = look(script_of(wire), words.connections, words.seconds, words.store)
        total = sum(seconds.values())
        print(f"{wire}, {words.connections} connections, store {words.store}: {cost:.1f} us a move")
        for room, own in seconds.most_common():
            print(f"    {room:14} {own / moves * 1e6:7.1f} us profiled {own / total:6.0%} {own / total * cost:7.1f} us")


if __name__ == "__main__":
    main()
