"""
Attacks on a host on this machine with its journal on a disk, one after the other. It measures the delay of honest moves, and
how late the reactor is. It ends by itself within twenty minutes. Attackers come from a network of their own, where the system
permits one.

python -m benchmarks.abuse [PART ...] [--only WORDS]
"""

import argparse
import multiprocessing
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from attrs import frozen
from msgspec import json

from benchmarks.attackers import (
    Attack,
    Found,
    drips,
    newlines,
    silent,
    storm,
    thousand_unread,
    under_way,
    unread,
)
from benchmarks.floods import FLOODS
from benchmarks.guesses import guessers, owner
from benchmarks.honest import Costs, Crowd, host, quantile
from benchmarks.http_floods import contest_page, forms, gets, long_headers
from benchmarks.network import Network, strangers
from benchmarks.readers import (
    fill,
    hostile_gets,
    ladders,
    lists,
    long_match,
    long_names_in_gets,
    long_names_in_log_ins,
    long_names_in_messages,
    newcomers,
    one_segment,
    plain_gets,
    plain_names_in_log_ins,
)
from benchmarks.studies import house_answers, studies
from benchmarks.timed import LAG, Notes
from tests.kit.process import HostProcess


@frozen
class Row:
    """One attack, and what was measured meanwhile."""

    name: str
    attacks: Sequence[Attack]
    seconds: float
    goal: str
    #: Where the attackers connect: all of them, or each of them.
    wires: Sequence[str] = ("onitama",)
    #: Whether another host is attacked, which nobody plays on: what is left then is what the machine itself gives.
    elsewhere: bool = False

    def ports(self, process: HostProcess) -> list[int]:
        """The port for each of the attacks."""
        ports = [process.ports[wire] for wire in self.wires]
        return ports * len(self.attacks) if len(ports) == 1 else ports


@frozen
class Part:
    """One host, its honest players, and its attackers one after the other."""

    title: str
    rows: Sequence[Row]
    options: Sequence[str] = ()
    tables: int = 20
    #: A second, of one player at most.
    moves: float = 4.0
    #: Fills the folder of the store before the host starts.
    fill: Callable[[Path], None] | None = None


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
    Row("100 who do not read", (unread,), 20, "13 MiB, cut off"),
    Row("1,000 who do not read", (thousand_unread,), 40, "128 MiB, cut off"),
    Row("nobody attacks again", (), 5, "memory as before"),
)
BUSY = (
    Row("nobody attacks", (), 8, ""),
    Row("all of these", (newlines, unread, silent, drips, storm), 20, "p99 <= 20 ms, late <= 5, 50"),
    Row("nobody attacks again", (), 5, "memory as before"),
)

#: Bytes of every kind that make no message, or cheap ones.
KINDS = (
    Row("nobody attacks", (), 6, ""),
    *(Row(name, (attack,), 8, "p99 <= 10 ms", (wire,)) for name, (wire, attack) in FLOODS.items()),
    Row("nobody attacks again", (), 5, "memory as before"),
)

#: Strangers who look things up.
READERS = (
    Row("nobody attacks", (newcomers,), 10, "", ("open",)),
    Row("250 ask for lists", (lists, newcomers), 10, "p99 <= 10 ms", ("web", "open")),
    Row("240 for one long match", (long_match, newcomers), 10, "p99 <= 10 ms", ("web", "open")),
    Row("200 GETs in one segment", (one_segment, newcomers), 10, "p99 <= 10 ms", ("web", "open")),
    Row("60 type ladder", (ladders, newcomers), 10, "p99 <= 10 ms", ("console", "open")),
    Row(
        "all of these",
        (lists, long_match, ladders, newcomers),
        15,
        "p99 <= 10 ms",
        ("web", "web", "console", "open"),
    ),
    Row("nobody attacks again", (newcomers,), 10, "memory as before", ("open",)),
    Row("60 on another host", (ladders, newcomers), 10, "what this machine gives", ("console", "open"), True),
    Row(
        "all on another host",
        (lists, long_match, ladders, newcomers),
        15,
        "what this machine gives",
        ("web", "web", "console", "open"),
        True,
    ),
)

