"""
What a start costs until the ports are open: processor time, memory and modules, several times.

python -m benchmarks.start [STARTS]
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

from tests.kit.started import Started, started

#: What is compared: words for it, and its options.
STARTS = {
    "default options, a new store": (),
    "without house players, in memory": ("--house=0", "--store=memory"),
}


def several(times: int, options: tuple[str, ...]) -> list[Started]:
    """So many starts, each in a folder of its own, after one that compiles all modules."""
    hosts = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as bytecode:  # house players may still write
        for _ in range(times + 1):
            with tempfile.TemporaryDirectory() as folder:
                hosts.append(started(Path(folder), *options, bytecode=Path(bytecode)))
    return hosts[1:]


def main() -> None:
    """The medians of several starts."""
    for words, options in STARTS.items():
        hosts = several(int(sys.argv[1]) if sys.argv[1:] else 5, options)
        seconds, mebibytes = median(host.seconds for host in hosts), median(host.mebibytes for host in hosts)
        print(f"{words}: {seconds:.2f} s, {mebibytes:.1f} MiB, {len(hosts[0].own)} modules of gamehost", flush=True)


if __name__ == "__main__":
    main()
