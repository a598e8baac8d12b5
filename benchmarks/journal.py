"""
What the journal costs: the time to a confirmation at several rates, and the time of a restart.

    python benchmarks/journal.py [--folder FOLDER] [--seconds 5] [--rates 100,1000,5000,20000] [--tables 1000]

The folder should be on the disk that the host will use. Figures depend on this machine and its other work.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet import reactor as installed

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.storage.durable import DurableJournal
from gamehost.storage.sqlite import open_journal
from tests.kit.journals import records

reactor: Any = installed
OPENING = TableHeader("onitama", 1, (SeatRecord("Ann", "onitama"), SeatRecord("Bob", "onitama")), {"move_time": "30"})
MOVE = Entry(EntryKind.ACTED, 120_000, Seat(0), b"boar b1-b2")


def nothing() -> None:
    """Nobody waits."""


class Load:
    """Moves appended at a steady rate, a millisecond's worth at a time."""

    def __init__(self, path: Path, rate: int, seconds: float) -> None:
        self.path = path
        self.rate = rate
        self.seconds = seconds
        self.took: list[float] = []
        self.lags: list[float] = []
        self.groups = 0
        self.appended = 0

    @contextmanager
    def group(self) -> Iterator[None]:
        self.groups += 1
        yield

    def begin(self) -> None:
        self.journal = open_journal(self.path, reactor.callFromThread, broken, group=self.group)
        self.tables = [self.journal.new_table() for _ in range(100)]
        for table in self.tables:
            self.journal.open(table, OPENING, nothing)
        self.start = time.perf_counter()
        self.cpu = time.process_time()
        self.tick(self.start)

    def tick(self, due: float) -> None:
        now = time.perf_counter()
        self.lags.append(max(0.0, now - due))
        for number in range(self.appended, int(min(now - self.start, self.seconds) * self.rate)):
            self.journal.append(self.tables[number % 100], MOVE, partial(self.durable, now))
            self.appended += 1
        if now - self.start < self.seconds:
            reactor.callLater(0.001, self.tick, now + 0.001)
        else:
            self.journal.stop(self.end)

    def durable(self, asked: float) -> None:
        self.took.append(time.perf_counter() - asked)

    def end(self) -> None:
        cpu = (time.process_time() - self.cpu) / (time.perf_counter() - self.start)
        took, lags = sorted(self.took), sorted(self.lags)
        print(
            f"{self.rate:>7}/s  {len(took):>7} entries  {len(took) / self.groups:6.1f} a group  acknowledged "
            f"p50 {at(took, 0.5):5.2f}  p99 {at(took, 0.99):6.2f}  p99.9 {at(took, 0.999):6.2f} ms  "
            f"reactor late p99 {at(lags, 0.99):5.2f} ms  {cpu:4.0%} of a core"
        )
        reactor.crash()


def at(ordered: Sequence[float], share: float) -> float:
    """A percentile, in milliseconds."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def broken(reason: str) -> None:
    print(f"the journal failed: {reason}")
    os._exit(1)


def restart(path: Path, tables: int, entries: int) -> None:
    """Fill a journal with unfinished tables, and open it."""
    calls: list[Callable[[], None]] = []
    journal = open_journal(path, calls.append, broken)
    fill(journal, tables, entries)
    stopped: list[bool] = []
    journal.stop(lambda: stopped.append(True))
    while not stopped:
        drain(calls)
    begin = time.perf_counter()
    journal = open_journal(path, calls.append, broken)
    opened = time.perf_counter()
    found = sum(len(record.entries) for record in records(journal))
    read = time.perf_counter()
    print(
        f"{tables} tables with {entries} entries each: {path.stat().st_size / 2**20:.0f} MiB; opened and verified in "
        f"{opened - begin:.2f} s, {found} entries read in {read - opened:.2f} s"
    )


def fill(journal: DurableJournal, tables: int, entries: int) -> None:
    """The tables' moves in turn, as in a busy host."""
    names: list[TableId] = [journal.new_table() for _ in range(tables)]
    for table in names:
        journal.open(table, OPENING, nothing)
    for _ in range(entries):
        for table in names:
            journal.append(table, MOVE, nothing)


def drain(calls: list[Callable[[], None]]) -> None:
    time.sleep(0.01)
    while calls:
        calls.pop(0)()


def main() -> None:
    parser = argparse.ArgumentParser(description="What the journal costs.")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rates", default="100,1000,5000,20000")
    parser.add_argument("--tables", type=int, default=1000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=words.folder) as folder:
        for rate in map(int, words.rates.split(",")):
            load = Load(Path(folder, f"{rate}.sqlite"), rate, words.seconds)
            reactor.callWhenRunning(load.begin)
            reactor.run(installSignalHandlers=False)
        restart(Path(folder, "restart.sqlite"), words.tables, 200)


if __name__ == "__main__":
    main()
