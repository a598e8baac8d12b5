"""
The way of a move: which functions of the host it passes, how often, and how many steps of Python's interpreter they take.

    python -m benchmarks.way [--wires onitama,...] [--moves 40] [--list]

A host in memory with a real store plays moves of `benchmarks.scripts` in one turn of the reactor, each at a table of its own.
The figures depend on no clock and no other program, so two versions can be compared in some seconds. Functions that not every
second move passes, such as those of a whole commit, are in the steps only. What runs in C or belongs to Twisted is in none.
`benchmarks.ways` has other ways.
"""

import argparse
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchmarks.passed import Count, Way
from benchmarks.scripts import GAME, ME, WIRES, Script, Step, script_of
from gamehost.storage.durable import DurableJournal
from gamehost.storage.sqlite import open_journal
from gamehost.testing.journals import RecordingJournal
from gamehost.testing.memory_host import Client, MemoryHost

#: Matches that one player opens and the other one joins are left out.
SHOWN = tuple(wire for wire in WIRES if not script_of(wire).opening)


class Turns:
    """What threads have the reactor call, and what is to be called at the end of a turn."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._ends: deque[Callable[[], None]] = deque()
        self.from_thread = self._calls.put
        self.after_turn = self._ends.append

    def end(self, journal: DurableJournal) -> None:
        """End a turn, and wait until everything is durable and told."""
        while self._ends:
            self._ends.popleft()()
        while journal.backlog.waiting:
            self._calls.get()()


class Journal(RecordingJournal):
    """A real store, with accounts in memory."""

    def __init__(self, durable: DurableJournal) -> None:
        super().__init__()
        shared: Any = self
        for name in ("new_table", "open", "append", "told", "sleep", "wake"):
            setattr(shared, name, getattr(durable, name))


def way(script: Script, moves: int) -> Way:
    """Play so many moves in one turn, each at a table of its own and in a position of its own."""
    count, turns, before, before_in_threads = Count(), Turns(), sys.gettrace(), threading.gettrace()
    with tempfile.TemporaryDirectory() as folder:
        threading.settrace(count.trace)
        journal = open_journal(Path(folder) / "store.sqlite", turns.from_thread, sys.exit, after_turn=turns.after_turn)
        settings = {**script.settings, "limits.unlimited": "yes", "limits.password_work": "10"}
        host = MemoryHost(settings, journal=Journal(journal))
        journal.backlog.group = lambda: host.context.cork  # as the host itself has it
        tables = [[host.connect(script.wire) for seat in (0, 1)] for table in range(moves)]
        for number, table in enumerate(tables):
            play = script.at_table(number)
            arrival = script.arrival or [Step(seat, script.log_in, (0, 0)) for seat in (0, 1)]
            for step in (*arrival, *play[: number % len(play)]):
                say(table, step, number)
                turns.end(journal)
                host.until_idle()
                if script.log_in and step is arrival[-1]:
                    seat(script, table, number)
        sys.settrace(count.trace)
        count.on = True
        for number, table in enumerate(tables):
            play = script.at_table(number)
            say(table, play[number % len(play)], number)
        turns.end(journal)
        sys.settrace(before)
        journal.close()
        threading.settrace(before_in_threads)
    return count.per_move(moves)


def say(table: Sequence[Client], step: Step, number: int) -> None:
    name = name_of(step.sender, number)
    table[step.sender].transport.receive(step.said.replace(ME, name).replace(GAME, b"%d" % number))


def name_of(seat: int, number: int) -> bytes:
    return b"ab"[seat : seat + 1] + b"%05d" % number


def seat(script: Script, table: list[Client], number: int) -> None:
    """Have the one who moves first in the front: the host tells who that is."""
    begins = script.begins.search(table[0].transport.read())
    if begins is not None and begins["first"] != name_of(0, number):
        table.reverse()


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description="Which functions of the host a move passes.")
    parser.add_argument("--wires", default=",".join(SHOWN))
    parser.add_argument("--moves", type=int, default=24)
    parser.add_argument("--list", action="store_true", help="the functions, too")
    words = parser.parse_args(arguments)
    print("wire             functions   files   calls   steps")
    for wire in words.wires.split(","):
        found = way(script_of(wire), words.moves)
        calls, steps = sum(found.calls.values()), sum(found.steps.values())
        print(f"{wire:16} {len(found.calls):9} {len(found.files):7} {calls:7.1f} {steps:7.0f}")
        if words.list:
            for (file, name), number in sorted(found.calls.items()):
                print(f"    {file:40} {name:48} {number:5.1f} {found.steps[file, name]:6.0f}")


if __name__ == "__main__":
    main()