#: Texts of strangers where names, games and numbers are expected. GETs end when 10,000 are answered, or by the time.
TEXTS = (
    Row("nobody attacks", (), 5, ""),
    Row("10,000 plain GETs", (plain_gets,), 150, "", ("web",)),
    Row("10,000 hostile GETs", (hostile_gets,), 240, "20 MiB more", ("web",)),
    Row("long names in GETs", (long_names_in_gets,), 8, "p99 <= 10 ms, late <= 50", ("web",)),
    Row("plain names in log-ins", (plain_names_in_log_ins,), 8, "", ("paper-soccer",)),
    Row("long names in log-ins", (long_names_in_log_ins,), 8, "as the row before", ("paper-soccer",)),
    Row("long names in messages", (long_names_in_messages,), 8, "p99 <= 10 ms, late <= 50", ("open",)),
    Row("nobody attacks again", (), 5, "memory as before"),
)
#: The ports of HTTP: the longest time for which the reactor was late is 100 ms at most.
HTTP = (
    Row("nobody attacks", (), 6, ""),
    *(
        Row(f"{name}, {port}", (attack,), 8, "late at most 100 ms", (port,))
        for port in ("metrics", "health", "web")
        for name, attack in (("forms", forms), ("long headers", long_headers), ("GETs", gets("/metrics")))
    ),
    Row("nobody attacks again", (), 5, "memory as before"),
)

#: What house players take for their answers beside those who have matches studied.
STUDIES = (
    Row("nobody attacks", (house_answers,), 15, "", ("open",)),
    Row("40 ask for studies", (studies, house_answers), 20, "the slowest < 1 s", ("open", "open")),
    Row("askers are gone", (house_answers,), 15, "answers as before", ("open",)),
)
#: The owner of an account logs in, each time at another address, beside those who guess its password at theirs.
GUESSES = (
    Row("nobody guesses", (owner,), 6, "", ("open",)),
    Row("36 guess at 12 addresses", (guessers, owner), 75, "waits <= 9.6 s", ("open", "open")),
)

PARTS = {
    "studies": Part(
        "limits as by default, studies",
        STUDIES,
        ("--set", "limits.unlimited=no", "--house=1"),
        fill=fill,
    ),
    "guesses": Part("limits as by default, guessed passwords", GUESSES, ("--set", "limits.unlimited=no")),
    "texts": Part("limits as by default, long texts for names", TEXTS, ("--set", "limits.unlimited=no"), fill=fill),
    "http": Part("limits as by default, HTTP", HTTP, ("--set", "limits.unlimited=no")),
    "readers": Part("limits as by default, looking up", READERS, ("--set", "limits.unlimited=no"), fill=fill),
    "floods": Part("limits as by default, every kind of flood", KINDS, ("--set", "limits.unlimited=no")),
    "limited": Part("limits as by default", LIMITED, ("--set", "limits.unlimited=no")),
    # What is left to stand between the attackers and the others.
    "open": Part("all rates lifted", OPEN),
    "busy": Part("limits as by default, many moves", BUSY, ("--set", "limits.unlimited=no"), 145, 4.0),
    "busy-open": Part("all rates lifted, many moves", BUSY, (), 145, 4.0),
}

#: Seconds for which the moves are played between two looks at the stolen time.
WINDOW = 0.05

#: `quiet` is the p99 of the moves beside which nothing was stolen from this machine; `stolen` is in seconds of one core. `late`
#: and `work` are those of a timer, `stood` is the longest standstill by the measure of the host's own watchdog.
HEAD = (
    f"{'':24}{'moves/s':>8}{'p50':>7}{'p99':>7}{'max':>7}{'quiet':>7}{'stolen':>7}{'late99':>7}{'max':>7}{'work99':>7}{'max':>7}"
    f"{'stood':>7}{'proc.':>7}{'MiB':>6}{'sockets':>8}  goal"
)


def notes(process: HostProcess) -> Notes:
    """What a timed host has noted since the last call."""
    path = process.folder / LAG
    path.unlink(missing_ok=True)
    process.process.send_signal(signal.SIGRTMIN)
    for _ in range(500):
        if path.exists():
            return json.decode(path.read_bytes(), type=Notes)
        time.sleep(0.01)
    raise AssertionError("the host does not say how late it is")


def dropped() -> int:
    """Packets that the loopback has lost so far because too many came at once; who sent them waits 200 ms and more."""
    return sum(int(line.split()[1], 16) for line in Path("/proc/net/softnet_stat").read_text().splitlines())


def stolen() -> int:
    """Ticks of 10 ms so far in which this machine's own host ran something else: no process here could run then."""
    return int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])


def play_a_second(crowd: Crowd) -> tuple[list[float], list[float]]:
    """How long the moves of one second waited; then those of them beside which nothing was stolen from this machine."""
    waits: list[float] = []
    quiet: list[float] = []
    before, last_was_quiet = stolen(), False
    for _ in range(round(1 / WINDOW)):
        new = crowd.play(WINDOW)
        waits += new
        now = stolen()
        if last_was_quiet and now == before:
            quiet += new
        last_was_quiet, before = now == before, now
    return waits, quiet


