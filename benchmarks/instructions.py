"""
How many instructions of the processor a move costs, beside a bare relay of the same bytes.

    python -m benchmarks.instructions [--wires onitama,...] [--connections 100] [--seconds 8] [--store store.sqlite]

valgrind's callgrind counts the instructions of each server; the kernel's are not counted. A busy machine makes the run longer,
but the figures stay the same within about one per cent, so two versions can be compared. The reactor's thread is the first
figure; the second one is all other threads together, which is the store's writer above all.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from benchmarks.browser import CARRIERS, OpenLoad
from benchmarks.load import Load
from benchmarks.scripts import WIRES, Script, script_of
from benchmarks.servers import Server, host, relay

#: Seconds without a word from a server under callgrind after which something is wrong.
PATIENCE = 300.0

#: In the environment of a server: the module that runs, and the folder for what was counted.
MODULE, FOLDER = "GAMEHOST_COUNTED_MODULE", "GAMEHOST_COUNTED_FOLDER"


@frozen
class Count:
    """Instructions a move, in thousands."""

    reactor: float
    others: float

    @property
    def total(self) -> float:
        return self.reactor + self.others


def count(new_load: Load, server: Server, folder: Path, seconds: float) -> Count:
    """Play at a server under callgrind, and count when everybody has arrived, each table at another place of its match."""
    with new_load as load:
        load.spread()
        control(server, "--instr=on")
        load.run(seconds / 4, warm=0)
        control(server, "--zero")
        before = load.moves
        load.run(seconds, warm=0)
        control(server, "--dump")
        moves = load.moves - before
    threads = sorted(folder.glob("callgrind.out.*.1-*"))
    counted = [total(path) / moves / 1000 for path in threads]
    return Count(counted[0], sum(counted[1:]))


def control(server: Server, what: str) -> None:
    """Tell callgrind something, and wait until it is done."""
    subprocess.run(["callgrind_control", what, str(server.pid)], check=True, capture_output=True, timeout=120)


def total(path: Path) -> int:
    """The instructions that one thread used, by its part of what callgrind wrote."""
    found = re.search(r"^(?:totals|summary): (\d+)", path.read_text("utf-8", "replace"), re.MULTILINE)
    return int(found[1]) if found else 0


@contextmanager
def counted_host(script: Script, store: str, folder: Path) -> Iterator[Server]:
    """The host under callgrind, with one wire open."""
    os.environ[MODULE] = "benchmarks.lucky" if script.lucky else "gamehost"
    os.environ[FOLDER] = str(folder)
    try:
        with host(script, store=store, module="benchmarks.instructions") as server:
            yield server
    finally:
        del os.environ[MODULE], os.environ[FOLDER]


def valgrind(folder: str | Path) -> list[str]:
    """The command in front of a server's own."""
    options = ["--instr-atstart=no", "--separate-threads=yes", f"--callgrind-out-file={folder}/callgrind.out.%p"]
    return ["valgrind", "-q", "--tool=callgrind", *options]


def measure(wire: str, connections: int, seconds: float, store: str) -> tuple[Count, Count]:
    """
    The host's and the relay's instructions a move; a line of the table is printed.

    :param wire: or one of `benchmarks.browser.CARRIERS`, beside the relay for Onitama's wire
    """
    script = CARRIERS.get(wire) or script_of(wire)
    plain = script_of("onitama") if wire in CARRIERS else script
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "host").mkdir()
        (folder / "relay").mkdir()
        with counted_host(script, store, folder / "host") as server:
            if wire in CARRIERS:
                load: Load = OpenLoad(script, server, connections, patience=PATIENCE, lines=wire == "open")
            else:
                load = Load(script, server, connections, patience=PATIENCE)
            of_host = count(load, server, folder / "host", seconds)
        with relay(plain, *valgrind(folder / "relay")) as server:
            load = Load(plain, server, connections, bare=True, patience=PATIENCE)
            of_relay = count(load, server, folder / "relay", seconds)
    print(
        f"{wire:16} {connections:6,} {of_host.reactor:9.1f} {of_host.others:9.1f} {of_host.total:9.1f}"
        f" {of_relay.total:9.1f} {of_host.total / of_relay.total:9.2f}",
        flush=True,
    )
    return of_host, of_relay


def installed() -> bool:
    """Whether the instructions can be counted on this machine."""
    return shutil.which("valgrind") is not None and shutil.which("callgrind_control") is not None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="The host's instructions a move beside those of a bare relay.")
    parser.add_argument("--wires", default=",".join((*WIRES, *CARRIERS)))
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--store", default="store.sqlite")
    words = parser.parse_args(arguments)
    if not installed():
        print("valgrind is not installed, so instructions are not counted")
        return
    print("thousands of instructions a move")
    print("wire              conn.   reactor    others       all     relay     ratio", flush=True)
    for wire in words.wires.split(","):
        measure(wire, words.connections, words.seconds, words.store)


if __name__ == "__main__":
    if FOLDER in os.environ:
        # The host's command line, as `benchmarks.servers.host` starts it: the same process goes on under valgrind.
        own = [*valgrind(os.environ.pop(FOLDER)), sys.executable, "-m", os.environ.pop(MODULE)]
        os.execvp(own[0], [*own, *sys.argv[1:]])
    main()
