"""
Other ways through the host than that of a move: which functions a log-in passes, a seat, a start, and a game of a contest.

    python -m benchmarks.ways [--list]

They are counted as `benchmarks.way` counts a move, but for two things. Only the start has a store on disk. What happens once,
a start and a game of a contest, passes each function that is called at all.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.passed import Count, Way
from benchmarks.resume import fill
from gamehost.testing.memory_host import MemoryHost
from tests.kit.contests import MemoryContest, program
from tests.kit.process import all_wires
from tests.kit.sources import ROOT
from tests.kit.web_host import WebHost

#: How often a way is repeated that can be.
TIMES = 6
#: Entries of an unfinished table.
ENTRIES = 8
#: As a program, it traces a host with the options that it is given.
STARTED = ROOT / "benchmarks" / "started_way.py"

#: What only the programs of a contest call, which are processes of their own.
PROGRAMS = (
    *("extras/bots/", "programs/", "games/play.py", "games/installed.py", "games/onitama/player.py"),
    *("entries.py", "plugins.py", "ops/__init__.py"),
)

#: One way: what goes before it, the way itself after the first `yield`, and what follows after the second one.
Steps = Callable[[int], Iterator[None]]


def repeated(steps: Steps, times: int = TIMES, left_out: Sequence[str] = ()) -> Way:
    """
    The functions that at least every second run of these steps passes.

    A first run is not counted: some functions are called only once in a process, and what they return is kept.

    :param left_out: folders of the package that are not counted
    """
    count, before = Count(with_steps=False, left_out=left_out), sys.gettrace()
    for number in range(times + 1):
        run = steps(number)
        next(run)
        if number:
            count.on = True
            sys.settrace(count.trace)
        next(run)
        sys.settrace(before)
        count.on = False
        next(run, None)
    return count.per_move(times)


def log_in() -> Way:
    """A log-in with a new account on `stratego-lines`, from its bytes until the player waits for an opponent."""
    host = MemoryHost()

    def steps(number: int) -> Iterator[None]:
        client = host.connect("stratego-lines")
        yield
        client.send(b"name%d\nsecret-%d\n" % (number, number))
        yield
        assert client.heard() == ["auth-req", "auth-ok"]
        client.drop()

    return repeated(steps)


def seat() -> Way:
    """Two browsers, from seeking an opponent to the first event of the match."""
    web = WebHost(MemoryHost())

    def steps(number: int) -> Iterator[None]:
        browsers = [web.browser() for _ in "ab"]
        for name, browser in zip("ab", browsers, strict=True):
            browser.say(do="enter", name=f"{name}{number}")
        yield
        for browser in browsers:
            browser.say(do="seek", game="onitama")
        yield
        assert all(browser.told()[-1]["event"]["kind"] == "dealt" for browser in browsers)

    return repeated(steps)


def start(tables: int = 1000) -> Way:
    """A start with so many unfinished tables, from the options until all are resumed: a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.sqlite"
        fill(store, tables, ENTRIES)
        ports = [f"--{name}=tcp:0:interface=127.0.0.1" for name in (*all_wires(), "web")]
        command = [sys.executable, str(STARTED), *ports, f"--store={store}"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    *_, last = ended.stdout.splitlines() or [""]
    try:
        passed = json.loads(last)
    except ValueError:
        raise AssertionError(f"the host did not start:\n{ended.stdout}{ended.stderr}") from None
    return Way({(file, name): 1 for file, name in passed}, {})


def contest() -> Way:
    """
    One game of a contest of Onitama on the contest's host, from the game before it to its result. The two programs that play
    are not counted: they are processes of their own.
    """
    command = program("onitama", 2)
    words = ["--wire=onitama", "--seed=3", *(f"--player={name}={command}" for name in ("ann", "bob"))]

    def steps(number: int) -> Iterator[None]:
        with tempfile.TemporaryDirectory() as folder:
            made = MemoryContest(Path(folder) / "contest", *words, "--rounds=3")
            made.begin()
            made.go_on(1)
            yield
            made.go_on(2)
            yield
            made.go_on()
        assert made.ends == [""]

    return repeated(steps, 1, PROGRAMS)


#: By the words of docs/architecture.
WAYS: Mapping[str, Callable[[], Way]] = {
    "a log-in with a new account on stratego-lines, until it waits": log_in,
    "a browser, from seeking to the seat": seat,
    "a start with 1,000 unfinished tables": start,
    "a game of a contest": contest,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description="Which functions of the host other ways than that of a move pass.")
    parser.add_argument("--list", action="store_true", help="the functions, too")
    words = parser.parse_args(arguments)
    print(f"{'':64}functions   files")
    for name, count in WAYS.items():
        found = count()
        print(f"{name:64}{len(found.calls):9} {len(found.files):7}")
        if words.list:
            for (file, function), number in sorted(found.calls.items()):
                print(f"    {file:40} {function:48} {number:7.1f}")


if __name__ == "__main__":
    main()
