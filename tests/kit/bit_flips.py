"""
One bit of a store is flipped after kill -9 under play: is that noticed wherever an acknowledged row is gone?

`python -m tests.kit.bit_flips 1000` flips a thousand bits (`make test-bitflips`); the suite flips thirty.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage.inspect import Summary, reading
from gamehost.storage.sidecar import sidecar_path
from tests.kit.fake_reactor import Pump

ROOT = Path(__file__).parents[2]
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
            raise AssertionError(f"the process ended by itself, status {process.wait(10)}")
        said += piece
    process.kill()
    said += process.stdout.read()
    process.wait(10)
    process.stdout.close()
    told: dict[TableId, int] = {}
    for line in said.split(b"\n")[:-1]:
        table, number = map(int, line.split())
        told[TableId(table)] = number
    return told


def flip(path: Path, bit: int) -> None:
    """Flip one bit of a file."""
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
        flip(damaged, rng.randrange(8 * damaged.stat().st_size))
        found[outcome(copy, told)] += 1
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        outcomes = flip_bits(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, Path(temporary, "flips"))
    print(", ".join(f"{name}: {count}" for name, count in sorted(outcomes.items())))
    sys.exit(1 if outcomes["silent"] else 0)