def measured(
    process: HostProcess, crowd: Crowd, row: Row, ports: Sequence[int], network: Network
) -> tuple[float, float]:
    """
    One line of the table. Returns the delay in seconds below which 99 of 100 moves were acknowledged while nothing was stolen
    from this machine, and the host's memory at the end, in MiB.

    :param ports: for each of the attacks
    """
    costs = Costs(process.process.pid)
    before, lost_before, stolen_before = costs.seconds, dropped(), stolen()
    most_files, most_memory = 0, 0.0
    waits: list[float] = []
    quiet: list[float] = []
    notes(process)
    begun = time.monotonic()
    with under_way(row.attacks, ports, row.seconds, network) as found:
        while time.monotonic() < begun + row.seconds and not (row.attacks and not multiprocessing.active_children()):
            of_all, of_quiet = play_a_second(crowd)
            waits += of_all
            quiet += of_quiet
            most_files, most_memory = max(most_files, costs.files), max(most_memory, costs.resident)
        noted, seconds = notes(process), time.monotonic() - begun
    spent = (costs.seconds - before) / seconds
    waits.sort()
    quiet.sort()
    waited = "".join(f"{quantile(waits, part) * 1000:7.1f}" for part in (0.5, 0.99, 1.0))
    without_theft = f"{quantile(quiet, 0.99) * 1000:7.1f}{(stolen() - stolen_before) / 100:7.2f}"
    by_kind = [sorted(seen) for seen in zip(*noted.late, strict=True)]
    was_late = "".join(f"{quantile(seen, part) * 1000:7.1f}" for seen in by_kind for part in (0.99, 1.0))
    print(
        f"{row.name:24}{len(waits) / seconds:8.0f}{waited}{without_theft}{was_late}"
        f"{noted.stood * 1000:7.1f}{spent:>7.0%}{most_memory:6.0f}{most_files:8}  {row.goal}",
        flush=True,
    )
    for words in map(_in_words, found):
        print(f"    {words}", flush=True)
    if lost := dropped() - lost_before:
        print(f"    {lost} packets lost by the loopback", flush=True)
    return quantile(quiet, 0.99), costs.resident


def _in_words(found: Found) -> str:
    return ", ".join(f"{name} {number:.6g}" for name, number in found.items())


def run(part: Part, only: str, network: Network) -> None:
    """One host, and its attacks. How late its reactor was, and how long it worked then, as in `benchmarks.timed`."""
    print(f"\n{part.title}: {part.tables} tables; milliseconds to the acknowledgement of a move\n{HEAD}")
    rows = [row for row in part.rows if not only or not row.attacks or re.search(only, row.name) or row is part.rows[0]]
    with ExitStack() as stack:

        def start(module: str) -> HostProcess:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            if part.fill is not None:
                part.fill(folder)
            wires = sorted({"onitama", *(wire for row in part.rows for wire in row.wires)})
            address = "0.0.0.0" if network.space else "127.0.0.1"
            return stack.enter_context(host(*part.options, module=module, wires=wires, folder=folder, address=address))

        process = start("benchmarks.timed")
        other = start("gamehost") if any(row.elsewhere for row in rows) else process
        os.setpriority(os.PRIO_PROCESS, other.process.pid, 0 if other is process else 10)  # as attackers
        attacked(process, other, part, rows, network)
    tracebacks = process.log.count("Traceback") + process.log.count("Unhandled")
    print(f"    tracebacks in the log: {tracebacks}")


def attacked(process: HostProcess, other: HostProcess, part: Part, rows: Sequence[Row], network: Network) -> None:
    """All attacks of a part, one after the other."""
    crowd = Crowd(process.ports["onitama"], part.tables, part.moves)
    crowd.play(3 + part.tables / 50)
    ends = [measured(process, crowd, row, row.ports(other if row.elsewhere else process), network) for row in rows]
    late = [waited for waited, _ in ends]
    print(f"    quiet p99 beside that of the first row: {', '.join(f'{one / late[0]:.1f}' for one in late)} times")
    print(f"    MiB at the end of each row: {', '.join(f'{memory:.1f}' for _, memory in ends)}")
    print(f"    honest connections lost: {crowd.lost}")
    crowd.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="The host under attack.")
    # The empty list is what is there if nothing is named, and is looked up among the choices too.
    parser.add_argument("parts", nargs="*", choices=[*PARTS, "contest", []], default=[], help="as a rule all of them")
    parser.add_argument(
        "--only", default="", help="a regular expression: the first row of a part, and those that it finds"
    )
    options = parser.parse_args(arguments)
    with strangers() as network:
        for name in options.parts or (*PARTS, "contest"):
            if name == "contest":
                contest_page(network)
            else:
                run(PARTS[name], options.only, network)


if __name__ == "__main__":
    main()
