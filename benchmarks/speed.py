"""
How many moves a second the host handles, beside a bare relay of the same bytes.

    python -m benchmarks.speed [--wires onitama,...] [--connections 100,1000] [--pairs 5] [--seconds 1.5] [--tries 4]
                               [--store postgresql]

For every wire and number of connections, three servers run at once and get the load in turn: the host with a durable
store, the host without a store, and the relay. The result is the median of the ratios within each turn. If one of the
last two servers was not busy in a turn, the turn is repeated a few times. `--store` adds a host with another durable store:
the address of an empty database, or `postgresql` for a server that is made in memory for the measurement.

The report has two ratios: moves a second, and microseconds of the server's core for a move. They are the same if each
server has a core to itself. On a busy machine the second ratio is steadier.
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
from tests.kit.postgresql import new_server, require_postgresql

HEAD = (
    "wire             conn.  server         moves/s  us/move   busy  p50 ms  p99 ms  KiB/conn."
    "  of the relay         by cost"
)


#: The share of its core that a server must have used for a turn to count. The durable store may wait for its disk.
LEAST_BUSY = 0.9


def measure(
    script: Script,
    connections: int,
    pairs: int,
    seconds: float,
    tries: int = 4,
    least_busy: float = LEAST_BUSY,
    store: str | None = None,
) -> list[tuple[Window, ...]]:
    """The windows of each turn: durable store, another one if it is given, memory, relay; and a table of them, printed."""
    with ExitStack() as stack:
        servers: list[Server] = [
            stack.enter_context(host(script)),
            *([stack.enter_context(host(script, store=database(store, stack)))] if store else []),
            stack.enter_context(host(script, store="memory")),
            stack.enter_context(relay(script)),
        ]
        stack.enter_context(on_core(LOAD_CORE))
        before = [server.memory() for server in servers]
        loads = [
            stack.enter_context(Load(script, server, connections, bare=server.name == "relay")) for server in servers
        ]
        for load in loads:
            load.spread()
        taken = [tuple(load.run(seconds) for load in loads) for _ in range(pairs)]
        while len(turns := [turn for turn in taken if busy(turn, least_busy)]) < pairs and len(taken) < tries * pairs:
            taken.append(tuple(load.run(seconds) for load in loads))
        memory = [(server.memory() - least) / connections for server, least in zip(servers, before, strict=True)]
    if len(turns) < pairs:
        print(f"not counted: only {len(turns)} of {len(taken)} turns kept the servers busy; all of them follow")
        turns = taken
    for number, (server, each) in enumerate(zip(servers, memory, strict=True)):
        of_relay = [turn[number].rate / turn[-1].rate for turn in turns]
        by_cost = [ratio(turn[-1].cost, turn[number].cost) for turn in turns]
        words = row(script.wire, connections, server.name, [turn[number] for turn in turns], each)
        print(f"{words}  {spread(of_relay)}  {spread(by_cost)}", flush=True)
    of_memory = [turn[0].rate / turn[-2].rate for turn in turns]
    by_cost = [ratio(turn[-2].cost, turn[0].cost) for turn in turns]
    print(f"{'':24}the durable store leaves {spread(of_memory)}, by cost {spread(by_cost)}", flush=True)
    if store:
        costs = [ratio(turn[1].cost, turn[0].cost) for turn in turns]
        print(f"{'':24}a move with the other store costs {spread(costs)} of one with SQLite", flush=True)
    return turns


def database(store: str, stack: ExitStack) -> str:
    """The address of an empty database; for `postgresql`, of one in a server that goes away with the measurement."""
    if store != "postgresql":
        return store
    require_postgresql()
    server = new_server()
    stack.callback(server.remove)
    return server.url(server.new_database())


def busy(turn: Sequence[Window], least: float) -> bool:
    """Whether the servers that have no disk to wait for had no time to spare."""
    return all(window.busy >= least for window in turn[-2:])


def row(wire: str, connections: int, name: str, windows: Sequence[Window], memory: float) -> str:
    """One server's medians."""

    def middle(of: str) -> float:
        return float(median(getattr(window, of) for window in windows))

    p50, p99 = (median(window.at(share) for window in windows) for share in (0.5, 0.99))
    return (
        f"{wire:16} {connections:6,}  {name:12} {middle('rate'):9,.0f} {middle('cost'):8.1f} {middle('busy'):6.0%}"
        f" {p50:7.2f} {p99:7.2f} {memory / 1024:10.1f}"
    )


def ratio(one: float, other: float) -> float:
    """How often the other one goes into this one; 0 where it was too little to be seen."""
    return one / other if other else 0.0


def spread(values: Sequence[float]) -> str:
    """The median, the least and the most."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


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
    parser.add_argument("--tries", type=int, default=4, help="turns taken, at most, for each that is to count")
    parser.add_argument("--store", help="another durable store to measure: postgresql, or the address of a database")
    words = parser.parse_args(arguments)
    print(machine())
    print(HEAD, flush=True)
    for wire in words.wires.split(","):
        for connections in map(int, words.connections.split(",")):
            measure(script_of(wire), connections, words.pairs, words.seconds, words.tries, store=words.store)


if __name__ == "__main__":
    main()
