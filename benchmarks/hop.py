"""
What it costs that a player is at another member of a cluster than the table: Onitama, with both players at the home of their
table, and with one of them relayed by another member, in turn.

    python -m benchmarks.hop [--connections 100] [--pairs 5] [--seconds 1.5] [--rate 300]

The first figures are of members that have no time to spare. The times are of a steady load, where nobody waits for others.
"""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.cluster_load import ClusterLoad, Shared, cluster
from benchmarks.scripts import script_of
from benchmarks.servers import LOAD_CORE, SERVER_CORE, on_core
from benchmarks.speed import machine, spread
from tests.kit.postgresql import new_server, require_postgresql

HOME, FRONT = 0, 1


def turns(
    connections: int, pairs: int, seconds: float, rate: float, wire: str = "onitama"
) -> list[tuple[Shared, Shared, Shared, Shared]]:
    """Each turn: with all at home and with one relayed, as fast as it goes; the same at a rate."""
    script = script_of(wire)
    with ExitStack() as stack:
        database = new_server()
        stack.callback(database.remove)
        members = stack.enter_context(cluster(script, database, [SERVER_CORE] * 2))
        stack.enter_context(on_core(LOAD_CORE))
        at_home = stack.enter_context(
            ClusterLoad(
                script, members[HOME], connections, servers=members, place=lambda side, number: HOME, letters="ab"
            )
        )
        relayed = stack.enter_context(
            ClusterLoad(
                *(script, members[HOME], connections),
                servers=members,
                place=lambda side, number: (HOME, FRONT)[side],
                letters="cd",
                timed=[1],
            )
        )
        return [
            (at_home.share(seconds), relayed.share(seconds), at_home.share(seconds, rate), relayed.share(seconds, rate))
            for _ in range(pairs)
        ]


def report(seen: Sequence[tuple[Shared, Shared, Shared, Shared]]) -> list[str]:
    """What came of it, in lines."""
    home = [fast.cost(HOME) for fast, _, _, _ in seen]
    relaying = [fast.cost(HOME) for _, fast, _, _ in seen]
    front = [fast.cost(FRONT) for _, fast, _, _ in seen]
    idle = [fast.cost(FRONT) for fast, _, _, _ in seen]
    direct = [slow.window.at(0.5) for _, _, slow, _ in seen]
    hopping = [slow.window.at(0.5) for _, _, _, slow in seen]
    added = [two - one for one, two in zip(direct, hopping, strict=True)]
    return [
        f"us a move of the home, both players there      {spread(home)}",
        f"us a move of the home, one player relayed      {spread(relaying)}",
        f"us a move of the front, one player relayed     {spread(front)}; it had nothing to do in {spread(idle)}",
        f"ms to the answer at the median, players there  {spread(direct)}",
        f"ms to the answer at the median, relayed        {spread(hopping)}; added {median(added):.2f}",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="What a move costs whose player is relayed by another host.")
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--rate", type=float, default=300.0, help="moves a second, for the times")
    words = parser.parse_args(arguments)
    require_postgresql()
    print(machine())
    print("\n".join(report(turns(words.connections, words.pairs, words.seconds, words.rate))), flush=True)


if __name__ == "__main__":
    main()
