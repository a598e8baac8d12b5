"""
Two members of a cluster beside a host alone, and beside two hosts that know nothing of each other: Onitama, on one database
server, in turn, by what a move costs.

    python -m benchmarks.members [--connections 100] [--pairs 5] [--seconds 1.5]

Each process has a core, which it shares with the load and the database if there are only two. So look at the third line
first: two processes cost more than one even without a cluster. The players of a table come to the same member, or each to any
member. In the second case half of the tables have a player who is relayed.
"""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack

from benchmarks.cluster_load import ClusterLoad, Shared, cluster
from benchmarks.scripts import script_of
from benchmarks.servers import LOAD_CORE, SERVER_CORE, host, on_core
from benchmarks.speed import machine, spread
from tests.kit.postgresql import new_server, require_postgresql

#: Of the two processes.
CORES = (SERVER_CORE, LOAD_CORE)
ROWS = ("two hosts alone", "two members, a table at one", "two members, players anywhere")


def first(side: int, number: int) -> int:
    """All come to one."""
    return 0


def together(side: int, number: int) -> int:
    """Both players of a table come to the same one."""
    return number % 2


def anywhere(side: int, number: int) -> int:
    """All pairs of members, one after the other."""
    return number % 2 if side else number // 2 % 2


def turns(connections: int, pairs: int, seconds: float, wire: str = "onitama") -> list[tuple[Shared, ...]]:
    """
    Each turn: one host; two hosts; two members, with the players of a table at one; and with them anywhere.

    :param connections: of each process
    """
    script = script_of(wire)
    with ExitStack() as stack:
        database = new_server()
        stack.callback(database.remove)
        hosts = [
            stack.enter_context(host(script, store=database.url(database.new_database()), core=core)) for core in CORES
        ]
        members = stack.enter_context(cluster(script, database, CORES))
        stack.enter_context(on_core(LOAD_CORE))
        loads = [
            stack.enter_context(ClusterLoad(script, servers[0], count, servers=servers, place=place, letters=letters))
            for servers, count, place, letters in (
                (hosts, connections, first, "ab"),
                (hosts, connections * 2, together, "cd"),
                (members, connections * 2, together, "ab"),
                (members, connections * 2, anywhere, "cd"),
            )
        ]
        return [tuple(load.share(seconds) for load in loads) for _ in range(pairs)]


def report(seen: Sequence[Sequence[Shared]]) -> list[str]:
    """What came of it, in lines."""
    lines = [f"one host alone                   {spread([turn[0].costs for turn in seen])} us a move"]
    for number, what in enumerate(ROWS, 1):
        costs = spread([turn[number].costs for turn in seen])
        ones = spread([2 * turn[0].costs / turn[number].costs for turn in seen])
        twos = spread([turn[1].costs / turn[number].costs for turn in seen])
        lines.append(f"{what:32} {costs} us a move: {ones} times one host, {twos} times two hosts")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Two hosts of a cluster beside a host alone.")
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    words = parser.parse_args(arguments)
    require_postgresql()
    print(machine())
    print("\n".join(report(turns(words.connections, words.pairs, words.seconds))), flush=True)


if __name__ == "__main__":
    main()
