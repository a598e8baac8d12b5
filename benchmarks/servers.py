"""Servers as processes, each on its own core where the system can do that, and the processor time that they use."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define

from benchmarks.scripts import Script
from tests.kit.process import ROOT, HostProcess

#: The cores of a server, and of everything else.
SERVER_CORE, LOAD_CORE = 0, 1

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Run on one core, if there are two: what is started in here stays there."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
    if len(allowed) < 2:
        yield
        return
    os.sched_setaffinity(0, {sorted(allowed)[number]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@define(eq=False)
class Server:
    """A process that listens."""

    name: str
    port: int
    pid: int

    def cpu(self) -> float:
        """Seconds of a core that it has used, all its threads together."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def memory(self) -> int:
        """Bytes of memory that are its own or in use by it."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * _PAGE


@contextmanager
def host(
    script: Script,
    *options: str,
    store: str = "store.sqlite",
    folder: Path | None = None,
    module: str = "",
    core: int = SERVER_CORE,
) -> Iterator[Server]:
    """
    The host with one wire open.

    :param module: what is run, if not the host as it is
    :param store: `memory`, the address of a database, or a file's name in a folder that goes away with the host
    """
    module = module or ("benchmarks.lucky" if script.lucky else "gamehost")
    process = HostProcess(*script.options, *options, wires=[script.wire], store=store, folder=folder, module=module)
    with on_core(core):
        running = process.__enter__()
    try:
        name = "host, memory" if store == "memory" else "host, other" if "://" in store else "host"
        yield Server(name, running.ports[script.wire], running.process.pid)
    finally:
        process.__exit__(None, None, None)


@contextmanager
def relay(script: Script, *under: str) -> Iterator[Server]:
    """
    The bare relay for the same bytes.

    :param under: a command in front of its own, such as that of valgrind
    """
    command = [*under, sys.executable, "-m", "benchmarks.relay", "lines" if script.lines else "frames"]
    with on_core(SERVER_CORE):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        yield Server("relay", int(process.stdout.readline()), process.pid)
    finally:
        process.kill()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()
