"""
How long a host takes from its start until it has resumed many unfinished tables: the four games in turn.

python -m benchmarks.resume [TABLES [ENTRIES]]
"""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue

from attrs import evolve

from gamehost.journal.records import SeatRecord, TableRecord
from gamehost.storage.sqlite import open_journal
from gamehost.testing.master_contract import MasterContract
from tests.games import test_eriantys_master, test_onitama_master, test_paper_soccer_master, test_stratego_master
from tests.kit.drawn_matches import record_of
from tests.kit.process import HostProcess

#: Who plays random matches, by the wire whose players sit at the table.
PLAYERS: Mapping[str, type[MasterContract]] = {
    "onitama": test_onitama_master.MasterTests,
    "stratego-frames": test_stratego_master.MasterTests,
    "eriantys": test_eriantys_master.EriantysContract,
    "paper-soccer": test_paper_soccer_master.ContractTests,
}
#: Different matches of each game; they are repeated under other names.
MATCHES = 5
#: Random matches that are tried for each. If all of them end too early, the longest counts without its end.
TRIES = 30


def unfinished_match(player: MasterContract, entries: int, first_seed: int) -> TableRecord:
    """A match of so many entries that goes on, or that has fewer of them."""
    longest: TableRecord | None = None
    for seed in range(first_seed, first_seed + TRIES):
        record = record_of(player, seed, entries - 1)
        if record.entries[-1].outcome:
            record = evolve(record, entries=record.entries[:-1])
        if longest is None or len(record.entries) > len(longest.entries):
            longest = record
        if len(longest.entries) == entries:
            break
    assert longest is not None
    return longest


def fill(path: Path, tables: int, entries: int) -> int:
    """A store with so many tables, each of as many entries as its game gives, up to so many. Returns the entries in all."""
    matches = [
        (wire, unfinished_match(player(), entries, TRIES * number))
        for number in range(MATCHES)
        for wire, player in PLAYERS.items()
    ]
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    journal = open_journal(path, calls.put, sys.exit)
    total = 0
    for number in range(tables):
        wire, match = matches[number % len(matches)]
        # Few of one address, as on a real host; the first table belongs to this machine.
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 248}" if number else "127.0.0.1"
        seats = tuple(SeatRecord(f"p{number}{side}", wire, address) for side in "ab")
        table = journal.new_table()
        journal.open(table, evolve(match.opening, seats=seats), lambda: None)
        for entry in match.entries:
            journal.append(table, entry, lambda: None)
        total += len(match.entries)
    done: list[bool] = []
    journal.stop(lambda: done.append(True))
    while not done:
        calls.get(timeout=60)()
    return total


def start_up(tables: int, entries: int) -> None:
    """Fill a store, start a host on it, take back one seat, and wait until all records were checked."""
    with tempfile.TemporaryDirectory() as temporary:
        total = fill(Path(temporary) / "store.sqlite", tables, entries)
        began = time.monotonic()
        with HostProcess(wires=["onitama"], folder=Path(temporary), store="store.sqlite") as host:
            ready = time.monotonic() - began
            player = host.connect("onitama")
            player.say("LOGIN|p0a")
            answer = player.hear().split("|")[0]
            answered = time.monotonic() - began
            resumed = host.until(r"resumed [0-9]+ tables.*")
            done = time.monotonic() - began
            status = Path(f"/proc/{host.process.pid}/status").read_text("ascii")
            memory = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024
    print(
        f"{resumed}, {total / tables:.0f} entries each: ports open after {ready:.2f} s, first answer ({answer}) after "
        f"{answered:.2f} s, all resumed after {done:.2f} s; {memory} MiB",
        flush=True,
    )


def main() -> None:
    """One start, as the command line says."""
    start_up(int(sys.argv[1]) if sys.argv[1:] else 1000, int(sys.argv[2]) if sys.argv[2:] else 200)


if __name__ == "__main__":
    main()
