"""
How many moves a second the host carries, beside a bare relay of the same bytes.

    python -m benchmarks.speed [--wires onitama,...] [--connections 100,1000] [--pairs 5] [--seconds 1.5]

For every wire and number of connections three servers are up at once, and have the load in turn: the host with its
durable store, the host that keeps nothing, and the relay. What counts is the ratio within each turn, and the median of
those. A turn in which the load, or something else on the machine, left one of the last two with time to spare says
nothing about servers; it is taken again, a few times.
"""

import argparse
import os
import platform
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.load import Load, Window
from benchmarks.scripts import WIRES, Script, script_of
from benchmarks.servers import LOAD_CORE, Server, host, on_core, relay

HEAD = "wire             conn.  server         moves/s  us/move   busy  p50 ms  p99 ms  KiB/conn.  of the relay"


#: The share of its core that a server must have used for a turn to count. The durable store may wait for its disk.
LEAST_BUSY = 0.9


def measure(
    script: Script, connections: int, pairs: int, seconds: float, least_busy: float = LEAST_BUSY
) -> list[tuple[Window, ...]]:
    """The windows of each turn: durable store, memory, relay; and a table of them, printed."""
    with ExitStack() as stack:
        servers: list[Server] = [
            stack.enter_context(host(script)),
            stack.enter_context(host(script, store="memory")),
            stack.enter_context(relay(script)),
        ]
        stack.enter_context(on_core(LOAD_CORE))
        before = [server.memory() for server in servers]
        loads = [
            stack.enter_context(Load(script, server, connections, bare=server.name == "relay")) for server in servers
        ]
        taken = [tuple(load.run(seconds) for load in loads) for _ in range(pairs)]
        while len(turns := [turn for turn in taken if busy(turn, least_busy)]) < pairs and len(taken) < 4 * pairs:
            taken.append(tuple(load.run(seconds) for load in loads))
        memory = [(server.memory() - least) / connections for server, least in zip(servers, before, strict=True)]
    if len(turns) < pairs:
        print(f"not counted: only {len(turns)} of {len(taken)} turns kept the servers busy; all of them follow")
        turns = taken
    for number, (server, each) in enumerate(zip(servers, memory, strict=True)):
        of_relay = [turn[number].rate / turn[-1].rate for turn in turns]
        print(row(script.wire, connections, server.name, [turn[number] for turn in turns], each, of_relay), flush=True)
    of_memory = [turn[0].rate / turn[1].rate for turn in turns]
    print(f"{'':24}the durable store leaves {median(of_memory):.2f} of the moves ({spread(of_memory)})", flush=True)
    return turns


def busy(turn: Sequence[Window], least: float) -> bool:
    """Whether the servers that have no disk to wait for had no time to spare."""
    return all(window.busy >= least for window in turn[1:])


def row(
    wire: str, connections: int, name: str, windows: Sequence[Window], memory: float, of_relay: Sequence[float]
) -> str:
    """One server's medians."""

    def middle(of: str) -> float:
        return float(median(getattr(window, of) for window in windows))

    p50, p99 = (median(window.at(share) for window in windows) for share in (0.5, 0.99))
    return (
        f"{wire:16} {connections:6,}  {name:12} {middle('rate'):9,.0f} {middle('cost'):8.1f} {middle('busy'):6.0%}"
        f" {p50:7.2f} {p99:7.2f} {memory / 1024:10.1f}  {median(of_relay):.2f} ({spread(of_relay)})"
    )


def spread(values: Sequence[float]) -> str:
    """The least and the most."""
    return f"{min(values):.2f} to {max(values):.2f}"


def machine() -> str:
    """What the figures are of."""
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}; load {load}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="The host's moves a second beside those of a bare relay.")
    parser.add_argument("--wires", default=",".join(WIRES))
    parser.add_argument("--connections", default="100,1000")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    words = parser.parse_args(arguments)
    print(machine())
    print(HEAD)
    for wire in words.wires.split(","):
        for connections in map(int, words.connections.split(",")):
            measure(script_of(wire), connections, words.pairs, words.seconds)


if __name__ == "__main__":
    main()
