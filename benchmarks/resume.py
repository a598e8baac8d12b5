"""
How long a host takes from its start to the first answer, with many unfinished tables in its store.

python -m benchmarks.resume [TABLES [ENTRIES]]
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from gamehost.games.base import Seat
from gamehost.games.chance import JournalledChance
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader
from gamehost.storage.sqlite import open_journal
from tests.kit.process import HostProcess


def fill(path: Path, tables: int, entries: int) -> None:
    """A store with so many tables of so many entries."""
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    journal = open_journal(path, calls.put, sys.exit)
    rng = random.Random(1)
    for number in range(tables):
        chance = JournalledChance(rng.randrange)
        master = ONITAMA.new_master(2, {}, chance)
        table = journal.new_table()
        # Few of one address, as on a real host; the first table belongs to this machine.
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 248}" if number else "127.0.0.1"
        seats = tuple(SeatRecord(f"p{number}{side}", "onitama", address) for side in "ab")
        journal.open(table, TableHeader("onitama", 1, seats), lambda: None)
        master.begin(0)
        journal.append(table, Entry(EntryKind.BEGAN, 0, drawn=chance.take()), lambda: None)
        for at in range(1, entries):
            position = master.position
            quiet = [move for move in position.moves() if position.after(move).won is None]
            if not quiet:
                break
            move = rng.choice(quiet)
            master.act(Seat(position.turn), move, at)
            entry = Entry(EntryKind.ACTED, at, Seat(position.turn), ONITAMA.write(move), chance.take())
            journal.append(table, entry, lambda: None)
    done: list[bool] = []
    journal.stop(lambda: done.append(True))
    while not done:
        calls.get(timeout=60)()


def start_up(tables: int, entries: int) -> None:
    """Fill a store, start a host on it, and take back one seat."""
    with tempfile.TemporaryDirectory() as temporary:
        fill(Path(temporary) / "store.sqlite", tables, entries)
        began = time.monotonic()
        with HostProcess(wires=["onitama"], folder=Path(temporary), store="store.sqlite") as host:
            player = host.connect("onitama")
            player.say("LOGIN|p0a")
            answer = player.hear().split("|")[0]
            seconds = time.monotonic() - began
            status = Path(f"/proc/{host.process.pid}/status").read_text("ascii")
            memory = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024
            resumed = next(line for line in host.log.splitlines() if "resumed" in line).split("] ")[-1]
    print(
        f"{resumed}, {entries} entries each; first answer ({answer}) {seconds:.2f} s after the start, {memory} MiB",
        flush=True,
    )


def main() -> None:
    """One start, as the command line says."""
    start_up(int(sys.argv[1]) if sys.argv[1:] else 1000, int(sys.argv[2]) if sys.argv[2:] else 200)


if __name__ == "__main__":
    main()
