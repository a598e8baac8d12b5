"""
kill -9 while backups are made: does each backup verify, and hold what was acknowledged before it began?

`python -m tests.kit.backup_kills 100` does it a hundred times (`make test-backup`); the suite does it a few times.
The same module is the process that is killed.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage.durable import DurableJournal
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.online_backup import Backup
from gamehost.storage.sidecar import sidecar_path
from tests.kit import kill_target
from tests.kit.fake_reactor import Pump
from tests.kit.journals import records

ROOT = Path(__file__).parents[2]


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


@define(eq=False)
class Counts:
    """What was checked."""

    kills: int = 0
    #: Backups that were made, and entries that were acknowledged before one of them began.
    backups: int = 0
    entries: int = 0
    #: Lives that ended in the middle of a backup.
    interrupted: int = 0


@define(eq=False)
class Rounds:
    """
    Lives on one store.

    :param module: the process that is killed
    """

    folder: Path
    rng: random.Random
    every: float = 1.0
    module: str = "tests.kit.backup_kills"
    counts: Counts = field(factory=Counts)

    def run(self, kills: int, shortest: float, longest: float) -> Counts:
        """
        Kill so many lives, each after a random number of seconds behind its first backup.

        :raises Lost: a backup is not what it should be
        """
        for number in range(kills):
            backups = self.folder / f"backups{number}"
            backups.mkdir()
            lines = list(self._life(backups, self.rng.uniform(shortest, longest)))
            self._check(backups, lines)
            self.counts.kills += 1
        return self.counts

    def _life(self, backups: Path, seconds: float) -> Iterator[str]:
        command = [sys.executable, "-m", self.module, "victim", str(self.folder / "store.sqlite"), str(backups)]
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
        """A host starts on a backup and goes on."""
        pump = Pump()
        journal = pump.open(path)
        unfinished = len(records(journal))
        pump.stop(journal)
        if pump.broken or not unfinished or sidecar_path(path, "-wal").exists():
            raise Lost(f"{path.name}: no host can go on: {pump.broken}, {unfinished} unfinished tables")


def main(kills: int, seed: int = 1) -> None:
    """Print figures while it runs, and at the end."""
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


if __name__ == "__main__":
    if sys.argv[1] == "victim":
        victim(Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))
    else:
        main(*map(int, sys.argv[1:]))
