"""
What a move costs here, and on small servers made with what others use: each move on disk before it is told, or in memory.

    python -m benchmarks.peers [--connections 50] [--pairs 5] [--seconds 1.5] [--python /usr/bin/python3.11] [--plot FILE]

pip and npm install what the others need into `build/peers` (`benchmarks.peer_install`). The durable host plays Onitama; on the
others two players send the same words in turns, and both are told of each (`benchmarks.contestants`). All servers run at once,
get the load in turn from the same generator, and have their files in one folder. At each table one move is under way, so with
50 connections at most 25 moves are.
"""

import argparse
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from benchmarks.contestants import Contestant, contestants
from benchmarks.load import Astray, Load, Window
from benchmarks.peer_install import INSTALLED, Missing, install_node, install_python, node
from benchmarks.servers import LOAD_CORE, on_core
from benchmarks.speed import machine, ratio, spread
from gamehost.ops.interpreter import is_plain
from tests.kit.process import ROOT

HEAD = (
    f"{'server':46}  moves/s  us/move   busy  p50 ms  p99 ms  KiB/conn.  of the relay's cost    of Colyseus', by turn"
)

#: What the host is to be no dearer than.
GOAL = "Colyseus + node:sqlite, a transaction a turn"


def measure(entered: Sequence[Contestant], connections: int, pairs: int, seconds: float) -> dict[str, float]:
    """Microseconds a move of each server, medians; and a table of what was seen, printed."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=INSTALLED, prefix="stores-") as stores, ExitStack() as stack:
        running, servers, folders = [], [], []
        for number, one in enumerate(entered):
            folder = Path(stores, str(number))
            folder.mkdir()
            try:
                servers.append(stack.enter_context(one.start(folder)))
            except Missing as missing:
                print(f"not measured: {missing}")
                continue
            running.append(one)
            folders.append(folder)
        stack.enter_context(on_core(LOAD_CORE))
        before = [server.memory() for server in servers]
        loads = [one.load(server, connections) for one, server in zip(running, servers, strict=True)]
        for load in loads:
            stack.enter_context(load)
        # The first turn does not count: Node compiles what is called often only after a while.
        _, *turns = [[load.run(seconds) for load in loads] for _ in range(pairs + 1)]
        memory = [(server.memory() - least) / connections for server, least in zip(servers, before, strict=True)]
        # All are killed now.
        stack.close()
        for one, load, folder in zip(running, loads, folders, strict=True):
            check_stored(one, load, folder)
    return report(running, turns, memory)


def check_stored(one: Contestant, load: Load, folder: Path) -> None:
    """
    Compare what a server had stored when it was killed with what it had told.

    :raises Astray: moves were told and not stored
    """
    if not one.stored:
        return
    with sqlite3.connect(folder / "store.sqlite") as connection:
        [stored] = connection.execute(one.stored).fetchone()
    connection.close()
    if stored < load.moves:
        raise Astray(f"{one.name} has told {load.moves} moves and stored {stored}")


def report(
    running: Sequence[Contestant], turns: Sequence[Sequence[Window]], memory: Sequence[float]
) -> dict[str, float]:
    """Print a row for each server. Returns the medians of what a move cost."""
    costs = {}
    goal = next((number for number, one in enumerate(running) if one.name == GOAL), None)
    for number, one in enumerate(running):
        windows = [turn[number] for turn in turns]
        rate, cost, busy = (median(getattr(window, of) for window in windows) for of in ("rate", "cost", "busy"))
        least = min(window.cost for window in windows)
        p50, p99 = (median(window.at(share) for window in windows) for share in (0.5, 0.99))
        ratios = [
            spread([ratio(turn[number].cost, turn[base].cost) for turn in turns])
            for base in (0, goal)
            if base is not None
        ]
        words = f"{one.name:44} {rate:8,.0f} {cost:8.1f} {least:6.0f} {busy:6.0%} {p50:7.2f} {p99:7.2f}"
        print(
            f"{words} {memory[number] / 1024:10.1f}  {'  '.join(f'{each:22}' for each in ratios)}".rstrip(), flush=True
        )
        costs[one.name] = cost
    return costs


#: How the bars of each kind of server are filled, and what that means.
FILLS = {
    "relay": ("#9aa3a8", "no store, no rules"),
    "gamehost": ("#0f6b57", "on disk, with the rules"),
    "durable": ("#c0803c", "on disk, no rules"),
    "memory": ("#e3c9a3", "in memory, no rules"),
}


def plot(costs: Mapping[int, Mapping[str, float]], kinds: Mapping[str, str]) -> str:
    """
    A bar for each server and number of connections, as SVG. A bar that would be longer than twelve of the first is cut.

    :param kinds: of each server, by its name
    """
    lines, y = [], 40
    for kind, (fill, words) in FILLS.items():
        x = 10 + 200 * list(FILLS).index(kind)
        lines.append(f'<rect class="key" x="{x}" y="{y}" width="12" height="12" fill="{fill}"/>')
        lines.append(f'<text x="{x + 18}" y="{y + 11}">{words}</text>')
    y += 24
    longest = min(
        max(max(each.values()) for each in costs.values()), 12 * min(min(each.values()) for each in costs.values())
    )
    for connections, each in costs.items():
        lines.append(f'<text class="head" x="10" y="{y + 14}">{connections:,} connections</text>')
        for name, cost in each.items():
            y += 24
            width = min(cost, longest) * 400 / longest
            cut = " (cut)" if cost > longest else ""
            lines.append(f'<text class="name" x="340" y="{y + 14}">{escape(name)}</text>')
            lines.append(f'<rect x="350" y="{y}" width="{width:.1f}" height="18" fill="{FILLS[kinds[name]][0]}"/>')
            lines.append(f'<text x="{356 + width:.1f}" y="{y + 14}">{cost:,.0f}{cut}</text>')
        y += 40
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="840" height="{y}" viewBox="0 0 840 {y}">',
            "<title>Microseconds of a core for a move</title>",
            "<style>text { font: 14px system-ui, sans-serif; fill: #1d2429 } .name { text-anchor: end }"
            " .head { font-weight: 700 }</style>",
            f'<rect class="key" width="840" height="{y}" fill="#fffdf8"/>',
            '<text class="head" x="10" y="24">Microseconds of a core for a move: less is better</text>',
            *lines,
            "</svg>\n",
        )
    )


def interpreters() -> str:
    """Which interpreters run the servers, and how they were built."""
    arguments = str(sysconfig.get_config_var("CONFIG_ARGS") or "nothing known")
    built = "built without a profile (PGO)" if is_plain() else "built with a profile (PGO)"
    lines = [f"Python {platform.python_version()} ({platform.python_compiler()}), {built}: {arguments}"]
    if shutil.which(node()) is not None:
        words = "`Node ${process.version}, V8 ${process.versions.v8}, SQLite ${process.versions.sqlite ?? 'missing'}`"
        options = "`built with PGO ${v.enable_pgo_use ?? false}, LTO ${v.enable_lto ?? false}`"
        script = f"const v = process.config.variables; {words} + ', ' + {options}"
        ended = subprocess.run([node(), "-p", script], capture_output=True, text=True, timeout=60)
        lines.append(ended.stdout.strip())
    return "\n".join(lines)


def installed(python: str) -> tuple[str | None, bool]:
    """The interpreter for servers in Python, if they can be had, and whether those for Node can. What is missing is printed."""
    own, with_node = None, False
    try:
        own = install_python(python)
    except Missing as missing:
        print(f"{missing}, so servers in Python are not measured")
    try:
        install_node()
        with_node = True
    except Missing as missing:
        print(f"{missing}, so Colyseus and boardgame.io are not measured")
    return own, with_node


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description="What a move costs here, and on other servers.")
    parser.add_argument("--connections", default="50", help="two at each table, and one move at each table at a time")
    parser.add_argument("--pairs", type=int, default=5, help="turns")
    parser.add_argument(
        "--seconds", type=float, default=1.5, help="at most 3: the host closes a browser's silent connection"
    )
    parser.add_argument("--python", help="the interpreter that runs the host, the relay and the servers in Python")
    parser.add_argument("--plot", type=Path, default=INSTALLED / "peers.svg")
    words = parser.parse_args(arguments)
    if words.python is not None:
        try:
            command = [install_python(words.python), "-m", "benchmarks.peers", *_without_python(words)]
        except Missing as missing:
            sys.exit(str(missing))
        os.chdir(ROOT)
        os.execv(command[0], command)
    own, with_node = installed(os.path.realpath(sys.executable))
    entered = contestants(own, with_node)
    print(machine())
    print(interpreters())
    print(HEAD, flush=True)
    costs = {
        each: measure(entered, each, words.pairs, words.seconds) for each in map(int, words.connections.split(","))
    }
    words.plot.write_text(plot(costs, {one.name: one.kind for one in entered}), "ascii")
    print(f"drawn in {words.plot}; load at the end {os.getloadavg()[0]:.1f}")


def _without_python(words: argparse.Namespace) -> list[str]:
    return [f"--{name}={value}" for name, value in vars(words).items() if name != "python"]


if __name__ == "__main__":
    main()
