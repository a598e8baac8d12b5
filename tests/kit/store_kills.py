"""
Stores that are damaged, or killed while they are written.

`python -m tests.kit.store_kills flips 1000` flips a thousand bits (`make test-bitflips`), and `backups 100` kills a host a
hundred times while backups are made (`make test-backup`); the suite does it a few times. This is also the process that is
killed then.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage import backup, sidecar
from gamehost.storage.backup import Backup
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.sidecar import sidecar_path
from tests.kit import kill_target
from tests.kit.journals import Pump, records
from tests.kit.process import PATIENCE
from tests.kit.sources import ROOT

# One bit of a store is flipped after kill -9 under play: is that noticed wherever an acknowledged row is gone?


VICTIM = ROOT / "tests" / "kit" / "kill_target.py"
#: The files in which bits are flipped: store, log, mark, last commit.
SUFFIXES = ("", "-wal", ".hwm", ".last")
#: Flips for each process that is killed.
FLIPS_A_KILL = 50


def played(path: Path, lines: int) -> dict[TableId, int]:
    """Have a process play on a store, and kill it after so many acknowledgements. What was acknowledged, by table."""
    process = subprocess.Popen(
        [sys.executable, "-S", str(VICTIM), str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert process.stdout is not None
    said = b""
    while said.count(b"\n") < lines:
        piece = os.read(process.stdout.fileno(), 65536)
        if not piece:
            raise AssertionError(f"the process ended by itself, status {process.wait(PATIENCE)}")
        said += piece
    process.kill()
    said += process.stdout.read()
    process.wait(PATIENCE)
    process.stdout.close()
    told: dict[TableId, int] = {}
    for line in said.split(b"\n")[:-1]:
        table, number = map(int, line.split())
        told[TableId(table)] = number
    return told


#: Of the header of a write-ahead log, and of each frame with its page.
LOG_HEADER, LOG_FRAME = 32, 24 + 4096


def trimmed(log: bytes) -> bytes:
    """A write-ahead log up to its last frame, without the zeros that a host has put behind it."""
    frames = -(-max(0, len(log.rstrip(b"\0")) - LOG_HEADER) // LOG_FRAME)
    return log[: LOG_HEADER + frames * LOG_FRAME] if any(log) else b""


def flip(path: Path, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def outcome(path: Path, told: dict[TableId, int]) -> str:
    """What becomes of a damaged store: `refused`, `whole`, `named by verify`, or `silent`, which must not be."""
    pump = Pump()
    try:
        pump.stop(pump.open(path))
    except StoreUnusable:
        return "refused"
    with reading(path) as journal:
        held = {table.table: table.entries for table in journal.tables() if isinstance(table, Summary)}
        if all(held.get(table, -1) >= number for table, number in told.items()):
            return "whole"
        return "named by verify" if journal.verify().faults else "silent"


def flip_bits(
    times: int, seed: int, folder: Path, suffixes: Sequence[str] = SUFFIXES, mark: str | None = None
) -> Counter[str]:
    """
    Flip so many bits, each in a copy of its own.

    :param suffixes: the files to flip bits in
    :param mark: a mark that stands in for the one that was left; the last commit is then not known either
    :returns: how often each outcome was seen
    """
    rng = random.Random(seed)
    found: Counter[str] = Counter()
    told: dict[TableId, int] = {}
    left = folder / "store.sqlite"
    for number in range(times):
        if number % FLIPS_A_KILL == 0:
            if number % (4 * FLIPS_A_KILL) == 0:  # a new store; the others were killed before
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                told = {}
            told |= played(left, rng.randint(200, 3000))
        copy = folder / "copy" / left.name
        shutil.rmtree(copy.parent, ignore_errors=True)
        copy.parent.mkdir()
        for suffix in SUFFIXES:
            shutil.copy2(sidecar_path(left, suffix), copy.parent)
        if mark is not None:
            sidecar_path(copy, ".hwm").write_text(mark)
            sidecar_path(copy, ".last").unlink()
        damaged = sidecar_path(copy, rng.choice(suffixes))
        contents = damaged.read_bytes()
        whole = trimmed(contents) if damaged.name.endswith("-wal") else contents
        flip(damaged, rng.randrange(8 * len(whole)))
        found[outcome(copy, told)] += 1
    return found


# kill -9 while backups are made: does each backup verify, and hold what was acknowledged before it began?


#: Rows that are durable before the first backup begins.
LEAST = 200


class Lost(AssertionError):
    """A backup that was made does not verify, or lacks an acknowledged entry."""


def victim(path: Path, folder: Path, every: float) -> None:
    """Play until killed, and begin a backup every so many seconds. Says what it does on standard output."""
    begun = 0
    due = time.monotonic()

    def look(journal: DurableJournal) -> None:
        nonlocal begun, due
        assert journal.backups is not None
        if time.monotonic() < due or journal.backups.busy or journal.backups._store.mark.count < LEAST:
            return
        due = time.monotonic() + every
        begun += 1
        number = begun
        os.write(1, b"begun %d\n" % number)

        def done(result: Backup | str) -> None:
            os.write(1, b"made %d\n" % number if isinstance(result, Backup) else f"failed: {result}\n".encode())

        journal.backups.begin(folder / f"{number}.sqlite", done)

    kill_target.main(path, look)


def back_up_main_file_alone() -> None:
    """
    A fault, for tests of the tests: backups are copies of the store's main file, and are trusted. The newest rows are in the
    log beside that file.
    """

    def copy_main_file(connection: Any, part: Path, *_: object) -> None:
        store = Path(connection.execute("PRAGMA database_list").fetchone()[2])
        shutil.copyfile(store, part)
        shutil.copyfile(sidecar_path(store, sidecar.MARK_SUFFIX), sidecar_path(part, sidecar.MARK_SUFFIX))

    vars(backup).update(copy_pages=copy_main_file)
    backup.Backups._check = lambda self, order, part: ()  # type: ignore[method-assign]


@define(eq=False)
class Counts:
    kills: int = 0
    #: Backups that were made, and entries that were acknowledged before one of them began.
    backups: int = 0
    entries: int = 0
    #: Runs that ended in the middle of a backup.
    interrupted: int = 0


@define(eq=False)
class Rounds:
    """Runs of a victim on one store: of a sound one, or of one with a fault."""

    folder: Path
    rng: random.Random
    every: float = 1.0
    victim: str = "victim"
    counts: Counts = field(factory=Counts)

    def run(self, kills: int, shortest: float, longest: float) -> Counts:
        """Kill so many runs, each after a random number of seconds behind its first backup, and check all backups."""
        for number in range(kills):
            backups = self.folder / f"backups{number}"
            backups.mkdir()
            lines = list(self._life(backups, self.rng.uniform(shortest, longest)))
            self._check(backups, lines)
            self.counts.kills += 1
        return self.counts

    def _life(self, backups: Path, seconds: float) -> Iterator[str]:
        command = [sys.executable, "-m", __spec__.name, self.victim, str(self.folder / "store.sqlite"), str(backups)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        with subprocess.Popen([*command, str(self.every)], stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            end = None
            for line in process.stdout:
                if line.startswith(b"made") and end is None:
                    end = time.monotonic() + seconds
                if end is not None and time.monotonic() > end:
                    process.kill()
                    end = float("inf")
                if line.endswith(b"\n"):
                    yield line.decode()
        if process.returncode != -9:
            raise Lost(f"the process ended by itself: {process.returncode}")

    def _check(self, backups: Path, lines: list[str]) -> None:
        told: dict[TableId, int] = {}
        needed: dict[int, dict[TableId, int]] = {}
        made: set[int] = set()
        for line in lines:
            match line.split():
                case ["begun", number]:
                    needed[int(number)] = dict(told)
                case ["made", number]:
                    made.add(int(number))
                case [table, entries] if table.isdecimal():
                    told[TableId(int(table))] = int(entries)
                case _:
                    raise Lost(line)
        if max(needed) not in made:
            self.counts.interrupted += 1
        for which, before in needed.items():
            path = backups / f"{which}.sqlite"
            if which not in made and not path.exists():
                continue  # killed meanwhile; nothing may stand under that name
            self._check_backup(path, before)
        self._go_on(backups / f"{max(made)}.sqlite")

    def _check_backup(self, path: Path, needed: dict[TableId, int]) -> None:
        try:
            with reading(path) as backup:
                faults = backup.verify().faults
                held = {table.table: table.entries for table in backup.tables() if isinstance(table, Summary)}
        except StoreUnusable as error:
            raise Lost(f"{path.name}: {error}") from error
        if faults:
            raise Lost(f"{path.name}: {faults[0]}")
        for table, entries in needed.items():
            if held.get(table, -1) < entries:
                raise Lost(f"{path.name}: table {table} has {held.get(table)} entries, and {entries} were acknowledged")
        self.counts.backups += 1
        self.counts.entries += sum(needed.values())

    def _go_on(self, path: Path) -> None:
        pump = Pump()
        journal = pump.open(path)
        unfinished = len(records(journal))
        pump.stop(journal)
        if pump.broken or not unfinished or sidecar_path(path, "-wal").exists():
            raise Lost(f"{path.name}: no host can go on: {pump.broken}, {unfinished} unfinished tables")


def kill_under_backups(kills: int, seed: int = 1) -> None:
    begin = time.monotonic()
    for block in range(0, kills, 10):
        with tempfile.TemporaryDirectory() as folder:
            rounds = Rounds(Path(folder), random.Random(seed + block))
            counts = rounds.run(min(10, kills - block), 0.0, 2.5)
        seconds = time.monotonic() - begin
        print(
            f"{block + counts.kills} kills, {seconds:.0f} s; in the last block {counts.backups} backups hold all "
            f"{counts.entries} entries that were acknowledged before, {counts.interrupted} were interrupted",
            flush=True,
        )


def main(what: str, *arguments: str) -> int:
    """Do it so often, and print what came of it; the exit status."""
    if what == "faulty-victim":
        back_up_main_file_alone()
    if what.endswith("victim"):
        victim(Path(arguments[0]), Path(arguments[1]), float(arguments[2]))
    if what == "backups":
        kill_under_backups(*map(int, arguments))
        return 0
    times, seed = int(arguments[0]), int(arguments[1]) if arguments[1:] else 1
    with tempfile.TemporaryDirectory() as temporary:
        outcomes = flip_bits(times, seed, Path(temporary, "flips"))
    print(", ".join(f"{name}: {count}" for name, count in sorted(outcomes.items())))
    return 1 if outcomes["silent"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
