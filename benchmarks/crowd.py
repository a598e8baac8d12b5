"""
Many clients at once: moves at a given rate, idle connections, and what grows with the number of clients.

    python -m benchmarks.crowd [offered] [idle] [pings] [tables] [starts] [--wire WIRE] [--idle 10000] [--rate 2000]
"""

import argparse
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

from attrs import define, evolve

from benchmarks.load import Load, raise_fd_limit
from benchmarks.resume import start_up
from benchmarks.scripts import Script, script_of
from benchmarks.servers import LOAD_CORE, host, on_core

#: Coming in one after the other takes a while, and nobody is to be hung up on meanwhile.
PATIENT = ("--set", "limits.login_seconds=3600")


@define
class Sizes:
    """How much of everything."""

    script: Script
    seconds: float = 5.0
    rate: float = 2000.0
    idle: int = 10_000
    most: int = 5_000


def offered(sizes: Sizes) -> None:
    """A steady rate on 1,000 connections: the time to the acknowledgement."""
    for store in ("store.sqlite", "memory"):
        with host(sizes.script, store=store) as server, on_core(LOAD_CORE), Load(sizes.script, server, 1000) as load:
            load.run(1.0)
            windows = [load.offer(sizes.seconds, sizes.rate) for _ in range(5)]
            p50, p99 = (median(window.at(share) for window in windows) for share in (0.5, 0.99))
            print(
                f"{sizes.rate:,.0f} moves/s on 1,000 connections, {server.name}: p50 {p50:.2f} ms, p99 {p99:.2f} ms,"
                f" {median(window.busy for window in windows):.0%} of its core (medians of 5)",
                flush=True,
            )


def idle(sizes: Sizes) -> None:
    """Players who sit at tables and say nothing: memory each, and what of a core they cost."""
    with host(sizes.script, *PATIENT, store="memory") as server, on_core(LOAD_CORE):
        bare = server.memory()
        with Load(sizes.script, server, sizes.idle):
            time.sleep(1.0)
            each = (server.memory() - bare) / sizes.idle
            cpu, begin = server.cpu(), time.monotonic()
            time.sleep(2 * sizes.seconds)
            share = (server.cpu() - cpu) / (time.monotonic() - begin)
    print(f"{sizes.idle:,} players who say nothing: {each / 1024:.1f} KiB each, {share:.1%} of a core", flush=True)


def pings(sizes: Sizes) -> None:
    """Connections that are pinged every 15 seconds and never log in: memory each, and what of a core they cost."""
    raise_fd_limit(sizes.idle + 200)
    script = evolve(script_of("eriantys"), settings={"limits.unlimited": "yes", "eriantys.ping": "15"})
    with host(script, *PATIENT, store="memory") as server, on_core(LOAD_CORE), ExitStack() as stack:
        bare = server.memory()
        for _ in range(sizes.idle):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        each = (server.memory() - bare) / sizes.idle
        cpu, begin = server.cpu(), time.monotonic()
        time.sleep(30)
        share = (server.cpu() - cpu) / (time.monotonic() - begin)
    print(f"{sizes.idle:,} connections with pings: {each / 1024:.1f} KiB each, {share:.1%} of a core", flush=True)


def tables(sizes: Sizes) -> None:
    """Moves a second at many connections and at few, in turn; and a table's memory after few moves and after many."""
    with (
        host(sizes.script) as few_host,
        host(sizes.script, *PATIENT) as many_host,
        on_core(LOAD_CORE),
        Load(sizes.script, few_host, 100) as few,
        Load(sizes.script, many_host, sizes.most) as many,
    ):
        turns = [(few.run(1.5).rate, many.run(1.5, warm=1.0).rate) for _ in range(5)]
        ratio = median(at_many / at_few for at_few, at_many in turns)
        print(
            f"{sizes.most:,} connections: {median(turn[1] for turn in turns):,.0f} moves/s, at 100"
            f" {median(turn[0] for turn in turns):,.0f}; ratio {ratio:.2f} (median of 5 turns)",
            flush=True,
        )
    with host(sizes.script, store="memory") as server, on_core(LOAD_CORE):
        bare = server.memory()
        with Load(sizes.script, server, 400) as load:
            for moves in (10, 1000):
                load.offer((moves * len(load.tables) - load.moves) / 5000, 5000)
                each = (server.memory() - bare) / len(load.tables)
                print(f"200 tables after {moves:,} moves each: {each / 1024:.1f} KiB a table", flush=True)


def starts(sizes: Sizes) -> None:
    """From the start of the process to the first answer, and until all is resumed, by how many tables were unfinished."""
    for number, entries in ((250, 200), (1000, 200), (10_000, 60)):
        start_up(number, entries)


PARTS = {"offered": offered, "idle": idle, "pings": pings, "tables": tables, "starts": starts}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="The host and many at once.")
    # The empty list is what is there if nothing is named, and is looked up among the choices too.
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[], help="as a rule all of them")
    parser.add_argument("--wire", default="onitama")
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=5_000)
    parser.add_argument("--rate", type=float, default=2000.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    words = parser.parse_args(arguments)
    sizes = Sizes(script_of(words.wire), words.seconds, words.rate, words.idle, words.most)
    for part in words.parts or PARTS:
        PARTS[part](sizes)


if __name__ == "__main__":
    main()
