"""
What honest players notice while others attack: a host with its journal on a disk, on 127.0.0.1 alone, and one attack after
the other. Ends by itself within three minutes.

python -m benchmarks.abuse
"""

from collections.abc import Sequence

from attrs import frozen

from benchmarks.attackers import Attack, Found, drips, newlines, silent, storm, under_way, unread
from benchmarks.honest import Costs, Crowd, host, quantile
from tests.process import HostProcess

TABLES = 20
#: Of one player: what the limits allow in the long run.
MOVES = 4.0


@frozen
class Row:
    """One attack, and what was measured meanwhile."""

    name: str
    attacks: Sequence[Attack]
    seconds: float
    goal: str


#: With the limits as they are by default.
LIMITED = (
    Row("nobody attacks", (), 8, ""),
    Row("4 newline flooders", (newlines,), 8, "p99 <= 10 ms"),
    Row("silent and dripping", (silent, drips), 13, "closed at 10 s"),
    Row("comings and goings", (storm,), 8, "processor < 60 %"),
    Row("all of these", (newlines, silent, drips, storm), 13, "p99 <= 20 ms"),
    Row("nobody attacks again", (), 5, "memory as before"),
)
#: With all rates lifted: what is left to stand between the attackers and the others.
OPEN = (
    Row("nobody attacks", (), 5, ""),
    Row("4 newline flooders", (newlines,), 8, "p99 <= 10 ms"),
    Row("100 who do not read", (unread,), 25, "13 MiB, cut off"),
    Row("nobody attacks again", (), 5, "memory as before"),
)

HEAD = f"{'':24}{'moves':>7}{'p50':>8}{'p99':>8}{'max':>8}{'proc.':>7}{'MiB':>7}{'sockets':>8}  goal"


def measured(process: HostProcess, crowd: Crowd, row: Row) -> None:
    """One line of the table."""
    costs = Costs(process.process.pid)
    before = costs.seconds
    most_files, most_memory = 0, 0.0
    waits: list[float] = []
    with under_way(row.attacks, process.ports["onitama"], row.seconds) as found:
        for _ in range(int(row.seconds)):
            waits += crowd.play(1.0)
            most_files, most_memory = max(most_files, costs.files), max(most_memory, costs.resident)
    spent = (costs.seconds - before) / row.seconds
    waits.sort()
    p50, p99, most = (f"{quantile(waits, part) * 1000:.1f}" for part in (0.5, 0.99, 1.0))
    print(
        f"{row.name:24}{len(waits):7}{p50:>8}{p99:>8}{most:>8}{spent:>7.0%}{most_memory:7.0f}{most_files:8}  {row.goal}",
        flush=True,
    )
    for words in map(_in_words, found):
        print(f"    {words}", flush=True)


def _in_words(found: Found) -> str:
    return ", ".join(f"{name} {number:.6g}" for name, number in found.items())


def run(title: str, rows: Sequence[Row], *options: str) -> None:
    """One host, and its attacks."""
    print(f"\n{title}: {TABLES} tables; milliseconds to the acknowledgement of a move\n{HEAD}")
    with host(*options) as process:
        crowd = Crowd(process.ports["onitama"], TABLES, MOVES)
        crowd.play(3)
        for row in rows:
            measured(process, crowd, row)
        print(f"    honest connections lost: {crowd.lost}")
        crowd.close()
        tracebacks = process.log.count("Traceback") + process.log.count("Unhandled")
    print(f"    tracebacks in the log: {tracebacks}")


if __name__ == "__main__":
    run("limits as by default", LIMITED, "--set", "limits.open=no")
    run("limits.open=yes", OPEN)
